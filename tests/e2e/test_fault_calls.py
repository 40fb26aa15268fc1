# SPDX-License-Identifier: GPL-2.0-only
"""Every call to an emitter fails once, at every place in a signal, before or after the line has
moved, in each mode: write() says so, the line is dark at once, and the next signal is perfect."""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import pytest

from tests.e2e import faults

_HALF_CYCLE_NS = 13158  # of 38 kHz
_FIRST_MARK = 1000
_WITHIN_NS = 250
_EARLY, _LATE = "NY"  # parameter fail_late of a virtual chip


@dataclass(frozen=True)
class Case:
    """A transmitter, a signal, and when each call of the emitter is due."""

    driver: str
    chip: str
    pin: int
    lengths_us: tuple[int, ...]
    due_ns: tuple[int, ...]
    modes: tuple[str, ...] = ("busy", "hybrid", "thread")
    defines: tuple[str, ...] = ()
    carrier_hz: int = 38000

    @property
    def trials(self) -> list[tuple[str, str, int]]:
        """Mode, when in the call it fails, and which call it is, for every trial."""
        return list(itertools.product(self.modes, (_EARLY, _LATE),
                                      range(1, len(self.due_ns) + 1)))


def _places(lengths_us: tuple[int, ...]) -> tuple[int, ...]:
    """Where the edges of a signal are, in ns."""
    return tuple(1000 * place for place in itertools.accumulate(lengths_us, initial=0))


def _cycles(*starts_us: int) -> tuple[int, ...]:
    """Pulses of two carrier cycles each."""
    return tuple(1000 * start_us + half * _HALF_CYCLE_NS for start_us in starts_us
                 for half in range(4))


_PWM = (300, 400, 300, 400, 300)
_GPIO = (53, 107, 53)
_CASES = {
    "pwm": Case("pwm-ir-tx", "scope_pwm", faults.PWM_PIN, _PWM, _places(_PWM)),
    "gpio": Case("gpio-ir-tx", "scope_gpio", faults.GPIO_PIN, _GPIO, _cycles(0, 160),
                 ("busy", "hybrid")),
    # an interrupt costs this mode cycles, so it gets no carrier here
    "gpio, thread": Case("gpio-ir-tx", "scope_gpio", faults.GPIO_PIN, _PWM, _places(_PWM),
                         ("thread",), carrier_hz=0),
    "pwm, hybrid by the thread": Case("pwm-ir-tx", "scope_pwm", faults.PWM_PIN, _PWM,
                                      _places(_PWM), ("hybrid",), ("IRTX_HAS_PWM_ATOMIC_LOCK",)),
}
_RUN = """
P=/sys/module/{chip}/parameters
TX=$(lirc {driver})
ir-ctl -d $TX -c {carrier_hz}
S=$(settings {driver})
for mode in {modes}; do
    echo $mode > $S/tx_mode
    send raw # the first signal of a mode learns
done
mark={first}
for mode in {modes}; do
    echo $mode > $S/tx_mode
    for late in N Y; do
        echo $late > $P/fail_late
        for call in $(seq {calls}); do
            mark $mark
            echo 0 > $P/applies
            echo $call > $P/fail_from
            fails send raw
            echo 0 > $P/fail_from
            send raw
            mark=$((mark + 1))
        done
    done
done
mark $mark
grep ^error $(debug {driver})/stats
"""


def _entry(case: Case):
    run = faults.raw_file("raw", case.lengths_us) + _RUN.format(
        chip=case.chip, driver=case.driver, modes=" ".join(case.modes), carrier_hz=case.carrier_hz,
        calls=len(case.due_ns), first=_FIRST_MARK)
    count = len(case.trials)
    expect = faults.scenario.Expect(
        pin=case.pin, output=[f"errors {count}\nerror_5 {count}$"],
        kernel_log=[faults.limited("failed at edge [0-9]+ of [0-9]+: -EIO; the signal was cut "
                                   "off")])
    return faults.entry(f"{case.driver} fails", run, defines=list(case.defines), expect=expect)


@pytest.fixture(scope="module", name="seen")
def _seen():
    """The evidence of each case; those of equal boards share a boot."""
    plain = [name for name, case in _CASES.items() if not case.defines]
    others = [name for name in _CASES if name not in plain]
    return {name: evidence for names in (plain, others)
            for name, evidence in zip(names, faults.boot(*(_entry(_CASES[name])
                                                           for name in names)))}


def _wrong(case: Case, edges, mode: str, late: str, call: int):
    """What is wrong in one trial: a signal that was cut off, and a whole one behind it."""
    size = len(case.due_ns)
    lit_at_error = call % 2 and late == _LATE
    cut, whole = edges[:-size], edges[-size:]
    lit_ns = [length_ns for _, length_ns in faults.flashes(cut)]
    asked_ns = case.due_ns[1]
    within_ns = faults.TICK_NS if mode == "thread" else _WITHIN_NS
    if len(lit_ns) != call // 2 + lit_at_error:
        yield f"{len(lit_ns)} flashes before it was cut off"
    if any(abs(length_ns - asked_ns) > within_ns for length_ns in lit_ns[:-1]):
        yield f"the flashes before the error last {lit_ns[:-1]} ns"
    limit_ns = faults.DARK_NS + (0 if lit_at_error else asked_ns)
    if lit_ns and lit_ns[-1] > limit_ns:
        yield f"it stays lit for {lit_ns[-1]} ns, where {limit_ns} are allowed"
    off_ns = [edge.ns - whole[0].ns - due_ns for edge, due_ns in zip(whole, case.due_ns)]
    if max(map(abs, off_ns)) > within_ns:
        yield f"the next signal is off by {off_ns} ns"


@pytest.mark.parametrize("name", _CASES)
def test_every_call_fails(seen, name):
    """In each mode, at each place, before and after the line has moved."""
    case = _CASES[name]
    faults.judge(_entry(case), seen[name])
    assert seen[name].output.count("write error: Input/output error") == len(case.trials)
    found = {}
    for number, trial in enumerate(case.trials, start=_FIRST_MARK):
        edges = faults.between(seen[name].during, number).edges(case.pin)
        if problems := list(_wrong(case, edges, *trial)):
            found[trial] = problems
    assert not found, "\n".join(map(str, found.items()))
