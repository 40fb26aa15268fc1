# SPDX-License-Identifier: GPL-2.0-only
"""Runs the user tools as users do, on a copy of an export, and with another /sys around them."""

from __future__ import annotations

import importlib.machinery
import importlib.util
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from types import ModuleType

from tests.lab import host
from tests.tools import capture

STAT = host.TREE / "scripts/irtx-stat"
SOAK = host.TREE / "scripts/irtx-soak"
PYTHON = ["/usr/bin/python3", "-B"]


def run(program: Path, *arguments: str | Path, env: Mapping[str, str] | None = None,
        **options) -> subprocess.CompletedProcess:
    """Run a tool; its two outputs apart."""
    return subprocess.run([*PYTHON, program, *arguments], capture_output=True, text=True,
                          check=False, env={**os.environ, "COLUMNS": "80", **(env or {})},
                          **options)


def stat(moment: str, *arguments: str | Path, **options) -> subprocess.CompletedProcess:
    """Run irtx-stat on what the export held at a moment of capture.toml."""
    return run(STAT, "--debugfs", capture.DATA / moment, *arguments, **options)


def load(program: Path) -> ModuleType:
    """A tool as a module."""
    name = program.name.replace("-", "_")
    sys.dont_write_bytecode = True
    loader = importlib.machinery.SourceFileLoader(name, str(program))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(name, loader))
    sys.modules[name] = module
    loader.exec_module(module)
    return module


class System:
    """A /sys of our own, in which one transmitter, or more, is exported and has a lirc device."""

    def __init__(self, folder: Path, moment: str, devices: int = 1) -> None:
        self.folder = folder
        for number in range(devices):
            (folder / f"class/rc/rc{number}/lirc{number}").mkdir(parents=True)
            shutil.copytree(capture.DATA / moment / capture.DEVICE, self.exported(number))

    @property
    def debugfs(self) -> Path:
        """Where its debugfs is."""
        return self.folder / "kernel/debug"

    def exported(self, number: int = 0) -> Path:
        """What a transmitter exports."""
        return self.debugfs / f"irtx/rc{number}"

    def become(self, moment: str) -> None:
        """Let the first transmitter export what there was at another moment; stats last, since
        that is what shows that something happened."""
        source = capture.DATA / moment / capture.DEVICE
        for path in sorted(source.iterdir(), key=lambda path: path.name == "stats"):
            shutil.copy(path, self.folder)
            (self.folder / path.name).replace(self.exported() / path.name)

    def command(self, program: Path, *arguments: str | Path) -> list[str]:
        """The command line of a tool that takes this for /sys."""
        return [*PYTHON, "-m", "tests.tools.programs", str(program), str(self.folder),
                *map(str, arguments)]

    def run(self, program: Path, *arguments: str | Path, **options) -> subprocess.CompletedProcess:
        """Run a tool that takes this for /sys."""
        return subprocess.run(self.command(program, *arguments), capture_output=True, text=True,
                              check=False, cwd=host.TREE, **options)


def main(program: str, folder: str, *arguments: str) -> int:
    """Run a tool that takes a folder for /sys."""
    module = load(Path(program))
    reader = getattr(module, "irtx_stat", module)
    reader.DEBUGFS = Path(folder, "kernel/debug")
    reader.RC_CLASS = Path(folder, "class/rc")
    module.TRACING = Path(folder, "kernel/tracing")
    return module.main(arguments)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
