# SPDX-License-Identifier: GPL-2.0-only
"""Reads the page that describes the export, and what was exported, so that both can be compared."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tests.lab import host

PAGE = host.TREE / "Documentation/ABI/debugfs-irtx"
_FOLDER = "/sys/kernel/debug/irtx/rcN/"
_ENTRY = re.compile(r"^\t\t(\w+)\t+\((?:stable|informal)\) \S", re.MULTILINE)
_SETS = re.compile(r"\bSET is one of\n(.*?)\n\n\t\tand ", re.DOTALL)


def described() -> dict[str, set[str]]:
    """The names that the page has for each file: keys, or columns, or none."""
    sections = re.split(r"^What:\t+", PAGE.read_text(encoding="ascii"), flags=re.MULTILINE)
    files = (section.partition("\n") for section in sections)
    names = {path.removeprefix(_FOLDER): _names(text) for path, _, text in files
             if path.startswith(_FOLDER)}
    names["worst"] |= names["edges"]  # "each is written as in edges"
    return names


def modes() -> dict[str, str]:
    """The mode that the page gives for each file."""
    return dict(re.findall(rf"^What:\t+{_FOLDER}(\w+)\n(?:.*\n)*?\t\t\(\w\w, 0(\d+)\)",
                           PAGE.read_text(encoding="ascii"), re.MULTILINE))


def _names(text: str) -> set[str]:
    """The names in a section; SET stands for each name in the list of sets."""
    if not (listed := _SETS.search(text)):
        return set(_ENTRY.findall(text))
    sets = _ENTRY.findall(listed[1])
    names = _ENTRY.findall(text.replace(listed[1], ""))
    return {name.replace("SET", entry) for name in names for entry in sets}


def exported(name: str, text: str) -> set[str]:
    """The names in a file; every errno counts as N."""
    if name in ("stats", "config"):
        return {re.sub(r"^error_\d+$", "error_N", line.split()[0])
                for line in text.splitlines() if not line.startswith("#")}
    return set(_columns(text))


def _columns(text: str) -> Iterator[str]:
    """The names in the lines that begin with #, but for the first, which names the format."""
    for line in text.splitlines()[1:]:
        words = line.split()
        if words[:2] == ["#", "signal"]:
            yield from words[1::2]
        elif words[:1] == ["#"]:
            yield from words[1:]
