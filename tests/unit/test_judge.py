# SPDX-License-Identifier: GPL-2.0-only
"""What is wrong with a virtual chip's record is seen."""

from __future__ import annotations

import pytest

from tests.lab import carrier, irfile, record
from tests.path import judge

_SIGNAL = irfile.Signal((1000, 500, 1000))
_DUE_NS = (0, 1_000_000, 1_500_000, 2_500_000)


def _record(*at_ns: int) -> record.Record:
    """A line 0 that goes on and off by turns."""
    return record.Record("chip", tuple(record.Change(at, 1, (place + 1) % 2, 0, 0)
                                       for place, at in enumerate(at_ns)))


def test_plain():
    """A signal in its place, wherever it begins, is right."""
    assert not judge.plain(_record(*(7777 + due_ns for due_ns in _DUE_NS)), 0, _SIGNAL)


@pytest.mark.parametrize("at_ns, told", [
    ((), "0 edges, 4 asked for"),
    (_DUE_NS[:2], "2 edges, 4 asked for"),
    ((*_DUE_NS[:2], 1_501_000, 2_500_000), "edge 2 is +1000 ns late"),
    ((*_DUE_NS[:3], 2_499_000), "edge 3 is -1000 ns late"),
], ids=["nothing", "cut-off", "late", "early"])
def test_plain_wrong(at_ns, told):
    """Edges that miss or are not in their place."""
    assert told in judge.plain(_record(*at_ns), 0, _SIGNAL)[0]


def test_modulated():
    """Each half cycle counts; carrier.py has its own tests."""
    wave = carrier.Wave(38000, 50)
    due_ns = [round(edge_ns) for pulse in carrier.pulses(_SIGNAL.lengths_us, wave)
              for edge_ns in pulse.edges_ns]
    assert not judge.modulated(_record(*due_ns), 0, _SIGNAL, wave)
    assert judge.modulated(_record(*due_ns[:-2]), 0, _SIGNAL, wave)
    assert judge.modulated(_record(), 0, _SIGNAL, wave) == ["line 0 has never been on"]


def test_dark():
    """A line that has been on at any time."""
    assert not judge.dark(_record(*_DUE_NS), [1, 2])
    assert judge.dark(_record(*_DUE_NS), [0, 1]) == ["line 0 has been on"]
