# SPDX-License-Identifier: GPL-2.0-only
"""User-mode Linux with every checker on, for unit suites: built once from Debian's kernel source,
run as a plain process in virtual time, so a run prints the same values however busy the host is."""

from __future__ import annotations

import functools
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from tests.lab import cache, debian, host

CONFIG = Path(__file__).with_name("um.config")
DEADLINE_S = 120
MAKE_OPTIONS = ("ARCH=um",)

_START_NS = 1_767_225_600_000_000_000  # the guest's clocks start with the year 2026
_FINAL_WORD = "um: the script ended with status"
_KEPT_FOLDERS = {"arch", "include", "scripts"}
_KEPT_ARCHES = {"um", "x86"}
# path, pattern, replacement, matches expected: what the kernel needs before it is of use here
_MENDS = (
    # rc-core deletes timers that it never set up on transmitters. The checkers are right to
    # complain, but lockdep is off for the rest of the boot after that.
    ("drivers/media/rc/rc-main.c", r"^\t(?=(?:del_timer_sync|timer_delete_sync)\(&dev->timer_)",
     "\tif (dev->driver_type != RC_DRIVER_IR_RAW_TX)\n\t\t", 2),
    # Processors with AMX have 11 kB of registers to save, and ptrace takes all of them or none.
    ("arch/x86/um/user-offsets.c", r"HOST_FP_SIZE, 2696\b", "HOST_FP_SIZE, 16384", 1),
)
_REPORT = re.compile(r"\b(?:BUG|KASAN|UBSAN|WARNING|ODEBUG|Oops|Kernel panic|unreferenced object|"
                     r"INFO: (?:possible|task|rcu|trying)|possible (?:circular|recursive|irq))\b")
_INIT = f"""#!/bin/busybox sh
/bin/busybox --install -s /bin
export PATH=/bin
mount -t proc proc /proc
mount -t sysfs sysfs /sys
mount -t debugfs debugfs /sys/kernel/debug
mount -t tracefs tracefs /sys/kernel/tracing
leaks=/sys/kernel/debug/kmemleak
sleep 6  # virtual time is exact after its first tick, and kmemleak judges what is 5 s old
sleep 1  # what the other sleep gave back has gone by now
echo scan > $leaks
echo scan > $leaks
echo clear > $leaks  # what boot left behind is not the script's
sh -eu /script
status=$?
sleep 6
sleep 1
echo scan > $leaks
echo scan > $leaks
cat $leaks
echo "{_FINAL_WORD} $status"
poweroff -f
"""


@dataclass(frozen=True)
class UserKernel:
    """A user-mode kernel: the program, and the tree to build modules in."""

    release: str
    image: Path
    headers: Path


@dataclass(frozen=True)
class Run:
    """What came of one boot."""

    console: str
    files: dict[str, str]
    problem: str

    def report(self) -> str:
        """The problem, for a person to read."""
        return f"{self.problem}; the console ends with:\n{host.tail(self.console)}"


def kernel(version: str) -> UserKernel:
    """The user-mode kernel of a series, built on first use."""
    source = debian.package(f"linux-source-{version}:all")
    key = [source.name, CONFIG.read_bytes(), repr(_MENDS), host.run(["gcc", "-dumpfullversion"])]
    folder = cache.entry(f"um-{version}", key, functools.partial(_build, source=source))
    tree = folder / "tree"
    release = (tree / "include/config/kernel.release").read_text(encoding="ascii").strip()
    return UserKernel(f"{release}-um", folder / "linux", tree)


def run(target: UserKernel, script: str, files: Iterable[Path] = (),
        deadline_s: float | None = None) -> Run:
    """Boot @target, run @script as root with @files in /, and return what it left in /out.

    A run has a problem when it crashed, hung, failed or when a checker of the kernel spoke up.
    """
    with tempfile.TemporaryDirectory(prefix="irtx-um-") as name:
        folder = Path(name)
        _lay_out(folder / "root", script, files)
        console = folder / "console"
        late = _boot(target, folder, console, deadline_s or DEADLINE_S)
        text = console.read_text(encoding="utf-8", errors="replace")
        return Run(text, _collect(folder / "root/out"), late or _find_problem(text))


# --- building ---

