# SPDX-License-Identifier: GPL-2.0-only
"""A machine that reboots in the middle of a pulse leaves the emitter dark: a PWM goes on without a
kernel, until the next one finds it."""

from __future__ import annotations

import pytest

from tests.lab import host, scenario, scope, session

_PULSE_US = 300_000
_MARGIN_NS = 200_000  # an abort is noticed when the timer wakes the sender
_TEXT = f"""
title = "reboot in the middle of a pulse"
modules = ["pwm-ir-tx"]
run = '''
echo hybrid > /sys/class/rc/rc0/device/tx_mode
printf "pulse {_PULSE_US}\\nspace 50000\\npulse 1000\\n" > /tmp/long.ir
modprobe bcm2835_wdt
ir-ctl -d $TX --send /tmp/long.ir &
sleep 0.1
reboot -f
'''
"""


def test_reboot_leaves_the_pin_dark():
    """The pulse ends when it was to end, and nothing comes behind it."""
    entry = scenario.parse(host.TREE / "shutdown", _TEXT)
    try:
        evidence, = session.run(entry.board, [entry], session.new_logs())
    except host.LabError as error:
        pytest.fail(str(error), pytrace=False)
    edges = evidence.during.edges(18)
    assert evidence.died, "the board did not reboot"
    assert [edge.lit for edge in edges] == [True, False]
    assert abs(scope.intervals_ns(edges)[0] - 1000 * _PULSE_US) < _MARGIN_NS
