# SPDX-License-Identifier: GPL-2.0-only
"""What is measured: which mode sends what, on which board, beside which load."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from tests.bench import mainline
from tests.lab import host, irfile, scenario
from tests.lab.qemu import KernelName, Machine

MARK = 1000
_MIX = ("nec", "rc5", "rc6", "sony12", "rcmm24", "nec", "mce-keyboard", "rc5", "rc6", "rcmm32")
EXAMPLES = [host.TREE / "examples" / f"{name}.ir" for name in _MIX]
_GAP_US = 5_000
_VIRTUAL_S_PER_SIGNAL = 1  # many times what one takes beside the heaviest load
_METER_S = 4

# What a load does in the guest, given a seed. The two tasks count what they get done, which tells
# how much of the CPU is left to them.
LOADS = {
    "tasks": """
task() {
    n=0
    trap 'echo "@meter $1 $n"' USR1
    while :; do n=$((n + 1)); done
}
for name in a b; do
    task $name &
    tasks="${tasks:-} $!"
done
""",
    "irqsoff": "modprobe irqoff_load max_us=100 seed={seed}\n",
}

_RUN = """
{settings}
{loads}
send() {{
    i=0
    while [ $i -lt $1 ]; do
        ir-ctl -d $TX --gap={gap_us} {sends}
        i=$((i + 1))
    done
}}
meter() {{
    [ -z "${{tasks:-}}" ] || kill -USR1 $tasks
    sleep 0.1
    echo "@at $1 $(cut -d' ' -f1 /proc/uptime)"
}}
send {warm}
{reset}
meter idle
sleep {meter_s}
meter begin
mark {mark}
send {rounds}
meter end
{stats}
grep -s . /sys/module/irqoff_load/parameters/* | sed 's,.*/,@load ,' || true
"""

_RESET = "echo 1 > $(debug pwm-ir-tx)/reset"
_STATS = "sed 's/^/@stats /' $(debug pwm-ir-tx)/stats"


@dataclass(frozen=True)
class Case:
    """One row of the table. Warm-up signals let the margin settle; they are not counted.

    Mainline's driver of the same name has no modes, no settings and no statistics: mode "".
    """

    name: str
    title: str
    mode: str
    loads: tuple[str, ...] = ()
    settings: tuple[tuple[str, int], ...] = ()
    warm: int = 0
    shift: int = 0
    cpus: int = 1
    kernel: KernelName = "6.12"
    defines: tuple[str, ...] = ()

    def scenario(self, signals: int, seed: int) -> scenario.Scenario:
        """A run of so many signals; another seed makes another run."""
        run = _RUN.format(settings=self._set_up(), gap_us=_GAP_US, meter_s=_METER_S,
                          reset=_RESET if self.mode else "", stats=_STATS if self.mode else "",
                          loads="".join(LOADS[load].format(seed=seed) if load == "irqsoff"
                                        else LOADS[load] for load in self.loads),
                          sends=" ".join(f"--send /examples/{path.name}" for path in EXAMPLES),
                          warm=self.warm // len(EXAMPLES), rounds=signals // len(EXAMPLES),
                          mark=MARK)
        return scenario.Scenario(path=Path(f"{self.name}-seed{seed}.bench"), title=self.title,
                                 run=run, modules=["pwm-ir-tx"], defines=list(self.defines),
                                 drivers=host.TREE if self.mode else mainline.sources(self.kernel),
                                 timeout_s=(signals + self.warm) * _VIRTUAL_S_PER_SIGNAL + 30,
                                 boot=Machine(kernel=self.kernel, cpus=self.cpus, shift=self.shift,
                                              seed=seed))

    def _set_up(self) -> str:
        """Shell commands that make the settings."""
        values = [("tx_mode", self.mode), *self.settings] if self.mode else []
        return "\n".join(f"echo {value} > /sys/class/rc/rc0/device/{name}"
                         for name, value in values)


def asked(signals: int) -> list[irfile.Signal]:
    """The signals that a run sends, in order."""
    files = [irfile.read(path) for path in EXAMPLES]
    return files * (signals // len(EXAMPLES))


_ALL = ("tasks", "irqsoff")
_WARM = 250  # 8192 wake-ups and more, a window of the margin

CASES = [
    Case("busy-unbounded", "busy, unbounded", "busy", _ALL, (("tx_max_irqs_off_us", 0),)),
    Case("busy", "busy, interrupts let in after 10 ms", "busy", _ALL),
    Case("hybrid", "hybrid", "hybrid", _ALL, warm=_WARM),
    Case("hybrid-idle", "hybrid, no load", "hybrid", warm=_WARM),
    Case("hybrid-thread", "hybrid by its thread", "hybrid", _ALL, warm=_WARM,
         defines=("IRTX_HAS_PWM_ATOMIC_LOCK",)),
    Case("hybrid-slow", "hybrid, a core four times slower", "hybrid", _ALL, warm=_WARM, shift=2),
    Case("auto", "auto", "auto", _ALL, warm=_WARM),
    Case("thread-tasks", "thread, busy tasks only", "thread", ("tasks",), warm=_WARM),
    Case("mainline", "mainline's driver", "", _ALL, warm=_WARM),
    Case("mainline-tasks", "mainline's driver, busy tasks only", "", ("tasks",), warm=_WARM),
    Case("thread-6.1", "6.1: thread, busy tasks only", "thread", ("tasks",), warm=_WARM,
         kernel="6.1"),
    Case("mainline-6.1", "6.1: mainline's driver, busy tasks only", "", ("tasks",), warm=_WARM,
         kernel="6.1"),
    Case("thread-rt", "6.12-rt: thread, busy tasks only", "thread", ("tasks",), warm=_WARM,
         kernel="6.12-rt"),
    Case("mainline-rt", "6.12-rt: mainline's driver, busy tasks only", "", ("tasks",), warm=_WARM,
         kernel="6.12-rt"),
]
