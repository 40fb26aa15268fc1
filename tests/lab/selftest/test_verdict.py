# SPDX-License-Identifier: GPL-2.0-only
"""Judging scenarios: each fault that a run can show is noticed, and nothing else is."""

import re
from pathlib import Path

import pytest

from tests.lab import scenario, scope, session, verdict

_SIGNAL = """\
title = "one signal"
run = "send"
[expect]
signals = [[100, 200, 100]]
carrier_hz = 38000
duty_pct = 50
driver_agrees_ns = 100
decoded = ["nec:0x12"]
output = ["^sent$"]
not_output = ["oops"]
kernel_log = ["loaded by [a-z]+"]
"""
_OUTPUT = """\
sent
@edges
# irtx edges 1
# edge level due_ns late_ns cost_ns
0 1 0 300 200
1 0 100000 310 200
2 1 300000 290 200
3 0 400000 300 200
@end
@decoded nec 0x12
"""
_EDGES_NS = (0, 100_000, 300_000, 400_000)


def _trace(edges_ns: tuple[int, ...] = _EDGES_NS, carrier: str = "pwm 263 132") -> scope.Trace:
    lines = [f"{ns} pin 18 {'low' if number % 2 else carrier}"
             for number, ns in enumerate(edges_ns)]
    return scope.parse(["# irboard 1", *lines])


def _problems(text: str = _SIGNAL, **seen) -> list[str]:
    """The verdict on a good run, but for what is given."""
    evidence = session.Evidence(**{"output": _OUTPUT, "exit": 0, "during": _trace(),
                                   "kernel_log": "<6>[ 1.0] x: loaded by me\n", **seen})
    return verdict.problems(scenario.parse(Path("s.toml"), text), evidence)


def test_good_run_passes() -> None:
    """Nothing is found where nothing is wrong."""
    assert not _problems()


@pytest.mark.parametrize("seen, complaint", [
    ({"exit": 1}, "exit status 1, expected 0"),
    ({"exit": 137}, "longer than its timeout_s of 30 virtual seconds"),
    ({"exit": None}, "it never ended"),
    ({"died": "the guest's kernel panicked"}, "did not survive: the guest's kernel panicked"),
    ({"problems": ["rmmod x failed"]}, "rmmod x failed"),
    ({"taint": 12288 | 512}, r"tainted \(12800"),
    ({"output": _OUTPUT.replace("sent\n", "")}, "does not match '\\^sent\\$'"),
    ({"output": _OUTPUT + "oops\n"}, "matches 'oops'"),
    ({"output": _OUTPUT.replace("0x12", "0x13")}, "decoded nec:0x13; expected nec:0x12"),
    ({"output": _OUTPUT.replace("@decoded", "")}, "decoded nothing; expected nec:0x12"),
    ({"output": _OUTPUT.replace("310", "450")}, "differ by more than 100 ns in 2 of 3"),
    ({"output": _OUTPUT.replace("3 0 400000 300 200\n", "")},
     "the driver tells of 3 edges, the oscilloscope of 4"),
    ({"kernel_log": ""}, "kernel's log does not match"),
    ({"kernel_log": "<6>[ 1] loaded by me\n<4>[ 2] slow\n"}, "warns:\n    <4>.* slow"),
    ({"kernel_log": "<6>[ 1] loaded by me\n<11>[ 2] bad\n"}, "warns:\n    <11>.* bad"),
    ({"during": _trace((0, 100_000, 300_151, 400_000))}, "2 of 3 intervals are off"),
    ({"during": _trace((0, 100_100, 300_200, 400_300))}, "2 of 3 intervals are off"),
    ({"during": _trace((*_EDGES_NS, 500_000, 500_001))}, "2 edge.* more than the 1 signal"),
    ({"during": _trace(_EDGES_NS[:2])}, "2 edges seen, 4 expected"),
    ({"during": _trace(())}, "0 edges seen, 4 expected"),
    ({"during": _trace(_EDGES_NS[:3])}, "pin 18 is lit when the scenario is over"),
    ({"during": _trace(carrier="high")}, "a carrier of 0.0 Hz, expected 38000"),
    ({"during": _trace(carrier="pwm 250 125")}, "a carrier of 40000.0 Hz, expected 38000"),
    ({"during": _trace(carrier="pwm 263 100")}, "a duty cycle of 38.0 %, expected 50"),
    ({"after": _trace((500_000, 500_031))}, "lights up after the scenario"),
])
def test_fault_is_noticed(seen: dict, complaint: str) -> None:
    """One fault at a time."""
    found = "\n".join(_problems(**seen))
    assert re.search(complaint, found), found


def test_stock_noise_is_no_fault() -> None:
    """Messages of stock modules that every board prints are allowed."""
    noise = "<4>[ 1] irtx_core: loading out-of-tree module taints kernel.\n"
    assert not _problems(kernel_log=f"{noise}<6>[ 2] loaded by me\n", taint=12288)


def test_signals_after_a_mark() -> None:
    """What was sent before the mark does not count."""
    log = ["# irboard 1", "1 pin 18 high", "2 pin 18 low", "3 mark 1000",
           *(f"{ns} pin 18 {'low' if number % 2 else 'pwm 263 132'}"
             for number, ns in enumerate(_EDGES_NS))]
    text = _SIGNAL + "signals_after_mark = 1000\n"
    assert not _problems(text, during=scope.parse(log))
    assert _problems(during=scope.parse(log))


def test_report_is_for_people() -> None:
    """A failure shows what was asked and seen, and where to look further."""
    entry = scenario.parse(Path("s.toml"), _SIGNAL)
    seen = session.Evidence(output="what it said", logs=Path("/some/where"))
    text = verdict.report(entry, seen, ["a problem"])
    for part in ("one signal", "s.toml", "a problem", "what it said", "/some/where"):
        assert part in text
