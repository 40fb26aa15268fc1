# SPDX-License-Identifier: GPL-2.0-only
"""What gcov says of several objects and runs is added up by source."""

from __future__ import annotations

from collections import defaultdict

import pytest

from tests.lab import coverage


@pytest.fixture(autouse=True)
def nothing_ran(monkeypatch):
    """No other test's counts."""
    monkeypatch.setattr(coverage, "SOURCES", defaultdict(coverage.Source))


def document(file: str, **counts) -> dict:
    """What gcov tells of one source: how often lines ran, each with two branches."""
    return {"current_working_directory": "/cache/work/tests/kunit",
            "files": [{"file": file, "lines": [
                {"line_number": int(line[1:]), "count": count,
                 "branches": [{"count": count}, {"count": 0}]}
                for line, count in counts.items()]}]}


def test_adding():
    """A line that runs in one of several objects has run; one that never ran is listed."""
    coverage.add_document(document("../../core/plan.c", l1=0, l2=0, l3=1, l5=0))
    coverage.add_document(document("/cache/work/core/plan.c", l1=0, l2=2, l3=1, l5=0))
    coverage.add_document(document("/cache/work/pwm-ir-tx.c", l7=1))
    assert sorted(coverage.SOURCES) == ["core/plan.c", "pwm-ir-tx.c"]
    plan = coverage.SOURCES["core/plan.c"]
    assert plan.lines_pct() == 50
    assert plan.branches_pct() == 25
    assert plan.missed() == "1, 5"
    assert coverage.lines_pct() == 60
    assert coverage.table().splitlines()[1].split() == ["50.0", "25.0", "core/plan.c", "1,", "5"]


def test_neighbours():
    """Lines in a row are one range."""
    coverage.add_document(document("/cache/work/core/seq.c", l1=0, l2=0, l3=0, l5=0, l8=1, l9=0))
    assert coverage.SOURCES["core/seq.c"].missed() == "1-3, 5, 9"


@pytest.mark.parametrize("file", ["/kernel/include/linux/err.h", "/cache/work/tests/kunit/plan.c",
                                  "plan_test.c"])
def test_what_is_not_ours(file):
    """The kernel's headers and the suites themselves do not count."""
    coverage.add_document(document(file, l1=1))
    assert not coverage.SOURCES
