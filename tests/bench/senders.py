# SPDX-License-Identifier: GPL-2.0-only
"""The rows of the comparison: every way to send, and beside which loads each is measured."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from tests.bench import mainline
from tests.lab import host
from tests.lab.qemu import KernelName

_TRIAL = host.TREE / "tests/bench/trial"
_SOME = ("none", "steady", "all")
_EVERY = ("none", "tasks", "switches", "irqoff", "irqs", "block", "steady", "all")


@dataclass(frozen=True)
class Sender:
    """A driver in one of its modes, on a kernel; no module: nobody sends, to see the loads alone.

    What learns from its wake-ups (settles) is given time to. Those that a target names send more
    signals beside all loads.
    """

    name: str
    title: str
    module: str
    kernel: KernelName = "6.12"
    settings: tuple[tuple[str, str], ...] = ()
    loads: tuple[str, ...] = _SOME
    sources: Callable[[], Path] = lambda: host.TREE
    settles: bool = False
    is_target: bool = False

    @property
    def is_ours(self) -> bool:
        """Whether it is this tree's driver."""
        return bool(self.module) and self.sources() == host.TREE

    @property
    def overlay(self) -> str:
        """The device-tree overlay that names its hardware."""
        return "gpio-ir-tx" if self.has_soft_carrier else "pwm-ir-tx"

    @property
    def has_soft_carrier(self) -> bool:
        """Whether software makes the carrier, on a GPIO."""
        return self.module == "gpio-ir-tx"


def _ours(name: str, title: str, mode: str, **more) -> Sender:
    settings = (("tx_mode", mode), *more.pop("settings", ()))
    return Sender(name, title, more.pop("module", "pwm-ir-tx"), settings=settings,
                  settles=mode in ("hybrid", "auto"), **more)


def _mainline(module: str, kernel: KernelName, **more) -> Sender:
    return Sender(f"mainline-{module.partition('-')[0]}-{kernel}", f"mainline's {module}, {kernel}",
                  module, kernel, sources=partial(mainline.sources, kernel, module), **more)


SENDERS = [
    _ours("busy", "busy (default)", "busy", loads=_EVERY, is_target=True),
    _ours("hybrid", "hybrid", "hybrid", loads=_EVERY, is_target=True),
    _mainline("pwm-ir-tx", "6.12", loads=_EVERY, is_target=True),
    _ours("auto", "auto", "auto", is_target=True),
    _ours("busy-unbounded", "busy, unbounded", "busy", settings=(("tx_max_irqs_off_us", "0"),)),
    Sender("trial", "the first trial: udelay, interrupts off", "trial-ir-tx",
           sources=lambda: _TRIAL),
    _ours("thread", "thread", "thread", loads=("none", "tasks", "steady", "all")),
    _ours("gpio", "gpio-ir-tx, busy", "busy", module="gpio-ir-tx"),
    _mainline("gpio-ir-tx", "6.12"),
    Sender("nobody", "nobody sends", "", loads=_EVERY),
    _mainline("pwm-ir-tx", "6.1", loads=("none", "tasks", "all")),
    _ours("thread-6.1", "thread, 6.1", "thread", kernel="6.1", loads=("none", "tasks", "all")),
    _mainline("pwm-ir-tx", "7.3", loads=("none", "all")),
    _ours("hybrid-7.3", "hybrid, 7.3", "hybrid", kernel="7.3", loads=("none", "all")),
    _mainline("gpio-ir-tx", "6.1", loads=("none", "all")),
    _mainline("gpio-ir-tx", "7.3", loads=("none", "all")),
    _mainline("pwm-ir-tx", "6.12-rt", loads=("none", "tasks")),
    _ours("thread-rt", "thread, 6.12-rt", "thread", kernel="6.12-rt", loads=("none", "tasks")),
]
