# SPDX-License-Identifier: GPL-2.0-only
"""The comparison's pictures, drawn by gnuplot from the committed figures alone: how errors are
distributed, what accuracy costs, and a signal as it was asked for and as it was on the pin."""

from __future__ import annotations

import itertools
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from tests.bench import cell, loads, senders
from tests.lab import host, irfile

_TERMINALS = {"svg": "svg size {size} font 'sans,12' background 'white'",
              "png": "pngcairo size {size} font 'sans,11'"}
_COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000", "#999999")
_HISTOGRAM_LOADS = ("none", "steady", "all")
_HISTOGRAM_SENDERS = ("busy", "hybrid", "auto", "gpio", "trial", "mainline-pwm-6.12",
                      "mainline-gpio-6.12", "mainline-pwm-6.1")
_COST_LOAD = "steady"  # where CPU time can be told
_WAVE_SENDERS = ("mainline-pwm-6.12", "hybrid")
_WAVE_AROUND_US = 700

Cells = Mapping[str, Mapping]


def draw(cells: Cells, folder: Path) -> None:
    """Draw each picture for which there are figures, as SVG and PNG."""
    pictures = {"errors": (_histograms(cells), "1300,460"), "cost": (_cost(cells), "800,560"),
                "signal": (_wave(cells), "1000,420")}
    for name, (lines, size) in pictures.items():
        script = "\n".join(lines)
        if not script:
            continue
        for suffix, terminal in _TERMINALS.items():
            _gnuplot(f"set terminal {terminal.format(size=size)}\n"
                     f"set output '{folder / name}.{suffix}'\n{script}\n")


def _gnuplot(script: str) -> None:
    with tempfile.NamedTemporaryFile("w", suffix=".gp", encoding="utf-8") as file:
        file.write(script)
        file.flush()
        host.run(["gnuplot", file.name])


def _title(name: str) -> str:
    """A sender's name in a key."""
    return next(sender.title for sender in senders.SENDERS if sender.name == name)


def _block(name: str, rows: Sequence[Sequence[object]]) -> str:
    """Data inside a script."""
    return "\n".join([f"${name} << END", *(" ".join(map(str, row)) for row in rows), "END"])


# --- how errors are distributed ---

def _histograms(cells: Cells) -> Iterator[str]:
    """A panel for each load: the share of edges that are off by more than so much."""
    yield "set multiplot layout 1,3 title 'Share of edges that are off by more than so much'"
    yield "set logscale xy; set xrange [1e-8:1]; set yrange [1e-4:1.2]; set grid"
    yield "set format x '%.0s %cs'; set format y '%g'; set xlabel 'error'; set key off"
    yield "set xtics 1e-8,100; set mxtics 1"
    for load in _HISTOGRAM_LOADS:
        if load == _HISTOGRAM_LOADS[-1]:
            yield "set key inside top right font ',9' samplen 1"
        yield from _panel(cells, load)
    yield "unset multiplot"


def _panel(cells: Cells, load: str) -> Iterator[str]:
    curves = []
    yield f"set title 'beside: {loads.TITLES[load]}'"
    for number, name in enumerate(_HISTOGRAM_SENDERS):
        if (found := cells.get(f"{name}/{load}")) is None:
            continue
        yield _block(f"h{number}", list(_survivors(found["histogram"])))
        curves.append(f"$h{number} using ($1*1e-9):2 with steps lw 2 lc rgb '{_COLOURS[number]}' "
                      f'title "{_title(name)}"')
    yield f"plot {', '.join(curves)}" if curves else "set multiplot next"


def _survivors(histogram: Mapping[str, int]) -> Iterator[tuple[float, float]]:
    """The share of edges beyond each bound."""
    total = left = sum(histogram.values())
    yield 1, 1
    for bound_ns, count in histogram.items():
        left -= count
        yield int(bound_ns), max(left / total, 1e-9)


# --- what accuracy costs ---

def _cost(cells: Cells) -> Iterator[str]:
    """The worst edge against the CPU time that was taken from others."""
    rows = [(found["cpu_held_pct"], found["max_ns"], found["p99_ns"], f'"{sender.title}"')
            for sender in senders.SENDERS
            if sender.module and (found := cells.get(f"{sender.name}/{_COST_LOAD}"))]
    if not rows:
        return
    yield _block("points", rows)
    yield (f"set title 'Beside {loads.TITLES[_COST_LOAD]}: "
           "worst edge (dot) and 99th percentile (bar)'")
    yield "set xlabel 'CPU time held, % of the time that signals take'; set ylabel 'error'"
    yield "set logscale y; set format y '%.0s %cs'; set grid; unset key; set xrange [-5:135]"
    yield ("plot $points using 1:($2*1e-9):($3*1e-9):($2*1e-9) with yerrorbars lw 2 pt 7 "
           f"lc rgb '{_COLOURS[0]}', "
           "$points using ($1+2):($2*1e-9):4 with labels left font ',9'")


# --- a signal ---

def _wave(cells: Cells) -> Iterator[str]:
    """A piece of an RC-MM signal around mainline's worst edge."""
    if not {f"{name}/all" for name in _WAVE_SENDERS} <= cells.keys():
        return
    asked_ns = _asked_ns()
    traces = [("asked for", asked_ns)]
    traces += [(_title(name), cells[f"{name}/all"]["wave_ns"]) for name in _WAVE_SENDERS]
    worst_us = _worst_place_us(asked_ns, traces[1][1])
    yield f"set xrange [{worst_us - _WAVE_AROUND_US}:{worst_us + _WAVE_AROUND_US}]"
    yield "set title 'RC-MM on the pin, beside all loads, around the worst edge'; unset key"
    yield "set xlabel 'us from the first edge'; set yrange [-0.3:4.6]; set ytics ()"
    yield from (f"set arrow from {at / 1000},-0.3 to {at / 1000},4.6 nohead lc rgb '#cccccc'"
                for at in asked_ns if abs(at / 1000 - worst_us) < _WAVE_AROUND_US)
    yield from _traces(traces)


def _traces(traces: Sequence[tuple[str, Sequence[int]]]) -> Iterator[str]:
    curves = []
    for number, (title, edges_ns) in enumerate(traces):
        base = 1.5 * (len(traces) - 1 - number)
        yield f'set ytics add ("{title}" {base + 0.5})'
        yield _block(f"w{number}", list(_levels(edges_ns, base)))
        curves.append(f"$w{number} using 1:2 with steps lw 2 lc rgb '{_COLOURS[number]}'")
    yield f"plot {', '.join(curves)}"


def _levels(edges_ns: Sequence[int], base: float) -> Iterator[tuple[float, float]]:
    """The level after each edge."""
    for number, at_ns in enumerate(edges_ns):
        yield at_ns / 1000, base + (number + 1) % 2


def _asked_ns() -> list[int]:
    lengths_us = irfile.read(cell.WAVE_EXAMPLE).lengths_us
    return [1000 * us for us in itertools.accumulate(lengths_us, initial=0)]


def _worst_place_us(asked_ns: Sequence[int], seen_ns: Sequence[int]) -> float:
    """Where a signal is off most."""
    return max(zip(asked_ns, seen_ns), key=lambda pair: abs(pair[1] - pair[0]))[0] / 1000
