# SPDX-License-Identifier: GPL-2.0-only
"""Judges a scenario: compares what it expects with what its run left behind. Every check yields the
problems it finds, each a text for a person to read."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.lab import board, host, irfile, scope
from tests.lab.scenario import Expect, Scenario
from tests.lab.session import Evidence

_WARNING = 4  # and what is worse is less
_TAINTS_ALLOWED = 1 << 12 | 1 << 13  # modules from out of the tree, and without a signature
# What stock modules say on any board: ours are not Debian's, and the receiver's first event is the
# silence before it, which the decoders' core takes for the second in a row.
_STOCK_NOISE = ["loading out-of-tree module taints kernel",
                "module verification failed: signature and/or required key missing",
                "rc rc[0-9]+: two consecutive events of type space"]
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
              _kernel_log(scenario.expect, seen), _taint(seen), _signals(scenario.expect, seen),
              _carrier(scenario.expect, seen), _driver(scenario.expect, seen),
              _decoded(scenario.expect, seen), _dark(scenario.expect, seen)]
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


# --- the pin ---

def _dark(expect: Expect, seen: Evidence) -> Iterator[str]:
    for pin in sorted({*board.TX_PINS, expect.pin}):
        if not seen.during.dark(pin):
            yield f"pin {pin} is lit when the scenario is over"
        if any(edge.lit for edge in seen.after.edges(pin)):
            yield f"pin {pin} lights up after the scenario, while its modules are removed"


def _sent(expect: Expect, seen: Evidence) -> list[scope.Edge]:
    """The edges that the scenario is about."""
    trace = seen.during
    if expect.signals_after_mark is not None:
        trace = trace.after(expect.signals_after_mark)
    return trace.edges(expect.pin)


def _signals(expect: Expect, seen: Evidence) -> Iterator[str]:
    """Signals are told apart by counting their edges; after the first that is wrong the count
    means nothing, and the search ends."""
    if expect.signals is None:
        return
    edges = _sent(expect, seen)
    for number, signal in enumerate(expect.signals, start=1):
        mine, edges = edges[:len(signal.lengths_us) + 1], edges[len(signal.lengths_us) + 1:]
        if wrong := list(_signal(signal, mine, expect)):
            yield f"signal {number} of {len(expect.signals)} on pin {expect.pin}:\n" \
                + "\n".join(wrong)
            return
    if edges:
        yield (f"pin {expect.pin} has {len(edges)} edge(s) more than the "
               f"{len(expect.signals)} signal(s) expected, the first at {edges[0].ns} ns")


def _signal(signal: irfile.Signal, edges: Sequence[scope.Edge], expect: Expect) -> Iterator[str]:
    """What is wrong with one signal."""
    lengths_ns = [1000 * us for us in signal.lengths_us]
    if len(edges) != len(lengths_ns) + 1:
        yield f"    {len(edges)} edges seen, {len(lengths_ns) + 1} expected"
    if any(edge.lit == number % 2 for number, edge in enumerate(edges)):
        yield "    on and off do not take turns: the carrier changed inside a pulse, or was off"
    yield from _table(lengths_ns, edges, expect.within_ns)
    if expect.carrier_hz is None and signal.carrier_hz is not None:
        yield from _carrier_of(edges, signal.carrier_hz, expect.carrier_within_pct)


def _table(lengths_ns: Sequence[int], edges: Sequence[scope.Edge], within_ns: int) -> Iterator[str]:
    """Every interval that is wrong by its length or its place in the signal."""
    rows = []
    due_ns = 0
    seen_ns = scope.intervals_ns(edges)
    for number, (asked_ns, got_ns) in enumerate(zip(lengths_ns, seen_ns)):
        due_ns += asked_ns
        late_ns = edges[number + 1].ns - edges[0].ns - due_ns
        if max(abs(got_ns - asked_ns), abs(late_ns)) > within_ns:
            rows.append(f"    {number:8} {'space' if number % 2 else 'pulse'} {asked_ns:12} "
                        f"{got_ns:12} {got_ns - asked_ns:+10} {late_ns:+10}")
    if rows:
        yield f"    {len(rows)} of {len(lengths_ns)} intervals are off by more than {within_ns} ns:"
        yield "    interval              asked_ns      seen_ns      error  edge_late"
        yield from rows[:_ROWS]


def _carrier(expect: Expect, seen: Evidence) -> Iterator[str]:
    edges = _sent(expect, seen)
    if expect.carrier_hz is not None:
        yield from _carrier_of(edges, expect.carrier_hz, expect.carrier_within_pct)
    if expect.duty_pct is not None:
        wrong = {edge.duty_pct for edge in edges
                 if edge.lit and abs(edge.duty_pct - expect.duty_pct) > expect.duty_within_pct}
        if wrong:
            yield (f"a duty cycle of {_numbers(wrong)} %, expected {expect.duty_pct} % "
                   f"within {expect.duty_within_pct}")


def _carrier_of(edges: Sequence[scope.Edge], wanted_hz: int, within_pct: float) -> Iterator[str]:
    wrong = {edge.carrier_hz for edge in edges if edge.lit
             and abs(edge.carrier_hz - wanted_hz) * 100 > wanted_hz * within_pct}
    if wrong:
        yield f"a carrier of {_numbers(wrong)} Hz, expected {wanted_hz} Hz within {within_pct} %"


def _numbers(values: set[float]) -> str:
    return ", ".join(f"{value:.1f}" for value in sorted(values))


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
    for number, (block, edges) in enumerate(zip(blocks, _sent_signals(expect, seen, blocks)),
                                            start=1):
        yield from _disagreement(number, block, edges, expect.driver_agrees_ns)


def _sent_signals(expect: Expect, seen: Evidence,
                  blocks: Sequence[Sequence[DriverEdge]]) -> Iterator[list[scope.Edge]]:
    """The oscilloscope's edges, signal by signal; where no signals are given `edges` must tell of
    all of them."""
    edges = _sent(expect, seen)
    if expect.signals is None:
        sizes = [len(block) for block in blocks[:-1]] + [len(edges)]
    else:
        sizes = [len(signal.lengths_us) + 1 for signal in expect.signals]
    for size in sizes:
        yield edges[:size]
        edges = edges[size:]


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
