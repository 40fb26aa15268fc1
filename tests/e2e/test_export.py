# SPDX-License-Identifier: GPL-2.0-only
"""The export is what its page in Documentation/ABI says, and its figures are those that others
get: computed here from the driver's table of edges, and from what the oscilloscope saw."""

from __future__ import annotations

import math
import re
import statistics
from collections.abc import Sequence
from dataclasses import dataclass

import pytest

from tests.lab import host, irfile, scenario, scope, session, verdict
from tests.tools import abi, capture

_EXAMPLES = ["nec", "rc5", "rc6", "sony12", "rcmm24", "rcmm32"]
_MODES = ["busy", "hybrid", "thread"]
_HISTOGRAM_ERROR = 1 / 64
_ROUNDING_NS = 1
# of the clock by which the driver measures; the oscilloscope has each ns. Deadlines are in step
# with the clock, so that its rounding, up to half a tick an edge, does not average out
_TICK_NS = 16
_MEASURED = """
title = "figures of signals that were sent beside a thread that turns interrupts off"
modules = ["pwm-ir-tx", "irqoff_load"]
timeout_s = 120
run = '''
for mode in {modes}; do
    echo $mode > /sys/class/rc/rc0/device/tx_mode
    echo 1 > $(debug pwm-ir-tx)/reset
    for name in {examples}; do
        ir-ctl -d $TX --send /examples/$name.ir
        edges
    done
    echo "@stats $mode"
    cat $(debug pwm-ir-tx)/stats
done
'''
"""


@dataclass(frozen=True)
class Measured:
    """Signals that were sent in one mode: the driver's figures, its edges, the oscilloscope's."""

    stats: dict[str, int]
    driver: list[list[verdict.DriverEdge]]
    seen: list[list[scope.Edge]]

    def driver_widths(self, level: int) -> list[int]:
        """The errors of pulses (1) or spaces (0), by the driver's edges."""
        return [end.late_ns - begin.late_ns for edges in self.driver
                for begin, end in zip(edges, edges[1:]) if begin.level == level]

    def scope_widths(self, level: int) -> list[int]:
        """The same by the oscilloscope's."""
        return [got_ns - (end.due_ns - begin.due_ns)
                for edges, seen in zip(self.driver, self.seen)
                for begin, end, got_ns in zip(edges, edges[1:], scope.intervals_ns(seen))
                if begin.level == level]


@pytest.fixture(name="captured", scope="module")
def _captured():
    """What the scenario that captures the export printed."""
    return run(scenario.load(capture.SCENARIO)).output


@pytest.fixture(name="measured", scope="module")
def _measured():
    """Figures and edges, by mode."""
    text = _MEASURED.format(modes=" ".join(_MODES), examples=" ".join(_EXAMPLES))
    evidence = run(scenario.parse(host.TREE / "figures", text))
    blocks = verdict.driver_edges(evidence.output)
    edges = evidence.during.edges(18)
    seen = []
    for block in blocks:
        seen.append(edges[:len(block)])
        edges = edges[len(block):]
    assert not edges
    tables = re.findall(r"^@stats \w+\n(.*?)(?=^@|\Z)", evidence.output, re.MULTILINE | re.DOTALL)
    each = len(_EXAMPLES)
    return {mode: Measured(keys(table), blocks[each * i:each * (i + 1)],
                           seen[each * i:each * (i + 1)])
            for i, (mode, table) in enumerate(zip(_MODES, tables))}


def run(entry: scenario.Scenario) -> session.Evidence:
    """Run a scenario, which must pass."""
    evidence = session.run(entry.board, [entry], session.new_logs())[0]
    if problems := verdict.problems(entry, evidence):
        pytest.fail(verdict.report(entry, evidence, problems), pytrace=False)
    return evidence


def keys(text: str) -> dict[str, int]:
    """The numbers of a file with keys."""
    return {key: int(value) for key, value in re.findall(r"^(\w+) (-?\d+)$", text, re.MULTILINE)}


# --- the page ---

