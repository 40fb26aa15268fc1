# SPDX-License-Identifier: GPL-2.0-only
"""Plays signals, as the oscilloscope saw them on one board, as light to the receiver of another
that is idle, and tells what its stock gpio-ir-recv and the kernel's decoders made of each."""

from __future__ import annotations

import bisect
import itertools
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from tests.lab import host, rcmm, scenario, scope, session
from tests.lab.carrier import Burst
from tests.lab.qemu import Machine

_PAUSE_NS = 200_000_000  # before each signal: its decoder knows 140 ms after the last that it ended
_KERNEL = "6.12"
_FORMAT = "# irboard play 1"
_LONGEST_S = 4000  # the board's watchdog counts to 4294 s
_SPARE_S = 30
_RUN = """
receive {protocols}
sleep 1 # until it listens
echo "@began $(cut -d' ' -f1 /proc/uptime)"
devmem 0x3f2f000c 32 1 # irboard: plays
sleep {length_s}
received >/dev/null
sed -n '/lirc protocol/s/^/@heard /p' "$HEARD"
"""
# as ir-keytable has it
_HEARD = re.compile(r"^@heard ([0-9.]+): lirc protocol\((\S+)\): scancode = (0x[0-9a-f]+)",
                    re.MULTILINE)

Envelope = Sequence[int]  # light and dark by turns, in ns, light first and last


def of_edges(edges: Sequence[scope.Edge]) -> list[int]:
    """The envelope of a signal whose carrier a PWM made: each edge is one of its pin's."""
    return scope.intervals_ns(edges)


def of_bursts(bursts: Sequence[Burst]) -> list[int]:
    """The envelope of a signal whose carrier software made: a pulse is from first to last light."""
    return scope.intervals_ns([edge for burst in bursts for edge in (burst[0], burst[-1])])


def decode(signals: Sequence[Envelope], protocols: Sequence[str], logs: Path) -> list[list[str]]:
    """The scancodes ("nec:0x408") that the decoders of these protocols, by their names in sysfs,
    found in each signal; logs is a new folder. How far apart the signals were does not matter."""
    starts_ns = _starts_ns(signals)
    length_s = (starts_ns.pop() + _PAUSE_NS) // 10**9 + 1
    if length_s > _LONGEST_S:
        raise host.LabError(f"{len(signals)} signals take {length_s} s to play; the board can play "
                            f"for {_LONGEST_S} s: play them in parts")
    logs.mkdir(parents=True)
    score = logs / "score"
    score.write_text("\n".join(_score(signals, starts_ns)) + "\n", encoding="ascii")
    entry = scenario.Scenario(
        path=Path("replay"), title="replay", modules=["gpio-ir-recv"], overlays=[],
        run=_RUN.format(protocols=" ".join(protocols), length_s=length_s),
        timeout_s=length_s + _SPARE_S, drivers=rcmm.sources(_KERNEL),
        boot=Machine(kernel=_KERNEL, play=score))
    seen, = session.run(entry.board, [entry], logs)
    if seen.died or seen.exit:
        raise host.LabError(f"the replay ended with {seen.died or seen.exit}:\n"
                            f"{host.tail(seen.output)}\nlogs: {seen.logs}")
    return _by_signal(seen.output, starts_ns)


def _starts_ns(signals: Sequence[Envelope]) -> list[int]:
    """When each signal begins, and when the next would."""
    return list(itertools.accumulate((sum(signal) + _PAUSE_NS for signal in signals),
                                     initial=_PAUSE_NS))


def _score(signals: Sequence[Envelope], starts_ns: Sequence[int]) -> Iterator[str]:
    """All signals as the board plays them: when light goes on (1) and off (0)."""
    yield _FORMAT
    for start_ns, signal in zip(starts_ns, signals, strict=True):
        for number, at_ns in enumerate(itertools.accumulate(signal, initial=start_ns)):
            yield f"{at_ns} {(number + 1) % 2}"


def _by_signal(output: str, starts_ns: Sequence[int]) -> list[list[str]]:
    """What was heard, each under the last signal that had begun by then."""
    began_ns = _ns(re.search(r"^@began (\S+)$", output, re.MULTILINE)[1])
    heard: list[list[str]] = [[] for _ in starts_ns]
    for time_s, protocol, code in _HEARD.findall(output):
        number = bisect.bisect(starts_ns, _ns(time_s) - began_ns) - 1
        heard[number].append(f"{protocol}:{code}")
    return heard


def _ns(seconds: str) -> int:
    return round(float(seconds) * 10**9)
