# SPDX-License-Identifier: GPL-2.0-only
"""The peer: mainline's own driver of the same name, taken from Debian's kernel source when it is
measured, and never kept in the tree."""

from __future__ import annotations

import functools
from pathlib import Path

from tests.lab import cache, debian, host

_DRIVER = "drivers/media/rc/pwm-ir-tx.c"
_KBUILD = "obj-m += pwm-ir-tx.o\n"


def sources(kernel: str) -> Path:
    """A folder to build mainline's driver in, from the source of a kernel's series."""
    series = kernel.partition("-")[0]
    package = debian.package(f"linux-source-{series}:all")
    return cache.entry(f"mainline-{series}", [package.name, _DRIVER, _KBUILD],
                       functools.partial(_make, package=package))


def _make(folder: Path, package: Path) -> None:
    """Take the one file out of the whole source."""
    with host.step(f"unpacking {_DRIVER} of {package.name}"):
        debian.unpack_source(package, folder / "source", _DRIVER)
    (folder / "source" / _DRIVER).rename(folder / "pwm-ir-tx.c")
    (folder / "Kbuild").write_text(_KBUILD, encoding="ascii")