def _build(folder: Path, source: Path) -> None:
    """Unpack, mend, configure and build a kernel; keep what module builds need."""
    tree = folder / "tree"
    with host.step("unpacking the kernel source"):
        debian.unpack_source(source, tree)
    for path, pattern, replacement, expected in _MENDS:
        _mend(tree / path, pattern, replacement, expected)
    with host.step("configuring user-mode Linux"):
        host.run(["make", "-C", tree, *MAKE_OPTIONS, "allnoconfig"],
                 env={"KCONFIG_ALLCONFIG": str(CONFIG)})
    check_config(CONFIG.read_text(encoding="ascii"),
                 (tree / ".config").read_text(encoding="ascii"))
    with host.step("building user-mode Linux, once; this takes some minutes"):
        host.run(["make", "-C", tree, f"-j{os.cpu_count()}", *MAKE_OPTIONS, "all"])
    (tree / "linux").rename(folder / "linux")
    _prune(tree)


def _mend(path: Path, pattern: str, replacement: str, expected: int) -> None:
    """Replace text of a source file, which must be there."""
    text, count = re.subn(pattern, replacement, path.read_text(encoding="utf-8"),
                          flags=re.MULTILINE)
    if count != expected:
        raise host.LabError(f"{path.name} of this kernel has {pattern!r} in {count} places, "
                            f"{expected} expected; look at _MENDS in tests/lab/um.py")
    path.write_text(text, encoding="utf-8")


def check_config(wanted: str, got: str) -> None:
    """Fail where Kconfig dropped or changed an option that was asked for."""
    have = set(got.splitlines())
    options = [line for line in wanted.splitlines() if line.startswith(("CONFIG_", "# CONFIG_"))]
    if dropped := [line for line in options if line not in have]:
        raise host.LabError("the kernel does not take these options, whose dependencies are "
                            "missing or whose names changed:\n" + "\n".join(dropped))


def _prune(tree: Path) -> None:
    """Drop sources and objects (over 1 GB) that no module build looks at."""
    for parent, kept in ((tree, _KEPT_FOLDERS), (tree / "arch", _KEPT_ARCHES)):
        for child in parent.iterdir():
            if child.is_dir() and child.name not in kept:
                shutil.rmtree(child)
    (tree / "vmlinux.o").unlink()


# --- running ---

def _lay_out(root: Path, script: str, files: Iterable[Path]) -> None:
    """Make the guest's root folder."""
    for name in ("bin", "dev", "proc", "sys", "tmp", "out"):
        (root / name).mkdir(parents=True)
    shutil.copy(debian.unpack(f"busybox-static:{debian.host_arch()}") / "bin/busybox",
                root / "bin")
    (root / "init").write_text(_INIT, encoding="ascii")
    (root / "init").chmod(0o755)
    (root / "script").write_text(script, encoding="utf-8")
    for path in files:
        shutil.copy(path, root)


def _boot(target: UserKernel, folder: Path, console: Path, deadline_s: float) -> str:
    """Run the kernel to its end; return what is wrong when it has to be stopped.

    The address space must lie still (setarch -R), because KASAN's shadow has a fixed place.
    """
    command = ["setarch", "-R", target.image, "mem=128M", "root=/dev/root", "rw",
               "rootfstype=hostfs", f"rootflags={folder / 'root'}", "init=/init",
               "con0=null,fd:1", "con=null", "time-travel=inf-cpu",
               f"time-travel-start={_START_NS}", f"uml_dir={folder}"]
    try:
        done = host.attempt(command, env={"TMPDIR": str(folder)}, deadline_s=deadline_s)
    except subprocess.TimeoutExpired as error:
        console.write_bytes(error.stdout or b"")
        return f"the kernel was still running after {deadline_s:g} s"
    console.write_text(done.stdout, encoding="utf-8")
    return ""


def _collect(folder: Path) -> dict[str, str]:
    """Files that the script left, by name."""
    return {path.name: path.read_text(encoding="utf-8", errors="replace")
            for path in sorted(folder.iterdir())}


def _find_problem(console: str) -> str:
    """The first thing wrong in a console log, or nothing."""
    for line in console.splitlines():
        if _REPORT.search(line):
            return f"the kernel reported: {line.strip()}"
    word = re.search(rf"^{re.escape(_FINAL_WORD)} (\d+)", console, re.MULTILINE)
    if not word:
        return "the kernel ended before the script did"
    return "" if word[1] == "0" else f"the script ended with status {word[1]}"
