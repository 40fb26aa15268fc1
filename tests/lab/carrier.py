# SPDX-License-Identifier: GPL-2.0-only
"""What a carrier made by software must look like on a pin, worked out exactly from the rule, and
where the oscilloscope saw something else.

The rule: a pulse begins at the sum of the lengths before it. It is made of the whole number of
carrier cycles, at least one, that is nearest to its length; of two that are equally near, the
smaller. Each cycle is light first, for its share of duty, and dark then. Only a pulse that is
shorter than the light of one cycle is a single flash of its own length.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

from tests.lab import scope

_NS_PER_S = 10**9
_NS_PER_US = 1000
_ROWS = 12  # of a table; more would hide the rest of a report
_GAP_CYCLES = 4  # dark for longer than this, a carrier has paused and not only lost a cycle
_CYCLES_FOR_HZ = 10  # what a pulse must have for its frequency to mean something


class CarrierError(Exception):
    """A signal that this instrument cannot judge; the text says why."""


@dataclass(frozen=True)
class Wave:
    """A carrier, exactly."""

    hz: int
    duty_pct: float

    @property
    def period_ns(self) -> Fraction:
        """The length of a cycle."""
        return Fraction(_NS_PER_S, self.hz)

    @property
    def light_ns(self) -> Fraction:
        """How much of a cycle is light."""
        return self.period_ns * Fraction(self.duty_pct) / 100


@dataclass(frozen=True)
class Pulse:
    """A pulse as it must be: when its light goes on and off by turns, from the signal's start."""

    length_ns: int
    edges_ns: tuple[Fraction, ...]


@dataclass(frozen=True)
class Limits:
    """How far off a pulse's start, a half cycle and a frequency may be."""

    start_ns: int
    half_cycle_ns: int
    hz_pct: float


Burst = Sequence[scope.Edge]  # light and dark by turns, without a pause


# --- what must be ---

def pulses(lengths_us: Sequence[int], wave: Wave) -> list[Pulse]:
    """A signal's pulses by the rule."""
    starts_us = [sum(lengths_us[:place]) for place in range(0, len(lengths_us), 2)]
    return [_pulse(_NS_PER_US * start_us, _NS_PER_US * length_us, wave)
            for start_us, length_us in zip(starts_us, lengths_us[::2])]


def _pulse(start_ns: int, length_ns: int, wave: Wave) -> Pulse:
    light_ns = min(wave.light_ns, length_ns)
    rises_ns = [start_ns + number * wave.period_ns for number in range(_cycles(length_ns, wave))]
    return Pulse(length_ns, tuple(edge_ns for rise_ns in rises_ns
                                  for edge_ns in (rise_ns, rise_ns + light_ns)))


def _cycles(length_ns: int, wave: Wave) -> int:
    """The nearest whole number, of two that are equally near the smaller; at least one."""
    return max(1, math.ceil(length_ns / wave.period_ns - Fraction(1, 2)))


# --- what was seen ---

def pause_ns(signals_us: Sequence[Sequence[int]], slowest_hz: int) -> int:
    """A dark time that is longer than any inside these signals' pulses, and shorter than any
    between them."""
    shortest_ns = math.ceil(_GAP_CYCLES * Fraction(_NS_PER_S, slowest_hz))
    spaces_us = [space_us for lengths_us in signals_us for space_us in lengths_us[1::2]]
    longest_ns = _NS_PER_US * min(spaces_us) // 2 if spaces_us else shortest_ns
    if longest_ns < shortest_ns:
        raise CarrierError(f"a space of {2 * longest_ns} ns is too short to tell pulses apart at "
                           f"{slowest_hz} Hz: {2 * shortest_ns} ns is the least")
    return longest_ns


def bursts(edges: Sequence[scope.Edge], longest_dark_ns: int) -> list[Burst]:
    """A pin's changes, cut where it stays dark for longer."""
    found: list[list[scope.Edge]] = []
    for edge in edges:
        if not found or edge.lit and edge.ns - found[-1][-1].ns > longest_dark_ns:
            found.append([])
        found[-1].append(edge)
    return found


def burst_hz(burst: Burst) -> float | None:
    """The mean frequency of a burst, None where it is too short for one."""
    rises = burst[::2]
    if len(rises) < _CYCLES_FOR_HZ:
        return None
    return (len(rises) - 1) * _NS_PER_S / (rises[-1].ns - rises[0].ns)


def burst_duty_pct(burst: Burst) -> float | None:
    """How much of its cycles is light, None where it is too short for a frequency."""
    if (hz := burst_hz(burst)) is None:
        return None
    lit_ns = [fall.ns - rise.ns for rise, fall in zip(burst[::2], burst[1::2])]
    return 100 * hz / _NS_PER_S * sum(lit_ns) / len(lit_ns)


