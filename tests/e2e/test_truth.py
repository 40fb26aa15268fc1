# SPDX-License-Identifier: GPL-2.0-only
"""How true the driver's figures are: an emitter that is slow by a known amount shows up with that
amount; one that moves its pin later than it says does not, and here is how large that gets."""

from __future__ import annotations

import pytest

from tests.lab import host, irfile, scenario, scope, session, verdict

_SIGNAL = "examples/nec.ir"
_SLOW_CALL = 11  # the 11th edge, index 10
_SLOW_US = 5
_SLOW = f"""
title = "one call of the emitter is slow by a known amount"
overlays = ["scope-pwm"]
modules = ["scope-pwm", "pwm-ir-tx"]
run = '''
grep -v carrier /{_SIGNAL} > /tmp/bare.ir
ir-ctl -d $TX --send /tmp/bare.ir
mark 1000
P=/sys/module/scope_pwm/parameters
echo {_SLOW_US} > $P/slow_us
echo 0 > $P/applies
echo {_SLOW_CALL} > $P/slow_from
ir-ctl -d $TX --send /tmp/bare.ir
edges
'''
"""
_LATCHING = f"""
title = "a PWM that goes off only at the end of a period"
modules = ["pwm-ir-tx"]
run = '''
devmem 0x3f2f0008 32 1
ir-ctl -d $TX --send /{_SIGNAL}
devmem 0x3f2f0008 32 0
edges
'''
"""
_PERIOD_NS = 26300  # 263 clocks of 10 MHz, 38 kHz


def _run(text: str) -> session.Evidence:
    entry = scenario.parse(host.TREE / "truth", text)
    try:
        evidence, = session.run(entry.board, [entry], session.new_logs())
    except host.LabError as error:
        pytest.fail(str(error), pytrace=False)
    assert evidence.exit == 0, evidence.output
    return evidence


def test_a_slow_emitter_shows_up_exactly():
    """Driver and oscilloscope see the same delay of the same edge, and no other edge moves."""
    evidence = _run(_SLOW)
    edges = evidence.during.after(1000).edges(23)
    driver, = verdict.driver_edges(evidence.output)
    late_ns = [edge.late_ns for edge in driver]
    usual_ns = sorted(late_ns)[len(late_ns) // 2]
    assert abs(late_ns[_SLOW_CALL - 1] - usual_ns - 1000 * _SLOW_US) <= 100
    assert all(abs(late - usual_ns) <= 100 for place, late in enumerate(late_ns)
               if place != _SLOW_CALL - 1)
    for place, (seen_ns, edge) in enumerate(zip(scope.intervals_ns(edges), driver)):
        told_ns = driver[place + 1].at_ns - edge.at_ns
        assert abs(seen_ns - told_ns) <= 100, f"interval {place}"


def test_a_latching_pwm_is_later_than_the_driver_can_know():
    """Pulses end up to a period late on the pin, while the driver believes itself exact."""
    evidence = _run(_LATCHING)
    lengths_us = irfile.read(host.TREE / _SIGNAL).lengths_us
    edges = evidence.during.edges(18)
    driver, = verdict.driver_edges(evidence.output)
    errors_ns = [seen_ns - 1000 * asked_us
                 for seen_ns, asked_us in zip(scope.intervals_ns(edges), lengths_us)]
    pulses_ns = errors_ns[::2]
    assert len(edges) == len(lengths_us) + 1
    assert max(edge.late_ns for edge in driver) < 400
    assert all(-150 <= error <= _PERIOD_NS for error in pulses_ns), pulses_ns
    assert max(pulses_ns) > _PERIOD_NS / 2, pulses_ns
