# SPDX-License-Identifier: GPL-2.0-only
"""Runs scenarios on emulated boards: all that need the same board in one boot, and in a new boot
what a crash left over. Brings back, for each, what there is to judge it by."""

from __future__ import annotations

import functools
import re
import shutil
import tempfile
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tests.lab import cache, debian, host, image, modules, qemu, scope
from tests.lab.machines import KINDS, Kind
from tests.lab.scenario import Board, Scenario

_TESTS = host.TREE / "tests"
_HELPERS = ["lab/load", "scope"]  # which read nothing of core/
_BOOT_S = 120  # of the host's time, ten times what it takes
_HOST_S_PER_VIRTUAL_S = 12  # a busy guest on a slow host
_GRACE_S = 10
_RUNS_KEPT = 20


@dataclass
class Evidence:
    """What one scenario left behind; died says why its boot ended in it."""

    output: str = ""
    exit: int | None = None
    problems: list[str] = field(default_factory=list)
    kernel_log: str = ""
    taint: int = 0
    during: scope.Trace = scope.Trace(())
    after: scope.Trace = scope.Trace(())
    died: str = ""
    logs: Path = Path()


def new_logs() -> Path:
    """A folder for the logs of one run; those of the last runs are kept."""
    folder = cache.root() / "logs"
    folder.mkdir(exist_ok=True)
    for old in sorted(folder.glob("[0-9]*"))[:-_RUNS_KEPT]:
        shutil.rmtree(old, ignore_errors=True)
    return Path(tempfile.mkdtemp(prefix=time.strftime("%Y%m%d-%H%M%S-"), dir=folder))


def run(board: Board, scenarios: Sequence[Scenario], logs: Path,
        stop: threading.Event | None = None) -> list[Evidence]:
    """Run scenarios that all need this board; the answers are in their order.

    Another thread ends the run with the stop event, which raises qemu.Stopped.
    """
    stop = stop or threading.Event()
    evidence: list[Evidence] = []
    while len(evidence) < len(scenarios):
        rest = scenarios[len(evidence):]
        folder = logs / f"{board}-{len(evidence)}"
        folder.mkdir(parents=True)
        evidence += _boot(board, rest, folder, stop)
    return evidence


def run_once(board: Board, scenarios: Sequence[Scenario], logs: Path) -> list[Evidence]:
    """As run(), for scenarios that the board survives: its logs are kept, and the same image with
    the same scenarios does not boot again."""
    folder = logs / str(board)
    folder.mkdir(parents=True)
    image_parts = _prepare(board, scenarios, folder)
    boot = functools.partial(_boot_to_keep, board, scenarios, image_parts)
    kept = cache.entry("boot", qemu.content(board.machine, image_parts), boot)
    outcome = qemu.Outcome("done", kept / "serial.log", kept / "edges.log")
    return _collect(outcome, len(scenarios), kept)


def _boot_to_keep(board: Board, scenarios: Sequence[Scenario], image_parts: qemu.Image,
                  folder: Path) -> None:
    outcome = _power_on(board, scenarios, image_parts, folder, threading.Event())
    if outcome.reason != "done":
        raise host.LabError(f"board {board} did not survive: {outcome.reason}")


def _boot(board: Board, scenarios: Sequence[Scenario], folder: Path,
          stop: threading.Event) -> list[Evidence]:
    """One boot; evidence of the scenarios it came to, at least one."""
    outcome = _power_on(board, scenarios, _prepare(board, scenarios, folder), folder, stop)
    return _collect(outcome, len(scenarios), folder)


def _power_on(board: Board, scenarios: Sequence[Scenario], image_parts: qemu.Image, folder: Path,
              stop: threading.Event) -> qemu.Outcome:
    """Boot what is prepared."""
    longest_s = max(entry.timeout_s for entry in scenarios)
    patience = qemu.Patience(_BOOT_S + _HOST_S_PER_VIRTUAL_S * (longest_s + _GRACE_S), stop)
    with host.step(f"board {board}: {len(scenarios)} scenario(s)"):
        return qemu.boot(board.machine, image_parts, folder, patience,
                         functools.partial(_tell, board=board, scenarios=scenarios))


