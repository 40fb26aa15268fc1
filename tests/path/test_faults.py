# SPDX-License-Identifier: GPL-2.0-only
"""What goes wrong is told, leaves the emitter dark and nothing behind, and the next signal is
whole."""

from __future__ import annotations

import re

import pytest

from tests.lab import carrier, host, irfile, record, um_kernel, um_path
from tests.path import judge

_KINDS = pytest.mark.parametrize("kind", ["pwm", "gpio"])
_PREPARE = """
plug {kind}
TX=$(lirc {kind}-ir-tx)
P=/sys/module/scope_{kind}/parameters
S=/sys/kernel/debug/irtx-scope/scope-{kind}
grep -v carrier /examples/rc5.ir > /bare.ir
"""
_SEND = 'sent scope-{kind} ir-ctl -d "$TX" --send=/bare.ir\n'
_FAIL = _PREPARE + """
for late in N Y; do
    echo $late > "$P/fail_late"
    for call in 1 2 5 12; do
        echo 0 > "$P/applies"
        echo $call > "$P/fail_from"
        fails ir-ctl -d "$TX" --send=/bare.ir
        echo 0 > "$P/fail_from"
    done
done
grep ^errors "$(debug {kind}-ir-tx)/stats"
scope_record scope-{kind}
""" + _SEND
_STUCK = _PREPARE + """
echo 0 > "$P/applies"
echo 3 > "$P/fail_from"
echo 100000 > "$P/fail_count"
fails ir-ctl -d "$TX" --send=/bare.ir
sleep 1 # it is tried again, in vain
echo 0 > "$P/fail_from"
sleep 1
""" + _SEND
_STUCK_AND_LEFT = """
plug fallback
P=/sys/module/scope_pwm/parameters
echo 0 > "$P/applies"
echo 2 > "$P/fail_from"
echo 100000 > "$P/fail_count"
fails ir-ctl -d "$(lirc pwm-ir-tx)" --send=/examples/rc5.ir
set_tx emitter gpio
echo 0 > "$P/fail_from"
sleep 1
scope_record scope-pwm
"""
_TUNE = _PREPARE + """
ir-ctl -d "$TX" -c 36000
for call in 1 2 3; do
    for hz in 40000 0; do
        echo 0 > "$P/applies"
        echo $call > "$P/fail_from"
        ir-ctl -d "$TX" -c $hz 2>&1 | grep "Input/output error"
    done
done
echo 0 > "$P/fail_from"
grep carrier_hz "$(debug pwm-ir-tx)/config"
"""
_PROBE = """
load irtx-core
load scope-core
load scope-{kind} fail_from=1 fail_count={calls}
plug {kind}
fails ls /dev/lirc0
"""
_DOWN = _PREPARE + """
set_tx mode {mode}
ir-ctl -d "$TX" --send=/examples/air-conditioner.ir &
sleep 0.05
{way}
sleep 60
"""
_ABORT = _PREPARE + """
printf "pulse 100\\nspace 300000\\npulse 100\\n" > /long.ir
for mode in {modes}; do
    set_tx mode $mode
    echo 1 > "$S/reset"
    ir-ctl -d "$TX" --send=/long.ir &
    sleep 0.1
    kill $!
    wait $! || true
    scope_record scope-{kind}
done
""" + _SEND
_UNPLUG = _PREPARE + """
exec 3> "$TX"
printf '\\144\\000\\000\\000' > /raw
cat /raw >&3
unplug
fails cat /raw >&3
exec 3>&-
fails ls "$TX"
plug {kind}
TX=$(lirc {kind}-ir-tx)
""" + _SEND
_SUSPEND = _PREPARE + """
set_tx mode thread
echo devices > /sys/power/pm_test
ir-ctl -d "$TX" --send=/examples/air-conditioner.ir &
sleep 0.05
echo freeze > /sys/power/state
wait $!
""" + _SEND


