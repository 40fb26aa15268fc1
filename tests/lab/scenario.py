# SPDX-License-Identifier: GPL-2.0-only
"""The scenario file: what a test loads into the emulated board, what it runs there, and what must
be seen. One TOML file each; an unknown key is an error, so a typing mistake cannot hide a check."""

from __future__ import annotations

import dataclasses
import typing
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import tomllib

from tests.lab import host, irfile
from tests.lab.qemu import Machine


class ScenarioError(Exception):
    """A scenario file is wrong; the text says where, and what is allowed."""


@dataclass(frozen=True)
class Expect:
    """What must be seen; signals are read in already."""

    exit: int = 0
    output: list[str] = field(default_factory=list)
    not_output: list[str] = field(default_factory=list)
    kernel_log: list[str] = field(default_factory=list)
    pin: int = 18
    signals: list[irfile.Signal] | None = None
    signals_after_mark: int | None = None
    within_ns: int = 150
    carrier_hz: int | None = None
    carrier_within_pct: float = 1
    duty_pct: float | None = None
    duty_within_pct: float = 2
    decoded: list[str] | None = None
    driver_agrees_ns: int | None = None


@dataclass(frozen=True)
class Scenario:
    """A scenario file."""

    path: Path
    title: str
    run: str
    modules: list[str] = field(default_factory=list)
    timeout_s: int = 30
    overlays: list[str] = field(default_factory=lambda: ["pwm-ir-tx"])
    defines: list[str] = field(default_factory=list)
    python: bool = False
    drivers: Path = host.TREE
    boot: Machine = Machine()
    expect: Expect = Expect()

    @property
    def board(self) -> Board:
        """The board it needs; scenarios with equal boards share a boot."""
        return Board(self.boot, tuple(self.overlays), tuple(self.defines), self.drivers,
                     self.python)


@dataclass(frozen=True)
class Board:
    """A machine, what its device tree adds to a Raspberry Pi's, what is defined when our drivers
    are built (IRTX_HAS_..., to have them as they are on another kernel), where the drivers' sources
    are, and whether our tools and their Python are there."""

    machine: Machine
    overlays: tuple[str, ...]
    defines: tuple[str, ...] = ()
    drivers: Path = host.TREE
    python: bool = False

    def __str__(self) -> str:
        return "-".join([self.machine.kernel, f"cpus{self.machine.cpus}",
                         f"shift{self.machine.shift}", *self.overlays,
                         *(name.lower() for name in self.defines),
                         *["python"][:self.python]])


def load(path: Path) -> Scenario:
    """Read a scenario file."""
    try:
        return parse(path, path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, irfile.IrFileError, OSError) as error:
        raise ScenarioError(f"{path}: {error}") from error


def parse(path: Path, text: str) -> Scenario:
    """A scenario from its text; path is its name, and its errors'."""
    table = tomllib.loads(text)
    table["boot"] = _make(Machine, table.get("boot", {}), f"{path}: boot")
    expect = dict(table.get("expect", {}))
    if "signals" in expect:
        expect["signals"] = [_signal(entry, path) for entry in expect["signals"]]
    table["expect"] = _make(Expect, expect, f"{path}: [expect]")
    return _make(Scenario, {**table, "path": path}, str(path))


def _make(kind: type, table: Mapping, where: str):
    """A dataclass from a table, checked against the names and types of its fields."""
    hints = typing.get_type_hints(kind)
    for name, value in table.items():
        if name not in hints:
            raise ScenarioError(f"{where}: unknown key {name!r}; allowed are "
                                f"{', '.join(sorted(hints))}")
        if not _fits(value, hints[name]):
            raise ScenarioError(f"{where}: {name} must be {hints[name]}, not {value!r}")
    missing = [entry.name for entry in dataclasses.fields(kind)
               if entry.name not in table and entry.default is dataclasses.MISSING
               and entry.default_factory is dataclasses.MISSING]
    if missing:
        raise ScenarioError(f"{where}: {', '.join(missing)} must be given")
    return kind(**table)


def _fits(value: object, hint) -> bool:
    """Whether a value from TOML is of a field's type."""
    options = typing.get_args(hint)
    if typing.get_origin(hint) is typing.Literal:
        return value in options
    if typing.get_origin(hint) is list:
        return isinstance(value, list) and all(_fits(item, options[0]) for item in value)
    if options:
        return any(_fits(value, option) for option in options)
    if hint is float:
        return isinstance(value, (int, float))
    return isinstance(value, hint)


def _signal(entry: object, path: Path) -> irfile.Signal:
    """A signal that must be seen: a file of ir-ctl's, or its lengths in microseconds."""
    if isinstance(entry, str):
        return irfile.read(host.TREE / entry)
    if isinstance(entry, list) and len(entry) % 2 and all(isinstance(us, int) for us in entry):
        return irfile.Signal(tuple(entry))
    raise ScenarioError(f"{path}: [expect]: a signal is a file's name or an odd number of "
                        f"microseconds, not {entry!r}")
