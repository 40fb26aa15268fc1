# SPDX-License-Identifier: GPL-2.0-only
"""The virtual chips' records are true: the board's oscilloscope, on a pin that shows a virtual
line, saw each of its changes, when the record says that it was."""

from __future__ import annotations

import pytest

from tests.lab import host, record, scenario, scope, session

_WITHIN_NS = 40
_PIN = 23
_SCENARIO = """
title = "signals through a virtual chip, in the contexts of several modes"
boot = {{ kernel = "{kernel}" }}
overlays = ["{chip}"]
modules = ["{chip}", "{driver}"]
run = '''
for mode in {modes}; do
    echo $mode > /sys/class/rc/rc0/device/tx_mode
    ir-ctl -d $TX --send /examples/rc5.ir
done
echo 1 > /sys/kernel/debug/irtx-scope/{chip}/reset
mark 1000
for mode in {modes}; do
    echo $mode > /sys/class/rc/rc0/device/tx_mode
    ir-ctl -d $TX --send /examples/rc5.ir
done
scope_record {chip}
'''
"""


@pytest.mark.parametrize("kernel, chip, driver, modes", [
    ("6.12", "scope-pwm", "pwm-ir-tx", "busy hybrid thread"),
    ("6.12", "scope-gpio", "gpio-ir-tx", "busy hybrid thread"),
    ("6.12-rt", "scope-gpio", "gpio-ir-tx", "thread"),
    ("6.1", "scope-gpio", "gpio-ir-tx", "busy hybrid thread"),
    ("7.3", "scope-pwm", "pwm-ir-tx", "busy hybrid thread"),
    ("7.3", "scope-gpio", "gpio-ir-tx", "busy hybrid thread"),
])
def test_record(kernel, chip, driver, modes):
    """Edge by edge."""
    text = _SCENARIO.format(kernel=kernel, chip=chip, driver=driver, modes=modes)
    entry = scenario.parse(host.TREE / chip, text)
    try:
        evidence, = session.run(entry.board, [entry], session.new_logs())
    except host.LabError as error:
        pytest.fail(str(error), pytrace=False)
    assert evidence.exit == 0, evidence.output
    mine, = record.read(evidence.output)
    told = mine.edges(0)
    seen = evidence.during.after(1000).edges(_PIN)
    assert len(seen) >= 60
    assert [is_on for _, is_on in told] == [edge.lit for edge in seen]
    told_ns = [after - before for (before, _), (after, _) in zip(told, told[1:])]
    off = [(place, told, saw) for place, (told, saw)
           in enumerate(zip(told_ns, scope.intervals_ns(seen))) if abs(told - saw) > _WITHIN_NS]
    assert not off, f"(interval, ns by the record, ns by the oscilloscope): {off}"
