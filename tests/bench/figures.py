# SPDX-License-Identifier: GPL-2.0-only
"""Turns what the oscilloscope saw into figures; nothing the driver says goes in here."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tests.lab import irfile, scope

BAD_NS = 1000


class Mismatch(Exception):
    """The oscilloscope saw something else than the signals that were sent."""


@dataclass(frozen=True)
class Figures:
    """Errors of all edges, in ns, each against its place counted from its signal's first edge."""

    signals: int
    perfect: int
    edges: int
    bad: int
    mean_ns: float
    p99_ns: int
    p999_ns: int
    max_ns: int


def errors_ns(asked: Sequence[irfile.Signal], edges: Sequence[scope.Edge]) -> Iterator[list[int]]:
    """How far each edge of each signal is from its place; positive is late."""
    place = 0
    for number, signal in enumerate(asked, start=1):
        mine = edges[place:place + len(signal.lengths_us) + 1]
        place += len(mine)
        if [edge.lit for edge in mine] != [i % 2 == 0 for i in range(len(signal.lengths_us) + 1)]:
            raise Mismatch(f"signal {number} of {len(asked)} does not have its "
                           f"{len(signal.lengths_us) + 1} edges, on and off in turn")
        yield _errors_of(signal, mine)
    if place != len(edges):
        raise Mismatch(f"there are {len(edges) - place} edges more than were sent")


def _errors_of(signal: irfile.Signal, edges: Sequence[scope.Edge]) -> list[int]:
    due_ns = edges[0].ns
    errors = [0]
    for length_us, edge in zip(signal.lengths_us, edges[1:]):
        due_ns += 1000 * length_us
        errors.append(edge.ns - due_ns)
    return errors


def sum_up(signals: Sequence[Sequence[int]]) -> Figures:
    """The figures of all signals together."""
    amounts = sorted(abs(error) for signal in signals for error in signal)
    return Figures(signals=len(signals),
                   perfect=sum(max(map(abs, signal)) < BAD_NS for signal in signals),
                   edges=len(amounts), bad=sum(amount >= BAD_NS for amount in amounts),
                   mean_ns=round(sum(amounts) / len(amounts), 1), p99_ns=_quantile(amounts, 0.99),
                   p999_ns=_quantile(amounts, 0.999), max_ns=amounts[-1])


def _quantile(ordered: Sequence[int], part: float) -> int:
    """The smallest value that the given part of all values does not exceed."""
    return ordered[max(math.ceil(part * len(ordered)), 1) - 1]


def driver_says(output: str, name: str, unit: float) -> float | None:
    """One of the driver's statistics, in so many of its unit; None where it keeps none."""
    found = re.search(rf"^@stats {name} (\d+)$", output, re.MULTILINE)
    return int(found[1]) / unit if found else None


def taken_s(output: str) -> float | None:
    """How much CPU time the two counting tasks lost while signals were sent, judged by what they
    got done just before; None where there were no tasks."""
    done = [sum(map(int, counts)) for counts in
            zip(*(re.findall(rf"^@meter {name} (\d+)$", output, re.MULTILINE) for name in "ab"))]
    at_s = [float(at) for at in re.findall(r"^@at \w+ (\S+)$", output, re.MULTILINE)]
    if not done:
        return None
    rate = (done[1] - done[0]) / (at_s[1] - at_s[0])
    return at_s[2] - at_s[1] - (done[2] - done[1]) / rate
