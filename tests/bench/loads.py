# SPDX-License-Identifier: GPL-2.0-only
"""What goes on beside a sender: shell commands for the guest that begin each load, given a seed,
and end all of them. They want a board with tools.tools(), OVERLAY and Machine(card=True)."""

from __future__ import annotations

from tests.bench import tools

OVERLAY = "sd-card"
STORM_PIN = 25
STORM_EDGES_PER_S = 4000
STORM = 0x3f2f0010  # a control of the board, see tests/lab/board/irboard.c

# The card is read 1 KiB at a time: the emulated one has its data ready at once, so its driver moves
# a whole request in one interrupt, and larger ones would keep others off for longer than any load
# claims to.
_PARTS = {
    "tasks": "for name in a b; do irbench count $name & counting=\"${{counting:-}} $!\"; done\n",
    "switches": "irbench switch s &\ncounting=\"${{counting:-}} $!\"\n",
    "irqoff": "modprobe irqoff_load max_us=100 seed={seed}\n",
    "irqs": f"""modprobe irq_storm seed={{seed}}
irbench edges {STORM_PIN} &
listening=$!
devmem {STORM:#x} 32 {STORM_EDGES_PER_S}
""",
    "block": f"""for name in {' '.join(tools.CARD_MODULES)}; do insmod /card/$name.ko; done
while [ ! -e /dev/mmcblk0 ]; do sleep 0.02; done
while :; do dd if=/dev/mmcblk0 of=/dev/null bs=1k count=4000 iflag=direct 2>/dev/null; done &
reading=$!
""",
}
# Not the card: beside the others its stock driver keeps interrupts off for up to 1.7 ms.
_ALL = ("tasks", "switches", "irqoff", "irqs")
# Where CPU time is told: what a switch between tasks costs depends on who runs beside them, so that
# the others' share is no measure beside them.
_STEADY = ("tasks", "irqoff", "irqs")
TITLES = {
    "none": "nothing else",
    "tasks": "two busy tasks",
    "switches": "context switches",
    "irqoff": "interrupts off for up to 100 us",
    "irqs": "a storm of interrupts",
    "block": "an SD card that is read",
    "steady": "tasks, interrupts off, storm",
    "all": "all but the card together",
}
END = f"""devmem {STORM:#x} 32 0
kill ${{counting:-}} ${{listening:-}} ${{reading:-}} 2>/dev/null || true
rmmod irqoff_load irq_storm 2>/dev/null || true
"""


def begin(load: str, seed: int) -> str:
    """The commands that begin a load."""
    return "".join(_PARTS[part].format(seed=seed) for part in parts(load))


def parts(load: str) -> list[str]:
    """What a load consists of."""
    return {"none": [], "steady": list(_STEADY), "all": list(_ALL)}.get(load, [load])
