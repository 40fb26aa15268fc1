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

from tests.lab import carrier, host, irfile
from tests.lab.machines import KINDS, LAYERS_ARCH
from tests.lab.qemu import KernelName, Machine

_HZ_WITHIN_PCT = 1  # what the PWM's clock allows
_SOFT_HZ_WITHIN_PCT = 0.1


class ScenarioError(Exception):
    """A scenario file is wrong; the text says where, and what is allowed."""


@dataclass(frozen=True)
class Expect:
    """What must be seen; signals are read in already. With soft_carrier the pin itself must carry
    the carrier; without, the PWM makes it and the pin shows pulses and spaces only."""

    exit: int = 0
    output: list[str] = field(default_factory=list)
    not_output: list[str] = field(default_factory=list)
    kernel_log: list[str] = field(default_factory=list)
    pin: int = 18
    pins: list[int] = field(default_factory=list)
    dark_pins: list[int] = field(default_factory=list)
    skew_within_ns: int | None = None
    signals: list[irfile.Signal] | None = None
    signals_after_mark: int | None = None
    within_ns: int = 150
    soft_carrier: bool = False
    half_cycle_within_ns: int = 250
    carrier_hz: int | None = None
    carrier_within_pct: float | None = None
    duty_pct: float | None = None
    duty_within_pct: float = 2
    decoded: list[str] | None = None
    driver_agrees_ns: int | None = None

    @property
    def lit_pins(self) -> list[int]:
        """The pins that must show the signals."""
        return self.pins or [self.pin]

    @property
    def hz_within_pct(self) -> float:
        """How far off a carrier's frequency may be."""
        if self.carrier_within_pct is not None:
            return self.carrier_within_pct
        return _SOFT_HZ_WITHIN_PCT if self.soft_carrier else _HZ_WITHIN_PCT

    def hz_of(self, signal: irfile.Signal) -> int | None:
        """The carrier that a signal must have, None if nobody says, 0 for none."""
        return signal.carrier_hz if self.carrier_hz is None else self.carrier_hz

    def soft_hz(self) -> list[int | None]:
        """All carriers that software must make."""
        if self.signals is None:
            return [self.carrier_hz]
        return [hz for signal in self.signals if (hz := self.hz_of(signal)) != 0]

    def pause_ns(self) -> int:
        """A dark time that is longer than any inside a pulse with a soft carrier."""
        lengths_us = [signal.lengths_us for signal in self.signals or []]
        return carrier.pause_ns(lengths_us, min(self.soft_hz()))


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
    lirc: bool = False
    udev: bool = False
    layers: tuple[Path, ...] = ()
    drivers: Path = host.TREE
    boot: Machine = Machine()
    expect: Expect = Expect()
    kernels: dict[KernelName, Expect] = field(default_factory=dict)

    def on_kernel(self, kernel: KernelName) -> Scenario:
        """The same on that kernel, with what is expected there."""
        if kernel == self.boot.kernel:
            return self
        return dataclasses.replace(self, title=f"{kernel}: {self.title}", kernels={},
                                   boot=dataclasses.replace(self.boot, kernel=kernel),
                                   expect=self.kernels.get(kernel, self.expect))

    def variants(self) -> dict[str, Scenario]:
        """The scenario and, named like "load[7.3]", the same on each other kernel it names."""
        others = {f"{self.path.stem}[{kernel}]": self.on_kernel(kernel) for kernel in self.kernels}
        return {self.path.stem: self, **others}

    @property
    def board(self) -> Board:
        """The board it needs; scenarios with equal boards share a boot."""
        return Board(self.boot, tuple(self.overlays), tuple(self.defines), self.drivers,
                     self.python, self.lirc, self.udev, self.layers)


