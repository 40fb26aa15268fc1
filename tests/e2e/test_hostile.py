# SPDX-License-Identifier: GPL-2.0-only
"""The worst that somebody who may send can do: signals of every hostile kind back to back, while a
timer and a thread that are not ours tell what the rest of the system suffers."""

from __future__ import annotations

import re
from dataclasses import dataclass

import pytest

from tests.lab import host, scenario, session

# A stretch may last for a length of 110 us longer, and for what runs at its end.
_SLACK_NS = 220_000
_STRETCHES = {"busy": 1, "hybrid": 1, "thread": 0}
_SCENARIO = '''
title = "a hostile sender"
modules = ["{driver}"]
overlays = ["{driver}"]
python = true
timeout_s = 60
run = """
cat >/tmp/hostile.py <<'END'
import fcntl, os, struct, sys, time
METER = "/sys/module/stall_meter/parameters/"
SET_SEND_CARRIER = 0x40046913
SIGNALS = {{
    "one long pulse": [60000],
    "long pulses and spaces": [15000] * 5,
    "1 us": [1] * 1023,
    "dense": [110] * 545,
}}
def measured(*names):
    time.sleep(0.005)  # the meter's thread sees its last gap when it is over
    return [int(open(METER + name).read()) for name in names]

mode, bound_us, hz, times, name = sys.argv[1:]
tx = os.open(os.environ["TX"], os.O_RDWR)
fcntl.ioctl(tx, SET_SEND_CARRIER, struct.pack("I", int(hz)))
values = SIGNALS[name]
before = measured("task_lost_ns", "watched_ns")
for _ in range(int(times)):
    os.write(tx, struct.pack(f"{{len(values)}}I", *values))
after = measured("task_lost_ns", "watched_ns")
lost_ns, watched_ns = (now - then for then, now in zip(before, after))
longest_ns = measured("irqs_longest_ns", "task_longest_ns")
taken_pct = round(100 * lost_ns / watched_ns)
print(f"@hostile {{mode}},{{bound_us}},{{hz}},{{name}}", *longest_ns, taken_pct)
END
cd /sys/class/rc/rc0/device
attack() {{ # MODE BOUND_US CARRIER_HZ TIMES SIGNAL
    echo $1 >tx_mode
    echo $2 >tx_max_irqs_off_us
    modprobe stall_meter
    python3 /tmp/hostile.py "$@"
    rmmod stall_meter
}}
for mode in {modes}; do
    attack $mode 10000 38000 1 "one long pulse"
    attack $mode 10000 {highest_hz} 1 "long pulses and spaces"
    attack $mode 10000 {lowest_hz} 1 "dense"
    attack $mode 10000 0 10 "1 us"
    attack $mode 1000 38000 1 "dense"
done
"""
'''
_LINE = re.compile(r"^@hostile (\w+),(\d+),(\d+),(.*?) (\d+) (\d+) (\d+)$", re.MULTILINE)


@dataclass(frozen=True)
class Attack:
    """What the rest of the system suffered from one kind of signal."""

    mode: str
    bound_us: int
    carrier_hz: int
    signal: str
    irqs_longest_ns: int
    task_longest_ns: int
    taken_pct: int


def _attacks(**parts: object) -> list[Attack]:
    entry = scenario.parse(host.TREE / "hostile", _SCENARIO.format(**parts))
    evidence, = session.run(entry.board, [entry], session.new_logs())
    assert evidence.exit == 0, evidence.output
    return [Attack(mode, int(bound), int(hz), signal, *map(int, figures))
            for mode, bound, hz, signal, *figures in _LINE.findall(evidence.output)]


@pytest.mark.parametrize("driver, lowest_hz, highest_hz", [
    ("pwm-ir-tx", 20_000, 500_000),
    ("gpio-ir-tx", 20_000, 400_000),
])
def test_interrupts(driver, lowest_hz, highest_hz):
    """Interrupts wait no longer than the bound says, and in thread mode for next to nothing; where
    the hardware makes the carrier, hybrid leaves others the CPU in long pulses."""
    found = _attacks(driver=driver, lowest_hz=lowest_hz, highest_hz=highest_hz,
                     modes=" ".join(_STRETCHES))
    assert len(found) == 5 * len(_STRETCHES)
    for attack in found:
        bound_ns = _STRETCHES[attack.mode] * 1000 * attack.bound_us
        assert attack.irqs_longest_ns <= bound_ns + _SLACK_NS, attack
        if attack.mode == "busy" and attack.signal != "1 us":
            assert attack.taken_pct >= 80, attack
        if (driver, attack.mode) == ("pwm-ir-tx", "hybrid") and "long" in attack.signal:
            assert attack.taken_pct <= 10, attack
    assert max(attack.irqs_longest_ns for attack in found) > 5_000_000, "nothing was measured"
