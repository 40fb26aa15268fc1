# SPDX-License-Identifier: GPL-2.0-only
"""Whatever holds a transmission up, no pulse lasts longer than was asked plus 1 ms, and the next
signal is perfect: timers that are lost, CPUs that are taken away, emitters that hang."""

from __future__ import annotations

import pytest

from tests.e2e import faults
from tests.e2e.faults import DARK_NS, GPIO_PIN, PWM_PIN, TICK_NS, WATCH_NS

_LONG = (20000, 20000, 20000)
_SHORT = (300, 400, 300)
_MS = 1_000_000
_PERFECT_NS = 1000
_LOST = """
S=$(settings {driver})
TX=$(lirc {driver})
echo {mode} > $S/tx_mode
send short
modprobe lose_timer {options}
for call in {calls}; do
    mark $((1000 + call))
    echo $call > /sys/module/lose_timer/parameters/call
    fails send long
    send short
done
mark $((1001 + call))
rmmod lose_timer
"""
_HELD = """
S=$(settings pwm-ir-tx)
TX=$(lirc pwm-ir-tx)
modprobe irqoff_hold
for mode in hybrid thread; do
    echo $mode > $S/tx_mode
    send long &
    sleep 0.01
    echo 30000 > /sys/module/irqoff_hold/parameters/hold_us
    wait $! || true
    send short
    mark 1000
done
rmmod irqoff_hold
"""
_HOG = """
S=$(settings pwm-ir-tx)
TX=$(lirc pwm-ir-tx)
echo -1 > /proc/sys/kernel/sched_rt_runtime_us
for mode in thread hybrid; do
    echo $mode > $S/tx_mode
    send long &
    sleep 0.01
    chrt -f 99 sh -c 'i=0; while [ $i -lt 20000 ]; do i=$((i + 1)); done'
    wait $! || echo "status $?"
    send short
    mark 1000
done
echo 950000 > /proc/sys/kernel/sched_rt_runtime_us
"""
_HANG_EACH_CALL = """
TX=$(lirc pwm-ir-tx)
P=/sys/module/scope_pwm/parameters
echo 5000 > $P/slow_us
hang_each_call() {
    for call in 1 2 3 4; do
        echo 0 > $P/applies
        echo $call > $P/slow_from
        send short || true
        echo 0 > $P/slow_from
        send short
        mark 1000
    done
}
"""
_HANGS = _HANG_EACH_CALL + """
S=$(settings pwm-ir-tx)
for mode in hybrid thread; do
    echo $mode > $S/tx_mode
    hang_each_call
done
"""
_SLEEPS = """
rmmod pwm-ir-tx scope-pwm
modprobe scope-pwm may_sleep=Y
modprobe pwm-ir-tx
""" + _HANG_EACH_CALL + """
hang_each_call
"""
_STUCK = """
S=$(settings pwm-ir-tx)
TX=$(lirc pwm-ir-tx)
P=/sys/module/scope_pwm/parameters
echo 1000 > $P/fail_count
echo 0 > $P/applies
echo 2 > $P/fail_from
fails send short
sleep 0.33
mark 1000
echo 0 > $P/fail_from
sleep 0.2
mark 1001
send short
"""
_STOPPED = """
S=$(settings pwm-ir-tx)
TX=$(lirc pwm-ir-tx)
mkdir /tmp/cgroup
mount -t cgroup2 none /tmp/cgroup
mkdir /tmp/cgroup/sender
for mode in hybrid thread; do
    echo $mode > $S/tx_mode
    send long &
    sleep 0.01
    kill -STOP $!
    sleep 0.1
    kill -CONT $!
    wait $!
    (echo 0 > /tmp/cgroup/sender/cgroup.procs; exec cat /tmp/long > $TX) &
    sleep 0.01
    echo 1 > /tmp/cgroup/sender/cgroup.freeze
    sleep 0.1
    echo 0 > /tmp/cgroup/sender/cgroup.freeze
    wait $!
    send long &
    sleep 0.01
    date -s 2030-01-01
    sleep 0.02
    date -s 2020-01-01
    wait $!
done
rmdir /tmp/cgroup/sender
umount /tmp/cgroup
"""
_OOPS = """
TX=$(lirc pwm-ir-tx)
send short # in busy mode
mark 1000
devmem 0x3f2f0004 32 500 # the board's watchdog ends what cannot go on
echo 0 > /sys/module/scope_pwm/parameters/applies
echo 2 > /sys/module/scope_pwm/parameters/oops_from
send short &
sleep 0.1
"""
_LATE = "could not be sent in time, since something held the CPU; the emitter was switched off"
_NEWER = ["IRTX_HAS_PWM_ATOMIC_LOCK"]  # from 6.13 on the watch's interrupt must not touch a PWM
_LOST_IN = {  # which timer is lost, and how many there are in a signal
    "hybrid": ("pwm-ir-tx", "hybrid", "", 4),
    "thread": ("pwm-ir-tx", "thread", "function=hrtimer_wakeup sleeper=irtx/pwm", 4),
    "hybrid by the thread": ("pwm-ir-tx", "hybrid", "function=hrtimer_wakeup sleeper=irtx/pwm", 4),
    "soft carrier": ("gpio-ir-tx", "hybrid", "", 5),
}


