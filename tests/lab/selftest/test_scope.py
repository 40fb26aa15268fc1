# SPDX-License-Identifier: GPL-2.0-only
"""Reading the oscilloscope's log."""

import pytest

from tests.lab import scope

_LOG = """\
# irboard 1
100 mark 1
200 pin 18 pwm 263 132
300 pin 18 low
350 pin 23 high
400 mark 2
500 pin 18 pwm 250 25
600 watchdog
""".splitlines()


def test_edges_of_a_pin() -> None:
    """Each pin has its own edges, with the carrier."""
    edges = scope.parse(_LOG).edges(18)
    assert [(edge.ns, edge.lit) for edge in edges] == [(200, True), (300, False), (500, True)]
    assert edges[0].carrier_hz == pytest.approx(38023, abs=1)
    assert edges[2].duty_pct == 10
    assert scope.intervals_ns(edges) == [100, 200]


def test_marks_cut_the_log() -> None:
    """Between two marks, after one, and up to the end where one is missing."""
    trace = scope.parse(_LOG)
    assert [edge.ns for edge in trace.between(1, 2).edges(18)] == [200, 300]
    assert [edge.ns for edge in trace.between(2, 3).edges(18)] == [500]
    assert not trace.between(7, 8).edges(18)
    assert [edge.ns for edge in trace.after(2).edges(18)] == [500]


def test_lit_pins() -> None:
    """Every pin is known that lights up, and that is lit when the log ends."""
    trace = scope.parse(_LOG).between(1, 2)
    assert trace.lit_pins() == [18, 23]
    assert trace.left_lit() == [23]


@pytest.mark.parametrize("lines, complaint", [
    ([], "begins with ''"),
    (["# irboard 2"], "begins with '# irboard 2'"),
    (["# irboard 1", "1 pin 18 pwm"], "a line that the board does not write"),
])
def test_refuse(lines: list[str], complaint: str) -> None:
    """Another format is an error, not an empty log."""
    with pytest.raises(scope.ScopeError, match=complaint):
        scope.parse(lines)
