# SPDX-License-Identifier: GPL-2.0-only
"""Boots user-mode Linux with our modules, virtual chips and the fuzzer, and runs a script there."""

from __future__ import annotations

import functools
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path

from tests.lab import cache, host, modules, um, um_kernel

_FOLDER = Path(__file__).parent
_GUEST = host.TREE / "tests/lab/um_guest"
_HELPERS = (host.TREE / "tests/lab/guest/lib.sh", _GUEST / "path.sh")
_SOURCES = (modules.DRIVERS, "tests/scope", "tests/lab/um_guest/overlay")
_COMPILER = ("gcc", "-std=gnu11", "-static", "-O2", "-Wall", "-Wextra", "-Wno-unused-parameter",
             "-Werror")
_SPIN_NS = 50  # about what a pause in a waiting loop takes on a processor


def run(script: str, overlays: Sequence[Path] = (), *, tree: Path = host.TREE,
        deadline_s: float | None = None, texts: Mapping[str, str] | None = None) -> um.Run:
    """Run a script beside our modules, built from @tree; it has path.sh's functions, /fuzz, these
    compiled overlays and @texts as files. Any word of a checker is a problem."""
    kernel = um_kernel.kernel(um_kernel.MAIN)
    built = modules.build(kernel, _SOURCES, _module_options(), tree)
    files = [*_HELPERS, _program(), *built.glob("*.ko"), *overlays]
    made = "".join(f"cat >/{name} <<'END'\n{text}\nEND\n" for name, text in (texts or {}).items())
    return um.run(kernel, f". /path.sh\ntrap leave EXIT\n{made}{script}", files,
                  arguments=[f"dtb={overlay(_GUEST / 'dts/base.dts')}"], deadline_s=deadline_s)


def overlay(source: Path) -> Path:
    """A compiled device tree; without symbols, since the base tree has none to add them to."""
    return compiled(source.stem, source.read_text(encoding="utf-8"))


def compiled(name: str, text: str) -> Path:
    """The same for a text."""
    def build(folder: Path) -> None:
        source = folder / f"{name}.dts"
        source.write_text(text, encoding="utf-8")
        host.run(["dtc", "-q", "-I", "dts", "-O", "dtb", "-o", folder / f"{name}.dtbo", source])
    return cache.entry(f"fuzz-tree-{name}", [text], build) / f"{name}.dtbo"


def _module_options() -> tuple[str, ...]:
    """What make is told where it builds our modules."""
    source = host.TREE / "tests" / "kunit" / "coarse_spin.h"
    kept = cache.entry("fuzz-spin", [source.read_bytes()],
                       lambda folder: shutil.copy(source, folder) and None)
    return (*um_kernel.module_options(um_kernel.MAIN),
            f"KCFLAGS=-DCOARSE_SPIN_NS={_SPIN_NS} -include {kept / source.name}")


def _program() -> Path:
    """The fuzzer, which needs no library of the guest's."""
    sources = sorted(_FOLDER.glob("*.[ch]"))
    key = [*_COMPILER, *(part for path in sources for part in (path.name, path.read_bytes()))]
    return cache.entry("fuzz", key, functools.partial(_compile, sources=sources)) / "fuzz"


def _compile(folder: Path, sources: list[Path]) -> None:
    with host.step("building the fuzzer"):
        host.run([*_COMPILER, "-o", folder / "fuzz", *(path for path in sources
                                                       if path.suffix == ".c")])
