# SPDX-License-Identifier: GPL-2.0-only
"""Which lines and branches of the modules have run, by gcov, in all runs of this process."""

from __future__ import annotations

import json
import os
import re
import shutil
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from tests.lab import host

_OURS = re.compile(r"/work/((?:core/)?[\w-]+\.[ch])$")  # modules are built in a folder named work


@dataclass
class Source:
    """How often each line of a source ran, and each branch: (line, number of the branch)."""

    lines: Counter[int] = field(default_factory=Counter)
    branches: Counter[tuple[int, int]] = field(default_factory=Counter)

    def lines_pct(self) -> float:
        """The share of lines that ran."""
        return _share_pct(self.lines.values())

    def branches_pct(self) -> float:
        """The share of branches that were taken."""
        return _share_pct(self.branches.values())

    def missed(self) -> str:
        """The lines that never ran, neighbours together."""
        return ", ".join(_ranges(sorted(line for line, count in self.lines.items() if not count)))


SOURCES: defaultdict[str, Source] = defaultdict(Source)


def add(built: Path, counters: Mapping[str, bytes]) -> None:
    """Add what a run counted in modules whose notes for gcov lie in @built."""
    if not counters:
        return
    with tempfile.TemporaryDirectory(prefix="irtx-gcov-") as name:
        folder = Path(name)
        for counter, data in counters.items():
            (folder / counter).write_bytes(data)
            shutil.copy((built / counter).with_suffix(".gcno"), folder)
        told = host.run(["gcov", "--json-format", "--stdout", "--branch-probabilities",
                         *sorted(counters)], cwd=folder)
    for document in map(json.loads, told.splitlines()):
        add_document(document)


def add_document(document: Mapping) -> None:
    """Add what gcov says of one object; the kernel's headers are left out."""
    for entry in document["files"]:
        path = os.path.normpath(os.path.join(document["current_working_directory"], entry["file"]))
        if match := _OURS.search(path):
            _add_lines(SOURCES[match[1]], entry["lines"])


def _add_lines(source: Source, lines: list[Mapping]) -> None:
    """Count lines and branches; a line that is compiled several times runs when one of them does,
    as does a branch."""
    for line in lines:
        number = line["line_number"]
        source.lines[number] += line["count"]
        for place, branch in enumerate(line["branches"]):
            source.branches[number, place] += branch["count"]


def lines_pct() -> float:
    """The share of all lines that ran."""
    return _share_pct(count for source in SOURCES.values() for count in source.lines.values())


def branches_pct() -> float:
    """The share of all branches that were taken."""
    return _share_pct(count for source in SOURCES.values() for count in source.branches.values())


def table() -> str:
    """Shares for each source and for all, and the lines that never ran."""
    rows = [_row(name, source.lines_pct(), source.branches_pct(), source.missed())
            for name, source in sorted(SOURCES.items())]
    return "\n".join(["lines %  branches %  source            lines that did not run", *rows,
                      _row("all", lines_pct(), branches_pct(), "")])


def _row(name: str, of_lines_pct: float, of_branches_pct: float, missed: str) -> str:
    return f"{of_lines_pct:7.1f}  {of_branches_pct:10.1f}  {name:16}  {missed}".rstrip()


def _share_pct(counts: Iterable[int]) -> float:
    """The share of those that are not 0; nothing counts as all."""
    ran = [bool(count) for count in counts]
    return 100 * sum(ran) / len(ran) if ran else 100


def _ranges(numbers: list[int]) -> Iterator[str]:
    """Numbers with runs of them as one, like 3-5."""
    start = None
    for number, following in zip(numbers, [*numbers[1:], None]):
        start = number if start is None else start
        if following != number + 1:
            yield str(number) if start == number else f"{start}-{number}"
            start = None
