# SPDX-License-Identifier: GPL-2.0-only
"""Signals go out as they were asked for, by the virtual chips' own records, in every mode."""

from __future__ import annotations

import pytest

from tests.lab import carrier, host, irfile, record, um
from tests.path import judge

_SIGNALS = ("nec", "rcmm24")
_SHORT = "rcmm24"  # a carrier made by software keeps the host busy for as long as it lasts
_ALL_MODES = ("busy", "hybrid", "thread", "auto", "default")
_SLEEPING_MODES = ("thread", "auto", "default")
_MODES = """
plug {overlay}
TX=$(lirc {driver})
for mode in {modes}; do
    set_tx mode "$mode"
    for name in {names}; do
        sent {chip} ir-ctl -d "$TX" --send="/examples/$name.ir"
    done
done
"""
_LINES = """
plug {overlay}
TX=$(lirc {driver})
for lines in 1,2,3 1,3 2; do
    sent {chip} ir-ctl -d "$TX" --emitters "$lines" --send=/examples/{name}.ir
done
ir-ctl -d "$TX" --emitters 4 2>&1 | grep "only 3 available"
python3 -c "
import fcntl
fcntl.ioctl(open('$TX', 'wb'), {set_mask}, bytes(4))" 2>&1 | grep "Invalid argument"
"""
_SET_MASK = 0x40046917  # LIRC_SET_TRANSMITTER_MASK
_CARRIERS = """
plug gpio
TX=$(lirc gpio-ir-tx)
grep -v carrier /examples/rc5.ir > /bare.ir
for hz in {carriers_hz}; do
    sent scope-gpio ir-ctl -d "$TX" -c "$hz" -D {duty_pct} --send=/bare.ir
done
ir-ctl -d "$TX" -c 0
sent scope-gpio ir-ctl -d "$TX" --send=/examples/itt.ir
"""
_CARRIERS_HZ = (30000, 56000, 455000)
_DUTY_PCT = 33


def _signal(name: str) -> irfile.Signal:
    return irfile.read(host.TREE / f"examples/{name}.ir")


def _wave(name: str) -> carrier.Wave:
    return carrier.Wave(_signal(name).carrier_hz, 50)


def _modes(version: str, driver: str) -> tuple[str, ...]:
    """The modes that a driver has: nothing tells 6.1 whether a PWM may sleep."""
    return _SLEEPING_MODES if (version, driver) == ("6.1", "pwm-ir-tx") else _ALL_MODES


def _records(done: um.Run, count: int) -> list[record.Record]:
    found = record.read(done.output)
    assert len(found) == count
    return found


@pytest.mark.parametrize("overlay", ["pwm", "pwm-clock"])
def test_pwm(boot, version, overlay):
    """Each edge is one call."""
    modes = _modes(version, "pwm-ir-tx")
    done = boot(_MODES.format(overlay=overlay, driver="pwm-ir-tx", chip="scope-pwm",
                              modes=" ".join(modes), names=" ".join(_SIGNALS)))
    asked = [name for _ in modes for name in _SIGNALS]
    for found, name in zip(_records(done, len(asked)), asked):
        assert not judge.plain(found, 0, _signal(name))


def test_gpio(boot, version):
    """Each half cycle is one call."""
    modes = _modes(version, "gpio-ir-tx")
    done = boot(_MODES.format(overlay="gpio", driver="gpio-ir-tx", chip="scope-gpio",
                              modes=" ".join(modes), names=_SHORT))
    for found in _records(done, len(modes)):
        assert not judge.modulated(found, 0, _signal(_SHORT), _wave(_SHORT))


def test_carriers(boot):
    """Slow, fast and none."""
    done = boot(_CARRIERS.format(carriers_hz=" ".join(map(str, _CARRIERS_HZ)),
                                 duty_pct=_DUTY_PCT))
    *modulated, plain = _records(done, len(_CARRIERS_HZ) + 1)
    for found, hz in zip(modulated, _CARRIERS_HZ):
        assert not judge.modulated(found, 0, _signal("rc5"), carrier.Wave(hz, _DUTY_PCT))
    assert not judge.plain(plain, 0, _signal("itt"))


@pytest.mark.parametrize("overlay, driver, chip", [
    ("pwm-many", "pwm-ir-tx", "scope-pwm"),
    ("gpio-many", "gpio-ir-tx", "scope-gpio"),
], ids=["pwm", "gpio"])
def test_several_lines(boot, overlay, driver, chip):
    """The lines that are asked for send the signal, and the others stay dark."""
    done = boot(_LINES.format(overlay=overlay, driver=driver, chip=chip, name=_SHORT,
                              set_mask=_SET_MASK))
    for found, lit in zip(_records(done, 3), ([0, 1, 2], [0, 2], [1])):
        assert not judge.dark(found, [line for line in range(3) if line not in lit])
        for line in lit:
            assert not (judge.plain(found, line, _signal(_SHORT)) if chip == "scope-pwm" else
                        judge.modulated(found, line, _signal(_SHORT), _wave(_SHORT)))
