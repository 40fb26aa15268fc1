# SPDX-License-Identifier: GPL-2.0-only
"""The ledger of the endurance run: a line for each piece that was sent, in JSON, after a first line
with the format's number. What is damaged or does not add up is refused."""

from __future__ import annotations

import dataclasses
import json
import typing
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

BAD_NS = 1000  # an edge that is off by this or more
_FORMAT = {"format": 1, "what": "irtx endurance run"}


class LedgerError(Exception):
    """A ledger cannot be used; the text says why, and what to do."""


@dataclass(frozen=True)
class Entry:
    """What became of a piece. Frames are the signals that a decoder can understand; missed are
    signals that the pin did not show whole, and frames that were not understood."""

    piece: int
    kernel: str
    driver: str
    mode: str
    load: str
    shift: int
    sources: str
    sent: int
    perfect: int
    edges: int
    bad_edges: int
    worst_ns: int
    frames: int
    decoded: int
    missed: int

    @property
    def what(self) -> tuple[int | str, ...]:
        """Which piece it was, as Piece.what says it."""
        return (self.piece, self.kernel, self.driver, self.mode, self.load, self.shift, self.sent)

    @property
    def adds_up(self) -> bool:
        """Whether the counts can be true together."""
        return (0 <= self.perfect <= self.sent and 0 <= self.bad_edges <= self.edges
                and 0 <= self.decoded <= self.frames <= self.sent
                and self.frames - self.decoded <= self.missed <= self.sent
                and (self.perfect + self.missed >= self.sent or self.bad_edges > 0)
                and (self.bad_edges > 0) == (self.worst_ns >= BAD_NS))


def read(path: Path) -> list[Entry]:
    """All lines of a ledger; none where there is no file."""
    if not path.exists():
        return []
    lines = path.read_text(encoding="ascii", errors="replace").splitlines()
    if not lines or _parse(path, 1, lines[0]) != _FORMAT:
        raise LedgerError(f"{path}: the first line must be {json.dumps(_FORMAT)}; is it a ledger?")
    entries = [_entry(path, number, line) for number, line in enumerate(lines[1:], start=2)]
    _refuse_twice(path, entries)
    return entries


def write(path: Path, entries: Iterable[Entry]) -> None:
    """Write a ledger so that it is there whole or as it was."""
    lines = [json.dumps(_FORMAT), *(json.dumps(dataclasses.asdict(entry)) for entry in entries)]
    temporary = path.with_name(f"{path.name}.new")
    temporary.write_text("\n".join(lines) + "\n", encoding="ascii")
    temporary.replace(path)


def _parse(path: Path, number: int, line: str) -> object:
    try:
        return json.loads(line)
    except json.JSONDecodeError as error:
        raise LedgerError(f"{path}:{number}: this is not JSON ({error}). Remove the line; its "
                          "piece is sent anew then") from error


def _entry(path: Path, number: int, line: str) -> Entry:
    """One line, checked."""
    table = _parse(path, number, line)
    hints = typing.get_type_hints(Entry)
    if not isinstance(table, dict) or {name: type(value) for name, value in table.items()} != hints:
        wanted = ", ".join(f"{name} ({hint.__name__})" for name, hint in hints.items())
        raise LedgerError(f"{path}:{number}: a line has exactly {wanted}. Remove the line; its "
                          "piece is sent anew then")
    entry = Entry(**table)
    if not entry.adds_up:
        raise LedgerError(f"{path}:{number}: these counts cannot be true together. Remove the "
                          "line; its piece is sent anew then")
    return entry


def _refuse_twice(path: Path, entries: Sequence[Entry]) -> None:
    """Nothing is counted twice."""
    seen = set()
    for number, entry in enumerate(entries, start=2):
        if (entry.what, entry.sources) in seen:
            raise LedgerError(f"{path}:{number}: piece {entry.piece} of sources {entry.sources} is "
                              "there twice. Remove one of the two lines")
        seen.add((entry.what, entry.sources))