def test_files_keys_and_columns(captured):
    """The kernel exports what the page describes, and nothing else."""
    found: dict[str, set[str]] = {}
    for files in capture.cut(captured).values():
        for name, text in files.items():
            found[name] = found.get(name, set()) | abi.exported(name, text)
    assert found == abi.described()


def test_modes_of_files(captured):
    """Who may read and write them."""
    assert dict(re.findall(r"^@mode (\w+) (\d+)$", captured, re.MULTILINE)) == abi.modes()


def test_copies_are_up_to_date(captured):
    """The copies on which the tools are tested have the names that the kernel exports now."""
    for moment, files in capture.cut(captured).items():
        for name, text in files.items():
            copy = capture.DATA / moment / capture.DEVICE / name
            assert abi.exported(name, copy.read_text(encoding="ascii")) == abi.exported(name, text)


# --- the figures ---

def quantile(values: Sequence[int], part: float) -> int:
    """The smallest value that the given part of all values does not exceed."""
    return sorted(values)[max(math.ceil(round(part * len(values), 6)), 1) - 1]


def check(stats: dict[str, int], key: str, values: Sequence[int], tick_ns: int = 0) -> None:
    """Compare a set's exported figures with its values, which another clock may have measured."""
    expected = [("min", min(values), tick_ns), ("max", max(values), tick_ns),
                ("mean", statistics.fmean(values), _ROUNDING_NS + tick_ns),
                ("stddev", statistics.pstdev(values), _ROUNDING_NS + tick_ns)]
    for figure, part in [("median", 0.5), ("p99", 0.99), ("p999", 0.999)]:
        value = quantile(values, part)
        expected.append((figure, value, math.ceil(abs(value) * _HISTOGRAM_ERROR) + tick_ns))
    for figure, value, within_ns in expected:
        assert abs(stats[f"{key}_{figure}_ns"] - value) <= within_ns, f"{key} {figure}: {value}"


each_mode = pytest.mark.parametrize("mode", _MODES)


@each_mode
def test_counts(measured, mode):
    """Signals, edges, and which of them are bad."""
    mine = measured[mode]
    worst = [max(abs(edge.late_ns) for edge in edges) for edges in mine.driver]
    late = [edge.late_ns for edges in mine.driver for edge in edges]
    limit_ns = mine.stats["threshold_ns"]
    assert mine.stats["signals"] == len(_EXAMPLES)
    assert mine.stats["bad_signals"] == sum(amount >= limit_ns for amount in worst)
    assert mine.stats["edges"] == mine.stats["cost_count"] == len(late)
    assert mine.stats["bad_edges"] == sum(abs(value) >= limit_ns for value in late)
    asked = [irfile.read(host.TREE / f"examples/{name}.ir") for name in _EXAMPLES]
    assert mine.stats["signal_ns"] == sum(1000 * sum(signal.lengths_us) for signal in asked)


@each_mode
def test_figures_from_the_drivers_edges(measured, mode):
    """Means and deviations to the nanosecond, percentiles within the histogram's error."""
    mine = measured[mode]
    late = [edge.late_ns for edges in mine.driver for edge in edges]
    sets = {"late": late, "bad": [value for value in late
                                  if abs(value) >= mine.stats["threshold_ns"]] or [0],
            "pulse": mine.driver_widths(1), "space": mine.driver_widths(0)}
    for key, values in sets.items():
        check(mine.stats, key, values)
        check(mine.stats, f"{key}_abs", [abs(value) for value in values])
    check(mine.stats, "cost", [edge.cost_ns for edges in mine.driver for edge in edges])


@each_mode
@pytest.mark.parametrize("key, level", [("pulse", 1), ("space", 0)])
def test_figures_from_the_oscilloscope(measured, mode, key, level):
    """An instrument that shares no code with the driver gets the same figures."""
    mine = measured[mode]
    seen = mine.scope_widths(level)
    check(mine.stats, key, seen, _TICK_NS)
    check(mine.stats, f"{key}_abs", [abs(value) for value in seen], _TICK_NS)
