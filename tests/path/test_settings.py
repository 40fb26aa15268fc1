# SPDX-License-Identifier: GPL-2.0-only
"""Settings, what is exported, and trace events: all of it read and written, right and wrong."""

from __future__ import annotations

import pytest

from tests.lab import um_kernel

# What no kernel could make different runs on one
_ON_MAIN = pytest.mark.parametrize("version", [um_kernel.MAIN])
_EXPORT = """
plug {kind}
D=$(debug {kind}-ir-tx)
T=/sys/kernel/tracing
echo 1 > $T/events/irtx/enable
cat "$D"/[!r]*
ir-ctl -d "$(lirc {kind}-ir-tx)" --send=/examples/rc5.ir
echo 1 > "$D/threshold_ns"
set_tx mode auto
for i in 1 2 3; do
    ir-ctl -d "$(lirc {kind}-ir-tx)" --send=/examples/rc5.ir
done
cat "$D"/[!r]*
echo 1 > "$D/reset"
fails sh -c "echo 2 > $D/reset"
fails sh -c "echo 0 > $D/threshold_ns"
cat "$D"/[!r]*
cat /sys/class/rc/rc0/device/tx_*
grep -o 'irtx_[a-z_]*:' $T/trace | sort | uniq -c
"""
_SETTINGS = """
plug gpio
try() { # NAME ALLOWED... -- REFUSED...
    name=/sys/class/rc/rc0/device/tx_$1
    shift
    verdict=allowed
    for value in "$@"; do
        if [ "$value" = -- ]; then
            verdict=refused
        elif [ $verdict = allowed ]; then
            echo "$value" > "$name"
            [ "$(cat "$name")" = "$value" ]
        else
            before=$(cat "$name")
            fails sh -c "echo '$value' > $name"
            [ "$(cat "$name")" = "$before" ]
        fi
    done
}
try mode busy hybrid thread auto default -- eager 3
try priority normal fifo-low fifo -- high
try cpu 0 -1 -- 1 -2 x
try margin_ns 0 1 10000000 -- -1 10000001 99999999999
try margin_max_ns 5000 10000000 200000 -- 4999 10000001
try max_irqs_off_us 0 1000000 10000 -- -1 1000001 -99999999999
try lead_ns 0 50000 -1 -- -2 50001
try emitter gpio auto -- pwm lamp
for priority in normal fifo-low fifo; do
    set_tx priority $priority
    set_tx max_irqs_off_us 100
    ir-ctl -d "$(lirc gpio-ir-tx)" --send=/examples/rc5.ir
done
set_tx margin_ns 50000
set_tx lead_ns 100
set_tx mode hybrid
ir-ctl -d "$(lirc gpio-ir-tx)" --send=/examples/rc5.ir
"""
_CARRIERS = """
load irtx-core
load scope-core
load scope-gpio op_ns=2000
plug {overlay}
TX=$(lirc {driver})
for hz in {refused_hz}; do
    ir-ctl -d "$TX" -c "$hz" 2>&1 | grep "Invalid argument"
done
for hz in {taken_hz} 0 38000; do
    ir-ctl -d "$TX" -c "$hz"
done
ir-ctl -d "$TX" -D 33
ir-ctl -d "$TX" --send=/examples/rc5.ir
"""
_FINE_DUTY = """
plug pwm-clock
TX=$(lirc pwm-ir-tx)
ir-ctl -d "$TX" -c 455000
ir-ctl -d "$TX" -D 1 2>&1 | grep "Invalid argument"
ir-ctl -d "$TX" -c 38000
ir-ctl -d "$TX" -D 1
ir-ctl -d "$TX" -c 455000
grep -e carrier_hz -e duty "$(debug pwm-ir-tx)/config"
"""
_PARAMETERS = """
load irtx-core {parameter}
plug pwm
fails ls /dev/lirc0
"""
_TREES = """
plug {overlay}
fails ls /dev/lirc0
"""
_NO_NAMES = """
plug no-names
cat "$(debug pwm-ir-tx)/config"
"""
_EMITTERS = """
load irtx-core
load scope-core
load scope-pwm may_sleep={pwm_sleeps}
load scope-gpio may_sleep={gpio_sleeps}
plug fallback
cat "$(debug pwm-ir-tx)/config"
for emitter in {possible}; do
    set_tx emitter $emitter
    ir-ctl -d "$(lirc pwm-ir-tx)" --send=/examples/rc5.ir
done
for mode in {bad_modes}; do
    fails sh -c "echo $mode > /sys/class/rc/rc0/device/tx_mode"
done
for emitter in {impossible}; do
    fails sh -c "echo $emitter > /sys/class/rc/rc0/device/tx_emitter"
done
"""


