# SPDX-License-Identifier: GPL-2.0-only
"""Runs a script on user-mode Linux: a plain process in virtual time, so a run prints the same
values however busy the host is. What a checker of the kernel reports fails the run."""

from __future__ import annotations

import re
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tests.lab import debian, host
from tests.lab.um_kernel import UserKernel

DEADLINE_S = 120

_INIT = Path(__file__).parent / "um_guest/init"
_START_NS = 1_767_225_600_000_000_000  # the guest's clocks start with the year 2026
_FIRST_WORD = "um: the script begins"
_FINAL_WORD = "um: the script ended with status"
_FOLDERS = ("bin", "dev", "proc", "sys", "tmp", "out", "tools")
_COVERAGE = ".gcda"
# DEBUG_KOBJECT_RELEASE tells of every object
_NOISE = re.compile(r"^\[[ \d.]+\] kobject: .* kobject_release, .*\n", re.MULTILINE)
_KERNEL_LINE = re.compile(r"\[ *\d+\.\d{6}\] ")
# The last three are PWM_DEBUG's
_REPORT = re.compile(r"\b(?:BUG|KASAN|UBSAN|WARNING|ODEBUG|Oops|Kernel panic|unreferenced object|"
                     r"INFO: (?:possible|task|rcu|trying)|possible (?:circular|recursive|irq))\b|"
                     r"\.apply is (?:not idempotent|supposed to round)|"
                     r"\.apply didn't pick the best|requested (?:disabled|enabled), but yielded")


@dataclass(frozen=True)
class Run:
    """What came of one boot: the console, split into the @output of the script and the @log of the
    kernel; @late, why it had to be stopped; @files that the script left; @coverage, the counters of
    modules built for that."""

    console: str = field(repr=False)
    late: str
    files: dict[str, str] = field(repr=False)
    coverage: dict[str, bytes] = field(repr=False)

    @property
    def output(self) -> str:
        """What the script printed."""
        after = self.console.partition(_FIRST_WORD)[2].partition(_FINAL_WORD)[0]
        return "\n".join(line for line in after.splitlines() if not _KERNEL_LINE.match(line))

    @property
    def log(self) -> str:
        """What the kernel printed."""
        return "\n".join(filter(_KERNEL_LINE.match, self.console.splitlines()))

    @property
    def reports(self) -> list[str]:
        """The first line of everything that a checker had to say. What boot itself gives rise to
        is not the script's, and test_checkers.py shows that it puts no checker to sleep."""
        _, begun, after = self.console.partition(_FIRST_WORD)
        text = after if begun else self.console
        return [line.strip() for line in text.splitlines() if _REPORT.search(line)]

    @property
    def problem(self) -> str:
        """The first thing wrong, or nothing."""
        if self.late:
            return self.late
        if self.reports:
            return f"the kernel reported: {self.reports[0]}"
        word = re.search(rf"^{re.escape(_FINAL_WORD)} (\d+)", self.console, re.MULTILINE)
        if not word:
            return "the kernel ended before the script did"
        return "" if word[1] == "0" else f"the script ended with status {word[1]}"

    def report(self) -> str:
        """The problem, for a person to read."""
        return f"{self.problem}; the console ends with:\n{host.tail(self.console)}"


def run(target: UserKernel, script: str, files: Sequence[Path] = (), *,
        arguments: Sequence[str] = (), deadline_s: float | None = None) -> Run:
    """Boot @target, run @script as root with @files and folders in /, and return what came of it.

    @arguments are the kernel's. A run has a problem when it crashed, hung, failed or when a checker
    of the kernel spoke up.
    """
    with tempfile.TemporaryDirectory(prefix="irtx-um-") as name:
        folder = Path(name)
        _lay_out(folder / "root", script, files)
        console = folder / "console"
        late = _boot(target, folder, console, arguments, deadline_s or DEADLINE_S)
        text = console.read_text(encoding="utf-8", errors="replace")
        left = {path.name: path.read_bytes() for path in sorted((folder / "root/out").iterdir())}
    return Run(console=_NOISE.sub("", text), late=late,
               files={name: data.decode(errors="replace") for name, data in left.items()
                      if not name.endswith(_COVERAGE)},
               coverage={name: data for name, data in left.items() if name.endswith(_COVERAGE)})


def _lay_out(root: Path, script: str, files: Sequence[Path]) -> None:
    """Make the guest's root folder."""
    for name in _FOLDERS:
        (root / name).mkdir(parents=True)
    shutil.copy(debian.unpack(f"busybox-static:{debian.host_arch()}") / "bin/busybox",
                root / "bin")
    (root / "bin/sh").symlink_to("busybox")
    shutil.copy(_INIT, root / "init")
    (root / "init").chmod(0o755)
    (root / "script").write_text(script, encoding="utf-8")
    for path in files:
        if path.is_dir():
            shutil.copytree(path, root / path.name)
        else:
            shutil.copy(path, root)


def _boot(target: UserKernel, folder: Path, console: Path, arguments: Sequence[str],
          deadline_s: float) -> str:
    """Run the kernel to its end; return what is wrong when it has to be stopped.

    The address space must lie still (setarch -R), because KASAN's shadow has a fixed place.
    """
    command = ["setarch", "-R", target.image, "mem=128M", "root=/dev/root", "rw",
               "rootfstype=hostfs", f"rootflags={folder / 'root'}", "init=/init",
               "con0=null,fd:1", "con=null", "time-travel=inf-cpu",
               f"time-travel-start={_START_NS}", f"uml_dir={folder}", *target.arguments, *arguments]
    try:
        done = host.attempt(command, env={"TMPDIR": str(folder)}, deadline_s=deadline_s)
    except subprocess.TimeoutExpired as error:
        console.write_bytes(error.stdout or b"")
        return f"the kernel was still running after {deadline_s:g} s"
    console.write_text(done.stdout, encoding="utf-8")
    return ""
