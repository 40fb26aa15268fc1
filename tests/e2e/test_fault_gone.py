# SPDX-License-Identifier: GPL-2.0-only
"""Hardware, drivers and modules that go while a signal is sent, and several who send at once: every
signal that was begun ends as asked or says why not, dark, and the next one is perfect."""

from __future__ import annotations

import pytest

from tests.e2e import faults
from tests.e2e.faults import GPIO_PIN, PWM_PIN, TICK_NS
from tests.lab import irfile

_LONG = (20000, 20000, 20000)
_SHORT = (300, 400, 300)
_GONE = """
use() { # DRV_NAME
    TX=$(lirc "$1")
    S=$(settings "$1")
    case $1 in
    gpio-ir-tx) ir-ctl -d $TX -c 0 ;;
    esac
}

for mode in hybrid thread; do
    use {driver}
    echo $mode > $S/tx_mode
    send long &
    sleep 0.01
    {goes}
    wait $! || echo "status $?"
    [ ! -e $TX ]
    {comes}
    use {driver}
    echo $mode > $S/tx_mode
    send short
done
"""
_READERS = """
read_all() {
    while [ -e /tmp/reading ]; do
        cat /sys/kernel/debug/irtx/rc*/* /sys/class/rc/rc*/device/tx_* > /dev/null 2>&1 || true
    done
}

touch /tmp/reading
read_all &
readers=$!
read_all &
exec 3> $(lirc pwm-ir-tx)
"""
_READ = """
exec 3>&-
rm /tmp/reading
wait
"""
_WAYS = {  # how something goes, and how it comes again
    "provider": ("echo {chip} > /sys/bus/platform/drivers/{chip}/unbind",
                 "echo {chip} > /sys/bus/platform/drivers/{chip}/bind"),
    "device": ("echo {device} > /sys/bus/platform/drivers/{driver}/unbind",
               "echo {device} > /sys/bus/platform/drivers/{driver}/bind"),
    "module": ("rmmod {driver}", "modprobe {driver}"),
}
_WHO = {
    "pwm": {"driver": "pwm-ir-tx", "device": "pwm-ir-transmitter", "chip": "scope-pwm"},
    "gpio": {"driver": "gpio-ir-tx", "device": "gpio-ir-transmitter", "chip": "scope-gpio"},
}
_PINS = {"pwm": PWM_PIN, "gpio": GPIO_PIN}
_TWO_SENDERS = """
many() {
    for i in 1 2 3 4 5 6 7 8; do
        send short
    done
}

TX=$(lirc pwm-ir-tx)
S=$(settings pwm-ir-tx)
for mode in hybrid thread busy; do
    echo $mode > $S/tx_mode
    many &
    many
    wait $!
done
"""
_TWO_DEVICES = """
PWM=$(lirc pwm-ir-tx)
GPIO=$(lirc gpio-ir-tx)
ir-ctl -d $PWM -c 0
ir-ctl -d $GPIO -c 0
for mode in hybrid thread; do
    for driver in pwm-ir-tx gpio-ir-tx; do
        echo $mode > $(settings $driver)/tx_mode
    done
    TX=$PWM
    send long &
    TX=$GPIO
    send long
    wait $!
done
"""
_REAL_PWM = """
TX=$(lirc pwm-ir-tx)
S=$(settings pwm-ir-tx)
echo hybrid > $S/tx_mode
ir-ctl -d $TX -c 0
send long &
sleep 0.01
echo 3f20c000.pwm > /sys/bus/platform/drivers/bcm2835-pwm/unbind
wait $! || echo "status $?"
[ ! -e $TX ]
echo 3f20c000.pwm > /sys/bus/platform/drivers/bcm2835-pwm/bind
TX=$(lirc pwm-ir-tx)
ir-ctl -d $TX -c 0
send short
"""


def _entry(title: str, run: str, signals, pins, **others):
    files = faults.raw_file("long", _LONG) + faults.raw_file("short", _SHORT)
    expect = faults.scenario.Expect(pins=pins, signals=[irfile.Signal(entry) for entry in signals],
                                    within_ns=TICK_NS, carrier_hz=0)
    return faults.entry(title, files + run, expect=expect, **others)


def _gone(who: str, way: str):
    goes, comes = (text.format(**_WHO[who]) for text in _WAYS[way])
    run = _GONE
    for name, text in {"driver": _WHO[who]["driver"], "goes": goes, "comes": comes}.items():
        run = run.replace(f"{{{name}}}", text)
    return _entry(f"{who}: the {way} goes while it sends", _READERS + run + _READ,
                  2 * [_LONG, _SHORT], [_PINS[who]])


_PI = {"overlays": ["pwm-ir-tx", "gpio-ir-tx-17"], "modules": list(faults.DRIVERS)}
_ENTRIES = [
    *(_gone(who, way) for who in _WHO for way in _WAYS),
    _entry("two processes send to one device", _TWO_SENDERS, 3 * 16 * [_SHORT], [PWM_PIN]),
    _entry("two devices send at once", _TWO_DEVICES, 2 * [_LONG], [17, 18], **_PI),
    _entry("the PWM of the Pi is unbound while it sends", _REAL_PWM, [_LONG, _SHORT], [18], **_PI),
]


@pytest.fixture(scope="module", name="seen")
def _seen():
    """The evidence of each scenario, one boot for each board."""
    boards = {entry.board: [other for other in _ENTRIES if other.board == entry.board]
              for entry in _ENTRIES}
    return {entry.title: evidence for entries in boards.values()
            for entry, evidence in zip(entries, faults.boot(*entries))}


@pytest.mark.parametrize("entry", _ENTRIES, ids=lambda entry: entry.title)
def test_nothing_is_lost(seen, entry):
    """All signals are there, whole, and nobody complains."""
    faults.judge(entry, seen[entry.title])
    assert "status" not in seen[entry.title].output
