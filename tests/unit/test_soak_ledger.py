# SPDX-License-Identifier: GPL-2.0-only
"""The endurance run's ledger: what it refuses, and what its sums are."""

from __future__ import annotations

import dataclasses
import json
import re
from pathlib import Path

import pytest

from tests.lab import host
from tests.soak import ledger, report

_ENTRY = ledger.Entry(piece=1, kernel="6.12", driver="pwm-ir-tx", mode="busy", load="none", shift=3,
                      sources="0123456789ab", sent=100, perfect=98, edges=2000, bad_edges=3,
                      worst_ns=1500, frames=70, decoded=69, missed=1)
_LEDGER = host.TREE / "tests/soak/ledger.jsonl"
_DOCUMENT = host.TREE / "Documentation/endurance.md"
_README = host.TREE / "README.md"


def _other(**changes) -> ledger.Entry:
    return dataclasses.replace(_ENTRY, **changes)


def test_written_is_read(tmp_path: Path) -> None:
    """What is written comes back, and no other file is left behind."""
    entries = [_ENTRY, _other(piece=2)]
    ledger.write(tmp_path / "ledger", entries)
    assert ledger.read(tmp_path / "ledger") == entries
    assert len(list(tmp_path.iterdir())) == 1


def test_missing_is_empty(tmp_path: Path) -> None:
    """A run may begin without a ledger."""
    assert ledger.read(tmp_path / "ledger") == []


_WHOLE = dataclasses.asdict(_ENTRY)
_DAMAGE = {
    "no head": ("", "the first line must be"),
    "other head": ('{"format": 2}\n', "the first line must be"),
    "torn": (json.dumps(_WHOLE)[:-20], ":2: this is not JSON"),
    "key missing": (json.dumps({**_WHOLE, "sent": None}), ":2: a line has exactly"),
    "key unknown": (json.dumps({**_WHOLE, "lost": 0}), ":2: a line has exactly"),
    "wrong type": (json.dumps({**_WHOLE, "sent": "100"}), ":2: a line has exactly"),
    "no table": ("[1]", ":2: a line has exactly"),
    "more decoded than sent": (json.dumps({**_WHOLE, "decoded": 71}), ":2: these counts"),
    "loss hidden": (json.dumps({**_WHOLE, "missed": 0}), ":2: these counts"),
    "bad edges hidden": (json.dumps({**_WHOLE, "bad_edges": 0}), ":2: these counts"),
    "worst edge hidden": (json.dumps({**_WHOLE, "worst_ns": 900}), ":2: these counts"),
    "twice": (f"{json.dumps(_WHOLE)}\n{json.dumps(_WHOLE)}", ":3: piece 1 of sources .* twice"),
}


@pytest.mark.parametrize("name", _DAMAGE)
def test_damage_is_refused(name: str, tmp_path: Path) -> None:
    """Nobody sums up what cannot be true."""
    text, complaint = _DAMAGE[name]
    path = tmp_path / "ledger"
    ledger.write(path, [])
    path.write_text(text if "head" in name else path.read_text(encoding="ascii") + text,
                    encoding="ascii")
    with pytest.raises(ledger.LedgerError, match=complaint):
        ledger.read(path)


def test_report_sums() -> None:
    """Pieces of one way to send are a row; the first line is the sum of all."""
    text = report.text([_ENTRY, _other(piece=2), _other(piece=3, mode="hybrid", worst_ns=20_000)])
    assert text.splitlines()[0] == (
        "300 signals sent in 3 boots, 3 missed; 207 of 210 frames decoded; 294 perfect; "
        "worst edge 20.0 us.")
    assert "| 6.12 | pwm-ir-tx | busy | none | 200 | 196 | 1500 ns | 140 | 138 | 2 |" in text
    assert "| 6.12 | pwm-ir-tx | hybrid | none | 100 | 98 | 20.0 us | 70 | 69 | 1 |" in text


def test_committed_ledger() -> None:
    """What is told of the endurance run is what the ledger says."""
    entries = ledger.read(_LEDGER)
    told = _DOCUMENT.read_text(encoding="utf-8")
    sources = re.search(r"sources `(\w+)`", told)[1]
    mine = [entry for entry in entries if entry.sources == sources]
    assert report.text(mine) in told
    sums = re.findall(r"\d+ signals sent in \d+ boots", f"{told}{_README.read_text('utf-8')}")
    assert set(sums) == {report.totals(mine).partition(",")[0]}
