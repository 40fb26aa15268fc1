# SPDX-License-Identifier: GPL-2.0-only
"""The comparison's own parts that need no board: results from logs, the pages, the store."""

from __future__ import annotations

import pytest

from tests.bench import cell, loads, measure, senders, store, table, targets, units
from tests.lab import scope

_OUTPUT = """@meter a 1000 1000000000
@meter b 1000 1000000000
@at before 5.00 100 200
@meter a 2000 2000000000
@meter b 2000 2000000000
@at begin 6.00 1000 2000
@meter a 5500 6000000000
@meter b 5500 6000000000
@at end 10.00 5000 10000
@load irqoff_load count 42
@load irqoff_load longest_ns 100500
@load irqoff_load seed 1
@memory 120
@rt T: 0 (  190) P:80 I:1000 C:    549 Min:      6 Act:   14 Avg:   98 Max:     886
"""


def sender(name):
    """One of the rows."""
    return next(entry for entry in senders.SENDERS if entry.name == name)


@pytest.fixture(name="run")
def fixture_run():
    """What a boot might leave behind."""
    records = (scope.Mark(100, cell.LIGHT), scope.Edge(600_100, 18, True),
               scope.Edge(700_000, 18, False), scope.Mark(900_000, cell.LIGHT),
               scope.Edge(1_650_000, 18, True), scope.Storm(1_700_000, 9, 9, 99_000),
               scope.Mark(1_800_000, cell.VICTIMS), scope.Storm(1_900_000, 5, 5, 12_345))
    trace = scope.Trace((scope.Mark(0, cell.END), *records))
    return cell.Run(cell.Cell(sender("hybrid"), "all"), _OUTPUT, trace)


def test_what_others_felt(run):
    """Figures of the round of its own, and the time to light."""
    found = measure.victims(run)
    assert found == {"irq_answer_max_us": 12.3, "rt_max_us": 886, "light_median_us": 675.0,
                     "light_max_us": 750.0, "memory_kb": 120}


def test_what_a_load_did(run):
    """Rates between the two times, and what the load modules say, but not how they were set."""
    assert measure.load(run) == {"interrupts_per_s": 1000, "switches_per_s": 2000,
                                 "irqoff_load_count": 42, "irqoff_load_longest_ns": 100500}


def test_time_that_is_held(run):
    """Both do 2000 rounds a second before and 1750 during 4 s, of 2000 that fill a second."""
    signals_s = sum(sum(signal.lengths_us) for signal in run.cell.asked) / 1e6
    held_pct = measure.held_pct(run, 2000e-9)
    assert held_pct == pytest.approx(100 * 0.5 / signals_s, abs=0.1)


@pytest.mark.parametrize("output", ["", _OUTPUT + _OUTPUT.replace("meter a", "meter s")],
                         ids=["nothing", "switches"])
def test_no_tasks_no_time_held(run, output):
    """Where nothing counts, or others take what the counting tasks lose, nothing is known."""
    assert measure.held_pct(cell.Run(run.cell, output, run.trace), 1.0) is None


@pytest.mark.parametrize("time_ns, text", [
    (None, ""), (0, "0.0 ns"), (9.94, "9.9 ns"), (62, "62 ns"), (999, "999 ns"),
    (1000, "1.0 us"), (95_400, "95 us"), (120_000_000, "120 ms"),
])
def test_times(time_ns, text):
    """Two digits or three, and a unit."""
    assert units.time(time_ns) == text


def measured(**changes):
    """Cells that meet every target but for the changes of hybrid."""
    row = {"signals": 10, "perfect": 10, "decoded": 10, "max_ns": 50, "cpu_held_pct": 11.0,
           "rt_max_us": 150}
    cells = {f"{name}/all": row for name in ("busy", "auto", "nobody")}
    return {**cells, "hybrid/all": {**row, **changes}, "hybrid/steady": {**row, **changes},
            "mainline-pwm-6.12/all": {**row, "max_ns": 5000}}


@pytest.mark.parametrize("changes", [
    {}, {"decoded": 9}, {"perfect": 9}, {"max_ns": 51}, {"cpu_held_pct": 12.0}, {"rt_max_us": 151},
])
def test_targets(changes):
    """Each is missed by its own figure, and by no other."""
    missed = [target for target in targets.all_of(measured(**changes)) if not target.is_met]
    assert len(missed) == len(changes)
    assert all(target.wanted.startswith("hybrid") for target in missed)


@pytest.mark.parametrize("missing", measured())
def test_targets_of_what_was_measured(missing):
    """A comparison of some cells alone is possible."""
    cells = measured()
    del cells[missing]
    assert len(targets.all_of(cells)) < len(targets.all_of(measured()))


def test_only_what_sends_is_compared():
    """The row that sends nothing stands in the table of loads."""
    quiet = {"load": {"switches_per_s": 7, "interrupts_per_s": 8}, "irq_answer_max_us": 9.5,
             "rt_max_us": 10}
    assert table.summary({"nobody/all": quiet}).count("\n") == 2
    assert "| all but the card together | 7 | 8 | 9.5 us | 10 us |" in \
        table.what_loads_did({"nobody/all": quiet})


def test_all_loads_have_a_title():
    """A load that a sender names can be begun and shown."""
    assert {load for entry in senders.SENDERS for load in entry.loads} <= set(loads.TITLES)
    assert all(loads.begin(load, 1) or load == "none" for load in loads.TITLES)


def test_results_of_another_format_are_refused(tmp_path):
    """The error says what to do."""
    (tmp_path / "results.json").write_text('{"format": "irtx bench 0"}', encoding="ascii")
    with pytest.raises(store.StoreError, match="make bench"):
        store.read(tmp_path)
