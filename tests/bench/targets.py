# SPDX-License-Identifier: GPL-2.0-only
"""What the comparison must show beside all loads, and whether it does."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from tests.bench.units import time

_MAINLINE = "mainline-pwm-6.12"
_PERFECT_PCT = {"busy": 100, "hybrid": 99.9, "auto": 99.9}
_OURS = tuple(_PERFECT_PCT)
_TIMES_BETTER = 100
_HELD_PCT = 12
_RT_US = 150

Cells = Mapping[str, Mapping]


@dataclass(frozen=True)
class Target:
    """What is wanted, what was measured, and whether that is enough."""

    wanted: str
    measured: str
    is_met: bool


def all_of(cells: Cells) -> list[Target]:
    """Every target for which all was measured that it compares."""
    beside_all = {name: cells[f"{name}/all"] for name in (*_OURS, _MAINLINE, "nobody")
                  if f"{name}/all" in cells}
    checked = [target for check in _CHECKS for target in check(beside_all)]
    return [*checked, *_held(cells)]


def _decoded(beside_all: Cells) -> Iterator[Target]:
    for name in filter(beside_all.get, _OURS):
        row = beside_all[name]
        yield Target(f"{name}: all signals decoded", f"{row['decoded']} of {row['signals']}",
                     row["decoded"] == row["signals"])


def _perfect(beside_all: Cells) -> Iterator[Target]:
    for name in filter(beside_all.get, _OURS):
        row, wanted_pct = beside_all[name], _PERFECT_PCT[name]
        yield Target(f"{name}: {wanted_pct} % of the signals perfect",
                     f"{row['perfect']} of {row['signals']}",
                     100 * row["perfect"] >= wanted_pct * row["signals"])


def _worst(beside_all: Cells) -> Iterator[Target]:
    if _MAINLINE not in beside_all:
        return
    theirs_ns = beside_all[_MAINLINE]["max_ns"]
    for name in filter(beside_all.get, _OURS):
        mine_ns = beside_all[name]["max_ns"]
        yield Target(f"{name}: worst edge {_TIMES_BETTER} times smaller than mainline's",
                     f"{time(mine_ns)} of {time(theirs_ns)}: "
                     f"{theirs_ns / mine_ns:.0f} times", theirs_ns >= _TIMES_BETTER * mine_ns)


def _held(cells: Cells) -> Iterator[Target]:
    """Beside the loads where CPU time can be told."""
    if "hybrid/steady" not in cells:
        return
    held_pct = cells["hybrid/steady"]["cpu_held_pct"]
    yield Target(f"hybrid: less than {_HELD_PCT} % of the CPU held", f"{held_pct} %",
                 held_pct < _HELD_PCT)


def _real_time(beside_all: Cells) -> Iterator[Target]:
    if not {"hybrid", "nobody"} <= beside_all.keys():
        return
    waits_us, alone_us = (beside_all[name]["rt_max_us"] for name in ("hybrid", "nobody"))
    yield Target(f"hybrid: a real-time task waits for {_RT_US} us at most",
                 f"{waits_us} us ({alone_us} us where nobody sends)", waits_us <= _RT_US)


_CHECKS: tuple[Callable[[Cells], Iterator[Target]], ...] = (
    _decoded, _perfect, _worst, _real_time)
