# SPDX-License-Identifier: GPL-2.0-only
"""Kernel trees for clang: Debian's headers are made for gcc, and hand its options to any compiler.
So Debian's source is prepared anew, with Debian's configuration as far as clang has it."""

from __future__ import annotations

import functools
import os
import shutil
from dataclasses import dataclass
from pathlib import Path

from tests.lab import cache, debian, host

SERIES = "6.12"
COMPILER = "clang 14"
ARCHES = {"amd64": ("ARCH=x86", ""), "arm64": ("ARCH=arm64", "CROSS_COMPILE=aarch64-linux-gnu-")}
_PARTS = ("Makefile", "Kbuild", "Kconfig*", "scripts", "include", "tools", "lib", "kernel",
          "arch/x86", "arch/arm64")


@dataclass(frozen=True)
class Tree:
    """A prepared tree, as modules.build() takes it."""

    release: str
    headers: Path
    root: Path
    system: str = ""  # this machine's clang


def options(arch: str) -> tuple[str, ...]:
    """What make is told for an architecture."""
    return "CC=clang", *filter(None, ARCHES[arch])


def release(arch: str) -> str:
    """The kernel of Debian's whose configuration and symbols a tree has."""
    return f"{debian.choose_base(SERIES, arch, arch)}-{arch}"


def prepare(arch: str) -> Tree:
    """The main kernel's tree for an architecture, made on first use."""
    source = debian.package(f"linux-source-{SERIES}:all")
    stock = debian.headers(release(arch), arch)
    folder = cache.entry(f"clang-{stock.release}", [source.name, *_PARTS],
                         functools.partial(_make, source=source, stock=stock, arch=arch))
    tree = folder / "tree"
    own_release = (tree / "include/config/kernel.release").read_text(encoding="ascii").strip()
    return Tree(own_release, tree, folder)


def _make(folder: Path, source: Path, stock: debian.Headers, arch: str) -> None:
    """Unpack and prepare a tree; the symbols it may link to are those of Debian's own kernel."""
    with host.step(f"preparing {stock.release} for clang"):
        tree = folder / "tree"
        debian.unpack_source(source, tree, *_PARTS)
        shutil.copy2(stock.headers / ".config", tree)
        for target in ("olddefconfig", "modules_prepare"):
            host.run(["make", "-C", tree, f"-j{os.cpu_count()}", *options(arch), target])
        shutil.copy2(stock.headers / "Module.symvers", tree)
