# SPDX-License-Identifier: GPL-2.0-only
"""The rows of the build matrix: which of the kernels that a suite offers are built for, and with
which compiler. Pure: what is on offer comes in as names of packages."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from tests.lab import debian

ARCHES = ("amd64", "arm64", "armhf", "riscv64")
_POCKETS = ("", "-updates", "-security", "-backports")
_HEADERS = re.compile(f"linux-headers-{debian.RELEASE}")


@dataclass(frozen=True)
class Release:
    """A Debian release: the compiler of its kernels, and the system it is run in, "" for ours."""

    name: str
    compiler: str
    system: str = ""


@dataclass(frozen=True)
class Place:
    """A suite's kernels for one architecture."""

    suite: str
    arch: str
    compiler: str
    system: str = ""


@dataclass(frozen=True)
class Row:
    """A kernel to build for; release is "" where it is unknown which ones a place has."""

    place: Place
    release: str = ""

    def __str__(self) -> str:
        return "/".join([self.place.suite, self.release or "unknown", self.place.arch,
                         self.place.compiler.replace(" ", "-")])


RELEASES = (Release("bookworm", "gcc 12"), Release("trixie", "gcc 14", "trixie"))


def places() -> Iterator[Place]:
    """Every suite, with its pockets, for every architecture."""
    for release, pocket, arch in itertools.product(RELEASES, _POCKETS, ARCHES):
        yield Place(release.name + pocket, arch, release.compiler, release.system)


def newest(packages: Iterable[str]) -> list[str]:
    """Among header packages, the newest release of each series and flavour."""
    found: dict[tuple[str, str], str] = {}
    for match in filter(None, map(_HEADERS.fullmatch, packages)):
        key = match["series"], match["flavour"]
        found[key] = max(found.get(key, ""), match["base"], key=debian.numbers)
    return [f"{base}-{flavour}" for (_, flavour), base in sorted(found.items())
            if not flavour.startswith("common")]


def of_place(place: Place, packages: Iterable[str], complete: bool) -> list[Row]:
    """The rows of a place, of whose packages not all may be known."""
    rows = [Row(place, release) for release in newest(packages)]
    return rows if complete else [*rows, Row(place)]


def cloud(release: str) -> bool:
    """Whether a kernel is for virtual machines that others rent out."""
    return "-cloud-" in release
