# SPDX-License-Identifier: GPL-2.0-only
"""Boots an emulated machine in virtual time and brings back what it said and what the oscilloscope
saw. Two boots of the same image give the same logs, to the byte."""

from __future__ import annotations

import contextlib
import functools
import os
import re
import selectors
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Literal

from tests.lab import board, cache, debian, host
from tests.lab.machines import KINDS, Kind, Model

_DIE_WITH_US = ("setpriv", "--pdeathsig", "KILL")
_NEWER_QEMU = ("qemu-system-arm:amd64", "bookworm-backports")
_INIT_SPEAKS = "@lab "
_FINAL_WORD = "@lab done"
_PANIC = "Kernel panic - not syncing"
_PANIC_END = "---[ end Kernel panic"
_POLL_S = 0.5

KernelName = Literal["6.12", "6.12-rt", "6.1", "7.3"]  # as debian.kernel() takes them


class Stopped(Exception):
    """Another thread asked for the end of the run."""


class Patience:
    """How long the lab's init may be silent, in the host's time; ends at once when stopped."""

    def __init__(self, limit_s: float, stop: threading.Event) -> None:
        self.limit_s = limit_s
        self._stop = stop
        self.renew()

    def renew(self) -> None:
        """Begin anew."""
        self._deadline_s = time.monotonic() + self.limit_s

    def is_over(self) -> bool:
        """Whether it has run out; raises Stopped if another thread asked for the end."""
        if self._stop.is_set():
            raise Stopped
        return time.monotonic() >= self._deadline_s


@dataclass(frozen=True)
class Machine:
    """How a board is built, its CPUs and their speed as 2^shift ns an instruction, which of
    Debian's kernels it boots, what light its receiver is played (replay.py), and whether there is
    an SD card in it, full of zeros (overlay sd-card)."""

    kernel: KernelName = "6.12"
    cpus: int = 1
    shift: int = 0
    seed: int = 1
    model: Model = "raspi3b"
    play: Path | None = None
    card: bool = False


@dataclass(frozen=True)
class Outcome:
    """What a boot left behind; reason is "done", or why it ended before its final word."""

    reason: str
    serial: Path
    edges: Path


@dataclass(frozen=True)
class Image:
    """What a board boots."""

    kernel: Path
    initrd: Path
    description: list[str | Path]  # QEMU's options that tell the kernel what machine it is on


def boot(machine: Machine, image: Image, logs: Path, patience: Patience,
         heard: Callable[[str], None]) -> Outcome:
    """Run one boot to its end; each line of the lab's init is passed on as it comes."""
    serial, edges = logs / "serial.log", logs / "edges.log"
    command = [*_DIE_WITH_US, *_qemu(machine), *_pace(machine), "-kernel", image.kernel,
               *image.description, "-initrd", image.initrd, "-append", _command_line(machine),
               *_card(machine),
               *board.arguments(edges, machine.play, _kind(machine).needs_newer_qemu)]
    with _running(command, logs / "qemu.log") as child:
        reason = _follow(child, serial, patience, heard)
    return Outcome(reason or _why_it_ended(child, logs), serial, edges)


def content(machine: Machine, image: Image) -> list[str | bytes]:
    """All that the logs of a boot follow from: where it is the same, they are the same."""
    words = [*_qemu(machine), *_pace(machine), image.kernel, *image.description, image.initrd,
             _command_line(machine), *_card(machine),
             board.plugin(_kind(machine).needs_newer_qemu), machine.play or ""]
    return [word.read_bytes() if isinstance(word, Path) else word for word in words]


def own_tree(machine: Machine, folder: Path) -> Path:
    """The device tree that QEMU makes for a machine which Debian's kernel has none for."""
    tree = folder / "own.dtb"
    host.run([*_qemu(machine), "-display", "none", "-machine", f"dumpdtb={tree}"])
    return tree


def _kind(machine: Machine) -> Kind:
    return KINDS[machine.model]


