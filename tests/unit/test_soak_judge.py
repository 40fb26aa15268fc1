# SPDX-License-Identifier: GPL-2.0-only
"""The endurance run's judge finds what was sent among what was seen, and notices what was not."""

from __future__ import annotations

import dataclasses
import itertools
import random
from collections.abc import Iterator, Sequence

from tests.lab import carrier, irfile, scope
from tests.soak import frames, judge, pieces

_SENT = [frames.Frame(irfile.Signal(lengths_us, 38_001))
         for lengths_us in ((500, 700, 500), (600, 400, 800, 900, 300), (1000,))]
_PAUSE_NS = 8_000_000


def _seen(sent: Sequence[frames.Frame], soft: bool = False) -> Iterator[scope.Edge]:
    """What the pin shows when all goes well."""
    start_ns = 0
    for frame in sent:
        lengths_us = frame.signal.lengths_us
        due_ns = list(itertools.accumulate((1000 * us for us in lengths_us), initial=0))
        if soft:
            pulses = carrier.pulses(lengths_us, carrier.Wave(frame.signal.carrier_hz, 50))
            due_ns = [round(at_ns) for pulse in pulses for at_ns in pulse.edges_ns]
        for number, at_ns in enumerate(due_ns):
            yield scope.Edge(start_ns + at_ns, 18, number % 2 == 0)
        start_ns += due_ns[-1] + _PAUSE_NS


def _found(edges: Sequence[scope.Edge], soft: bool = False) -> list[tuple[bool, bool]]:
    """Which signals are whole, and which perfect."""
    return [(signal.is_whole, signal.is_perfect) for signal in judge.find(_SENT, edges, soft)]


def _moved(edges: Sequence[scope.Edge], place: int, by_ns: int) -> list[scope.Edge]:
    return [dataclasses.replace(edge, ns=edge.ns + by_ns * (number == place))
            for number, edge in enumerate(edges)]


def test_all_is_well() -> None:
    """Every signal is perfect, whoever makes the carrier."""
    for soft in (False, True):
        assert _found(list(_seen(_SENT, soft)), soft) == [(True, True)] * 3


def test_bad_edge() -> None:
    """1 us is too much, in the signal that has it; a half cycle counts as an edge does."""
    edges = list(_seen(_SENT))
    assert _found(_moved(edges, 5, 999))[1] == (True, True)
    assert _found(_moved(edges, 5, -1000)) == [(True, True), (True, False), (True, True)]
    assert _found(_moved(list(_seen(_SENT, True)), 5, 1000), True)[0] == (True, False)


def test_never_sent() -> None:
    """What is missing costs no other signal."""
    for place in range(3):
        rest = [frame for number, frame in enumerate(_SENT) if number != place]
        assert [whole for whole, _ in _found(list(_seen(rest)))] == \
            [number != place for number in range(3)]
    assert [whole for whole, _ in _found([])] == [False] * 3


def test_broken() -> None:
    """A signal that lost edges, or has one far from its place, is lost, and no other."""
    edges = list(_seen(_SENT))
    lost = [(True, True), (False, False), (True, True)]
    assert _found(edges[:6] + edges[8:]) == lost
    assert _found(_moved(edges, 9, 2_000_000)) == lost


def test_verdict_counts() -> None:
    """Missed is what was not seen, or not understood."""
    known = dataclasses.replace(_SENT[0], scancode="nec:0x1")
    signals = [judge.Signal(_SENT[1]), judge.Signal(known),
               *judge.find([known], list(_seen([known])), False)]
    verdict = judge.Verdict(signals, decoded=1)
    assert (verdict.decodable, verdict.missed) == (2, 2)


def test_understood() -> None:
    """Only its own decoder's word counts, and that must be right and said once."""
    assert judge.is_understood("rc6_0:0xeb53", ["rc6_0:0xeb53", "sony15:0x8"])
    assert not judge.is_understood("rc6_0:0xeb53", ["sony15:0x8"])
    assert not judge.is_understood("rc6_0:0xeb53", ["rc6_0:0xeb52"])
    assert not judge.is_understood("rc6_0:0xeb53", ["rc6_0:0xeb53"] * 2)


def test_frames_can_be_told_apart() -> None:
    """No frame is dark inside for as long as between two; none is too short for a carrier."""
    for frame in frames.choose(random.Random(1), 1000):
        lengths_us = frame.signal.lengths_us
        assert len(lengths_us) % 2 == 1
        assert max(lengths_us[1::2], default=0) < frames.LONGEST_DARK_US
        carrier.pause_ns([lengths_us], frame.signal.carrier_hz)


def test_pieces_stay_what_they_are() -> None:
    """The same number is the same piece, and no other number is."""
    first, again = (list(itertools.islice(pieces.plan(), 40)) for _ in range(2))
    assert [piece.sent() for piece in first] == [piece.sent() for piece in again]
    assert first[1].kind == first[21].kind
    assert first[1].sent() != first[21].sent()
