# SPDX-License-Identifier: GPL-2.0-only
"""CPUs that are taken away and come back while signals are sent, the one that sends and the one
that keeps watch among them. The emulated Pi cannot do that, QEMU's own board can; its CPUs run in
turns, so edges are held to their order here and not to their places."""

from __future__ import annotations

from tests.e2e import faults
from tests.lab import qemu, record

_SIGNAL = (5000, 5000, 5000)
_LONGEST_NS = 5_000_000 + faults.WATCH_NS + 2_000_000  # what CPUs in turns may add
_RUN = """
go_on() {
    while [ -e /tmp/sending ]; do
        send signal || echo cut off
        echo sent
    done
}

use() { # DRV_NAME
    TX=$(lirc "$1")
    S=$(settings "$1")
    ir-ctl -d $TX -c 0
}

online() { # 0 or 1
    echo "$1" > /sys/devices/system/cpu/cpu$cpu/online
    sleep 0.012
}

for case in "pwm-ir-tx hybrid" "pwm-ir-tx thread" "pwm-ir-tx busy" "gpio-ir-tx hybrid"; do
    use ${case% *}
    echo ${case#* } > $S/tx_mode
    touch /tmp/sending
    go_on &
    for cpu in 1 0 2 1; do
        online 0
        online 1
    done
    rm /tmp/sending
    wait $!
done
scope_record scope-pwm
scope_record scope-gpio
"""
_ENTRY = faults.entry(
    "CPUs come and go", faults.raw_file("signal", _SIGNAL) + _RUN, overlays=["fault-virt"],
    boot=qemu.Machine(cpus=3, model="virt"), expect=faults.scenario.Expect(kernel_log=[
        "psci: CPU1 killed|could not be sent in time|callbacks suppressed"]))


def test_hotplug():
    """Nobody complains, every signal ends and is whole unless write() said that it was cut off, and
    the emitter is dark."""
    seen, = faults.boot(_ENTRY)
    faults.judge(_ENTRY, seen)
    sent, cut_off = (seen.output.count(f"{word}\n") for word in ("sent", "cut off"))
    assert seen.kernel_log.count("killed (polled") == 16
    assert sent >= 20 and cut_off <= sent / 3
    flashes = 0
    for chip in record.read(seen.output):
        edges = chip.edges(0)
        assert [is_on for _, is_on in edges] == [True, False] * (len(edges) // 2)
        lit_ns = [off_ns - on_ns for (on_ns, _), (off_ns, _) in zip(edges[::2], edges[1::2])]
        assert max(lit_ns) <= _LONGEST_NS
        flashes += len(lit_ns)
    assert 2 * (sent - cut_off) <= flashes <= 2 * sent
