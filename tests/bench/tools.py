# SPDX-License-Identifier: GPL-2.0-only
"""What benchmarks add to the board: a program of their own, the stock cyclictest, and the stock
driver of the SD card."""

from __future__ import annotations

import functools
import lzma
from pathlib import Path

from tests.lab import debian, host, image
from tests.lab.qemu import KernelName

PROGRAM = "irbench"
SOURCES = sorted((host.TREE / "tests/bench/guest").glob("*.c"))
CARD_MODULES = ("sdhci", "sdhci-pltfm", "sdhci-iproc")  # in the order to load them, from /card
_COMPILER = ("aarch64-linux-gnu-gcc", "-std=gnu11", "-static", "-O2", "-Wall", "-Wextra", "-Werror")
_PACKAGES = ("rt-tests", "libnuma1")
_FILES = ("usr/bin/cyclictest", "usr/lib/aarch64-linux-gnu/libnuma.so.1")


def tools(kernel: KernelName) -> Path:
    """An archive to lay over the board's initramfs."""
    stock = debian.kernel(kernel, "arm64")
    key = [stock.release, *CARD_MODULES, *_COMPILER, *_PACKAGES,
           *(path.read_bytes() for path in SOURCES)]
    return image.layer("bench", key, functools.partial(_add, kernel=stock))


def _add(stage: Path, kernel: debian.Kernel) -> None:
    packages = debian.unpack(*(f"{name}:arm64" for name in _PACKAGES))
    for name in _FILES:
        _install(stage / name, (packages / name).read_bytes())
    host.run([*_COMPILER, "-o", stage / "usr/bin" / PROGRAM, *SOURCES])
    for name in CARD_MODULES:
        module = next(kernel.modules.rglob(f"{name}.ko*"))
        data = module.read_bytes()
        _install(stage / "card" / f"{name}.ko",
                 lzma.decompress(data) if module.suffix == ".xz" else data)


def _install(target: Path, data: bytes) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(data)
    target.chmod(0o755)
