# SPDX-License-Identifier: GPL-2.0-only
"""The carrier that software makes: the model says what the rule says, and each way in which a pin
can differ from it is noticed."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from fractions import Fraction
from pathlib import Path

import pytest

from tests.lab import carrier, scenario, scope, session, verdict

_WAVE = carrier.Wave(40_000, 25)  # a cycle of 25 us, 6.25 us of it light
_LENGTHS_US = (560, 600, 120, 1700, 563)
_SIGNAL = f"""\
title = "one signal"
run = "send"
[expect]
signals = [{list(_LENGTHS_US)}]
soft_carrier = true
carrier_hz = 40000
duty_pct = 25
"""

Pin = list[int]  # when it changes, in ns; light first


# --- the model ---

@pytest.mark.parametrize("length_us, cycles", [
    (1, 1), (6, 1), (25, 1), (37, 1), (38, 2), (62, 2), (63, 3), (1000, 40), (1012, 40), (1013, 41),
])
def test_nearest_whole_number_of_cycles(length_us: int, cycles: int) -> None:
    """At least one, and from half a cycle on one more."""
    pulse, = carrier.pulses([length_us], _WAVE)
    assert len(pulse.edges_ns) == 2 * cycles


def test_tie_takes_the_smaller_number() -> None:
    """At 500 kHz a cycle is 2 us, so 5 us are two and a half."""
    pulse, = carrier.pulses([5], carrier.Wave(500_000, 50))
    assert pulse.edges_ns == (0, 1000, 2000, 3000)


def test_cycles_count_from_their_pulse() -> None:
    """A pulse begins at the sum of the lengths before it, whatever its predecessors came to."""
    first, second = carrier.pulses([60, 1000, 30], _WAVE)
    assert first.edges_ns == (0, 6250, 25_000, 31_250)
    assert second.edges_ns == (1_060_000, 1_066_250)


def test_short_flash_has_its_own_length() -> None:
    """Shorter than a cycle's light: that light is cut; else it is whole."""
    short, whole = carrier.pulses([6, 1000, 7], _WAVE)
    assert short.edges_ns == (0, 6000)
    assert whole.edges_ns == (1_006_000, 1_012_250)


def test_no_rounding() -> None:
    """38 kHz is no whole number of ns; after 380 cycles all of 10 ms have passed."""
    pulse, = carrier.pulses([20_000], carrier.Wave(38_000, 50))
    assert pulse.edges_ns[2 * 380] == 10_000_000
    assert pulse.edges_ns[2] == Fraction(10**9, 38_000)


@pytest.mark.parametrize("hz", [30_000, 36_000, 38_000, 40_000, 56_000, 455_000])
def test_envelope_is_half_a_cycle_off_at_most(hz: int) -> None:
    """The property that the rule is for, for lengths of a cycle or more."""
    wave = carrier.Wave(hz, 50)
    for length_us in range(34, 1000):
        pulse, = carrier.pulses([length_us], wave)
        length_ns = len(pulse.edges_ns) // 2 * wave.period_ns
        assert abs(length_ns - 1000 * length_us) <= wave.period_ns / 2


def test_spaces_too_short_to_tell_pulses_apart() -> None:
    """Some signals are beyond this instrument, and it says so."""
    with pytest.raises(carrier.CarrierError, match="a space of 199000 ns is too short.*200000 ns"):
        carrier.pause_ns([[500, 199, 500]], 40_000)
    assert carrier.pause_ns([[500, 600, 500]], 40_000) == 300_000
    assert carrier.pause_ns([], 40_000) == 100_000


# --- planted faults ---

def _good() -> Pin:
    return [round(ns) for pulse in carrier.pulses(_LENGTHS_US, _WAVE) for ns in pulse.edges_ns]


def _trace(changes_ns: Sequence[int], pin: int = 18) -> list[str]:
    return [f"{1000 + ns} pin {pin} {'low' if number % 2 else 'high'}"
            for number, ns in enumerate(changes_ns)]


def _problems(lines: Sequence[str], text: str = _SIGNAL, output: str = "") -> str:
    """The verdict on a run that is good but for what is on its pins."""
    seen = session.Evidence(exit=0, output=output, during=scope.parse(["# irboard 1", *lines]))
    return "\n".join(verdict.problems(scenario.parse(Path("s.toml"), text), seen))


