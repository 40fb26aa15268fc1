# SPDX-License-Identifier: GPL-2.0-only
"""Reads the log of the board's oscilloscope (see board/irboard.c for its format)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

PWM_CLOCK_HZ = 10_000_000
_FORMAT = "# irboard 1"


class ScopeError(Exception):
    """The log is not what the board writes."""


@dataclass(frozen=True)
class Edge:
    """A change on a pin: dark, steadily lit (no period), or a carrier of so many PWM clocks."""

    ns: int
    pin: int
    lit: bool
    period_clocks: int = 0
    high_clocks: int = 0

    @property
    def carrier_hz(self) -> float:
        """The carrier that lights the pin now; 0 where it has none."""
        return PWM_CLOCK_HZ / self.period_clocks if self.period_clocks else 0

    @property
    def duty_pct(self) -> float:
        """How much of a carrier's period is light."""
        if self.period_clocks:
            return 100 * self.high_clocks / self.period_clocks
        return 100 if self.lit else 0


@dataclass(frozen=True)
class Mark:
    """A number that the guest put into the log."""

    ns: int
    value: int


@dataclass(frozen=True)
class Storm:
    """What became of the edges of a storm: how many the guest answered, how fast at worst."""

    ns: int
    edges: int
    answered: int
    longest_ns: int


@dataclass(frozen=True)
class Trace:
    """A stretch of the log."""

    records: tuple[Edge | Mark | Storm, ...]

    def between(self, first: int, last: int) -> Trace:
        """What lies between two marks; a mark that is missing is the end of the log."""
        return Trace(self.records[self._after(first):self._find(last)])

    def after(self, mark: int) -> Trace:
        """What follows a mark."""
        return Trace(self.records[self._after(mark):])

    def edges(self, pin: int) -> list[Edge]:
        """All changes of a pin."""
        return [edge for edge in self._all_edges() if edge.pin == pin]

    def lit_pins(self) -> list[int]:
        """The pins that light up in it."""
        return sorted({edge.pin for edge in self._all_edges() if edge.lit})

    def left_lit(self) -> list[int]:
        """The pins whose last change leaves them lit."""
        last = {edge.pin: edge.lit for edge in self._all_edges()}
        return sorted(pin for pin, lit in last.items() if lit)

    def _all_edges(self) -> Iterator[Edge]:
        return (edge for edge in self.records if isinstance(edge, Edge))

    def _after(self, mark: int) -> int:
        place = self._find(mark)
        return len(self.records) if place is None else place + 1

    def _find(self, mark: int) -> int | None:
        for place, record in enumerate(self.records):
            if isinstance(record, Mark) and record.value == mark:
                return place
        return None


def read(path: Path) -> Trace:
    """A whole log."""
    return parse(path.read_text(encoding="ascii").splitlines())


def parse(lines: Iterable[str]) -> Trace:
    """A log's lines."""
    lines = iter(lines)
    first = next(lines, "")
    if first != _FORMAT:
        raise ScopeError(f"the log begins with {first!r}, not with {_FORMAT!r}; the board plugin "
                         "and this reader are of different versions, or QEMU did not start")
    records = (_record(line.split()) for line in lines)
    return Trace(tuple(record for record in records if record))


def _record(words: Sequence[str]) -> Edge | Mark | Storm | None:
    """One line; the watchdog's is no event on a pin."""
    match words:
        case [ns, "pin", pin, "pwm", period, high]:
            return Edge(int(ns), int(pin), True, int(period), int(high))
        case [ns, "pin", pin, "high" | "low" as level]:
            return Edge(int(ns), int(pin), level == "high")
        case [ns, "mark", value]:
            return Mark(int(ns), int(value))
        case [ns, "storm", edges, answered, longest_ns]:
            return Storm(int(ns), int(edges), int(answered), int(longest_ns))
        case [_, "watchdog"]:
            return None
    raise ScopeError(f"the log has a line that the board does not write: {' '.join(words)!r}")


def intervals_ns(edges: Sequence[Edge]) -> list[int]:
    """The times from edge to edge."""
    return [after.ns - before.ns for before, after in zip(edges, edges[1:])]
