# SPDX-License-Identifier: GPL-2.0-only
"""The user-mode kernel tells good suites from bad: a planted fault is reported as itself."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.lab import host, kunit, um, um_kernel

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


def test_panic(tmp_path):
    """A panic fails the run; test_checkers.py has what the checkers report."""
    assert "Kernel panic" in run_suite(tmp_path, 'panic("planted");').problem


def test_hang(tmp_path, monkeypatch):
    """The deadline outside the guest ends a case that never does."""
    monkeypatch.setattr(um, "DEADLINE_S", 8)
    assert "still running after 8 s" in run_suite(tmp_path, "while (1)\n\tcpu_relax();").problem


def test_failing_script():
    """A script's status counts, and so does never getting to its end."""
    kernel = um_kernel.kernel(um_kernel.MAIN)
    assert um.run(kernel, "exit 3").problem == "the script ended with status 3"
    assert um.run(kernel, "poweroff -f").problem == "the kernel ended before the script did"


def test_same_run_twice():
    """Virtual time makes two runs the same, whatever else the host does."""
    script = "for i in 1 2 3; do cat /proc/uptime; date; usleep 12345; done"
    first, second = (um.run(um_kernel.kernel(um_kernel.MAIN), script) for _ in range(2))
    assert not first.problem
    assert first.output == second.output != ""


def test_output_and_log():
    """What the script prints and what the kernel does are told apart."""
    done = um.run(um_kernel.kernel(um_kernel.MAIN),
                  "echo one\necho two > /dev/kmsg\necho three > /out/file")
    assert not done.problem, done.report()
    assert done.output.split() == ["one"]
    assert "two" in done.log
    assert done.files == {"file": "three\n"}


def test_option_that_kconfig_drops():
    """A checker that is not switched on cannot report; the build must not go on without it."""
    um_kernel.check_config("CONFIG_A=y\n", "CONFIG_A=y\nCONFIG_B=y\n")
    with pytest.raises(host.LabError, match="CONFIG_A=y"):
        um_kernel.check_config("CONFIG_A=y\n", "# CONFIG_A is not set\n")


def test_options_that_a_kernel_lacks():
    """Only these are left out."""
    config = "# a comment\n\nCONFIG_A=y\n# CONFIG_AB is not set\nCONFIG_B=7\n"
    assert um_kernel.select_options(config, frozenset({"A"})) == \
        "# CONFIG_AB is not set\nCONFIG_B=7\n"