def _first_pulse(change: Callable[[int], int]) -> Pin:
    """A signal with another first pulse, of 22 cycles."""
    good = _good()
    return [change(ns) for ns in good[:44]] + good[44:]


def _half_cycle_late(late_ns: int) -> Pin:
    good = _good()
    good[11] += late_ns
    return good


def _one_cycle_more() -> Pin:
    good = _good()
    return [*good[:44], good[43] + 18_750, good[43] + 25_000, *good[44:]]


def _accumulating() -> Pin:
    """Every pulse begins where the cycles of the one before it ended, as if counted from there."""
    first, second, third = carrier.pulses(_LENGTHS_US, _WAVE)
    moved = [*first.edges_ns, *(ns - 10_000 for ns in second.edges_ns),
             *(ns - 5_000 for ns in third.edges_ns)]
    return [round(ns) for ns in moved]


def test_good_signal_passes() -> None:
    """A pin that does what the model says, to the nearest ns, is right."""
    assert not _problems(_trace(_good()))


def test_up_to_the_limit() -> None:
    """250 ns are allowed where nothing else is said."""
    assert not _problems(_trace(_half_cycle_late(250)))


@pytest.mark.parametrize("changes_ns, complaint", [
    (_half_cycle_late(300), r"1 of 100 half cycles are off by more than 250 ns:\n.*\n"
                            r" +0 +11 +131250 +131550 +\+300$"),
    (_first_pulse(lambda ns: ns * 1002 // 1000), r"1 of 3 pulses are wrong(.*\n)+.* 39920\.\d"),
    (_one_cycle_more(), r"1 of 3 pulses are wrong(.*\n)+ +0 +560000 +23 +22 +\+0 +\+15000 "),
    (_good()[:42] + _good()[44:],
     r"1 of 3 pulses are wrong(.*\n)+ +0 +560000 +21 +22 +\+0 +-35000 "),
    (_accumulating(), r"2 of 3 pulses are wrong(.*\n)+ +2 .* -10000 (.*\n)+ +4 .* -5000 "),
    (_good()[:44], "1 pulses seen, 3 expected"),
    (_good() + [9_000_000, 9_006_250], r"1 pulse\(s\) more than the 1 signal"),
    ([], "0 pulses seen, 3 expected"),
    (_good()[:-1], "pin 18 is lit when the scenario is over"),
])
def test_fault_is_noticed(changes_ns: Pin, complaint: str) -> None:
    """One fault at a time; the tables tell where and by how much."""
    found = _problems(_trace(changes_ns))
    assert re.search(complaint, found, re.MULTILINE), found


@pytest.mark.parametrize("old, new", [
    ("duty_pct = 25", "duty_pct = 33"),
    ("carrier_hz = 40000", "carrier_hz = 39900"),
    ("[560, ", "[600, "),
])
def test_other_expectation_fails(old: str, new: str) -> None:
    """What is right for one is wrong for another."""
    assert "half cycles are off" in _problems(_trace(_good()), _SIGNAL.replace(old, new))


def test_each_signal_has_its_carrier() -> None:
    """Signals may say themselves what carrier they want; 0 is steady light."""
    text = f"""
title = "three signals"
run = "send"
[expect]
soft_carrier = true
signals = [{{ lengths_us = {list(_LENGTHS_US)}, carrier_hz = 40000, duty_pct = 25 }},
           {{ lengths_us = [500], carrier_hz = 50000 }},
           {{ lengths_us = [100, 300, 100], carrier_hz = 0 }}]
"""
    changes_ns = [*_good(), *range(8_000_000, 8_500_000, 10_000),
                  9_000_000, 9_100_000, 9_400_000, 9_500_000]
    assert not _problems(_trace(changes_ns), text)
    changes_ns[-1] += 151
    assert "signal 3 of 3 on pin 18:\n    1 of 3 intervals" in _problems(_trace(changes_ns), text)


# --- without knowing the signal ---

_UNKNOWN = re.sub("signals = .*\n", "", _SIGNAL)


def test_unknown_signal() -> None:
    """Its carrier and duty cycle are still known."""
    assert not _problems(_trace(_good()), _UNKNOWN)
    slow = [ns * 1002 // 1000 for ns in _good()]
    assert re.search("a carrier of 39920.*expected 40000 Hz within 0.1 %",
                     _problems(_trace(slow), _UNKNOWN))
    longer = [ns + 700 * (number % 2) for number, ns in enumerate(_good())]
    assert "a duty cycle of 27.8 %, expected 25 %" in _problems(_trace(longer), _UNKNOWN)
    assert "no pulse has enough cycles" in _problems(_trace(_good()[44:54]), _UNKNOWN)


# --- the driver's instrument, which knows pulses and spaces only ---

def _driver_says(late_ns: int) -> str:
    """What `edges` prints: the first light and the last darkness of each pulse."""
    moments = [pulse.edges_ns[place] for pulse in carrier.pulses(_LENGTHS_US, _WAVE)
               for place in (0, -1)]
    rows = [f"{number} {1 - number % 2} {round(due_ns)} {late_ns if number == 3 else 0} 300"
            for number, due_ns in enumerate(moments)]
    return "\n".join(["@edges", "# irtx edges 1", *rows, "@end", ""])


@pytest.mark.parametrize("text", [_SIGNAL, _UNKNOWN], ids=["known", "unknown"])
def test_driver_tells_of_pulses(text: str) -> None:
    """Its edges are compared with the envelope's."""
    text += "driver_agrees_ns = 100\n"
    assert not _problems(_trace(_good()), text, _driver_says(100))
    assert "differ by more than 100 ns in 2 of 5" in _problems(_trace(_good()), text,
                                                               _driver_says(101))
    assert "the driver tells of 6 edges, the oscilloscope of 4" in _problems(
        _trace(_good()[:54]), text, _driver_says(0))


# --- several pins ---

_PINS = _SIGNAL + "pins = [17, 18, 27]\ndark_pins = [22]\nskew_within_ns = 50\n"


def _three(third: Sequence[int], others: Sequence[str] = ()) -> list[str]:
    """Three pins, of which the third may be different."""
    return [*_trace(_good(), 17), *_trace(_good()), *_trace(third, 27), *others]


def test_pins_together() -> None:
    """Each shows the signal, at nearly the same time."""
    assert not _problems(_three(_good()), _PINS)
    assert not _problems(_three([ns + 50 for ns in _good()]), _PINS)


@pytest.mark.parametrize("third, others, complaint", [
    (_half_cycle_late(51), (), "pins 17, 18, 27 change more than 50 ns apart at 1 of 100 edges, "
                               "51 ns at edge 11"),
    (_half_cycle_late(300), (), "signal 1 of 1 on pin 27"),
    ((), (), "cannot be compared: pin 17 has 100 edges, pin 18 has 100 edges, pin 27 has 0 edges"),
    (_good(), _trace([0, 10], 22), "pin 22 lights up, but must stay dark"),
    (_good(), _trace([0], 5), "pin 5 is lit when the scenario is over"),
])
def test_fault_of_one_pin(third: Pin, others: Sequence[str], complaint: str) -> None:
    """One that lags, one that is dark or lit and must not be."""
    assert complaint in _problems(_three(third, others), _PINS)


@pytest.mark.parametrize("keys, complaint", [
    ("skew_within_ns = 50", "name two or more in pins"),
    ("soft_carrier = true", "soft_carrier wants carrier_hz"),
    ("soft_carrier = true\nsignals = [[100]]", "soft_carrier wants carrier_hz"),
    ("soft_carrier = true\ncarrier_hz = 0", "soft_carrier wants carrier_hz"),
    ("soft_carrier = true\ncarrier_hz = 38000\nsignals = [[100, 90, 100]]",
     "a space of 90000 ns is too short"),
    ("signals = [{ lengths_us = [100], hz = 38000 }]", "a signal: unknown key 'hz'"),
    ("signals = [{ carrier_hz = 38000 }]", "an odd number of"),
])
def test_refuse(keys: str, complaint: str) -> None:
    """Keys that make no sense together are refused."""
    with pytest.raises(scenario.ScenarioError, match=complaint):
        scenario.parse(Path("s.toml"), f'title = "t"\nrun = "x"\n[expect]\n{keys}\n')