def _last_is_whole(output: str, kind: str) -> None:
    """The last record is that of a whole signal."""
    signal = irfile.read(host.TREE / "examples/rc5.ir")
    last = record.read(output)[-1]
    assert not (judge.plain(last, 0, signal) if kind == "pwm" else
                judge.modulated(last, 0, signal, carrier.Wave(38000, 50)))


def _need_errors(version: str, kind: str) -> None:
    """Skip where the kernel does not let a line tell that it failed."""
    if (version, kind) == ("6.1", "gpio"):
        pytest.skip("a GPIO chip of 6.1 cannot tell that a line failed")


@_KINDS
def test_emitter_fails(boot, version, kind):
    """A call that fails before or after it has moved the line ends the signal, dark."""
    _need_errors(version, kind)
    done = boot(_FAIL.format(kind=kind))
    assert "errors 8" in done.output
    assert not record.read(done.output)[0].changes[-1].lit
    _last_is_whole(done.output, kind)


@_KINDS
def test_emitter_stays_lit(boot, version, kind):
    """An emitter that cannot be switched off any more is cried out."""
    _need_errors(version, kind)
    done = boot(_STUCK.format(kind=kind))
    assert re.search(r"cannot be switched off \((?:-EIO|-5)\): it may be lit", done.log)
    assert "is off at last" in done.log
    _last_is_whole(done.output, kind)


@pytest.mark.parametrize("version", [um_kernel.MAIN])
def test_stuck_emitter_is_not_forgotten(boot):
    """One that stayed lit is switched off even when another one sends by then."""
    done = boot(_STUCK_AND_LEFT)
    assert "is off at last" in done.log
    assert not record.read(done.output)[0].changes[-1].lit


def test_tuning_fails(boot):
    """The carrier stays as it was."""
    done = boot(_TUNE.format(kind="pwm"))
    assert "carrier 40000 Hz with 50 % duty: PWM scope-pwm channel 0 fails with -EIO" in done.log
    assert "carrier 0: PWM scope-pwm channel 0 cannot be steadily on" in done.log
    assert "carrier_hz 36000" in done.output


@pytest.mark.parametrize("kind, calls", [("pwm", 2), ("pwm", 10000), ("gpio", 10000)])
def test_probe_fails(boot, version, kind, calls):
    """An emitter that cannot be made dark, or used, is no transmitter."""
    _need_errors(version, kind)
    assert "error -EIO" in boot(_PROBE.format(kind=kind, calls=calls)).log


@pytest.mark.parametrize("way, last_words", [
    ("poweroff -f", "reboot: (?:Power down|System halted)"),
    ("echo c > /proc/sysrq-trigger", "Kernel panic - not syncing: sysrq triggered crash"),
], ids=["poweroff", "panic"])
@_KINDS
def test_machine_goes_down(version, kind, way, last_words):
    """In the middle of a signal, without a word from a checker. (User-mode Linux would answer a
    reboot by running the script again.)"""
    done = um_path.run(_DOWN.format(kind=kind, mode="thread", way=way), version)
    assert re.search(last_words, done.log)
    assert not [line for line in done.reports if not re.search(last_words, line)], done.report()


@_KINDS
def test_sender_is_killed(boot, kind):
    """The signal ends at its next edge."""
    modes = ("hybrid", "thread") if kind == "gpio" else ("thread",)
    done = boot(_ABORT.format(kind=kind, modes=" ".join(modes)))
    *aborted, _ = record.read(done.output)
    assert len(aborted) == len(modes)
    for found in aborted:
        first_ns, last_ns = found.edges(0)[0][0], found.edges(0)[-1][0]
        assert last_ns - first_ns <= 100_000 + judge.WITHIN_NS
        assert not found.changes[-1].lit
    _last_is_whole(done.output, kind)


@_KINDS
def test_hardware_goes(boot, kind):
    """Who still holds the device is told so."""
    _last_is_whole(boot(_UNPLUG.format(kind=kind)).output, kind)


@_KINDS
def test_suspend(boot, kind):
    """It waits for the signal."""
    done = boot(_SUSPEND.format(kind=kind))
    assert "PM: suspend exit" in done.log
    _last_is_whole(done.output, kind)
