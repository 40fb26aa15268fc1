# SPDX-License-Identifier: GPL-2.0-only
"""What is measured: which driver sends what, on which board, beside which load."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from tests.lab import host, irfile, scenario
from tests.lab.qemu import Machine

_SHORT = ("rc5", "rcmm24", "rc6", "rcmm32", "mce-keyboard", "rc5", "rcmm24", "rc6", "rcmm32")
EXAMPLES = [host.TREE / "examples" / f"{name}.ir" for name in ("nec", *_SHORT)]
_GAP_US = 5_000
_VIRTUAL_S_PER_SIGNAL = 1  # many times what one takes beside the heaviest load

# What a load does in the guest, given a seed
LOADS = {
    "tasks": "for task in 1 2; do while :; do :; done & done",
    "irqsoff": "modprobe irqoff_load max_us=100 seed={seed}",
}


@dataclass(frozen=True)
class Case:
    """One row of the table."""

    name: str
    title: str
    loads: tuple[str, ...] = ()
    shift: int = 0

    def scenario(self, signals: int, seed: int) -> scenario.Scenario:
        """A run of so many signals; another seed makes another run."""
        lines = [LOADS[load].format(seed=seed) for load in self.loads]
        sends = " ".join(f"--send /examples/{path.name}" for path in EXAMPLES)
        lines += ["i=0", f"while [ $i -lt {signals // len(EXAMPLES)} ]; do",
                  f"\tir-ctl -d $TX --gap={_GAP_US} {sends}", "\ti=$((i + 1))", "done",
                  "cat $(debug pwm-ir-tx)/stats"]
        if "irqsoff" in self.loads:
            lines.append("grep . /sys/module/irqoff_load/parameters/* | sed 's,.*/,load ,'")
        return scenario.Scenario(path=Path(f"{self.name}-seed{seed}"), title=self.title,
                                 run="\n".join(lines) + "\n", modules=["pwm-ir-tx"],
                                 timeout_s=signals * _VIRTUAL_S_PER_SIGNAL,
                                 boot=Machine(shift=self.shift, seed=seed))


def asked(signals: int) -> list[irfile.Signal]:
    """The signals that a run sends, in order."""
    files = [irfile.read(path) for path in EXAMPLES]
    return files * (signals // len(EXAMPLES))


CASES = [
    Case("busy-idle", "busy, nothing else runs"),
    Case("busy-load", "busy, two busy tasks and a thread with interrupts off for up to 100 us",
         ("tasks", "irqsoff")),
]
