# SPDX-License-Identifier: GPL-2.0-only
"""What the tests of faults share: a board with two transmitters on virtual chips, signals written
raw, and the question for how long a pin was lit."""

from __future__ import annotations

import struct
from collections.abc import Iterator, Sequence

import pytest

from tests.lab import host, scenario, scope, session, verdict

PWM_PIN, GPIO_PIN = 23, 25  # which show the virtual chips of overlay "fault"
WATCH_NS = 1_000_000  # how much longer than asked an emitter may stay lit, whatever happens
DARK_NS = 100_000  # how long after an error, or after a CPU is free again, it may
TICK_NS = 50_000  # how far off thread mode may be: a tick with softirqs takes that long
CHIPS = ("scope-pwm", "scope-gpio")
DRIVERS = ("pwm-ir-tx", "gpio-ir-tx")

# In the guest: where a driver's settings are; to send without the time that ir-ctl takes.
# The kernel limits how often it says the same: not for what the scenario before made it say.
_SHELL = """
sleep 6
settings() { # DRV_NAME
    echo "/sys/class/rc/$(rc_device "$1")/device"
}

send() { # a signal that raw_file() made, to $TX
    cat "/tmp/$1" > "$TX"
}
"""


def raw_file(name: str, lengths_us: Sequence[int]) -> str:
    """A shell line that makes a signal for send()."""
    octal = "".join(f"\\{byte:03o}" for byte in struct.pack(f"<{len(lengths_us)}I", *lengths_us))
    return f"printf '{octal}' > /tmp/{name}\n"


def entry(title: str, run: str, **others) -> scenario.Scenario:
    """A scenario on the board with both transmitters; others are its other keys."""
    keys = {"overlays": ["fault"], "modules": [*CHIPS, *DRIVERS], **others}
    return scenario.Scenario(host.TREE / title.replace(" ", "-"), title, _SHELL + run, **keys)


def boot(*entries: scenario.Scenario) -> list[session.Evidence]:
    """Run scenarios of one board in one boot."""
    return session.run(entries[0].board, entries, session.new_logs())


def judge(mine: scenario.Scenario, seen: session.Evidence) -> None:
    """What is asked of every scenario: its end, the kernel's log, no pin left lit."""
    if found := verdict.problems(mine, seen):
        pytest.fail(verdict.report(mine, seen, found), pytrace=False)


def limited(pattern: str) -> str:
    """For the kernel's log, where a pattern may come so often that it is held back."""
    return f"{pattern}|callbacks suppressed"


def flashes(edges: Sequence[scope.Edge]) -> Iterator[tuple[int, int]]:
    """When a pin went on, and for how many ns it was lit, time after time."""
    lit = [edge for edge in edges if edge.lit]
    dark = [edge for edge in edges if not edge.lit]
    assert [edge.lit for edge in edges] == [True, False] * len(dark), "it is left lit"
    return ((on.ns, off.ns - on.ns) for on, off in zip(lit, dark))


def between(trace: scope.Trace, first: int) -> scope.Trace:
    """What lies between a mark and the one that is numbered next."""
    return trace.between(first, first + 1)
