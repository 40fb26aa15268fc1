# SPDX-License-Identifier: GPL-2.0-only
"""Turns what a cell's boot left behind into its results: a table of names and figures, as it is
committed. None is what could not be measured there."""

from __future__ import annotations

import re
import statistics
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tests.bench import cell, decoders, figures
from tests.lab import scope

_PIN = 18


def results(runs: Sequence[cell.Run], alone: float) -> dict[str, dict]:
    """All figures of some cells; alone is what alone_rate() says."""
    signals = {run.cell.name: list(sent(run)) for run in runs if run.cell.sender.module}
    decoded = decoders.count_decoded(signals)
    found = {run.cell.name: {"load": load(run), **victims(run)} for run in runs}
    for run in runs:
        if mine := signals.get(run.cell.name):
            found[run.cell.name] |= {
                **figures.as_dict(figures.sum_up(mine)), "decoded": decoded[run.cell.name],
                "cpu_held_pct": held_pct(run, alone), "histogram": figures.histogram(mine),
                "wave_ns": _wave_ns(mine)}
    return found


def alone_rate() -> float:
    """What the two tasks that count get done each ns where nothing else is done."""
    return sum(rates(cell.find("nobody/tasks").run(), 1).values())


def sent(run: cell.Run) -> Iterator[figures.Sent]:
    """The signals that count, as the pin showed them."""
    edges = run.trace.between(cell.BEGIN, cell.END).edges(_PIN)
    judge = figures.of_soft_carrier if run.cell.sender.has_soft_carrier else figures.of_pwm
    return judge(run.cell.asked, edges)


def _wave_ns(signals: list[figures.Sent]) -> list[int]:
    """When the edges of that signal of the mix were, whose worst edge is the worst of its kind."""
    alike = signals[cell.WAVE_SIGNAL::len(cell.EXAMPLES)]
    worst = max(alike, key=lambda signal: max(map(abs, signal.errors_ns)))
    return [at - worst.edges_ns[0] for at in worst.edges_ns]


# --- what others felt ---

def victims(run: cell.Run) -> dict:
    """What was measured in a round of its own, and beside the signals."""
    lights_us = _light_us(run)
    return {"irq_answer_max_us": _irq_answer_us(run), "rt_max_us": _rt_us(run),
            "light_median_us": round(statistics.median(lights_us), 1) if lights_us else None,
            "light_max_us": max(lights_us, default=None), "memory_kb": _memory_kb(run)}


def held_pct(run: cell.Run, alone: float) -> float | None:
    """How much CPU time the tasks that count lost while signals were sent, in % of the signals'
    length, judged by what they got done just before and by what they do alone. Unknown where
    there are none, and where tasks that switch share what is left with them."""
    before, during = rates(run, 0), rates(run, 1)
    if set(before) != {"a", "b"}:
        return None
    lost = (sum(before.values()) - sum(during.values())) / alone
    signals_ns = 1000 * sum(sum(signal.lengths_us) for signal in run.cell.asked)
    return round(100 * lost * _meters(run)["a"].window_ns / signals_ns, 1)


def rates(run: cell.Run, window: int) -> dict[str, float]:
    """What each task of the load got done each ns: before signals were sent (0), or meanwhile."""
    return {name: meter.rate(window) for name, meter in _meters(run).items()}


@dataclass(frozen=True)
class _Meter:
    """What a task had done at three times, and these."""

    done: tuple[int, ...]
    at_ns: tuple[int, ...]

    @property
    def window_ns(self) -> int:
        """How long signals were sent."""
        return self.at_ns[2] - self.at_ns[1]

    def rate(self, window: int) -> float:
        """What it got done each ns of a window."""
        return (self.done[window + 1] - self.done[window]) / \
            (self.at_ns[window + 1] - self.at_ns[window])


def _meters(run: cell.Run) -> dict[str, _Meter]:
    told = re.findall(r"^@meter (\w) (\d+) (\d+)$", run.output, re.MULTILINE)
    return {name: _Meter(tuple(int(done) for mine, done, _ in told if mine == name),
                         tuple(int(at_ns) for mine, _, at_ns in told if mine == name))
            for name in sorted({name for name, _, _ in told})}


def _irq_answer_us(run: cell.Run) -> float:
    """How long an edge on a GPIO waited at most for the guest to take its interrupt."""
    storm = next(record for record in run.trace.after(cell.VICTIMS).records
                 if isinstance(record, scope.Storm))
    return round(storm.longest_ns / 1000, 1)


def _rt_us(run: cell.Run) -> int:
    """The worst delay of cyclictest."""
    return int(re.search(r"^@rt T: .* Max: +(\d+)$", run.output, re.MULTILINE)[1])


def _light_us(run: cell.Run) -> list[float]:
    """From write() to the first light."""
    found: list[float] = []
    called_ns = None
    for record in run.trace.between(cell.END, cell.VICTIMS).records:
        if isinstance(record, scope.Mark) and record.value == cell.LIGHT:
            called_ns = record.ns
        elif isinstance(record, scope.Edge) and record.lit and called_ns is not None:
            found.append(round((record.ns - called_ns) / 1000, 1))
            called_ns = None
    return found


def _memory_kb(run: cell.Run) -> int | None:
    """How much memory loading the modules takes, where nothing else goes on."""
    found = re.search(r"^@memory (-?\d+)$", run.output, re.MULTILINE)
    return int(found[1]) if found else None


def load(run: cell.Run) -> dict[str, float]:
    """What the load did while signals were sent: context switches and interrupts a second, and
    what the load modules say of themselves."""
    told_at = {name: [float(word) for word in rest.split()] for name, rest in
               re.findall(r"^@at (\w+) (.*)$", run.output, re.MULTILINE)}
    begin, end = told_at["begin"], told_at["end"]
    per_s = [round((last - first) / (end[0] - begin[0]))
             for first, last in zip(begin[1:], end[1:])]
    told = {f"{module}_{name}": int(value) for module, name, value in
            re.findall(r"^@load (\w+) (count|longest_ns) (\d+)$", run.output, re.MULTILINE)}
    return {"interrupts_per_s": per_s[0], "switches_per_s": per_s[1], **told}
