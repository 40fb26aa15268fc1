# SPDX-License-Identifier: GPL-2.0-only
"""Compiles device trees with what Debian's kernel source has for them: the constants that sources
include, and the boards that no package of an arm64 kernel brings."""

from __future__ import annotations

import functools
import shutil
from pathlib import Path

from tests.lab import cache, debian, host

_KERNEL = "6.12"
_ARM = "arch/arm/boot/dts/broadcom"
_ARM_BOARDS = ("bcm2835-rpi-*.dts", "bcm2836-rpi-*.dts")
_UNPACKED = (f"{_ARM}/bcm283*", "include/dt-bindings/*")


def compile_source(source: Path, result: Path) -> Path:
    """Compile a device tree or overlay."""
    return _compile(source, result, arm() / "include")


@functools.cache
def arm() -> Path:
    """The trees of boards with CPUs of 32 bits, compiled from Debian's source of the kernel, since
    its packages for these are of architectures that the lab does not fetch; and the constants that
    sources of trees include."""
    source = debian.package(f"linux-source-{_KERNEL}:all")
    return cache.entry("boards", [source.name, *_ARM_BOARDS, *_UNPACKED],
                       functools.partial(_compile_arm, archive=source))


def _compile_arm(folder: Path, archive: Path) -> None:
    """Unpack and compile; keep the constants."""
    source = folder / "source"
    with host.step("compiling device trees of 32-bit boards"):
        debian.unpack_source(archive, source, *_UNPACKED)
        for pattern in _ARM_BOARDS:
            for board in (source / _ARM).glob(pattern):
                _compile(board, folder / f"{board.stem}.dtb", source / "include")
    (source / "include").rename(folder / "include")
    shutil.rmtree(source)


def _compile(source: Path, result: Path, includes: Path) -> Path:
    """Compile a source that has labels and C's directives. Warnings are the linters' business."""
    plain = result.with_suffix(".plain")
    host.run(["cpp", "-nostdinc", "-undef", "-D__DTS__", "-x", "assembler-with-cpp", "-P",
              f"-I{includes}", source, plain])
    host.run(["dtc", "-q", "-@", "-i", source.parent, "-I", "dts", "-O", "dtb", "-o", result,
              plain])
    plain.unlink()
    return result
