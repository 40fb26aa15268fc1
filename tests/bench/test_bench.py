# SPDX-License-Identifier: GPL-2.0-only
"""The committed comparison is what it claims to be: pages show its figures, and figures come out
again when they are measured anew."""

from __future__ import annotations

import pytest

from tests.bench import cell, measure, plots, store, table
from tests.lab import host

# Cheap ones, for every check
_MEASURED_ANEW = ("hybrid/none", "mainline-pwm-7.3/none")
_SAME = ("signals", "perfect", "edges", "decoded")
# What else lies in the board's memory moves edges by some ns, and so does another kernel release.
_CLOSE_NS = {"mean_ns": 20, "p50_ns": 20, "p99_ns": 50, "max_ns": 100, "width_max_ns": 150}
_CLOSE_PART = 0.25
_ALONE = 1.0  # they have no tasks


@pytest.fixture(name="cells", scope="module")
def _cells() -> dict[str, dict]:
    return store.read()


def test_cells_are_in_order(cells):
    """There is no cell that could not be measured, and each has its place."""
    assert list(cells) == [name for name in store.order() if name in cells]


def test_the_page_shows_the_figures(cells):
    """Documentation/bench is what the committed results make."""
    assert (store.FOLDER / "README.md").read_text(encoding="utf-8") == store.page(cells)


def test_the_pictures_show_the_figures(cells, tmp_path):
    """So are the pictures there."""
    plots.draw(cells, tmp_path)
    drawn = {path.name: path.read_bytes() for path in tmp_path.glob("*.svg")}
    committed = {path.name: path.read_bytes() for path in store.FOLDER.glob("*.svg")}
    assert drawn == committed


def test_the_readme_shows_the_figures(cells):
    """A table of the comparison that the README shows is what the committed results make."""
    shown = (host.TREE / "README.md").read_text(encoding="utf-8")
    summary = table.summary(cells)
    assert shown.count(summary.partition("\n")[0]) == shown.count(summary)


@pytest.mark.parametrize("name", _MEASURED_ANEW)
def test_figures_come_out_again(cells, name):
    """A cell that is measured anew gives what is committed."""
    again = measure.results([cell.find(name).run()], _ALONE)
    assert differences(cells[name], again[name]) == []


def differences(committed: dict, again: dict) -> list[str]:
    """Figures that differ by more than they may."""
    wrong = [name for name in _SAME if again[name] != committed[name]]
    wrong += [name for name, close_ns in _CLOSE_NS.items()
              if abs(again[name] - committed[name])
              > max(close_ns, _CLOSE_PART * abs(committed[name]))]
    return [f"{name}: {committed[name]} is committed, {again[name]} was measured" for name in wrong]


def test_differences_are_noticed(cells):
    """A figure that has moved fails the check."""
    committed = cells["hybrid/none"]
    assert differences(committed, committed) == []
    assert differences(committed, {**committed, "perfect": committed["perfect"] - 1})
    assert differences(committed, {**committed, "max_ns": committed["max_ns"] + 101})
