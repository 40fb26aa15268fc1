# SPDX-License-Identifier: GPL-2.0-only
"""The benchmark's arithmetic, on logs short enough to judge by eye."""

from __future__ import annotations

import pytest

from tests.bench import figures
from tests.lab import irfile, scope

_ASKED = [irfile.Signal((100, 200, 100)), irfile.Signal((50,))]
_METERS = """@meter a 1000
@meter b 1000
@at idle 10.0
@meter a 2000
@meter b 2000
@at begin 14.0
@meter a 5000
@meter b 4000
@at end 26.0
"""


def edges(*at_ns):
    """Edges on the pin, on and off in turn."""
    return [scope.Edge(ns, 18, number % 2 == 0) for number, ns in enumerate(at_ns)]


def test_errors_count_from_the_first_edge():
    """Each signal begins anew, wherever it is."""
    seen = edges(7000, 107_000, 306_000, 409_000, 900_000, 950_020)
    assert list(figures.errors_ns(_ASKED, seen)) == [[0, 0, -1000, 2000], [0, 20]]


@pytest.mark.parametrize("seen, complaint", [
    (edges(0, 100_000, 300_000), "signal 1 of 2 does not have its 4 edges"),
    (edges(0, 1, 2, 3, 4, 5, 6), "1 edges more than were sent"),
    (edges(0, 1, 2)[1:] + edges(0, 1, 2, 3), "on and off in turn"),
], ids=["few", "many", "turn"])
def test_mismatch(seen, complaint):
    """Other edges than were sent have no errors that could be counted."""
    with pytest.raises(figures.Mismatch, match=complaint):
        list(figures.errors_ns(_ASKED, seen))


def test_sum_up():
    """A signal with an edge of 1 us or more is not perfect."""
    got = figures.sum_up([[0, 10, -999], [0, 1000]])
    assert got == figures.Figures(signals=2, perfect=1, edges=5, bad=1, mean_ns=401.8,
                                  p99_ns=1000, p999_ns=1000, max_ns=1000)


def test_taken():
    """500 rounds a second undisturbed, 5000 in 12 s: 10 s were left to the tasks."""
    assert figures.taken_s(_METERS) == pytest.approx(2)
    assert figures.taken_s("no tasks") is None


def test_driver_says():
    """A driver without statistics says nothing."""
    assert figures.driver_says("@stats irqs_off_ns 2500\n", "irqs_off_ns", 1e3) == 2.5
    assert figures.driver_says("@stats irqs_off_ns 2500\n", "irqs_off", 1e3) is None