@dataclass(frozen=True)
class Board:
    """A machine, what its device tree adds to a Raspberry Pi's, what is defined when our drivers
    are built (IRTX_HAS_..., to have them as they are on another kernel), where the drivers' sources
    are, whether our tools with their Python, Debian's lircd and its udev are there, and what other
    archives (image.layer) lie over all that."""

    machine: Machine
    overlays: tuple[str, ...]
    defines: tuple[str, ...] = ()
    drivers: Path = host.TREE
    python: bool = False
    lirc: bool = False
    udev: bool = False
    layers: tuple[Path, ...] = ()

    def __str__(self) -> str:
        overlays = "-".join(self.overlays).replace(",", "+")  # QEMU reads its options up to a comma
        return "-".join([self.machine.model, self.machine.kernel, f"cpus{self.machine.cpus}",
                         f"shift{self.machine.shift}", overlays,
                         *(name.lower() for name in self.defines),
                         *["python"][:self.python], *["lirc"][:self.lirc],
                         *["udev"][:self.udev]])


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
    expect = table.get("expect", {})
    table["expect"] = _expect(expect, path, "[expect]")
    table["kernels"] = {kernel: _expect({**expect, **changes}, path, f"[kernels] {kernel}")
                        for kernel, changes in _other_kernels(table, path)}
    scenario = _make(Scenario, {**table, "path": path}, str(path))
    _check_layers(scenario)
    return scenario


def _other_kernels(table: Mapping, path: Path) -> list[tuple[str, Mapping]]:
    """What [kernels] says: on which others a scenario runs, too, and what it expects otherwise."""
    kernels = table.get("kernels", {})
    if not isinstance(kernels, dict) or not all(isinstance(it, dict) for it in kernels.values()):
        raise ScenarioError(f'{path}: [kernels]: write each kernel as "7.3" = {{}}; inside the '
                            "braces is what [expect] must say there instead")
    return list(kernels.items())


def _expect(table: Mapping, path: Path, where: str) -> Expect:
    """What must be seen, from its table."""
    values = dict(table)
    if "signals" in values:
        values["signals"] = [_signal(entry, path) for entry in values["signals"]]
    expect = _make(Expect, values, f"{path}: {where}")
    _check(expect, f"{path}: {where}")
    return expect


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
    if typing.get_origin(hint) is dict:
        return isinstance(value, dict) and all(_fits(name, options[0]) for name in value)
    if (kind := typing.get_origin(hint)) in (list, tuple):
        return isinstance(value, kind) and all(_fits(item, options[0]) for item in value)
    if options:
        return any(_fits(value, option) for option in options)
    if hint is float:
        return isinstance(value, (int, float))
    return isinstance(value, hint)


def _signal(entry: object, path: Path) -> irfile.Signal:
    """A signal that must be seen: a file of ir-ctl's, its lengths in microseconds, or a table of
    these with the carrier."""
    if isinstance(entry, str):
        return irfile.read(host.TREE / entry)
    table = entry if isinstance(entry, dict) else {"lengths_us": entry}
    lengths_us = table.get("lengths_us")
    if not isinstance(lengths_us, list) or len(lengths_us) % 2 == 0:
        raise ScenarioError(f"{path}: [expect]: a signal is a file's name, an odd number of "
                            f"microseconds, or a table that has them as lengths_us, not {entry!r}")
    return _make(irfile.Signal, {**table, "lengths_us": tuple(lengths_us)},
                 f"{path}: [expect]: a signal")


def _check_layers(scenario: Scenario) -> None:
    """Some of what a board may have is packed for one architecture only."""
    arch = KINDS[scenario.boot.model].arch.name
    if arch != LAYERS_ARCH and (scenario.python or scenario.lirc or scenario.udev):
        raise ScenarioError(f"{scenario.path}: python, lirc and udev are for {LAYERS_ARCH}, and "
                            f"{scenario.boot.model} is {arch}; leave them out")


def _check(expect: Expect, where: str) -> None:
    """What no single key can say."""
    if expect.skew_within_ns is not None and len(expect.pins) < 2:
        raise ScenarioError(f"{where}: skew_within_ns compares pins; name two or more in pins")
    if not expect.soft_carrier:
        return
    if None in expect.soft_hz() or 0 in expect.soft_hz() or not expect.soft_hz():
        raise ScenarioError(f"{where}: soft_carrier wants carrier_hz, or a carrier in each signal")
    try:
        expect.pause_ns()
    except carrier.CarrierError as error:
        raise ScenarioError(f"{where}: {error}") from error
