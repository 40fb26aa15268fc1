# SPDX-License-Identifier: GPL-2.0-only
"""Each checker of each user-mode kernel is awake: a planted bug of its kind fails the run, under
the checker's own name. What a kernel lacks is skipped by name."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from tests.lab import modules, um, um_kernel

_FOLDER = "tests/lab/selftest/planted"
_LOAD = "insmod /planted.ko bug={bug}\n"
_INJECT = """
echo N > /sys/kernel/debug/failslab/ignore-gfp-wait
! insmod /planted.ko bug=allocation 2> /out/error
"""
_SET_PWM = """
cd /sys/class/pwm/pwmchip0
echo 0 > export
echo 1000 > pwm0/period
echo 500 > pwm0/duty_cycle
echo 1 > pwm0/enable
"""


@dataclass(frozen=True)
class Bug:
    """A planted bug, the option that finds it and what that says."""

    name: str
    option: str
    report: str
    then: str = ""  # what to do when the module is loaded


_BUGS = [
    Bug("overrun", "KASAN", "KASAN: slab-out-of-bounds"),
    Bug("use-after-free", "KASAN", "use-after-free in planted"),
    Bug("stack-overrun", "KASAN", "KASAN: stack-out-of-bounds"),
    Bug("vmalloc-overrun", "KASAN_VMALLOC", "KASAN: vmalloc-out-of-bounds"),
    Bug("shift", "UBSAN_SHIFT", "UBSAN: shift-out-of-bounds"),
    Bug("index", "UBSAN_BOUNDS", "UBSAN: array-index-out-of-bounds"),
    Bug("bool", "UBSAN_BOOL", "UBSAN: invalid-load"),
    Bug("lock-order", "PROVE_LOCKING", "WARNING: possible circular locking dependency"),
    Bug("lock-in-irq", "PROVE_LOCKING", "WARNING: inconsistent lock state"),
    Bug("sleep-in-atomic", "DEBUG_ATOMIC_SLEEP", "BUG: scheduling while atomic"),
    Bug("leak", "DEBUG_KMEMLEAK", "unreferenced object"),
    Bug("armed-timer", "DEBUG_OBJECTS_TIMERS", "ODEBUG: free active"),
    Bug("queued-work", "DEBUG_OBJECTS_WORK", "ODEBUG: free active"),
    Bug("early-free", "DEBUG_KOBJECT_RELEASE", "ODEBUG: free active"),
    Bug("list", "DEBUG_LIST", "lib/list_debug.c"),
    Bug("hung-task", "DETECT_HUNG_TASK", "INFO: task insmod"),
    Bug("stuck-work", "WQ_WATCHDOG", "BUG: workqueue lockup"),
    Bug("pwm", "PWM_DEBUG", ".apply is supposed to round down period", _SET_PWM),
]


def _run(version: str, script: str) -> um.Run:
    """Run a script beside the module of planted bugs."""
    kernel = um_kernel.kernel(version)
    built = modules.build(kernel, [_FOLDER], um_kernel.module_options(version))
    return um.run(kernel, script, [built / "planted.ko"])


def _need(version: str, option: str) -> None:
    """Skip what this kernel cannot do."""
    if option in um_kernel.SERIES[version].lacks:
        pytest.skip(f"user-mode Linux {version} has no CONFIG_{option}")


@pytest.fixture(params=um_kernel.main_first(), name="version")
def fixture_version(request):
    """Each kernel."""
    return request.param


def test_no_bug(version):
    """Without a bug nothing is reported."""
    done = _run(version, _LOAD.format(bug="none"))
    assert not done.problem, done.report()


@pytest.mark.parametrize("bug", _BUGS, ids=lambda bug: bug.name)
def test_bug(version, bug):
    """A bug fails the run, and is reported as what it is."""
    _need(version, bug.option)
    done = _run(version, _LOAD.format(bug=bug.name) + bug.then)
    assert done.problem.startswith("the kernel reported:"), done.report()
    assert any(bug.report in report for report in done.reports), done.report()


def test_injected_fault(version):
    """An allocation fails when it is asked to, which is no problem in itself."""
    done = _run(version, _INJECT)
    assert not done.problem, done.report()
    assert "Cannot allocate memory" in done.files["error"]
