# SPDX-License-Identifier: GPL-2.0-only
"""The emulated board and its boots: every way a scenario can go wrong in there is reported as what
it is, and the others still run."""

from __future__ import annotations

import re
import subprocess
import threading
import time
from pathlib import Path

import pytest

from tests.lab import qemu, scenario, session, verdict

# A flash of 1 ms, more or less, that needs none of our modules.
_LAMP = """
cd /sys/class/pwm/pwmchip0
[ -d pwm0 ] || echo 0 > export
echo 26300 > pwm0/period
echo 13200 > pwm0/duty_cycle
flash() { echo 1 > pwm0/enable; usleep 1000; echo 0 > pwm0/enable; }
"""
_ONE_FLASH = "[expect]\nsignals = [[1000]]\nwithin_ns = 1000000\ncarrier_hz = 38000\n"

_SCENARIOS = {
    "pass": (f"{_LAMP}flash", _ONE_FLASH),
    "status": ("echo said; exit 3", ""),
    "no-module": ("true", ""),
    "warning": ("echo '<4>something is wrong' > /dev/kmsg", ""),
    "taint": ("echo 512 > /proc/sys/kernel/tainted", ""),
    "inexact": (f"{_LAMP}flash", _ONE_FLASH.replace("1000000", "150")),
    "extra": (f"{_LAMP}flash; flash", _ONE_FLASH),
    "lit": (f"{_LAMP}echo 1 > pwm0/enable", ""),
    "slow": ("sleep 100", ""),
    "panic": ("echo before; echo c > /proc/sysrq-trigger", ""),
    "hang": ("killall timeout; while :; do :; done", ""),
    "exit": ("modprobe bcm2835_wdt; reboot -f", ""),
    "last": (f"{_LAMP}flash", _ONE_FLASH),
}
_LOAD = r"""
title = "interrupts are off for up to 100 us, again and again"
modules = ["irqoff_load"]
run = "sleep 1; cd /sys/module/irqoff_load/parameters; cat count longest_ns"
[expect]
output = ['^1[0-9]{3}\n(9|10)[0-9]{4}$']
"""
_REPORTS = {
    "status": "exit status 3, expected 0",
    "no-module": "modprobe no-such-module failed",
    "warning": "the kernel warns:\n    <12>.*something is wrong",
    "taint": "the kernel is tainted",
    "inexact": "1 of 1 intervals are off by more than 150 ns",
    "extra": r"2 edge\(s\) more than the 1 signal",
    "lit": "pin 18 is lit when the scenario is over",
    "slow": "longer than its timeout_s of 2 virtual seconds",
    "panic": "did not survive: the guest's kernel panicked",
    "hang": "did not survive: the guest hung and the board's watchdog ended it",
    "exit": "did not survive: QEMU ended with status 0 before the guest's final word",
}


def _scenario(name: str) -> scenario.Scenario:
    run, expect = _SCENARIOS[name]
    modules = 'modules = ["no-such-module"]' if name == "no-module" else ""
    return scenario.parse(Path(name), f"title = '{name}'\ntimeout_s = 2\n{modules}\n"
                                      f"run = '''{run}\n'''\n{expect}")


@pytest.fixture(name="verdicts", scope="module")
def fixture_verdicts(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """What was found in each of the scenarios above."""
    entries = [_scenario(name) for name in _SCENARIOS]
    seen = session.run(entries[0].board, entries, tmp_path_factory.mktemp("faults"))
    return {name: "\n".join(verdict.problems(entry, evidence))
            for name, entry, evidence in zip(_SCENARIOS, entries, seen)}


@pytest.mark.parametrize("name", _SCENARIOS)
def test_verdict(name: str, verdicts: dict[str, str]) -> None:
    """Every fault is reported as what it is; a good scenario passes, also after a crash."""
    if name in _REPORTS:
        assert re.search(_REPORTS[name], verdicts[name])
    else:
        assert not verdicts[name]


def test_two_boots_are_equal(tmp_path: Path) -> None:
    """Virtual time: the same scenario gives the same logs, to the byte."""
    entry = _scenario("pass")
    logs = []
    for folder in (tmp_path / "first", tmp_path / "second"):
        seen, = session.run(entry.board, [entry], folder)
        logs.append([(seen.logs / name).read_bytes() for name in ("serial.log", "edges.log")])
    assert logs[0] == logs[1]


def test_load_module(tmp_path: Path) -> None:
    """The bad neighbour does what it says."""
    entry = scenario.parse(Path("load"), _LOAD)
    seen, = session.run(entry.board, [entry], tmp_path)
    assert not verdict.problems(entry, seen)


def test_stop_leaves_no_process(tmp_path: Path) -> None:
    """A run that is stopped takes its QEMU along."""
    entry = _scenario("pass")
    stop = threading.Event()
    threading.Timer(2, stop.set).start()
    started_s = time.monotonic()
    with pytest.raises(qemu.Stopped):
        session.run(entry.board, [entry], tmp_path, stop)
    assert time.monotonic() - started_s < 30
    assert subprocess.run(["pgrep", "-f", str(tmp_path)], check=False).returncode == 1