def _entry(title: str, run: str, defines=(), **expect):
    files = faults.raw_file("long", _LONG) + faults.raw_file("short", _SHORT)
    return faults.entry(title, files + run, defines=list(defines),
                        expect=faults.scenario.Expect(pin=PWM_PIN, **expect))


def _lost(name: str):
    driver, mode, options, count = _LOST_IN[name]
    run = _LOST.format(driver=driver, mode=mode, options=options,
                       calls=" ".join(map(str, range(1, count + 1))))
    return _entry(f"a lost timer, {name}", run, _NEWER if "by the thread" in name else (),
                  kernel_log=[_LATE])


_ENTRIES = {
    **{name: _lost(name) for name in _LOST_IN},
    "held": _entry("interrupts are off at the end of a pulse", _HELD, kernel_log=[_LATE]),
    "hog": _entry("a real-time hog starves the sender", _HOG, kernel_log=[faults.limited(_LATE)]),
    "hog, newer": _entry("a real-time hog starves sender and helper", _HOG, _NEWER,
                         kernel_log=[faults.limited(_LATE)]),
    "hangs": _entry("a call of the emitter hangs", _HANGS, kernel_log=[_LATE]),
    "sleeps": _entry("a call of an emitter that may sleep hangs", _SLEEPS, kernel_log=[
        faults.limited(_LATE)]),
    "stuck": _entry("the emitter cannot be switched off", _STUCK, kernel_log=[
        r"channel 0 cannot be switched off \(-EIO\): it may be lit", "failed at edge 1 of 4"]),
    "stopped": _entry("the sender is stopped, frozen, and the wall clock jumps", _STOPPED),
    "oops": _entry("the emitter's driver has a bug that ends the sender", _OOPS),  # the boot's last
}


@pytest.fixture(scope="module", name="seen")
def _seen():
    """The evidence of each scenario; two boots."""
    newer = {name: entry for name, entry in _ENTRIES.items() if entry.defines}
    others = {name: entry for name, entry in _ENTRIES.items() if name not in newer}
    return {name: evidence for entries in (others, newer)
            for name, evidence in zip(entries, faults.boot(*entries.values()))}


def _lit_ns(edges) -> list[int]:
    return [length_ns for _, length_ns in faults.flashes(edges)]


def _is_short(edges, within_ns: int) -> bool:
    """Whether these are the edges of the short signal."""
    seen_ns = faults.scope.intervals_ns(edges)
    return len(seen_ns) == len(_SHORT) and all(
        abs(saw_ns - 1000 * asked_us) <= within_ns for saw_ns, asked_us in zip(seen_ns, _SHORT))


def _split(edges, mode: str):
    """The signal that something happened to; the short one behind it must be perfect."""
    within_ns = TICK_NS if mode == "thread" else _PERFECT_NS
    assert _is_short(edges[-4:], within_ns), f"the next signal: {edges[-4:]}"
    return edges[:-4]


@pytest.mark.parametrize("name", ["hybrid", "thread", "hybrid by the thread"])
def test_a_lost_timer(seen, name):
    """Each wake-up of a signal is lost once: before and after each of its two pulses."""
    faults.judge(_ENTRIES[name], seen[name])
    assert seen[name].output.count("Connection timed out") == 4
    for call, pulses in ((1, 0), (2, 1), (3, 1), (4, 2)):
        lit_ns = _lit_ns(_split(faults.between(seen[name].during, 1000 + call).edges(PWM_PIN),
                                name))
        assert len(lit_ns) == pulses, f"call {call}"
        assert max(lit_ns, default=0) <= 20 * _MS + WATCH_NS, f"call {call}"


def test_a_lost_timer_with_a_soft_carrier(seen):
    """A pulse takes three wake-ups, since interrupts are let in after each 10 ms of it, which costs
    some cycles. It is dark then, and stays so."""
    faults.judge(_ENTRIES["soft carrier"], seen["soft carrier"])
    assert seen["soft carrier"].output.count("Connection timed out") == 5
    for call, least, most in ((1, 0, 0), (2, 370, 390), (3, 740, 759), (4, 750, 760),
                              (5, 1120, 1150)):
        lit_ns = _lit_ns(faults.between(seen["soft carrier"].during, 1000 + call).edges(GPIO_PIN))
        cycles = len(lit_ns) - 2 * 11  # of the short signal
        assert least <= cycles <= most, f"call {call}"
        assert max(lit_ns) < 14000, f"call {call}"


