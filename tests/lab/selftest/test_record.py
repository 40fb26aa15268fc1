# SPDX-License-Identifier: GPL-2.0-only
"""The reader of the virtual chips' records takes all of a record or none of it."""

from __future__ import annotations

import pytest

from tests.lab import record

_HEADER = """# irtx scope record 1
# lost 0
# number at_ns moved_hex on_hex period_ns high_ns
"""


def _print(*rows: str, header: str = _HEADER) -> str:
    return "before\n@record chip\n" + header + "".join(f"{row}\n" for row in rows) + "@end\nafter\n"


def test_edges_of_a_line():
    """Changes of other lines, and of a carrier, are no edges."""
    output = _print("0 1000 1 1 0 0", "1 1500 4 5 0 0", "2 1700 5 5 26316 8772",
                    "3 2000 1 4 0 0", "4 2500 80000004 80000000 0 0")
    mine, = record.read(output)
    assert mine.chip == "chip"
    assert mine.edges(0) == [(1000, True), (2000, False)]
    assert mine.edges(2) == [(1500, True), (2500, False)]
    assert mine.edges(31) == [(2500, True)]
    assert not mine.edges(1)


def test_all_records_are_read():
    """One for each time that it was printed."""
    assert [len(entry.changes) for entry in record.read(_print() + _print("0 1 1 1 0 0"))] == [0, 1]


@pytest.mark.parametrize("output", [
    _print("4 1000 1 1 0 0", header=_HEADER.replace("lost 0", "lost 4")),
    _print("0 1000 1 1 0 0", "2 1000 1 0 0 0"),
    _print(header=_HEADER.replace("record 1", "record 2")),
    _print(header=""),
], ids=["lost", "gap", "format", "empty"])
def test_an_incomplete_record_is_an_error(output):
    """Lost or missing changes, another format."""
    with pytest.raises(record.RecordError):
        record.read(output)
