# SPDX-License-Identifier: GPL-2.0-only
"""The board's storm of edges, by which benchmarks tell how long a guest had interrupts off: it is
felt in the guest, and it notices interrupts that are off."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.bench import loads, tools
from tests.lab import scenario, scope, session

_EDGES_PER_S = 2000
_HELD_NS = 5_000_000
_CALM_NS = 100_000
_RUN = f"""
storm() {{ devmem {loads.STORM:#x} 32 $1; }}
irbench edges {loads.STORM_PIN} &
sleep 0.05
storm {_EDGES_PER_S}
sleep 0.2
storm 0
modprobe irqoff_hold
storm {_EDGES_PER_S}
sleep 0.05
echo {_HELD_NS // 1000} > /sys/module/irqoff_hold/parameters/hold_us
storm 0
rmmod irqoff_hold
grep pinctrl-bcm2835 /proc/interrupts
"""


@pytest.fixture(name="seen", scope="module")
def fixture_seen(tmp_path_factory: pytest.TempPathFactory) -> session.Evidence:
    """What a guest with a listener leaves behind."""
    entry = scenario.Scenario(path=Path("storm"), title="storm", run=_RUN, overlays=[],
                              layers=(tools.tools("6.12"),))
    seen, = session.run(entry.board, [entry], tmp_path_factory.mktemp("storm"))
    assert not seen.died and seen.exit == 0, seen.output
    return seen


def storms(seen: session.Evidence) -> list[scope.Storm]:
    """Both storms."""
    return [record for record in seen.during.records if isinstance(record, scope.Storm)]


def test_edges_become_interrupts(seen):
    """Each edge is answered, soon, by an interrupt that the guest counts."""
    calm, _ = storms(seen)
    assert calm.edges == pytest.approx(_EDGES_PER_S / 5, rel=0.2)
    assert calm.answered == calm.edges
    assert calm.longest_ns < _CALM_NS
    counted = [int(line.split()[1]) for line in seen.output.splitlines()]
    assert sum(counted) >= sum(storm.answered for storm in storms(seen))


def test_interrupts_off_are_noticed(seen):
    """Interrupts that are off for 5 ms keep an edge waiting for all but what comes before it."""
    _, held = storms(seen)
    assert held.answered < held.edges
    assert _HELD_NS - 2 * 10**9 // _EDGES_PER_S < held.longest_ns < _HELD_NS + _CALM_NS