@pytest.mark.parametrize("kind", ["pwm", "gpio"])
def test_export(boot, kind):
    """Every file can be read before a signal, after some and after a reset; bad values are
    refused."""
    done = boot(_EXPORT.format(kind=kind))
    assert "signals 3" in done.output
    assert "4 irtx_tx_start:" in done.output
    assert "80 irtx_edge:" in done.output


@_ON_MAIN
def test_settings(boot):
    """Each setting takes its whole range and nothing else, and says so."""
    done = boot(_SETTINGS)
    assert "tx_mode: it is default, busy, hybrid, thread or auto" in done.log
    assert "tx_margin_ns: -1 is not within 0 to 10000000" in done.log


@_ON_MAIN
@pytest.mark.parametrize("overlay, driver, refused_hz, taken_hz, told", [
    ("gpio", "gpio-ir-tx", "455000", "30000 56000", "can be switched every"),
    ("pwm", "pwm-ir-tx", "", "20000 455000", ""),
    ("pwm-clock", "pwm-ir-tx", "6000000 4900000", "20000 455000", "may be off by 2 % only"),
], ids=["gpio", "pwm", "pwm-clock"])
# pylint: disable-next=too-many-arguments
def test_carriers(boot, overlay, driver, refused_hz, taken_hz, told):
    """What cannot be made is refused with its limit, and nothing changes."""
    done = boot(_CARRIERS.format(overlay=overlay, driver=driver, refused_hz=refused_hz,
                                 taken_hz=taken_hz))
    assert told in done.log


@_ON_MAIN
def test_fine_duty(boot):
    """A duty cycle below one tick of the clock is refused; a carrier matters more than one that
    another sender left."""
    done = boot(_FINE_DUTY)
    assert "out of range, the limit of PWM scope-pwm channel 0 is" in done.log
    assert "carrier 455000 Hz: taken with 50 % duty" in done.log
    assert "duty_pct 50" in done.output


@_ON_MAIN
@pytest.mark.parametrize("parameter, told", [
    ("margin_max_ns=1", "tx_margin_max_ns: 1 is not within 5000 to 10000000"),
    ("mode=eager", "tx_mode: it is default, busy, hybrid, thread or auto"),
    ("cpu=1", "tx_cpu: 1 is not within -1 to 0"),
    ("max_irqs_off_us=-1", "tx_max_irqs_off_us: -1 is not within 0 to 1000000"),
    ("priority=high", "tx_priority: it is normal, fifo-low or fifo"),
], ids=["margin_max_ns", "mode", "cpu", "max_irqs_off_us", "priority"])
def test_bad_parameter(boot, parameter, told):
    """No device comes up."""
    assert told in boot(_PARAMETERS.format(parameter=parameter)).log


@_ON_MAIN
@pytest.mark.parametrize("overlay, told", [
    ("bad-carrier", "default-carrier-hz: 0 to 500000, not 500001"),
    ("bad-names", "cannot get the PWM"),
    ("nothing", "error -ENOENT: neither a PWM nor a GPIO is named"),
], ids=["carrier", "names", "nothing"])
def test_bad_device_tree(boot, overlay, told):
    """No device comes up."""
    assert told in boot(_TREES.format(overlay=overlay)).log


@_ON_MAIN
def test_pwms_without_names(boot):
    """Only one of them can be had, which is said."""
    done = boot(_NO_NAMES)
    assert "pwms has several entries but pwm-names does not name each" in done.log
    assert "emitter PWM scope-pwm channel 0\n" in done.output


@pytest.mark.parametrize("pwm_sleeps, gpio_sleeps, first, possible, impossible", [
    ("N", "N", "pwm", "gpio pwm auto", "lamp"),
    ("Y", "N", "gpio", "pwm auto gpio", "lamp"),
    ("Y", "Y", "pwm", "pwm auto", "gpio"),
], ids=["both-atomic", "pwm-sleeps", "both-sleep"])
# pylint: disable-next=too-many-arguments
def test_emitters(boot, version, pwm_sleeps, gpio_sleeps, first, possible, impossible):
    """The better one sends, until another one is asked for."""
    done = boot(_EMITTERS.format(pwm_sleeps=pwm_sleeps, gpio_sleeps=gpio_sleeps,
                                 possible=possible, impossible=impossible,
                                 bad_modes="busy hybrid" if gpio_sleeps == "Y" else ""))
    if version == "6.1" and gpio_sleeps == "N":
        first = "gpio"  # nothing tells whether a PWM may sleep
    assert f"emitter_kind {first}" in done.output
