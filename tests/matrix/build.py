# SPDX-License-Identifier: GPL-2.0-only
"""Finds the rows of the build matrix and builds them: what Debian offers is asked of its package
lists, what a kernel must have is read from dkms.conf."""

from __future__ import annotations

import functools
import re
from dataclasses import dataclass
from pathlib import Path

from tests.lab import debian, host, modules
from tests.matrix import clang, rows
from tests.matrix.rows import Row

UNKNOWN = "the mirror's package list cannot be had"
MODULES = ("irtx-core", "pwm-ir-tx", "gpio-ir-tx")


@dataclass(frozen=True)
class Result:
    """How a row went: "succeeded", "skipped" or "failed", and why."""

    row: Row
    outcome: str
    reason: str = ""


@functools.cache
def find() -> list[Row]:
    """All rows: Debian's kernels as they are, and the main one as clang compiles it."""
    found = [row for place in rows.places() for row in _offered(place)]
    return found + [Row(rows.Place("source", arch, clang.COMPILER), clang.release(arch))
                    for arch in clang.ARCHES]


def _offered(place: rows.Place) -> list[Row]:
    """The rows of one suite and architecture."""
    lists = debian.Lists(place.suite, place.arch)
    packages = debian.package_names(lists, "linux-headers-")
    return rows.of_place(place, packages, debian.have(lists))


def build(row: Row) -> Result:
    """Build the modules for a row, unless its kernel lacks what they need."""
    if not row.release:
        return Result(row, "skipped", UNKNOWN)
    try:
        target, options = _prepare(row)
        if off := missing_options((target.headers / ".config").read_text(encoding="ascii")):
            return Result(row, "skipped", off)
        check(modules.build(target, options=("W=1", *options)), target.release)
    except host.LabError as error:
        return Result(row, "failed", str(error))
    return Result(row, "succeeded")


def _prepare(row: Row) -> tuple[modules.Target, tuple[str, ...]]:
    """The kernel of a row, and what make is told besides."""
    place = row.place
    if place.compiler == clang.COMPILER:
        return clang.prepare(place.arch), clang.options(place.arch)
    return debian.headers(row.release, place.arch, place.suite, place.system), ()


def missing_options(config: str) -> str:
    """Which option that DKMS is told to ask for is missing from a kernel's configuration."""
    conf = (host.TREE / "dkms.conf").read_text(encoding="utf-8")
    wanted = re.search(r'^BUILD_EXCLUSIVE_CONFIG="(.+)"$', conf, re.MULTILINE)[1].split()
    missing = [name for name in wanted if not re.search(rf"^{name}=[ym]$", config, re.MULTILINE)]
    return f"{', '.join(missing)} off" if missing else ""


def check(folder: Path, release: str) -> None:
    """All modules must be there, and be for this kernel."""
    for name in MODULES:
        module = folder / f"{name}.ko"
        if not module.exists() or f"vermagic={release} ".encode() not in module.read_bytes():
            raise host.LabError(f"the build for {release} ended well, but made no {name}.ko for it")
