# SPDX-License-Identifier: GPL-2.0-only
"""The user-mode kernel tells good suites from bad: a planted fault is reported as itself."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.lab import host, kunit, um

_SUITE = """// SPDX-License-Identifier: GPL-2.0-only
#include <kunit/test.h>
#include <linux/delay.h>
#include <linux/slab.h>
#include <linux/spinlock.h>

static void planted(struct kunit *test)
{
%s
}

static struct kunit_case planted_cases[] = {
%s
};

static struct kunit_suite planted_suite = {
    .name = "planted",
    .test_cases = planted_cases,
};
kunit_test_suite(planted_suite);
MODULE_DESCRIPTION("a planted fault");
MODULE_LICENSE("GPL");
"""
_CASE = "\tKUNIT_CASE(planted),\n\t{}"
_UNUSED_CASE = "\t{}, KUNIT_CASE(planted)"
_OVERRUN = """\tvolatile char *p = kmalloc(16, GFP_KERNEL);

\tp[16] = 1;
\tkfree((void *)p);"""
_SLEEP = """\tstatic DEFINE_SPINLOCK(lock);

\tspin_lock(&lock);
\tmsleep(1);
\tspin_unlock(&lock);"""
_LEAK = """\tKUNIT_EXPECT_NOT_NULL(test, kmalloc(100, GFP_KERNEL));"""


def run_suite(tree: Path, body: str, cases: str = _CASE) -> kunit.Results:
    """Run a suite of one case in a tree of its own."""
    (tree / "core").mkdir()
    (tree / "suites").mkdir()
    (tree / "suites/Kbuild").write_text("obj-m += planted.o\n", encoding="ascii")
    (tree / "suites/planted.c").write_text(_SUITE % (body, cases), encoding="ascii")
    return kunit.run("suites", "planted.ko", tree)


def test_passing_case(tmp_path):
    """A case that passes is reported as passed, and nothing else is."""
    results = run_suite(tmp_path, "\tKUNIT_EXPECT_EQ(test, 1, 1);")
    assert not results.problem
    assert [case.outcome for case in results.cases.values()] == ["passed"]
    assert kunit.declared([tmp_path / "suites/planted.c"]) == [("planted", "planted")]


def test_failing_case(tmp_path):
    """A case that fails is reported as failed, with the values."""
    results = run_suite(tmp_path, "\tKUNIT_EXPECT_EQ(test, 17, 4);")
    case = results.cases["planted", "planted"]
    assert case.outcome == "failed"
    assert "17" in case.log


def test_no_case(tmp_path):
    """A run without a case is a failure, even though KUnit calls it a success."""
    assert "no case ran" in run_suite(tmp_path, "", _UNUSED_CASE).problem


@pytest.mark.parametrize("body, report", [
    (_OVERRUN, "KASAN: slab-out-of-bounds"),
    (_SLEEP, "BUG: "),
    (_LEAK, "unreferenced object"),
    ("panic(\"planted\");", "Kernel panic"),
], ids=["overrun", "sleep-in-atomic", "leak", "panic"])
def test_checker_reports(tmp_path, body, report):
    """What a checker of the kernel reports fails the run, whatever its cases say."""
    assert report in run_suite(tmp_path, body).problem


def test_hang(tmp_path, monkeypatch):
    """The deadline outside the guest ends a case that never does."""
    monkeypatch.setattr(um, "DEADLINE_S", 8)
    assert "still running after 8 s" in run_suite(tmp_path, "while (1)\n\tcpu_relax();").problem


def test_failing_script():
    """A script's status counts, and so does never getting to its end."""
    kernel = um.kernel("6.12")
    assert um.run(kernel, "exit 3").problem == "the script ended with status 3"
    assert um.run(kernel, "poweroff -f").problem == "the kernel ended before the script did"


def test_same_run_twice():
    """Virtual time makes two runs the same, whatever else the host does."""
    script = "for i in 1 2 3; do cat /proc/uptime; date; usleep 12345; done > /out/clocks"
    first, second = (um.run(um.kernel("6.12"), script) for _ in range(2))
    assert not first.problem
    assert first.files["clocks"] == second.files["clocks"] != ""


def test_dropped_option():
    """An option that Kconfig dropped is named."""
    um.check_config("CONFIG_A=y\n# CONFIG_B is not set\n", "CONFIG_A=y\n# CONFIG_B is not set\n")
    with pytest.raises(host.LabError, match="CONFIG_A=y"):
        um.check_config("CONFIG_A=y\n", "# CONFIG_A is not set\n")
