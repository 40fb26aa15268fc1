# SPDX-License-Identifier: GPL-2.0-only
"""The comparison's figures as Markdown."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Iterator, Mapping

from tests.bench import loads, senders, targets
from tests.bench.units import time

Cells = Mapping[str, Mapping]  # results by "sender/load"


def summary(cells: Cells) -> str:
    """Everyone beside all loads, as the README shows it; the CPU time is that beside the loads
    where it can be told."""
    held = {name.partition("/")[0]: row["cpu_held_pct"] for name, row in cells.items()
            if name.endswith("/steady")}
    rows = ({**row, "cpu_held_pct": held.get(row["name"])} for row in _rows(cells, "all"))
    return _table(_SUMMARY, rows)


def full(cells: Cells) -> str:
    """Every figure of every cell."""
    rows = [row for load in loads.TITLES for row in _rows(cells, load)]
    return _table([("beside", lambda row: row["beside"]), *_FULL], rows)


def what_loads_did(cells: Cells) -> str:
    """What each load does where nobody sends."""
    rows = [{**cells[name], **cells[name]["load"], "beside": title}
            for load, title in loads.TITLES.items() if (name := f"nobody/{load}") in cells]
    return _table(_LOADS, rows)


def targets_met(cells: Cells) -> str:
    """What must be shown, and whether it is."""
    rows = [dataclasses.asdict(target) for target in targets.all_of(cells)]
    return _table(_TARGETS, rows)


def _rows(cells: Cells, load: str) -> Iterator[dict]:
    """Results beside a load, in the order of the senders."""
    for sender in senders.SENDERS:
        name = f"{sender.name}/{load}"
        if sender.module and name in cells:
            yield {**cells[name], "name": sender.name, "driver": sender.title,
                   "beside": loads.TITLES[load]}


def _table(columns: list[tuple[str, Callable[[Mapping], str]]], rows: Iterable[Mapping]) -> str:
    lines = [[title for title, _ in columns], ["---"] * len(columns)]
    lines += [[show(row) for _, show in columns] for row in rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


# --- columns ---

def _time_of(name: str, unit_ns: int = 1) -> Callable[[Mapping], str]:
    """A column of times."""
    return lambda row: time(None if row[name] is None else row[name] * unit_ns)


def _number_of(name: str, unit: str = "") -> Callable[[Mapping], str]:
    """A column of numbers, empty where there is none."""
    return lambda row: "" if row.get(name) is None else f"{row[name]} {unit}".strip()


def _part_of(name: str, whole: str) -> Callable[[Mapping], str]:
    """A column of "3 of 5"."""
    return lambda row: f"{row[name]} of {row[whole]}"


_SUMMARY = [
    ("driver", lambda row: row["driver"]),
    ("perfect signals", _part_of("perfect", "signals")),
    ("decoded", _part_of("decoded", "signals")),
    ("mean error", _time_of("mean_ns")),
    ("p99", _time_of("p99_ns")),
    ("worst edge", _time_of("max_ns")),
    ("CPU held", _number_of("cpu_held_pct", "%")),
    ("interrupts wait", _time_of("irq_answer_max_us", 1000)),
    ("real-time task waits", _time_of("rt_max_us", 1000)),
]
_FULL = [
    ("driver", lambda row: row["driver"]),
    ("perfect", _part_of("perfect", "signals")),
    ("bad edges", _part_of("bad", "edges")),
    ("mean", _time_of("mean_ns")),
    ("p50", _time_of("p50_ns")),
    ("p99", _time_of("p99_ns")),
    ("p99.9", _time_of("p999_ns")),
    ("worst", _time_of("max_ns")),
    ("width, mean", _time_of("width_mean_ns")),
    ("width, worst", _time_of("width_max_ns")),
    ("carrier off", _number_of("carrier_mean_pct", "%")),
    ("half cycle, mean", _time_of("half_cycle_mean_ns")),
    ("half cycle, worst", _time_of("half_cycle_max_ns")),
    ("decoded", _part_of("decoded", "signals")),
    ("CPU held", _number_of("cpu_held_pct", "%")),
    ("interrupts wait", _time_of("irq_answer_max_us", 1000)),
    ("real-time task waits", _time_of("rt_max_us", 1000)),
    ("write() to light", _time_of("light_median_us", 1000)),
    ("worst", _time_of("light_max_us", 1000)),
    ("memory", _number_of("memory_kb", "KiB")),
]
_TARGETS = [
    ("target, beside all loads", lambda row: row["wanted"]),
    ("measured", lambda row: row["measured"]),
    ("met", lambda row: "yes" if row["is_met"] else "**no**"),
]
_LOADS = [
    ("load", lambda row: row["beside"]),
    ("context switches a second", _number_of("switches_per_s")),
    ("interrupts a second", _number_of("interrupts_per_s")),
    ("an interrupt waits, at most", _time_of("irq_answer_max_us", 1000)),
    ("a real-time task waits, at most", _time_of("rt_max_us", 1000)),
]
