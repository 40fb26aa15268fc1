# SPDX-License-Identifier: GPL-2.0-only
"""Measures the drivers on the emulated Raspberry Pi 3, by the oscilloscope on the pin: each case
sends a mix of NEC, RC-5, RC-6, Sony and RC-MM signals. Time is virtual, so a run of the same
signals, seeds and sources prints the same figures on any machine."""

from __future__ import annotations

import argparse
import dataclasses
import json
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from tests.bench import cases, figures
from tests.lab import host, session

_BOOTS_AT_A_TIME = 2
_SIGNALS_A_BOOT = 500
_DEFAULT_SIGNALS = 1000


class BenchError(Exception):
    """A run did not go through; the text says which, and where its logs are."""


@dataclass(frozen=True)
class Boot:
    """What one boot brought: the errors of its edges, signal by signal; what the driver says of
    its interrupts-off time (None: it says nothing); how much of the signals' time was taken from
    the tasks (None: there are none)."""

    errors_ns: list[list[int]]
    signal_s: float
    irqs_off_s: float | None
    irqs_off_longest_us: float | None
    taken_s: float | None


def main() -> int:
    """Run what the command line names and print a table."""
    arguments = _parse()
    logs = session.new_logs()
    chosen = [case for case in cases.CASES
              if not arguments.case or case.name in arguments.case]
    try:
        boots = _run(chosen, arguments.signals, logs)
    except (BenchError, host.LabError) as error:
        print(f"bench: {error}", file=sys.stderr)
        return 1
    results = {name: _results(mine) for name, mine in boots.items()}
    print(_table(chosen, results))
    if arguments.json:
        arguments.json.write_text(json.dumps(results, indent=1) + "\n", encoding="ascii")
    return 0


def _parse() -> argparse.Namespace:
    names = [case.name for case in cases.CASES]
    parser = argparse.ArgumentParser(
        prog="python3 -m tests.bench", description=__doc__,
        epilog="cases: " + "; ".join(f"{case.name}: {case.title}" for case in cases.CASES))
    parser.add_argument("case", nargs="*", help="what to measure (default: everything)")
    parser.add_argument("--signals", type=int, default=_DEFAULT_SIGNALS, metavar="N",
                        help=f"signals a case, a multiple of {_SIGNALS_A_BOOT} "
                             f"(default {_DEFAULT_SIGNALS}); each {_SIGNALS_A_BOOT} are a boot "
                             "with a seed of its own")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures there as well")
    arguments = parser.parse_args()
    if unknown := set(arguments.case) - set(names):
        parser.error(f"no such case: {', '.join(sorted(unknown))}; there are {', '.join(names)}")
    if arguments.signals < 1 or arguments.signals % _SIGNALS_A_BOOT:
        parser.error(f"--signals {arguments.signals}: give a multiple of {_SIGNALS_A_BOOT}")
    return arguments


def _run(chosen: list[cases.Case], signals: int, logs: Path) -> dict[str, list[Boot]]:
    """All boots of all cases, two at a time."""
    stop = threading.Event()
    with ThreadPoolExecutor(_BOOTS_AT_A_TIME) as pool:
        try:
            boots = {case.name: [pool.submit(_boot, case, seed, logs / f"{case.name}-{seed}", stop)
                                 for seed in range(1, signals // _SIGNALS_A_BOOT + 1)]
                     for case in chosen}
            return {name: [boot.result() for boot in mine] for name, mine in boots.items()}
        finally:
            stop.set()
            pool.shutdown(cancel_futures=True)


def _boot(case: cases.Case, seed: int, logs: Path, stop: threading.Event) -> Boot:
    """One boot of a case."""
    entry = case.scenario(_SIGNALS_A_BOOT, seed)
    seen, = session.run(entry.board, [entry], logs, stop)
    if seen.died or seen.exit:
        raise BenchError(f"{entry.path} ended with {seen.died or seen.exit}:\n"
                         f"{host.tail(seen.output)}\nlogs: {seen.logs}")
    asked = cases.asked(_SIGNALS_A_BOOT)
    try:
        edges = seen.during.after(cases.MARK).edges(18)
        errors_ns = list(figures.errors_ns(asked, edges))
    except figures.Mismatch as error:
        raise BenchError(f"{entry.path}: {error}; logs: {seen.logs}") from error
    return Boot(errors_ns, sum(sum(signal.lengths_us) for signal in asked) / 1e6,
                figures.driver_says(seen.output, "irqs_off_ns", 1e9),
                figures.driver_says(seen.output, "irqs_off_longest_ns", 1e3),
                figures.taken_s(seen.output))


def _results(boots: list[Boot]) -> dict[str, float | int | None]:
    """A case's figures."""
    errors_ns = [signal for boot in boots for signal in boot.errors_ns]
    got = dataclasses.asdict(figures.sum_up(errors_ns))
    signal_s = sum(boot.signal_s for boot in boots)
    got["irqs_off_pct"] = _percent([boot.irqs_off_s for boot in boots], signal_s)
    longest_us = [boot.irqs_off_longest_us for boot in boots]
    got["irqs_off_longest_us"] = None if None in longest_us else round(max(longest_us), 1)
    got["cpu_taken_pct"] = _percent([boot.taken_s for boot in boots], signal_s)
    return got


def _percent(parts_s: list[float | None], whole_s: float) -> float | None:
    """How much of the whole the parts are, where they are known."""
    return None if None in parts_s else round(100 * sum(parts_s) / whole_s, 1)


def _table(chosen: list[cases.Case], results: dict[str, dict]) -> str:
    """The figures as a Markdown table."""
    lines = ["| mode | perfect signals | bad edges | mean | p99 | p99.9 | worst edge "
             "| interrupts off | longest | CPU taken |",
             "|---|---|---|---|---|---|---|---|---|---|"]
    for case in chosen:
        got = results[case.name]
        lines.append(f"| {case.title} | {got['perfect']} of {got['signals']} "
                     f"| {got['bad']} of {got['edges']} | {got['mean_ns']} ns | {got['p99_ns']} ns "
                     f"| {got['p999_ns']} ns | {got['max_ns']} ns | "
                     f"{_cell(got['irqs_off_pct'], '%')} | "
                     f"{_cell(got['irqs_off_longest_us'], 'us')} | "
                     f"{_cell(got['cpu_taken_pct'], '%')} |")
    return "\n".join(lines)


def _cell(value: float | None, unit: str) -> str:
    """A value that may be unknown."""
    return "" if value is None else f"{value} {unit}"


if __name__ == "__main__":
    sys.exit(host.call(main))
