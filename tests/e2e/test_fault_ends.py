# SPDX-License-Identifier: GPL-2.0-only
"""Machines that end in the middle of a pulse, each in its way, leave the pin dark: a PWM goes on
without a kernel."""

from __future__ import annotations

import pytest

from tests.e2e import faults

_PULSE_MS = 200
_MS = 1_000_000
_MARK = 1000  # put into the log in the middle of the pulse
_AT_ONCE_NS = 5 * _MS  # until the shell has come to it, and the kernel to us
_MARGIN_NS = 200_000  # an abort is noticed when the timer wakes the sender
_PRELUDE = """
TX=$(lirc {driver})
ir-ctl -d $TX -c 0
echo {mode} > $(settings {driver})/tx_mode
send long &
sleep 0.05
mark 1000
"""
# A board that has stopped is ended by its watchdog, after 0.25 s.
_WAYS = {
    "panic": "echo c > /proc/sysrq-trigger",
    "halt": "devmem 0x3f2f0004 32 250; halt -f",
    "power-off": "devmem 0x3f2f0004 32 250; poweroff -f",
    "reboot": "modprobe bcm2835_wdt; reboot -f",
}
_SAYS = {
    "panic": "Kernel panic - not syncing: sysrq triggered crash",
    "halt": "reboot: System halted",
    "power-off": "reboot: Power off not available: System halted instead",
    "reboot": "reboot: Restarting system",
}
_PINS = {"pwm-ir-tx": 18, "gpio-ir-tx": 17}
_CASES = [("panic", "pwm-ir-tx", "hybrid"), ("panic", "gpio-ir-tx", "thread"),
          ("halt", "pwm-ir-tx", "thread"), ("power-off", "gpio-ir-tx", "hybrid"),
          ("reboot", "gpio-ir-tx", "hybrid")]


def _entry(way: str, driver: str, mode: str):
    run = faults.raw_file("long", (1000 * _PULSE_MS, 1000, 1000)) + _PRELUDE.format(
        driver=driver, mode=mode) + _WAYS[way]
    return faults.entry(f"{way}, {driver}, {mode}", run, modules=list(faults.DRIVERS),
                        overlays=["pwm-ir-tx", "gpio-ir-tx-17"])


@pytest.fixture(scope="module", name="seen")
def _seen():
    """The evidence of each case, a boot each."""
    return dict(zip(_CASES, faults.boot(*(_entry(*case) for case in _CASES))))


@pytest.mark.parametrize("case", _CASES, ids=", ".join)
def test_dark_at_the_end(seen, case):
    """A panic switches the pin off at once. Otherwise the pulse ends when it was to end, write()
    says why nothing follows, and nothing does."""
    evidence, (way, driver, _) = seen[case], case
    assert evidence.died and _SAYS[way] in evidence.output
    (on_ns, lit_ns), = faults.flashes(evidence.during.edges(_PINS[driver]))
    mark_ns, = [record.ns for record in evidence.during.records
                if isinstance(record, faults.scope.Mark)]
    assert on_ns < mark_ns < on_ns + lit_ns
    if way == "panic":
        assert on_ns + lit_ns - mark_ns < _AT_ONCE_NS
        return
    assert abs(lit_ns - _PULSE_MS * _MS) < _MARGIN_NS
    assert "Cannot send after transport endpoint shutdown" in evidence.output