def _prepare(board: Board, scenarios: Sequence[Scenario], folder: Path) -> qemu.Image:
    """Everything that a boot needs, made or taken from the cache."""
    kind = KINDS[board.machine.model]
    kernel = debian.kernel(board.machine.kernel, kind.arch.name)
    flags = " ".join(f"-D{name}" for name in board.defines)
    drivers = modules.build(kernel, options=("W=1", f"KCFLAGS={flags}"), tree=board.drivers)
    layers = [image.base(kind, kernel, [drivers, modules.build(kernel, _HELPERS, tree=_TESTS)])]
    if board.python:
        layers.append(image.python())
    if board.lirc:
        layers.append(image.lirc())
    if board.udev:
        layers.append(image.udev())
    layers += board.layers
    jobs = [image.Job(entry.run, entry.modules, entry.timeout_s) for entry in scenarios]
    initrd = folder / "initramfs.gz"
    initrd.write_bytes(image.initramfs(layers, jobs, folder / "stage"))
    shutil.rmtree(folder / "stage")
    return qemu.Image(kernel.image, initrd, _describe(board, kind, folder))


def _describe(board: Board, kind: Kind, folder: Path) -> list[str | Path]:
    """QEMU's options that tell the kernel what machine it is on."""
    if kind.has_acpi:
        return [word for table in image.acpi_tables(board.overlays, folder)
                for word in ("-acpitable", f"file={table}")]
    base = image.stock_tree(kind.tree) if kind.is_pi else qemu.own_tree(board.machine, folder)
    return ["-dtb", image.device_tree(base, [*kind.overlays, *board.overlays], folder)]


def _tell(line: str, board: Board, scenarios: Sequence[Scenario]) -> None:
    """Show how far a boot is."""
    if match := re.fullmatch(r"@lab begin (\d+)", line):
        number = int(match[1])
        host.say(f"board {board}: {number + 1}/{len(scenarios)} {scenarios[number].path.stem}")


def _collect(outcome: qemu.Outcome, count: int, folder: Path) -> list[Evidence]:
    """Cut a boot's logs up by scenario. A boot that died did so in the last that had begun."""
    serial = outcome.serial.read_text(encoding="utf-8", errors="replace").replace("\r", "")
    trace = scope.read(outcome.edges)
    begun = max(1, sum(f"@lab begin {i}\n" in serial for i in range(count)))
    evidence = [_one(serial, trace, i) for i in range(begun)]
    if outcome.reason != "done":
        evidence[-1].died = outcome.reason
    for entry in evidence:
        entry.logs = folder
    return evidence


def _one(serial: str, trace: scope.Trace, i: int) -> Evidence:
    """The evidence of scenario i of a boot."""
    begin, end = f"@lab begin {i}\n", rf"\n@lab end {i} exit=(\d+)\n"
    text = serial.partition(begin)[2] or serial
    output, *tail = re.split(end, text, maxsplit=1)
    found = Evidence(output=_without_lab_lines(output), during=trace.between(2 * i + 1, 2 * i + 2),
                     after=trace.between(2 * i + 2, 2 * i + 3))
    found.problems = re.findall(rf"^@lab problem {i} (.*)$", text, re.MULTILINE)
    if tail:
        found.exit = int(tail[0])
        found.kernel_log, _, rest = tail[1].partition(f"@lab taint {i} ")
        found.taint = int(rest.split()[0]) if rest else 0
    return found


def _without_lab_lines(output: str) -> str:
    """A scenario's own output."""
    return "".join(line for line in output.splitlines(keepends=True)
                   if not line.startswith("@lab "))
