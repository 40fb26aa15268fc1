# SPDX-License-Identifier: GPL-2.0-only
"""A PC, which knows its devices from ACPI, with Debian's kernel for it, which has no device trees:
both drivers find their emitters and send. They are virtual chips, whose records are judged."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator

import pytest

from tests.lab import host, irfile, record, scenario, scope, session, verdict
from tests.lab.qemu import Machine

_CLOCK_NS = 1_000_000_000 // scope.PWM_CLOCK_HZ
_FILES = ("nec", "rcmm24", "sony12")
_MODES = ("busy", "hybrid", "auto")
_RUN = """
sleep 2 # by then the kernel knows its clock
echo 1 > /sys/kernel/debug/irtx-scope/{chip}/reset
for mode in {modes}; do
    echo $mode > /sys/class/rc/$(rc_device {driver})/device/tx_mode
    for file in {files}; do
        ir-ctl -d $(lirc {driver}) --send /examples/$file.ir
        edges {driver}
    done
done
scope_record {chip}
"""


@dataclasses.dataclass(frozen=True)
class Case:
    """A driver, and the chip that acpi/transmitters.asl gives it."""

    driver: str
    chip: str
    expect: scenario.Expect


def _expect(**others) -> scenario.Expect:
    signals = [irfile.read(host.TREE / "examples" / f"{name}.ir") for name in _FILES]
    return scenario.Expect(signals=signals * len(_MODES), driver_agrees_ns=100, **others)


_CASES = {
    "pwm": Case("pwm-ir-tx", "PRP0001:00", _expect(duty_pct=50)),
    "gpio": Case("gpio-ir-tx", "PRP0001:01", _expect(soft_carrier=True)),
}


def _entry(name: str, case: Case) -> scenario.Scenario:
    run = _RUN.format(driver=case.driver, chip=case.chip, modes=" ".join(_MODES),
                      files=" ".join(_FILES))
    return scenario.Scenario(host.TREE / f"acpi-{name}", f"{case.driver} with ACPI", run,
                             modules=["scope-pwm", "scope-gpio", "pwm-ir-tx", "gpio-ir-tx"],
                             overlays=["transmitters"], boot=Machine(model="pc"),
                             expect=case.expect)


def _edges(told: record.Record, pin: int) -> Iterator[scope.Edge]:
    """The changes of a chip's first line, as the board's oscilloscope writes them."""
    lit = False
    for change in told.changes:
        if bool(change.lit & 1) != lit:
            lit = not lit
            yield scope.Edge(change.at_ns, pin, lit, lit * change.period_ns // _CLOCK_NS,
                             lit * change.high_ns // _CLOCK_NS)


@pytest.fixture(name="runs", scope="module")
def fixture_runs() -> dict[str, tuple[scenario.Scenario, session.Evidence]]:
    """Each case with what it left behind, all of one boot."""
    entries = [_entry(name, case) for name, case in _CASES.items()]
    try:
        seen = session.run(entries[0].board, entries, session.new_logs())
    except host.LabError as error:
        pytest.fail(str(error), pytrace=False)
    return dict(zip(_CASES, zip(entries, seen)))


@pytest.mark.parametrize("name", _CASES)
def test_acpi(name, runs):
    """The machine has no pins, so what the chip recorded is judged as if one had shown it."""
    entry, seen = runs[name]
    seen.during = scope.Trace(tuple(edge for told in record.read(seen.output)
                                    for edge in _edges(told, entry.expect.pin)))
    if found := verdict.problems(entry, seen):
        pytest.fail(verdict.report(entry, seen, found), pytrace=False)
