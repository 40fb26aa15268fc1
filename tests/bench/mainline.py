# SPDX-License-Identifier: GPL-2.0-only
"""The peer: mainline's own driver of the same name, taken from Debian's kernel source when it is
measured, and never kept in the tree."""

from __future__ import annotations

import functools
from pathlib import Path

from tests.lab import cache, debian, host

_FOLDER = "drivers/media/rc"
_SUITES = {"7.3": "trixie-backports"}  # where it is not among the machine's own


def sources(kernel: str, driver: str = "pwm-ir-tx") -> Path:
    """A folder to build mainline's driver in, from the source of a kernel's series."""
    series = kernel.partition("-")[0]
    package = debian.package(f"linux-source-{series}:all", _SUITES.get(series, ""))
    return cache.entry(f"mainline-{series}", [package.name, driver],
                       functools.partial(_make, package=package, driver=driver))


def _make(folder: Path, package: Path, driver: str) -> None:
    """Take the one file out of the whole source."""
    member = f"{_FOLDER}/{driver}.c"
    with host.step(f"unpacking {member} of {package.name}"):
        debian.unpack_source(package, folder / "source", member)
    (folder / "source" / member).rename(folder / f"{driver}.c")
    (folder / "Kbuild").write_text(f"obj-m += {driver}.o\n", encoding="ascii")
