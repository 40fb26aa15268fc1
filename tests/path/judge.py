# SPDX-License-Identifier: GPL-2.0-only
"""Holds what a virtual chip recorded against the signal that was asked for."""

from __future__ import annotations

from collections.abc import Sequence

from tests.lab import carrier, irfile, record, scope

WITHIN_NS = 1000  # a bad edge is off by this
_LIMITS = carrier.Limits(start_ns=WITHIN_NS, half_cycle_ns=500, hz_pct=0.1)


def plain(found: record.Record, line: int, signal: irfile.Signal) -> list[str]:
    """What is wrong with a signal on a line that is on for each pulse."""
    edges = found.edges(line)
    due_ns = [1000 * sum(signal.lengths_us[:place]) for place in range(len(signal.lengths_us) + 1)]
    if [is_on for _, is_on in edges] != [not place % 2 for place in range(len(due_ns))]:
        return [f"line {line}: {len(edges)} edges, {len(due_ns)} asked for"]
    late_ns = [at_ns - edges[0][0] - asked_ns for (at_ns, _), asked_ns in zip(edges, due_ns)]
    return [f"line {line}: edge {place} is {late:+} ns late" for place, late in enumerate(late_ns)
            if abs(late) >= WITHIN_NS]


def modulated(found: record.Record, line: int, signal: irfile.Signal,
              wave: carrier.Wave) -> list[str]:
    """What is wrong with a signal on a line whose carrier is made by software."""
    edges = [scope.Edge(at_ns, line, is_on) for at_ns, is_on in found.edges(line)]
    if not edges:
        return [f"line {line} has never been on"]
    pause_ns = carrier.pause_ns([signal.lengths_us], wave.hz)
    return list(carrier.faults(wave, carrier.pulses(signal.lengths_us, wave),
                               carrier.bursts(edges, pause_ns), _LIMITS))


def dark(found: record.Record, lines: Sequence[int]) -> list[str]:
    """What is wrong with lines that must not have been on."""
    return [f"line {line} has been on" for line in lines if found.edges(line)]
