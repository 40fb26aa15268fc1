# SPDX-License-Identifier: GPL-2.0-only
"""The first piece of the endurance run becomes today what the ledger says of it."""

from __future__ import annotations

from tests.lab import host
from tests.soak import ledger, pieces, run

_LEDGER = host.TREE / "tests/soak/ledger.jsonl"
_WORST_WITHIN_NS = 150  # a boot of another kernel or image lays ticks to other places


def test_first_piece() -> None:
    """All counts are equal, also with newer sources; the worst edge is about the same."""
    told = [entry for entry in ledger.read(_LEDGER) if entry.piece == pieces.FIRST.number][-1]
    entry = run.send(pieces.FIRST)
    counts = ("sent", "perfect", "edges", "bad_edges", "frames", "decoded", "missed")
    assert {name: getattr(entry, name) for name in counts} == \
        {name: getattr(told, name) for name in counts}
    assert abs(entry.worst_ns - told.worst_ns) <= _WORST_WITHIN_NS
