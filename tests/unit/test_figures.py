# SPDX-License-Identifier: GPL-2.0-only
"""The benchmark's arithmetic, on logs short enough to judge by eye."""

from __future__ import annotations

import pytest

from tests.bench import figures
from tests.lab import irfile, scope

_ASKED = [irfile.Signal((100, 200, 100), 40000), irfile.Signal((50,), 40000)]
_SOFT = [irfile.Signal((100, 1000, 110), 40000)]  # 4 cycles of 25 us each time


def edges(*at_ns, period_clocks=250):
    """Edges on the pin, on and off in turn."""
    return [scope.Edge(ns, 18, number % 2 == 0, period_clocks if number % 2 == 0 else 0)
            for number, ns in enumerate(at_ns)]


def cycles(*begin_ns):
    """Whole cycles of 40 kHz."""
    return edges(*(ns for begin in begin_ns for ns in (begin, begin + 12_500)), period_clocks=0)


def test_errors_count_from_the_first_edge():
    """Each signal begins anew, wherever it is; a width is wrong by what its ends differ in."""
    seen = edges(7000, 107_000, 306_000, 409_000, 900_000, 950_020)
    found = list(figures.of_pwm(_ASKED, seen))
    assert [signal.errors_ns for signal in found] == [(0, 0, -1000, 2000), (0, 20)]
    assert [signal.widths_ns for signal in found] == [(0, -1000, 3000), (20,)]


def test_carrier_of_a_pwm():
    """10 MHz in 260 parts are 38.46 kHz, 3.85 % less than 40 kHz."""
    first, _ = figures.of_pwm(_ASKED, edges(0, 1, 2, 3, 4, 5, period_clocks=260))
    assert first.carrier_pct == pytest.approx([3.846, 3.846], abs=0.001)


@pytest.mark.parametrize("seen, complaint", [
    (edges(0, 100_000, 300_000), "signal 1 of 2 does not have its 4 edges"),
    (edges(0, 1, 2, 3, 4, 5, 6), "1 edges more than were sent"),
    (edges(0, 1, 2)[1:] + edges(0, 1, 2, 3), "on and off in turn"),
], ids=["few", "many", "turn"])
def test_mismatch(seen, complaint):
    """Other edges than were sent have no errors that could be counted."""
    with pytest.raises(figures.Mismatch, match=complaint):
        list(figures.of_pwm(_ASKED, seen))


def test_soft_carrier():
    """The second pulse is 2 us late, its third cycle another 1 us."""
    second = [1_102_000, 1_127_000, 1_153_000, 1_177_000]
    found, = figures.of_soft_carrier(_SOFT, cycles(0, 25_000, 50_000, 75_000, *second))
    assert found.errors_ns == (0, 0, 2000, 2000)
    assert max(found.half_cycles_ns) == 1000


def test_soft_carrier_that_goes_on():
    """A pulse with one cycle too many ends a cycle late."""
    second = [1_100_000 + 25_000 * number for number in range(5)]
    found, = figures.of_soft_carrier(_SOFT, cycles(0, 25_000, 50_000, 75_000, *second))
    assert found.errors_ns == (0, 0, 0, 25_000)


@pytest.mark.parametrize("seen, complaint", [
    (cycles(0, 25_000), "signal 1 of 1 has 1 pulses, not 2"),
    (cycles(0, 1_000_000, 2_000_000), "1 pulses more"),
], ids=["few", "many"])
def test_soft_mismatch(seen, complaint):
    """Pulses are counted, too."""
    with pytest.raises(figures.Mismatch, match=complaint):
        list(figures.of_soft_carrier(_SOFT, seen))


def sent(*errors):
    """A signal with these errors."""
    return figures.Sent(errors, tuple(b - a for a, b in zip(errors, errors[1:])), (0.1,))


def test_sum_up():
    """A signal with an edge of 1 us or more is not perfect."""
    got = figures.sum_up([sent(0, 10, -999), sent(0, 1000)])
    assert got == figures.Figures(
        signals=2, perfect=1, edges=5, bad=1, mean_ns=401.8, p50_ns=10, p99_ns=1000,
        p999_ns=1000, max_ns=1000, width_mean_ns=673.0, width_max_ns=1009, carrier_mean_pct=0.1,
        half_cycle_mean_ns=None, half_cycle_max_ns=None)


def test_histogram():
    """Bounds are 1, 2 and 5 of each decade; a value is at most its bound."""
    assert figures.histogram([sent(0, 1, 2, -3, 5, 6, 1000, 1001)]) == {
        "1": 2, "2": 1, "5": 2, "10": 1, "1000": 1, "2000": 1}
