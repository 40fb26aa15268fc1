# SPDX-License-Identifier: GPL-2.0-only
"""Turns what the oscilloscope saw into figures; nothing the driver says goes in here."""

from __future__ import annotations

import dataclasses
import itertools
import math
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from tests.lab import carrier, irfile, scope

BAD_NS = 1000
_STEPS = (1, 2, 5)  # of each decade of a histogram
_DUTY_PCT = 50


class Mismatch(Exception):
    """The oscilloscope saw something else than the signals that were sent."""


@dataclass(frozen=True)
class Sent:
    """A signal as the pin showed it: the error of each of its edges, against its place counted from
    the first; how much too long each pulse and space was; how far the carrier's frequency was off,
    and, where software makes it, each half cycle within its pulse; when light began and ended."""

    errors_ns: tuple[int, ...]
    widths_ns: tuple[int, ...]
    carrier_pct: tuple[float, ...]
    half_cycles_ns: tuple[float, ...] = field(default=())
    edges_ns: tuple[int, ...] = field(default=())


@dataclass(frozen=True)
class Figures:
    """Figures of all signals of a cell."""

    signals: int
    perfect: int
    edges: int
    bad: int
    mean_ns: float
    p50_ns: int
    p99_ns: int
    p999_ns: int
    max_ns: int
    width_mean_ns: float
    width_max_ns: int
    carrier_mean_pct: float
    half_cycle_mean_ns: float | None
    half_cycle_max_ns: float | None


# --- a PWM's signals: the pin has an edge where a pulse begins or ends ---

def of_pwm(asked: Sequence[irfile.Signal], edges: Sequence[scope.Edge]) -> Iterator[Sent]:
    """Every signal in turn."""
    place = 0
    for number, signal in enumerate(asked, start=1):
        mine = edges[place:place + len(signal.lengths_us) + 1]
        place += len(mine)
        if [edge.lit for edge in mine] != [i % 2 == 0 for i in range(len(signal.lengths_us) + 1)]:
            raise Mismatch(f"signal {number} of {len(asked)} does not have its "
                           f"{len(signal.lengths_us) + 1} edges, on and off in turn")
        due_ns = _places_ns(signal)
        yield _sent(due_ns, [edge.ns for edge in mine],
                    [_off_pct(edge.carrier_hz, signal) for edge in mine if edge.lit])
    if place != len(edges):
        raise Mismatch(f"there are {len(edges) - place} edges more than were sent")


def _places_ns(signal: irfile.Signal) -> list[int]:
    """When each edge is due, from the first."""
    return [1000 * us for us in itertools.accumulate(signal.lengths_us, initial=0)]


def _off_pct(hz: float, signal: irfile.Signal) -> float:
    """How far a carrier's frequency is from what a signal asks for."""
    return 100 * abs(hz - signal.carrier_hz) / signal.carrier_hz


def _sent(due_ns: Sequence[int], at_ns: Sequence[int], carrier_pct: Iterable[float],
          half_cycles_ns: Iterable[float] = ()) -> Sent:
    """What became of a signal."""
    errors = [at - at_ns[0] - due for due, at in zip(due_ns, at_ns, strict=True)]
    widths = [after - before for before, after in zip(errors, errors[1:])]
    return Sent(tuple(errors), tuple(widths), tuple(carrier_pct), tuple(half_cycles_ns),
                tuple(at_ns))


# --- a carrier made by software: the pin has all its half cycles ---

def of_soft_carrier(asked: Sequence[irfile.Signal], edges: Sequence[scope.Edge]) -> Iterator[Sent]:
    """Every signal in turn. A pulse ends with its last light; it is due where the light of the
    whole number of cycles ends that is nearest to its length, which is the best one can do."""
    slowest_hz = min(signal.carrier_hz for signal in asked)
    pause_ns = carrier.pause_ns([signal.lengths_us for signal in asked], slowest_hz)
    bursts = iter(carrier.bursts(edges, pause_ns))
    for number, signal in enumerate(asked, start=1):
        mine = list(itertools.islice(bursts, len(signal.lengths_us) // 2 + 1))
        if len(mine) <= len(signal.lengths_us) // 2:
            raise Mismatch(f"signal {number} of {len(asked)} has {len(mine)} pulses, not "
                           f"{len(signal.lengths_us) // 2 + 1}")
        yield _soft(signal, mine)
    if left := len(list(bursts)):
        raise Mismatch(f"there are {left} pulses more than were sent")


def _soft(signal: irfile.Signal, bursts: Sequence[carrier.Burst]) -> Sent:
    pulses = carrier.pulses(signal.lengths_us, carrier.Wave(signal.carrier_hz, _DUTY_PCT))
    due_ns = [round(at) for pulse in pulses for at in (pulse.edges_ns[0], pulse.edges_ns[-1])]
    at_ns = [edge.ns for burst in bursts for edge in (burst[0], burst[-1])]
    off_pct = [_off_pct(hz, signal) for burst in bursts if (hz := carrier.burst_hz(burst))]
    half_cycles = itertools.chain.from_iterable(map(_half_cycles_ns, pulses, bursts))
    return _sent(due_ns, at_ns, off_pct, half_cycles)


def _half_cycles_ns(pulse: carrier.Pulse, burst: carrier.Burst) -> Iterator[float]:
    """How far each half cycle is from its place in its own pulse."""
    for due_ns, edge in zip(pulse.edges_ns, burst):
        yield float(abs(Fraction(edge.ns - burst[0].ns) - (due_ns - pulse.edges_ns[0])))


# --- all of them ---

def sum_up(signals: Sequence[Sent]) -> Figures:
    """The figures of all signals together."""
    amounts = sorted(abs(error) for signal in signals for error in signal.errors_ns)
    widths = [abs(width) for signal in signals for width in signal.widths_ns]
    off_pct = [pct for signal in signals for pct in signal.carrier_pct]
    halves = [half for signal in signals for half in signal.half_cycles_ns]
    return Figures(
        signals=len(signals),
        perfect=sum(max(map(abs, signal.errors_ns)) < BAD_NS for signal in signals),
        edges=len(amounts), bad=sum(amount >= BAD_NS for amount in amounts),
        mean_ns=_mean(amounts), p50_ns=quantile(amounts, 0.5), p99_ns=quantile(amounts, 0.99),
        p999_ns=quantile(amounts, 0.999), max_ns=amounts[-1],
        width_mean_ns=_mean(widths), width_max_ns=max(widths),
        carrier_mean_pct=round(sum(off_pct) / len(off_pct), 3),
        half_cycle_mean_ns=_mean(halves) if halves else None,
        half_cycle_max_ns=round(max(halves), 1) if halves else None)


def _mean(values: Sequence[float]) -> float:
    return round(sum(values) / len(values), 1)


def quantile(ordered: Sequence[int], part: float) -> int:
    """The smallest value that the given part of all values does not exceed."""
    return ordered[max(math.ceil(part * len(ordered)), 1) - 1]


def histogram(signals: Sequence[Sent]) -> dict[str, int]:
    """How many edges are off by so many ns or less, but more than the bound before; the steps are
    1, 2, 5 of each decade."""
    counts = Counter(_bound_ns(abs(error)) for signal in signals for error in signal.errors_ns)
    return {str(bound): counts[bound] for bound in sorted(counts)}


def _bound_ns(amount_ns: int) -> int:
    bounds = (step * 10 ** power for power in itertools.count() for step in _STEPS)
    return next(bound for bound in bounds if amount_ns <= bound)


def as_dict(figures: Figures) -> dict:
    """For JSON."""
    return dataclasses.asdict(figures)
