# SPDX-License-Identifier: GPL-2.0-only
"""The demonstration: sends a signal on the emulated Raspberry Pi and shows what was asked, what
the oscilloscope on the pin saw, what the receiver understood, and the driver's own figures."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from tests.lab import host, irfile, scenario, scope, session, verdict

_EXAMPLE = "examples/nec.ir"
_SCANCODE = "nec:0x408"  # twice: the file holds a frame and its repeat
_COMMAND = f"ir-ctl -d /dev/lirc0 --send {_EXAMPLE}"
_PIN = 18
_COLUMN_US = 562.5  # the unit that NEC counts in
_COLUMNS = 64
_PLOT_ROWS = 2
_TABLE_ROWS = 14


def main() -> int:
    """Send, show and judge; 0 when everything is as it must be."""
    entry = scenario.parse(Path("demo"), _scenario())
    try:
        seen, = session.run(entry.board, [entry], session.new_logs())
    except host.LabError as error:
        print(error, file=sys.stderr)
        return 1
    if found := verdict.problems(entry, seen):
        print(verdict.report(entry, seen, found), file=sys.stderr)
        return 1
    print("\n".join(_story(irfile.read(host.TREE / _EXAMPLE), seen)))
    return 0


def _scenario() -> str:
    return f"""
title = "demonstration"
modules = ["pwm-ir-tx", "gpio-ir-recv"]
python = true
run = '''
receive nec
cd /
{_COMMAND}
edges
received
echo "@report"
irtx-stat
'''

[expect]
signals = ["{_EXAMPLE}"]
decoded = ["{_SCANCODE}", "{_SCANCODE}"]
driver_agrees_ns = 100
"""


def _story(signal: irfile.Signal, seen: session.Evidence) -> Iterator[str]:
    edges = seen.during.edges(_PIN)
    yield f"\npi$ {_COMMAND}\n"
    yield from _plot(signal, edges)
    yield from _table(signal, edges)
    yield "\nThe stock receiver on GPIO24 and the kernel's decoder heard:"
    yield from (f"    {protocol}:{code}" for protocol, code in
                re.findall(r"^@decoded (\S+) (\S+)$", seen.output, re.MULTILINE))
    yield "\npi$ sudo irtx-stat\n"
    yield seen.output.partition("@report\n")[2]


def _plot(signal: irfile.Signal, edges: Sequence[scope.Edge]) -> Iterator[str]:
    """The beginning of the signal, a column each NEC unit: asked above, seen below."""
    asked = [0.0]
    for length_us in signal.lengths_us:
        asked.append(asked[-1] + length_us)
    seen = [(edge.ns - edges[0].ns) / 1000 for edge in edges]
    yield f"GPIO{_PIN}, {_COLUMN_US} us a column; # = carrier on"
    for row in range(_PLOT_ROWS):
        begin = row * _COLUMNS
        yield f"\n{begin * _COLUMN_US / 1000:8.1f} ms  asked  {_row(asked, begin)}"
        yield f"             seen   {_row(seen, begin)}"


def _row(edges_us: Sequence[float], begin: int) -> str:
    """Levels in the middle of each column; an even number of edges before it is dark."""
    middles = ((begin + column + 0.5) * _COLUMN_US for column in range(_COLUMNS))
    return "".join("#" if sum(edge <= middle for edge in edges_us) % 2 else "_"
                   for middle in middles)


def _table(signal: irfile.Signal, edges: Sequence[scope.Edge]) -> Iterator[str]:
    """The first intervals, and the worst of all."""
    rows = list(zip(signal.lengths_us, scope.intervals_ns(edges)))
    worst = max(range(len(rows)), key=lambda i: abs(rows[i][1] - 1000 * rows[i][0]))
    yield "\n  interval       asked          oscilloscope       error"
    yield from (_table_row(i, *rows[i]) for i in range(_TABLE_ROWS))
    yield f"       ... and so on to interval {len(rows)}; the worst of them all:"
    yield _table_row(worst, *rows[worst])


def _table_row(index: int, asked_us: int, seen_ns: int) -> str:
    kind = "space" if index % 2 else "pulse"
    return (f"  {index + 1:4} {kind} {asked_us:8} us {seen_ns / 1000:16.3f} us "
            f"{seen_ns - 1000 * asked_us:+8} ns")


if __name__ == "__main__":
    sys.exit(host.call(main))
