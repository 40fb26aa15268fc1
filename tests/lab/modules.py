# SPDX-License-Identifier: GPL-2.0-only
"""Builds modules of this tree for a kernel of the lab, on a copy in the cache, so that no object
ever lies in the tree; any warning of the compiler or of modpost is an error."""

from __future__ import annotations

import functools
import os
import re
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

from tests.lab import cache, chroot, host

DRIVERS = "."
_SOURCES = {".c", ".h", ".S", ".mk"}
_KEPT = ("*.ko", "*.gcno")
# With W=1 kbuild also checks comments, by a script in Perl or, since 6.16, Python
_COMPILERS = ("make", "gcc-14", "gcc-14-aarch64-linux-gnu", "gcc-14-arm-linux-gnueabihf",
              "gcc-14-riscv64-linux-gnu", "pahole", "perl", "python3")
_COMPLAINT = re.compile(r"warning|error:", re.IGNORECASE)


class Target(Protocol):
    """A kernel that modules can be built for."""

    @property
    def release(self) -> str:
        """The kernel's name, as uname -r gives it."""

    @property
    def headers(self) -> Path:
        """The folder to run make in."""

    @property
    def root(self) -> Path:
        """The folder with all that make reads there."""

    @property
    def system(self) -> str:
        """The Debian release whose compilers build for it; "" for this machine's own."""


def build(kernel: Target, dirs: Sequence[str] = (DRIVERS,),
          options: Sequence[str] = ("W=1",), tree: Path = host.TREE) -> Path:
    """A folder with every module whose Kbuild lies in one of @dirs of @tree, in this order.

    A later folder's modules may use symbols of an earlier one's. @options are make's.
    """
    sources = {path.relative_to(tree): path.read_bytes() for path in find_sources(tree, dirs)}
    key = [kernel.release, str(kernel.headers), kernel.system, *options, *dirs]
    for name, content in sorted(sources.items()):
        key += [str(name), content]
    make = functools.partial(_build_into, kernel=kernel, dirs=dirs, options=options,
                             sources=sources)
    return cache.entry(f"modules-{kernel.release}", key, make)


def find_sources(tree: Path, dirs: Sequence[str]) -> list[Path]:
    """All that builds of @dirs read: core/ goes with every folder, suites link parts of it."""
    folders = [tree / "core", *(tree / name for name in dirs)]
    return sorted(path for folder in folders for path in folder.glob("*") if _is_source(path))


def _is_source(path: Path) -> bool:
    """Whether kbuild reads a file, and did not make it."""
    return path.name == "Kbuild" or \
        (path.suffix in _SOURCES and not path.name.endswith(".mod.c"))


def _build_into(folder: Path, kernel: Target, dirs: Sequence[str], options: Sequence[str],
                sources: dict[Path, bytes]) -> None:
    """Build a copy of the sources and keep only the modules, and what gcov needs of them."""
    work = folder / "work"
    for name, content in sources.items():
        (work / name).parent.mkdir(parents=True, exist_ok=True)
        (work / name).write_bytes(content)
    symbols: list[Path] = []
    for name in dirs:
        with host.step(f"building {name} for {kernel.release}"):
            _make(kernel, work, name, [*options,
                                       f"KBUILD_EXTRA_SYMBOLS={' '.join(map(str, symbols))}"])
        symbols.append(work / name / "Module.symvers")
    for kind in _KEPT:
        for path in work.rglob(kind):
            path.rename(folder / path.name)
    shutil.rmtree(work)


def _make(kernel: Target, work: Path, name: str, options: Sequence[str]) -> None:
    """Run kbuild on one folder; a complaint fails it, even where kbuild itself goes on."""
    folder = work / name
    done = _attempt(kernel, work, ["make", "-C", kernel.headers, f"-j{os.cpu_count()}",
                                   f"M={folder}", *options, "modules"])
    complaints = [line for line in done.stdout.splitlines() if _COMPLAINT.search(line)]
    if done.returncode or complaints:
        text = done.stdout.replace(f"{folder}/", "")
        raise host.LabError(f"modules of {folder.name} do not build cleanly for {kernel.release}:\n"
                            f"{host.tail(text)}")


def _attempt(kernel: Target, work: Path,
             command: Sequence[str | Path]) -> subprocess.CompletedProcess:
    """Run a command with the compilers that the kernel wants; it may write to @work."""
    if not kernel.system:
        return host.attempt(command, env={"LC_ALL": "C"})
    root = chroot.make(kernel.system, _COMPILERS)
    return chroot.attempt(root, command, {str(kernel.root): kernel.root}, {str(work): work})