# --- one against the other ---

def faults(wave: Wave, asked: Sequence[Pulse], seen: Sequence[Burst],
           limits: Limits) -> Iterator[str]:
    """What is wrong with a signal, all of it counted from its first light."""
    if len(seen) != len(asked):
        yield f"    {len(seen)} pulses seen, {len(asked)} expected"
    if any(edge.lit == number % 2 for burst in seen for number, edge in enumerate(burst)):
        yield "    light and dark do not take turns"
    pairs = [_Pair(2 * number, wave, limits, seen[0][0].ns, pulse, burst)
             for number, (pulse, burst) in enumerate(zip(asked, seen))]
    yield from _pulse_table(pairs, wave, limits)
    yield from _half_cycle_table(pairs, limits)


@dataclass(frozen=True)
class _Pair:
    """A pulse that was asked for and what was seen of it, counted from zero_ns."""

    interval: int
    wave: Wave
    limits: Limits
    zero_ns: int
    pulse: Pulse
    burst: Burst

    @property
    def late_ns(self) -> int:
        """How late it begins."""
        return self.burst[0].ns - self.zero_ns - round(self.pulse.edges_ns[0])

    @property
    def cycles(self) -> tuple[int, int]:
        """How many cycles there are, and how many there must be."""
        return (len(self.burst) + 1) // 2, len(self.pulse.edges_ns) // 2

    @property
    def hz(self) -> float:
        """Its frequency, which is right where it is too short to tell."""
        return burst_hz(self.burst) or self.wave.hz

    @property
    def length_error_ns(self) -> int:
        """How much too long it is. Its last cycle ends with dark, unless it is a single flash that
        is shorter than a cycle's light."""
        end_ns = self.burst[::2][-1].ns + self.wave.period_ns
        if self.pulse.length_ns < self.wave.light_ns:
            end_ns = Fraction(self.burst[-1].ns)
        return round(end_ns - self.burst[0].ns - self.pulse.length_ns)

    @property
    def length_may_miss_ns(self) -> Fraction:
        """Half a cycle, but a whole one is the least that is sent."""
        least_ns = max(self.wave.period_ns / 2, self.wave.period_ns - self.pulse.length_ns)
        return least_ns + self.limits.half_cycle_ns

    @property
    def wrong(self) -> bool:
        """Whether any of this is not as it must be."""
        seen, wanted = self.cycles
        return (seen != wanted or abs(self.late_ns) > self.limits.start_ns
                or abs(self.length_error_ns) > self.length_may_miss_ns
                or abs(self.hz - self.wave.hz) * 100 > self.wave.hz * self.limits.hz_pct)

    def half_cycles(self) -> Iterator[tuple[Fraction, int]]:
        """When the pin must change, and when it did."""
        for due_ns, edge in zip(self.pulse.edges_ns, self.burst):
            yield due_ns, edge.ns - self.zero_ns


def _pulse_table(pairs: Sequence[_Pair], wave: Wave, limits: Limits) -> Iterator[str]:
    """Every pulse that begins at the wrong time, is too long or short, or has another carrier."""
    rows = [f"    {pair.interval:8} {pair.pulse.length_ns:12} {pair.cycles[0]:7} "
            f"{pair.cycles[1]:7} {pair.late_ns:+12} {pair.length_error_ns:+13} {pair.hz:11.1f}"
            for pair in pairs if pair.wrong]
    if rows:
        yield (f"    {len(rows)} of {len(pairs)} pulses are wrong: each begins within "
               f"{limits.start_ns} ns of its place, is at most half a cycle too long or short,\n"
               f"    and has {wave.hz} Hz within {limits.hz_pct} %:")
        yield "    interval     asked_ns  cycles  wanted  begins_late  length_error          hz"
        yield from rows[:_ROWS]


def _half_cycle_table(pairs: Sequence[_Pair], limits: Limits) -> Iterator[str]:
    """Every change of the pin that is not in its place."""
    moments = [(pair.interval, place, due_ns, seen_ns) for pair in pairs
               for place, (due_ns, seen_ns) in enumerate(pair.half_cycles())]
    rows = [f"    {interval:8} {place:11} {round(due_ns):12} {seen_ns:12} "
            f"{round(seen_ns - due_ns):+8}" for interval, place, due_ns, seen_ns in moments
            if abs(seen_ns - due_ns) > limits.half_cycle_ns]
    if rows:
        yield (f"    {len(rows)} of {len(moments)} half cycles are off by more than "
               f"{limits.half_cycle_ns} ns:")
        yield "    interval  half_cycle       due_ns      seen_ns    error"
        yield from rows[:_ROWS]
