# SPDX-License-Identifier: GPL-2.0-only
"""Signals of real remotes, as others have published them (tests/corpus): both drivers and lircd
send them, and the oscilloscope sees what the file says."""

from __future__ import annotations

import functools
import itertools

import pytest

from tests.corpus import entries
from tests.lab import host, scenario, session, verdict

_CORPUS = entries.read_all()
_ODD_CARRIERS = {0, 455_000}
_BOUND_US = 10_000  # tx_max_irqs_off_us as it is; a carrier made by software pauses there
_DRIVER_WITHIN_NS = 100
_IR_CTL = """\
cat >/tmp/signal.ir <<'END'
{text}END
ir-ctl -d $TX --send /tmp/signal.ir
"""
_LIRCD = """\
cat >/tmp/lircd.conf <<'END'
begin remote
name corpus
flags RAW_CODES
gap 100000
frequency {carrier_hz}
begin raw_codes
name key
{values}
end raw_codes
end remote
END
start_lircd /tmp/lircd.conf
irsend SEND_ONCE corpus key
"""
_RUN = """\
cd /sys/class/rc/rc0/device
echo hybrid >tx_mode
echo {bound_us} >tx_max_irqs_off_us
{send}edges
"""


def _for_lircd() -> list[entries.Entry]:
    """One of each kind, and the odd carriers."""
    kinds = itertools.groupby(_CORPUS, lambda entry: entry.kind)
    firsts = [next(group) for _, group in kinds]
    return firsts + [entry for entry in _CORPUS
                     if entry.signal.carrier_hz in _ODD_CARRIERS and entry not in firsts]


_SENDERS = {  # the driver, what hands it signals, and which
    "pwm-ir-tx": ("pwm-ir-tx", _IR_CTL, _CORPUS),
    "gpio-ir-tx": ("gpio-ir-tx", _IR_CTL, _CORPUS),
    "lircd": ("pwm-ir-tx", _LIRCD, _for_lircd()),
}
_CASES = [pytest.param(sender, place, id=f"{sender}-{entry.name}")
          for sender, (_, _, mine) in _SENDERS.items() for place, entry in enumerate(mine)]


def _scenario(sender: str, entry: entries.Entry) -> scenario.Scenario:
    """One signal is sent, and nothing else."""
    driver, send, _ = _SENDERS[sender]
    command = send.format(text=entry.text, carrier_hz=entry.signal.carrier_hz,
                          values="\n".join(map(str, entry.signal.lengths_us)))
    bound_us = 0 if max(entry.pulses_us) > _BOUND_US else _BOUND_US
    soft_carrier = driver == "gpio-ir-tx" and entry.signal.carrier_hz != 0
    return scenario.Scenario(
        path=host.TREE / "corpus" / entry.name, title=f"{sender}: {entry.device}",
        run=_RUN.format(bound_us=bound_us, send=command), modules=[driver], overlays=[driver],
        lirc=send == _LIRCD,
        expect=scenario.Expect(signals=[entry.signal], soft_carrier=soft_carrier,
                               driver_agrees_ns=_DRIVER_WITHIN_NS))


@functools.cache
def _sent(sender: str) -> list[tuple[scenario.Scenario, session.Evidence]]:
    """What became of each signal; all of them in one boot."""
    mine = [_scenario(sender, entry) for entry in _SENDERS[sender][2]]
    return list(zip(mine, session.run_once(mine[0].board, mine, session.new_logs())))


@pytest.mark.parametrize("sender, place", _CASES)
def test_sent(sender: str, place: int) -> None:
    """Interval by interval, half cycle by half cycle where software makes the carrier."""
    mine, seen = _sent(sender)[place]
    if found := verdict.problems(mine, seen):
        pytest.fail(verdict.report(mine, seen, found), pytrace=False)
