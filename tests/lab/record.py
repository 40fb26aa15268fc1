# SPDX-License-Identifier: GPL-2.0-only
"""Reads what the virtual chips recorded (see tests/scope), as `scope_record` printed it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

_HEADER = "# irtx scope record 1\n# lost 0\n# number at_ns moved_hex on_hex period_ns high_ns\n"
_BLOCK = re.compile(r"^@record (\S+)\n(.*?)^@end$", re.MULTILINE | re.DOTALL)


class RecordError(Exception):
    """The record is not what a chip writes, or not all of it."""


@dataclass(frozen=True)
class Change:
    """One call that changed something: lines moved, so that those in lit are on now."""

    at_ns: int
    moved: int
    lit: int
    period_ns: int
    high_ns: int


@dataclass(frozen=True)
class Record:
    """What a chip recorded since its last reset."""

    chip: str
    changes: tuple[Change, ...]

    def edges(self, line: int) -> list[tuple[int, bool]]:
        """When a line that was off went on and off."""
        found: list[tuple[int, bool]] = []
        for change in self.changes:
            is_on = bool(change.lit >> line & 1)
            if is_on != (found[-1][1] if found else False):
                found.append((change.at_ns, is_on))
        return found


def read(output: str) -> list[Record]:
    """All records in a scenario's output; one that lost changes is an error."""
    return [Record(chip, _changes(chip, text)) for chip, text in _BLOCK.findall(output)]


def _changes(chip: str, text: str) -> tuple[Change, ...]:
    if not text.startswith(_HEADER):
        raise RecordError(f"the record of {chip} begins with {text[:len(_HEADER)]!r}, expected "
                          f"{_HEADER!r}; reset it before what is of interest if it is full")
    rows = [line.split() for line in text[len(_HEADER):].splitlines()]
    if [row[0] for row in rows] != [str(number) for number in range(len(rows))]:
        raise RecordError(f"the record of {chip} has gaps")
    return tuple(map(_change, rows))


def _change(row: Sequence[str]) -> Change:
    _, at_ns, moved, lit, period_ns, high_ns = row
    return Change(int(at_ns), int(moved, 16), int(lit, 16), int(period_ns), int(high_ns))
