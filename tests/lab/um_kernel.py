# SPDX-License-Identifier: GPL-2.0-only
"""Builds user-mode Linux with every checker on, from Debian's kernel sources: once for each series,
with what a series lacks or needs mended said here and nowhere else."""

from __future__ import annotations

import functools
import os
import re
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.lab import cache, debian, host

CONFIG = Path(__file__).with_name("um.config")
MAIN = "6.12"

_MAKE = ("ARCH=um",)
# On 6.1 user-mode Linux takes UBSAN only where a makefile asks for it
_MODULE_MAKE = ("W=1", "UBSAN_SANITIZE=y")

_KEPT_FOLDERS = {"arch", "include", "scripts"}
_KEPT_ARCHES = {"um", "x86"}


@dataclass(frozen=True)
class Mend:
    """A change without which a kernel is of no use here."""

    path: str
    pattern: str
    replacement: str
    places: int


@dataclass(frozen=True)
class Series:
    """A series of kernels: where its source comes from, what to mend, which options of um.config it
    does not have on user-mode Linux, and what to tell it at boot."""

    suite: str
    mends: tuple[Mend, ...]
    lacks: frozenset[str] = frozenset()
    arguments: tuple[str, ...] = ()


@dataclass(frozen=True)
class UserKernel:
    """A user-mode kernel: the program and its arguments, and the tree to build modules in."""

    release: str
    image: Path
    arguments: tuple[str, ...]
    headers: Path
    system: str = ""  # this machine's compilers build for it

    @property
    def root(self) -> Path:
        """The folder with all that a build reads."""
        return self.headers


# rc-core deletes timers that it never set up on transmitters. The checkers are right to complain,
# but lockdep is off for the rest of the boot after that.
_TIMERS = Mend("drivers/media/rc/rc-main.c",
               r"^\t(?=(?:del_timer_sync|timer_delete_sync)\(&dev->timer_)",
               "\tif (dev->driver_type != RC_DRIVER_IR_RAW_TX)\n\t\t", 2)
# It never lets go of a lirc device, nor of the receiver or transmitter that this keeps.
_LIRC = Mend("drivers/media/rc/lirc_dev.c",
             r"^\tcdev_device_del\(&dev->lirc_cdev, &dev->lirc_dev\);\n",
             r"\g<0>\tput_device(&dev->lirc_dev);\n", 1)
# From 7.3 on it also takes a lock there that only receivers have.
_MAP_LOCK = Mend("drivers/media/rc/rc-main.c",
                 r"(static void rc_free_rx_device\(struct rc_dev \*dev\)\n\{\n\tif \(!dev)\)",
                 r"\1 || dev->driver_type == RC_DRIVER_IR_RAW_TX)", 1)
# Processors with AMX have 11 kB of registers to save, and ptrace takes all of them or none.
_REGISTERS = Mend("arch/x86/um/user-offsets.c", r"HOST_FP_SIZE, 2696\b", "HOST_FP_SIZE, 16384", 1)
SERIES = {
    "6.1": Series("", (_TIMERS, _LIRC, _REGISTERS),
                  frozenset({"PREEMPT", "DEBUG_ATOMIC_SLEEP", "DEBUG_PREEMPT"})),
    "6.12": Series("", (_TIMERS, _LIRC, _REGISTERS)),
    # Without debugging, slabs of 7.3 leave stale pointers in lists of free objects (sheaves), and
    # kmemleak takes those for references: it would find nothing.
    "7.3": Series("trixie-backports", (_TIMERS, _LIRC, _MAP_LOCK),
                  arguments=("slab_debug=F", "kunit.autorun=1")),
}


def main_first() -> list[str]:
    """All series, the main one first."""
    return sorted(SERIES, key=lambda version: version != MAIN)


def kernel(version: str) -> UserKernel:
    """The user-mode kernel of a series, built on first use."""
    series = SERIES[version]
    source = debian.package(f"linux-source-{version}:all", series.suite)
    options = select_options(CONFIG.read_text(encoding="ascii"), series.lacks)
    key = [source.name, options, repr(series.mends), host.run(["gcc", "-dumpfullversion"])]
    build = functools.partial(_build, source=source, mends=series.mends, options=options)
    folder = cache.entry(f"um-{version}", key, build)
    tree = folder / "tree"
    release = (tree / "include/config/kernel.release").read_text(encoding="ascii").strip()
    return UserKernel(f"{release}-um", folder / "linux", series.arguments, tree)


def select_options(config: str, lacks: frozenset[str]) -> str:
    """A configuration's options, without those that a kernel lacks."""
    return "".join(f"{line}\n" for line in config.splitlines()
                   if (name := _option(line)) and name not in lacks)


def _option(line: str) -> str:
    """The option that a line of a configuration sets, or nothing."""
    match = re.match(r"(?:# )?CONFIG_(\w+)(?:=| is not set)", line)
    return match[1] if match else ""


def module_options(version: str) -> tuple[str, ...]:
    """What make is told where it builds modules; on the main kernel they count what runs."""
    return (*_MAKE, *_MODULE_MAKE, *(("GCOV_PROFILE=y",) if version == MAIN else ()))


def _build(folder: Path, source: Path, mends: tuple[Mend, ...], options: str) -> None:
    """Unpack, mend, configure and build a kernel; keep what module builds need."""
    tree = folder / "tree"
    with host.step(f"unpacking {source.name}"):
        debian.unpack_source(source, tree)
    for mend in mends:
        _apply(mend, tree)
    _configure(tree, options)
    with host.step(f"building user-mode Linux of {source.name}, once; this takes some minutes"):
        host.run(["nice", "make", "-C", tree, f"-j{os.cpu_count()}", *_MAKE, "all"])
    (tree / "linux").rename(folder / "linux")
    _prune(tree)


def _apply(mend: Mend, tree: Path) -> None:
    """Replace text of a source file, which must be there."""
    path = tree / mend.path
    text, count = re.subn(mend.pattern, mend.replacement, path.read_text(encoding="utf-8"),
                          flags=re.MULTILINE)
    if count != mend.places:
        raise host.LabError(f"{path.name} of this kernel has {mend.pattern!r} in {count} places, "
                            f"{mend.places} expected; look at SERIES in tests/lab/um_kernel.py")
    path.write_text(text, encoding="utf-8")


def _configure(tree: Path, options: str) -> None:
    """Make the configuration of these options and nothing else."""
    wanted = tree / "wanted.config"
    wanted.write_text(options, encoding="ascii")
    host.run(["make", "-C", tree, *_MAKE, "allnoconfig"],
             env={"KCONFIG_ALLCONFIG": str(wanted)})
    check_config(options, (tree / ".config").read_text(encoding="ascii"))


def check_config(wanted: str, got: str) -> None:
    """Fail where Kconfig dropped or changed an option that was asked for."""
    have = set(got.splitlines())
    if dropped := [line for line in wanted.splitlines() if line not in have]:
        raise host.LabError("the kernel does not take these options, whose dependencies are "
                            "missing or whose names changed:\n" + "\n".join(dropped))


def _prune(tree: Path) -> None:
    """Drop sources and objects (over 1 GB) that no module build looks at."""
    for folder in _unneeded(tree):
        shutil.rmtree(folder)
    (tree / "vmlinux.o").unlink()


def _unneeded(tree: Path) -> Iterator[Path]:
    """Folders of a built tree that modules do not need."""
    for parent, kept in ((tree, _KEPT_FOLDERS), (tree / "arch", _KEPT_ARCHES)):
        yield from (child for child in list(parent.iterdir())
                    if child.is_dir() and child.name not in kept)
