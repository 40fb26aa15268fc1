# SPDX-License-Identifier: GPL-2.0-only
"""Mainline's gpio-ir-tx, whose faults are known, on the board: the oscilloscope sees them, and the
receiver hears a carrier that software makes, on any pin, and no other light."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.bench import mainline
from tests.lab import irfile, scenario, session, verdict

_SENDS = r"""
receive rc-5
# it sends with interrupts off and is deaf meanwhile, so all that is heard must be in before
send() { ir-ctl -d $TX "$@" --send /tmp/bare.ir; sleep 1; }
sed '/carrier/d' /examples/rc5.ir > /tmp/bare.ir
send -c 36000
# neither another carrier nor steady light is what a receiver module listens to
send -c 455000
send -c 0
received
printf 'pulse 562\nspace 562\npulse 562\nspace 562\npulse 562\n' > /tmp/bare.ir
mark 1000
send -c 38000
"""


@pytest.fixture(name="found", scope="module", params=[("gpio-ir-tx", 18), ("gpio-ir-tx-many", 17)],
                ids=["pin18", "pin17"])
def fixture_found(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> str:
    """The verdict on what mainline's driver sends."""
    overlay, pin = request.param
    entry = scenario.Scenario(
        path=Path("mainline"), title="mainline's driver", run=_SENDS, overlays=[overlay],
        modules=["gpio-ir-tx", "gpio-ir-recv"],
        drivers=mainline.sources("6.12", "gpio-ir-tx"),
        expect=scenario.Expect(pin=pin, signals=[irfile.Signal((562,) * 5)],
                               signals_after_mark=1000, soft_carrier=True, carrier_hz=38000,
                               decoded=["rc5:0x510"]))
    seen, = session.run(entry.board, [entry], tmp_path_factory.mktemp(overlay))
    return "\n".join(verdict.problems(entry, seen))


def test_the_oscilloscope_sees_the_faults(found: str) -> None:
    """Pulses end on a whole cycle beyond their length, at a frequency that is too low."""
    row = r" +562000 +22 +21 .* \+1[89]\d\d\d +378\d\d\.\d"
    assert re.search(rf"3 of 3 pulses are wrong(.*\n)+ +0{row}\n +2{row}\n +4{row}", found), found
    assert "of 126 half cycles are off by more than 250 ns" in found


def test_the_receiver_hears_it(found: str) -> None:
    """It hears the carrier that it is made for, on any pin, and nothing else."""
    assert "decoded" not in found
    assert "lit" not in found