def test_interrupts_held_off(seen):
    """On a single CPU nobody can help until it is free again; then it must be dark at once."""
    faults.judge(_ENTRIES["held"], seen["held"])
    ends = [record.ns for record in seen["held"].during.records
            if isinstance(record, faults.scope.Mark) and record.value == 2002]
    assert len(ends) == 2
    lit = list(faults.flashes(seen["held"].during.edges(PWM_PIN)))
    for end_ns in ends:
        off_ns = [on_ns + lit_ns for on_ns, lit_ns in lit if on_ns < end_ns < on_ns + lit_ns]
        assert len(off_ns) == 1 and off_ns[0] - end_ns <= DARK_NS
    for number, mode in enumerate(("hybrid", "thread")):
        _split(_after_marks(seen["held"].during, number).edges(PWM_PIN), mode)


def _after_marks(trace, number: int):
    """What lies between the marks numbered 1000 before and behind a trial."""
    places = [place for place, record in enumerate(trace.records)
              if isinstance(record, faults.scope.Mark) and record.value == 1000]
    first = places[number - 1] if number else 0
    return faults.scope.Trace(trace.records[first:places[number]])


def test_a_starved_sender(seen):
    """In thread mode a hog keeps the sender away, but not the watch's interrupt."""
    faults.judge(_ENTRIES["hog"], seen["hog"])
    thread = _lit_ns(_split(_after_marks(seen["hog"].during, 0).edges(PWM_PIN), "thread"))
    hybrid = _lit_ns(_split(_after_marks(seen["hog"].during, 1).edges(PWM_PIN), "hybrid"))
    assert len(thread) == 1 and 20 * _MS < thread[0] <= 20 * _MS + WATCH_NS
    assert len(hybrid) == 2 and all(abs(lit_ns - 20 * _MS) < _PERFECT_NS for lit_ns in hybrid)


def test_a_starved_helper(seen):
    """Where the watch needs a thread to switch the emitter off, a hog on the only CPU keeps that
    away, too: it is dark when the hog is through, and before anything else happens."""
    faults.judge(_ENTRIES["hog, newer"], seen["hog, newer"])
    for number in (0, 1):
        edges = _after_marks(seen["hog, newer"].during, number).edges(PWM_PIN)
        assert len(_lit_ns(_split(edges, "thread"))) == 1


def test_a_hanging_call(seen):
    """A call that takes 5 ms: in interrupts nobody can help before it is over."""
    faults.judge(_ENTRIES["hangs"], seen["hangs"])
    for number in range(8):
        mode = "hybrid" if number < 4 else "thread"
        edges = _split(_after_marks(seen["hangs"].during, number).edges(PWM_PIN), mode)
        patience_ns = 5 * _MS + DARK_NS if mode == "hybrid" else WATCH_NS
        assert max(_lit_ns(edges)) <= 300_000 + patience_ns, f"trial {number}"


def test_a_hanging_call_of_an_emitter_that_may_sleep(seen):
    """The watch's helper switches it off while its own call sleeps."""
    faults.judge(_ENTRIES["sleeps"], seen["sleeps"])
    for number in range(4):
        edges = _split(_after_marks(seen["sleeps"].during, number).edges(PWM_PIN), "thread")
        assert max(_lit_ns(edges)) <= 300_000 + WATCH_NS, f"trial {number}"


def test_an_emitter_that_stays_lit(seen):
    """It fails for 0.33 s: within 0.1 s (a tick more) after that it is dark."""
    faults.judge(_ENTRIES["stuck"], seen["stuck"])
    trace = seen["stuck"].during
    assert _is_short(trace.after(1001).edges(PWM_PIN), _PERFECT_NS)
    mark_ns = next(record.ns for record in trace.records if isinstance(record, faults.scope.Mark))
    off_ns = [edge.ns for edge in trace.between(1000, 1001).edges(PWM_PIN)]
    assert len(off_ns) == 1 and off_ns[0] - mark_ns < 110 * _MS


def test_a_stopped_sender(seen):
    """Neither SIGSTOP nor a freezer nor a jump of the wall clock moves an edge."""
    faults.judge(_ENTRIES["stopped"], seen["stopped"])
    lit_ns = _lit_ns(seen["stopped"].during.edges(PWM_PIN))
    assert len(lit_ns) == 12
    assert all(abs(length_ns - 20 * _MS) < TICK_NS for length_ns in lit_ns)


def test_a_dead_sender(seen):
    """Its thread dies in the call that was to end a pulse: nothing goes on, but it is dark."""
    assert "Internal error: Oops" in seen["oops"].output
    assert seen["oops"].died == "the guest hung and the board's watchdog ended it"
    lit_ns, = _lit_ns(seen["oops"].during.after(1000).edges(PWM_PIN))
    assert 300_000 < lit_ns <= 300_000 + WATCH_NS
