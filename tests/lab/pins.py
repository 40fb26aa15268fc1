# SPDX-License-Identifier: GPL-2.0-only
"""Judges what the oscilloscope saw on the pins: every signal on every pin that must show it, the
carrier, how far the pins are apart, and darkness everywhere else."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence

from tests.lab import carrier, irfile, scope
from tests.lab.scenario import Expect
from tests.lab.session import Evidence

_ROWS = 12  # of a table of wrong intervals; more would hide the rest of the report
_NUMBERS = 6
_DUTY_PCT = 50  # what a driver makes that was told nothing


def problems(expect: Expect, seen: Evidence) -> Iterator[str]:
    """All that is wrong on the pins."""
    for pin in expect.lit_pins:
        yield from _signals(expect, seen, pin)
        yield from _carrier(expect, seen, pin)
    yield from _skew(expect, seen)
    yield from _dark(expect, seen)


def envelopes(expect: Expect, seen: Evidence, told: Sequence[int]) -> Iterator[list[scope.Edge]]:
    """The first pin's pulses and spaces, signal by signal: a carrier made by software is hidden.

    Where no signals are expected, they must be as long as @told, and the last has what is left.
    """
    edges = [edge for part in _parts(expect, _sent(expect, seen, expect.lit_pins[0]))
             for edge in (part[0], *part[1:][-1:])]
    sizes = [*told[:-1], len(edges)]
    if expect.signals is not None:
        sizes = [len(signal.lengths_us) + 1 for signal in expect.signals]
    for size in sizes:
        yield edges[:size]
        edges = edges[size:]


def _sent(expect: Expect, seen: Evidence, pin: int) -> list[scope.Edge]:
    """The edges that the scenario is about."""
    trace = seen.during
    if expect.signals_after_mark is not None:
        trace = trace.after(expect.signals_after_mark)
    return trace.edges(pin)


# --- signals ---

def _parts(expect: Expect, edges: Sequence[scope.Edge]) -> list[Sequence[scope.Edge]]:
    """What signals are counted in: pulses where software makes the carrier, else edges."""
    if expect.soft_carrier:
        return carrier.bursts(edges, expect.pause_ns())
    return [[edge] for edge in edges]


def _parts_of(signal: irfile.Signal, expect: Expect) -> int:
    """How many of these a signal has."""
    edges = len(signal.lengths_us) + 1
    return edges // 2 if expect.soft_carrier else edges


def _signals(expect: Expect, seen: Evidence, pin: int) -> Iterator[str]:
    """Signals are told apart by counting their parts; after the first that is wrong the count
    means nothing, and the search ends."""
    if expect.signals is None:
        return
    parts = _parts(expect, _sent(expect, seen, pin))
    for number, signal in enumerate(expect.signals, start=1):
        count = _parts_of(signal, expect)
        mine, parts = parts[:count], parts[count:]
        if wrong := list(_signal(signal, mine, expect)):
            yield f"signal {number} of {len(expect.signals)} on pin {pin}:\n" + "\n".join(wrong)
            return
    if parts:
        what = "pulse" if expect.soft_carrier else "edge"
        yield (f"pin {pin} has {len(parts)} {what}(s) more than the {len(expect.signals)} "
               f"signal(s) expected, the first at {parts[0][0].ns} ns")


def _signal(signal: irfile.Signal, parts: Sequence[Sequence[scope.Edge]],
            expect: Expect) -> Iterator[str]:
    """What is wrong with one signal."""
    hz = expect.hz_of(signal)
    if expect.soft_carrier and hz:
        wave = carrier.Wave(hz, expect.duty_pct or signal.duty_pct or _DUTY_PCT)
        limits = carrier.Limits(expect.within_ns, expect.half_cycle_within_ns,
                                expect.hz_within_pct)
        return carrier.faults(wave, carrier.pulses(signal.lengths_us, wave), parts, limits)
    return _plain_signal(signal, list(itertools.chain.from_iterable(parts)), expect)


def _plain_signal(signal: irfile.Signal, edges: Sequence[scope.Edge],
                  expect: Expect) -> Iterator[str]:
    """What is wrong with a signal that has one edge where a pulse begins and one where it ends."""
    lengths_ns = [1000 * us for us in signal.lengths_us]
    if len(edges) != len(lengths_ns) + 1:
        yield f"    {len(edges)} edges seen, {len(lengths_ns) + 1} expected"
    if any(edge.lit == number % 2 for number, edge in enumerate(edges)):
        yield "    on and off do not take turns: the carrier changed inside a pulse, or was off"
    yield from _table(lengths_ns, edges, expect.within_ns)
    if expect.carrier_hz is None and signal.carrier_hz is not None:
        yield from _carrier_of(edges, signal.carrier_hz, expect.hz_within_pct)


def _table(lengths_ns: Sequence[int], edges: Sequence[scope.Edge], within_ns: int) -> Iterator[str]:
    """Every interval that is wrong by its length or its place in the signal."""
    rows = []
    due_ns = 0
    seen_ns = scope.intervals_ns(edges)
    for number, (asked_ns, got_ns) in enumerate(zip(lengths_ns, seen_ns)):
        due_ns += asked_ns
        late_ns = edges[number + 1].ns - edges[0].ns - due_ns
        if max(abs(got_ns - asked_ns), abs(late_ns)) > within_ns:
            rows.append(f"    {number:8} {'space' if number % 2 else 'pulse'} {asked_ns:12} "
                        f"{got_ns:12} {got_ns - asked_ns:+10} {late_ns:+10}")
    if rows:
        yield f"    {len(rows)} of {len(lengths_ns)} intervals are off by more than {within_ns} ns:"
        yield "    interval              asked_ns      seen_ns      error  edge_late"
        yield from rows[:_ROWS]


# --- carrier ---

def _carrier(expect: Expect, seen: Evidence, pin: int) -> Iterator[str]:
    """The carrier of all that was sent. One made by software was judged with the signals already,
    where these are known."""
    edges = _sent(expect, seen, pin)
    if expect.soft_carrier and expect.signals is not None:
        return
    if expect.soft_carrier:
        yield from _soft_carrier(expect, _parts(expect, edges))
        return
    if expect.carrier_hz is not None:
        yield from _carrier_of(edges, expect.carrier_hz, expect.hz_within_pct)
    yield from _duty_off({edge.duty_pct for edge in edges if edge.lit}, expect)


def _soft_carrier(expect: Expect, bursts: Sequence[carrier.Burst]) -> Iterator[str]:
    """Frequency and duty cycle of every burst that is long enough for one."""
    long = [burst for burst in bursts if carrier.burst_hz(burst)]
    if not long:
        yield "no pulse has enough cycles to tell a frequency"
    yield from _hz_off({carrier.burst_hz(burst) for burst in long}, expect.carrier_hz,
                       expect.hz_within_pct)
    yield from _duty_off({carrier.burst_duty_pct(burst) for burst in long}, expect)


def _carrier_of(edges: Sequence[scope.Edge], wanted_hz: int, within_pct: float) -> Iterator[str]:
    return _hz_off({edge.carrier_hz for edge in edges if edge.lit}, wanted_hz, within_pct)


def _hz_off(found_hz: set[float], wanted_hz: int, within_pct: float) -> Iterator[str]:
    wrong = {hz for hz in found_hz if abs(hz - wanted_hz) * 100 > wanted_hz * within_pct}
    if wrong:
        yield f"a carrier of {_numbers(wrong)} Hz, expected {wanted_hz} Hz within {within_pct} %"


def _duty_off(found_pct: set[float], expect: Expect) -> Iterator[str]:
    if expect.duty_pct is None:
        return
    wrong = {pct for pct in found_pct if abs(pct - expect.duty_pct) > expect.duty_within_pct}
    if wrong:
        yield (f"a duty cycle of {_numbers(wrong)} %, expected {expect.duty_pct} % "
               f"within {expect.duty_within_pct}")


def _numbers(values: set[float]) -> str:
    """Some of them, so that a report stays short."""
    shown = [f"{value:.1f}" for value in sorted(values)]
    return ", ".join(shown[:_NUMBERS]) + (", ..." if shown[_NUMBERS:] else "")


# --- pins beside each other ---

def _skew(expect: Expect, seen: Evidence) -> Iterator[str]:
    """How far apart the pins change that must change together."""
    if expect.skew_within_ns is None:
        return
    trains = [_sent(expect, seen, pin) for pin in expect.pins]
    counts = {len(train) for train in trains}
    if len(counts) > 1 or 0 in counts:
        yield ("the pins cannot be compared: "
               + ", ".join(f"pin {pin} has {len(train)} edges"
                           for pin, train in zip(expect.pins, trains)))
        return
    skews_ns = [max(edge.ns for edge in edges) - min(edge.ns for edge in edges)
                for edges in zip(*trains)]
    wrong = sum(skew_ns > expect.skew_within_ns for skew_ns in skews_ns)
    if wrong:
        yield (f"pins {', '.join(map(str, expect.pins))} change more than "
               f"{expect.skew_within_ns} ns apart at {wrong} of {len(skews_ns)} edges, "
               f"{max(skews_ns)} ns at edge {skews_ns.index(max(skews_ns))}")


def _dark(expect: Expect, seen: Evidence) -> Iterator[str]:
    """Every pin is watched, whether a scenario names it or not."""
    for pin in set(expect.dark_pins) & set(seen.during.lit_pins()):
        yield f"pin {pin} lights up, but must stay dark"
    for pin in seen.during.left_lit():
        yield f"pin {pin} is lit when the scenario is over"
    for pin in seen.after.lit_pins():
        yield f"pin {pin} lights up after the scenario, while its modules are removed"
