# SPDX-License-Identifier: GPL-2.0-only
"""Judges a scenario: compares what it expects with what its run left behind. Every check yields the
problems it finds, each a text for a person to read."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.lab import host, pins, scope
from tests.lab.scenario import Expect, Scenario
from tests.lab.session import Evidence

_WARNING = 4  # and what is worse is less
_TAINTS_ALLOWED = 1 << 12 | 1 << 13  # modules from out of the tree, and without a signature
# What stock modules say on any board: ours are not Debian's, and the receiver's first event is the
# silence before it, which the decoders' core takes for the second in a row. After 10 s 7.3 misses
# the radio that QEMU's board has not.
_STOCK_NOISE = ["loading out-of-tree module taints kernel",
                "module verification failed: signature and/or required key missing",
                "rc rc[0-9]+: two consecutive events of type space",
                "platform wifi-pwrseq: deferred probe pending"]
_ROWS = 12  # of a table of wrong intervals; more would hide the rest of the report
_KILLED = 137


@dataclass(frozen=True)
class DriverEdge:
    """A line of the driver's debugfs file "edges"."""

    level: int
    due_ns: int
    late_ns: int
    cost_ns: int

    @property
    def at_ns(self) -> int:
        """When the driver says that the edge was."""
        return self.due_ns + self.late_ns


def problems(scenario: Scenario, seen: Evidence) -> list[str]:
    """All that is wrong, nothing if the scenario passed."""
    if seen.died:
        return [f"the board did not survive: {seen.died}", *_kernel_log(scenario.expect, seen)]
    checks = [_ended(scenario, seen), seen.problems, _output(scenario.expect, seen),
              _kernel_log(scenario.expect, seen), _taint(seen),
              pins.problems(scenario.expect, seen), _driver(scenario.expect, seen),
              _decoded(scenario.expect, seen)]
    return list(itertools.chain.from_iterable(checks))


def report(scenario: Scenario, seen: Evidence, found: Sequence[str]) -> str:
    """A failure for a person to read."""
    parts = [f"{scenario.title}\n({scenario.path})", *found,
             _section("what the scenario printed", seen.output),
             _section("the kernel's log", seen.kernel_log),
             _section("the end of the serial log", _read(seen.logs / "serial.log")),
             f"all logs: {seen.logs}"]
    return "\n\n".join(part for part in parts if part)


def _section(title: str, text: str) -> str:
    text = host.tail(text.strip())
    return f"--- {title}:\n{text}" if text else ""


def _read(path: Path) -> str:
    return path.read_text(encoding="utf-8", errors="replace") if path.is_file() else ""


# --- the run ---

def _ended(scenario: Scenario, seen: Evidence) -> Iterator[str]:
    if seen.exit == _KILLED:
        yield f"it ran longer than its timeout_s of {scenario.timeout_s} virtual seconds"
    elif seen.exit is None:
        yield "it never ended"
    elif seen.exit != scenario.expect.exit:
        yield f"exit status {seen.exit}, expected {scenario.expect.exit}"


def _output(expect: Expect, seen: Evidence) -> Iterator[str]:
    for pattern in expect.output:
        if not re.search(pattern, seen.output, re.MULTILINE):
            yield f"its output does not match {pattern!r}"
    for pattern in expect.not_output:
        if match := re.search(pattern, seen.output, re.MULTILINE):
            yield f"its output matches {pattern!r}: {match[0]!r}"


def _kernel_log(expect: Expect, seen: Evidence) -> Iterator[str]:
    for pattern in expect.kernel_log:
        if not re.search(pattern, seen.kernel_log, re.MULTILINE):
            yield f"the kernel's log does not match {pattern!r}"
    known = [*expect.kernel_log, *_STOCK_NOISE]
    worries = [line for line in seen.kernel_log.splitlines()
               if _level(line) <= _WARNING and not any(re.search(item, line) for item in known)]
    if worries:
        yield "the kernel warns:\n" + "\n".join(f"    {line}" for line in worries)


def _level(line: str) -> int:
    """How grave a line of the raw kernel log is; continued lines carry no level of their own."""
    match = re.match(r"<(\d+)>", line)
    return int(match[1]) % 8 if match else _WARNING + 1


def _taint(seen: Evidence) -> Iterator[str]:
    if seen.taint & ~_TAINTS_ALLOWED:
        yield (f"the kernel is tainted ({seen.taint}; only {_TAINTS_ALLOWED} is allowed: "
               "out-of-tree and unsigned modules)")


def _decoded(expect: Expect, seen: Evidence) -> Iterator[str]:
    if expect.decoded is None:
        return
    heard = re.findall(r"^@decoded (\S+) (\S+)$", seen.output, re.MULTILINE)
    wanted = [tuple(entry.split(":")) for entry in expect.decoded]
    if [_scancode(*code) for code in heard] != [_scancode(*code) for code in wanted]:
        yield ("the receiver decoded " + (", ".join(":".join(code) for code in heard) or "nothing")
               + f"; expected {', '.join(expect.decoded) or 'nothing'}")


def _scancode(protocol: str, code: str) -> tuple[str, int]:
    """Tools disagree on how to spell a protocol."""
    return re.sub("[-_]", "", protocol), int(code, 0)


# --- the driver's own instrument ---

def driver_edges(output: str) -> list[list[DriverEdge]]:
    """What `edges` printed, one list for each time it was called."""
    blocks = re.findall(r"^@edges\n(.*?)^@end$", output, re.MULTILINE | re.DOTALL)
    return [[DriverEdge(*map(int, line.split()[1:5])) for line in block.splitlines()
             if not line.startswith("#")] for block in blocks]


def _driver(expect: Expect, seen: Evidence) -> Iterator[str]:
    """The driver's figures against the oscilloscope's, interval by interval."""
    if expect.driver_agrees_ns is None:
        return
    blocks = driver_edges(seen.output)
    if not blocks:
        yield "driver_agrees_ns is given, but the scenario never calls `edges`"
    sent = pins.envelopes(expect, seen, [len(block) for block in blocks])
    for number, (block, edges) in enumerate(zip(blocks, sent), start=1):
        yield from _disagreement(number, block, edges, expect.driver_agrees_ns)


def _disagreement(number: int, block: Sequence[DriverEdge], edges: Sequence[scope.Edge],
                  within_ns: int) -> Iterator[str]:
    if len(block) != len(edges) or not block:
        yield (f"`edges` call {number}: the driver tells of {len(block)} edges, the oscilloscope "
               f"of {len(edges)}")
    told_ns = [after.at_ns - before.at_ns for before, after in zip(block, block[1:])]
    rows = [f"    {place:8} {told:12} {saw:12} {told - saw:+10}"
            for place, (told, saw) in enumerate(zip(told_ns, scope.intervals_ns(edges)))
            if abs(told - saw) > within_ns]
    if rows:
        yield "\n".join([f"`edges` call {number}: driver and oscilloscope differ by more than "
                         f"{within_ns} ns in {len(rows)} of {len(told_ns)} intervals:",
                         "    interval    driver_ns     scope_ns      error", *rows[:_ROWS]])
