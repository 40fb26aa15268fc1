# SPDX-License-Identifier: GPL-2.0-only
"""KUnit's sources and results are read as they are meant."""

from __future__ import annotations

from tests.lab import kunit

_SOURCE = """
static const struct row rows[] = {
    { .name = "not a suite" },
};

static struct kunit_case plan_cases[] = {
    KUNIT_CASE(plan_sums),
    KUNIT_CASE_PARAM(plan_rows, plan_gen_params),
    {}
};

static struct kunit_suite plan_suite = {
    .name = "irtx-plan",
    .init = plan_init,
    .test_cases = plan_cases,
};
"""
_RESULTS = """KTAP version 1
1..1
    KTAP version 1
    # Subtest: irtx-plan
    # module: irtx_kunit
    1..3
    ok 1 plan_sums
        KTAP version 1
        # Subtest: plan_rows
        ok 1 empty
    # plan_rows: EXPECTATION FAILED at plan_test.c:20
        not ok 2 too long
    # plan_rows: pass:1 fail:1 skip:0 total:2
    not ok 2 plan_rows
    ok 3 plan_later # SKIP needs a clock
# irtx-plan: pass:1 fail:1 skip:1 total:3
not ok 1 irtx-plan
"""


def test_declared(tmp_path):
    """Suites and cases, with and without parameters; tables of rows are neither."""
    (tmp_path / "plan_test.c").write_text(_SOURCE, encoding="ascii")
    assert kunit.declared(tmp_path.glob("*.c")) == [("irtx-plan", "plan_sums"),
                                                    ("irtx-plan", "plan_rows")]


def test_parse():
    """Each case has its outcome, and its log has its failing rows."""
    cases = list(kunit.parse("irtx-plan", _RESULTS))
    assert [(case.name, case.outcome) for case in cases] == [
        ("plan_sums", "passed"), ("plan_rows", "failed"), ("plan_later", "skipped")]
    assert "EXPECTATION FAILED at plan_test.c:20" in cases[1].log
    assert "not ok 2 too long" in cases[1].log