def _qemu(machine: Machine) -> list[str | Path]:
    """The program, and the machine that it is to be."""
    kind = _kind(machine)
    program = _newer_qemu() / kind.program if kind.needs_newer_qemu else kind.program
    return [program, *kind.options.format(cpus=machine.cpus).split()]


def _newer_qemu() -> Path:
    """The programs of a QEMU that knows more machines; the libraries of this one's do for it."""
    package = debian.package(*_NEWER_QEMU)
    folder = cache.entry("qemu", [package.name], functools.partial(_unpack_qemu, package=package))
    return folder / "usr/bin"


def _unpack_qemu(folder: Path, package: Path) -> None:
    with host.step(f"unpacking {package.name}"):
        host.run(["dpkg-deb", "--extract", package, folder])


def _pace(machine: Machine) -> list[str]:
    """Virtual time, and a serial port as the only way to talk to the machine."""
    return ["-icount", f"shift={machine.shift},sleep=off", "-seed", str(machine.seed),
            "-display", "none", "-monitor", "none", "-serial", "stdio", "-no-reboot"]


def _card(machine: Machine) -> list[str]:
    return ["-drive", "if=sd,driver=null-co,size=64M,read-zeroes=on"] if machine.card else []


def _command_line(machine: Machine) -> str:
    return f"{_kind(machine).kernel_options} quiet maxcpus={machine.cpus} cryptomgr.notests=1"


@contextlib.contextmanager
def _running(command: list[str | Path], errors: Path) -> Iterator[subprocess.Popen]:
    """A QEMU that does not outlive this block, nor us if we are killed."""
    with open(errors, "wb") as stderr, \
            subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                             stderr=stderr, start_new_session=True) as child:
        try:
            yield child
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(child.pid, signal.SIGKILL)


def _follow(child: subprocess.Popen, serial: Path, patience: Patience,
            heard: Callable[[str], None]) -> str:
    """Keep the serial log until the guest is through; return why, or "" if QEMU just ended."""
    final = panicked = False
    with open(serial, "wb") as log:
        for line in _lines(child, patience, log):
            final |= line.startswith(_FINAL_WORD)
            panicked |= _PANIC in line
            if line.startswith(_INIT_SPEAKS):
                patience.renew()
                heard(line)
            if _PANIC_END in line:
                break
    if panicked:
        return "the guest's kernel panicked"
    if patience.is_over():
        return f"the board was silent for {patience.limit_s:.0f} s of the host's time"
    return "done" if child.wait() == 0 and final else ""


def _lines(child: subprocess.Popen, patience: Patience, log: BinaryIO) -> Iterator[str]:
    """The serial port's output line by line, as it comes, while patience lasts."""
    rest = b""
    for chunk in _chunks(child, patience):
        log.write(chunk)
        *lines, rest = (rest + chunk).split(b"\n")
        for line in lines:
            yield line.decode("utf-8", errors="replace").strip()


def _chunks(child: subprocess.Popen, patience: Patience) -> Iterator[bytes]:
    """The serial port's output in pieces."""
    with selectors.DefaultSelector() as selector:
        selector.register(child.stdout, selectors.EVENT_READ)
        while not patience.is_over():
            if not selector.select(_POLL_S):
                continue
            chunk = os.read(child.stdout.fileno(), 65536)
            if not chunk:
                return
            yield chunk


def _why_it_ended(child: subprocess.Popen, logs: Path) -> str:
    """For a QEMU that ended by itself without the guest's final word."""
    if re.search(r"^\d+ watchdog$", _read(logs / "edges.log"), re.MULTILINE):
        return "the guest hung and the board's watchdog ended it"
    said = _read(logs / "qemu.log").strip() or "it said nothing"
    return f"QEMU ended with status {child.returncode} before the guest's final word: {said}"


def _read(path: Path) -> str:
    return path.read_text(encoding="ascii", errors="replace") if path.exists() else ""
