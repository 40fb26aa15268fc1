# SPDX-License-Identifier: GPL-2.0-only
"""Runs the fuzzer, repeats what it found, and boils that down to the few operations that matter."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.fuzz import lab
from tests.lab import host, um

_OVERLAY = Path(__file__).parent / "dts/fuzz.dts"
_ENDLESS_S = 1_000_000
_HOST_S_A_ROUND = 10  # ten times what it takes
_BOOT_S = 120
_KIND = re.compile(r"^fuzz: (\w+) +(\d+), +(\d+) refused$", re.MULTILINE)
_SUM = re.compile(r"^fuzz: (\d+) rounds, (\d+) operations, (\d+) signals, "
                  r"(\d+) NEC signals judged$", re.MULTILINE)
_ROUND = re.compile(r"^fuzz: round (\d+)$", re.MULTILINE)
_FOUND = re.compile(r"^fuzz: found: (.*)$", re.MULTILINE)
_REPRODUCER = re.compile(r"^# reproducer: [^\n]*\n(.*?)^# end of reproducer$",
                         re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Campaign:
    """What came of a run of the fuzzer."""

    run: um.Run

    @property
    def problem(self) -> str:
        """The finding, or what else was wrong, or nothing."""
        return self.finding or self.run.problem

    @property
    def finding(self) -> str:
        """What the fuzzer found, or else a checker of the kernel."""
        match = _FOUND.search(self.run.output)
        return match[1] if match else "".join(self.run.reports[:1])

    @property
    def reproducer(self) -> list[str]:
        """The operations of the round in which it was found."""
        match = _REPRODUCER.search(self.run.output)
        return match[1].splitlines() if match else []

    @property
    def kinds(self) -> dict[str, tuple[int, int]]:
        """How many operations of each kind were done, and how many of these were refused."""
        return {kind: (int(done), int(refused))
                for kind, done, refused in _KIND.findall(self.run.output)}

    @property
    def operations(self) -> int:
        """How many operations were done."""
        return self._sum(2)

    @property
    def signals(self) -> int:
        """How many signals were sent whole."""
        return self._sum(3)

    @property
    def judged(self) -> int:
        """How many signals were held against the record of a virtual chip."""
        return self._sum(4)

    def report(self) -> str:
        """The problem, for a person to read."""
        last = "".join(_ROUND.findall(self.run.output)[-1:])
        return "\n".join([f"{self.problem or 'nothing was found'}, in round {last}; "
                          "the console ends with:", host.tail(self.run.console),
                          *self.reproducer])

    def _sum(self, column: int) -> int:
        match = _SUM.search(self.run.output)
        return int(match[column]) if match else 0


def run(seed: int, first: int, rounds: int, tree: Path = host.TREE) -> Campaign:
    """Fuzz the modules of a tree, some rounds from the first one on."""
    with host.step(f"fuzzing, {rounds} rounds of seed {seed}"):
        return _fuzz(f"run {seed} {first} {rounds} {_ENDLESS_S}", {}, tree,
                     _BOOT_S + _HOST_S_A_ROUND * rounds)


def replay(operations: Sequence[str], tree: Path = host.TREE) -> Campaign:
    """Do these operations."""
    return _fuzz("replay /operations", {"operations": "\n".join(operations)}, tree, _BOOT_S)


def minimise(operations: Sequence[str], tree: Path = host.TREE) -> list[str]:
    """The operations without those that a finding does not need: pieces are left out, ever smaller
    ones, as long as there still is a finding."""
    needed = list(operations)
    size = len(needed) // 2
    while size:
        host.say(f"{len(needed)} operations, trying without {size} at a time")
        place = 0
        while place < len(needed):
            fewer = needed[:place] + needed[place + size:]
            if fewer and replay(fewer, tree).finding:
                needed = fewer
            else:
                place += size
        size //= 2
    return needed


def _fuzz(command: str, texts: dict[str, str], tree: Path, deadline_s: float) -> Campaign:
    return Campaign(lab.run(f"plug fuzz\n/fuzz {command}\n", [lab.overlay(_OVERLAY)], tree=tree,
                            texts=texts, deadline_s=deadline_s))
