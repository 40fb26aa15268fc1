# SPDX-License-Identifier: GPL-2.0-only
"""What the endurance run consists of: pieces, each a boot of the emulated Pi that sends signals in
one mode beside one load. A piece of a number is the same in every run."""

from __future__ import annotations

import dataclasses
import itertools
import random
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.bench import loads, tools
from tests.lab import scenario
from tests.lab.qemu import KernelName, Machine
from tests.soak import frames

BEGIN, END = 1000, 1001  # marks
# How many signals a piece sends, so that none takes much longer than others on the host. Waiting
# with the CPU held is dear there, sleeping costs nothing.
_MANY, _FEW = 1250, 400
_FIRST = 200  # small enough for a check to send it anew
_FRAMES = 48  # different ones in a piece
_SENDS = 25  # by one run of ir-ctl
_GAP_US = 6_000  # more than a frame is dark inside
# The first is in every log. A storm of interrupts makes a slow CPU say the second, once; and 7.3
# gives up on the emulated board's missing Wi-Fi after 10 s.
_NOISE = "loading out-of-tree module|hrtimer: interrupt took|deferred probe pending"
_VIRTUAL_S_PER_SIGNAL = 1  # many times what one takes beside the heaviest load
_SPARE_S = 60

_RUN = """
{settings}
mkdir /tmp/frames
frame() {{
    file=/tmp/frames/$1
    printf 'carrier %u\\n' "$2" > $file
    shift 2
    printf 'pulse %u\\nspace %u\\n' "$@" 0 | sed '$d' >> $file
}}
send() {{
    ir-ctl -d $TX --gap={gap_us} $(printf -- '--send=/tmp/frames/%u ' "$@")
    usleep {gap_us}
}}
{frames}
{load}
mark {begin}
{sends}
mark {end}
{load_end}
"""

_SETTINGS = {
    "busy": (("tx_mode", "busy"),),
    "busy-unbounded": (("tx_mode", "busy"), ("tx_max_irqs_off_us", 0)),
    "hybrid": (("tx_mode", "hybrid"),),
    "auto": (("tx_mode", "auto"),),
    "thread": (("tx_mode", "thread"),),
}


@dataclass(frozen=True)
class Kind:
    """How so many signals are sent; an instruction takes 2^shift ns."""

    kernel: KernelName
    driver: str
    mode: str
    load: str
    shift: int
    signals: int


_KINDS = (
    Kind("6.12", "pwm-ir-tx", "hybrid", "none", 3, _MANY),
    Kind("6.12", "pwm-ir-tx", "busy", "irqoff", 3, _MANY),
    Kind("6.12", "pwm-ir-tx", "auto", "irqoff", 3, _MANY),
    Kind("6.12", "gpio-ir-tx", "hybrid", "none", 3, _FEW),
    Kind("6.1", "pwm-ir-tx", "thread", "none", 2, _MANY),
    Kind("7.3", "pwm-ir-tx", "hybrid", "none", 3, _MANY),
    Kind("6.12", "pwm-ir-tx", "busy", "all", 3, _FEW),
    Kind("6.12", "pwm-ir-tx", "hybrid", "irqoff", 2, _MANY),
    Kind("6.12-rt", "pwm-ir-tx", "thread", "none", 2, _MANY),
    Kind("6.12", "gpio-ir-tx", "busy", "irqoff", 3, _FEW),
    Kind("6.12", "pwm-ir-tx", "auto", "none", 2, _MANY),
    Kind("7.3", "pwm-ir-tx", "auto", "irqoff", 3, _MANY),
    Kind("6.12", "pwm-ir-tx", "hybrid", "irqs", 1, _FEW),
    Kind("6.12", "pwm-ir-tx", "thread", "none", 2, _MANY),
    Kind("7.3", "gpio-ir-tx", "auto", "irqoff", 3, _FEW),
    Kind("6.12", "pwm-ir-tx", "hybrid", "none", 1, _MANY),
    Kind("6.12", "pwm-ir-tx", "busy", "tasks", 3, _FEW),
    Kind("6.12", "pwm-ir-tx", "auto", "all", 2, _FEW),
    Kind("6.1", "gpio-ir-tx", "hybrid", "none", 3, _FEW),
    Kind("6.12", "pwm-ir-tx", "busy-unbounded", "switches", 3, _FEW),
)


@dataclass(frozen=True)
class Piece:
    """A part of the run."""

    number: int
    kind: Kind

    @property
    def what(self) -> tuple[int | str, ...]:
        """All that tells it from any other, of other versions of the plan as well."""
        return (self.number, *dataclasses.astuple(self.kind))

    def sent(self) -> list[frames.Frame]:
        """All that it sends, in order."""
        choice = self._frames()
        return [choice[place] for place in self._order()]

    def has_soft_carrier(self) -> bool:
        """Whether software makes the carrier."""
        return self.kind.driver == "gpio-ir-tx"

    def scenario(self) -> scenario.Scenario:
        """The scenario that sends it."""
        kind = self.kind
        return scenario.Scenario(
            path=Path(f"piece-{self.number}"), title=str(kind), run=self._script(),
            modules=[kind.driver], overlays=[kind.driver, loads.OVERLAY],
            layers=(tools.tools(kind.kernel),), expect=scenario.Expect(kernel_log=[_NOISE]),
            timeout_s=kind.signals * _VIRTUAL_S_PER_SIGNAL + _SPARE_S,
            boot=Machine(kernel=kind.kernel, shift=kind.shift, seed=self.number, card=True))

    def _frames(self) -> list[frames.Frame]:
        return frames.choose(random.Random(f"frames {self.number}"), _FRAMES)

    def _order(self) -> list[int]:
        return random.Random(f"order {self.number}").choices(range(_FRAMES), k=self.kind.signals)

    def _script(self) -> str:
        order = self._order()
        return _RUN.format(
            settings="\n".join(f"echo {value} > /sys/class/rc/rc0/device/{name}"
                               for name, value in _SETTINGS[self.kind.mode]),
            frames="\n".join(_make_file(place, frame)
                             for place, frame in enumerate(self._frames())),
            load=loads.begin(self.kind.load, self.number), begin=BEGIN, end=END, gap_us=_GAP_US,
            sends="\n".join(f"send {' '.join(map(str, order[start:start + _SENDS]))}"
                            for start in range(0, len(order), _SENDS)),
            load_end=loads.END)


FIRST = Piece(0, Kind("6.12", "pwm-ir-tx", "busy", "none", 3, _FIRST))


def _make_file(name: int, frame: frames.Frame) -> str:
    lengths = " ".join(map(str, frame.signal.lengths_us))
    return f"frame {name} {frame.signal.carrier_hz} {lengths}"


def plan() -> Iterator[Piece]:
    """All pieces, without an end."""
    yield FIRST
    for number, kind in enumerate(itertools.cycle(_KINDS), start=1):
        yield Piece(number, kind)
