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
from pathlib import Path

from tests.bench import cases, figures
from tests.lab import host, session

_BOOTS_AT_A_TIME = 2
_SIGNALS_A_BOOT = 250
_DEFAULT_SIGNALS = 1000


class BenchError(Exception):
    """A run did not go through; the text says which, and where its logs are."""


def main() -> int:
    """Run what the command line names and print a table."""
    arguments = _parse()
    logs = session.new_logs()
    chosen = [case for case in cases.CASES
              if not arguments.case or case.name in arguments.case]
    try:
        results = _run(chosen, arguments.signals, logs)
    except (BenchError, host.LabError) as error:
        print(f"bench: {error}", file=sys.stderr)
        return 1
    print(_table(chosen, results))
    if arguments.json:
        arguments.json.write_text(json.dumps({name: dataclasses.asdict(result)
                                              for name, result in results.items()}, indent=1)
                                  + "\n", encoding="ascii")
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


def _run(chosen: list[cases.Case], signals: int, logs: Path) -> dict[str, figures.Figures]:
    """All boots of all cases, two at a time."""
    stop = threading.Event()
    with ThreadPoolExecutor(_BOOTS_AT_A_TIME) as pool:
        try:
            boots = {case.name: [pool.submit(_boot, case, seed, logs / f"{case.name}-{seed}", stop)
                                 for seed in range(1, signals // _SIGNALS_A_BOOT + 1)]
                     for case in chosen}
            return {name: figures.sum_up([signal for boot in mine for signal in boot.result()])
                    for name, mine in boots.items()}
        finally:
            stop.set()
            pool.shutdown(cancel_futures=True)


def _boot(case: cases.Case, seed: int, logs: Path, stop: threading.Event) -> list[list[int]]:
    """One boot of a case: the errors of its edges, signal by signal."""
    entry = case.scenario(_SIGNALS_A_BOOT, seed)
    seen, = session.run(entry.board, [entry], logs, stop)
    if seen.died or seen.exit:
        raise BenchError(f"{entry.path} ended with {seen.died or seen.exit}:\n"
                         f"{host.tail(seen.output)}\nlogs: {seen.logs}")
    try:
        return list(figures.errors_ns(cases.asked(_SIGNALS_A_BOOT), seen.during.edges(18)))
    except figures.Mismatch as error:
        raise BenchError(f"{entry.path}: {error}; logs: {seen.logs}") from error


def _table(chosen: list[cases.Case], results: dict[str, figures.Figures]) -> str:
    """The figures as a Markdown table."""
    lines = ["| case | perfect signals | bad edges | mean error | p99 | p99.9 | worst |",
             "|---|---|---|---|---|---|---|"]
    for case in chosen:
        got = results[case.name]
        lines.append(f"| {case.title} | {got.perfect} of {got.signals} | {got.bad} of {got.edges} "
                     f"| {got.mean_ns} ns | {got.p99_ns} ns | {got.p999_ns} ns | {got.max_ns} ns |")
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())
