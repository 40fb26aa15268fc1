# SPDX-License-Identifier: GPL-2.0-only
"""Compares every way to send on the emulated Raspberry Pi 3, by the oscilloscope on the pin: each
cell is a driver beside a load. Time is virtual, so the same sources give the same figures on any
machine. Cells that were measured before come from the cache, so an interrupted run goes on where it
was. Writes Documentation/bench and prints the table of its README."""

from __future__ import annotations

import argparse
import sys
import threading
import time
from collections.abc import Mapping
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from fnmatch import fnmatch

from tests.bench import cell, figures, measure, store, table
from tests.lab import host

_BOOTS_AT_A_TIME = 2


def main() -> int:
    """Measure what the command line names, and show it."""
    try:
        failed = _compare(_chosen(_parse()))
    except (cell.CellError, figures.Mismatch, host.LabError, store.StoreError) as error:
        failed = [str(error)]
    for text in failed:
        print(f"bench: {text}", file=sys.stderr)
    return 1 if failed else 0


def _compare(chosen: list[cell.Cell]) -> list[str]:
    """Measure cells, and show them among the others; why some could not be measured."""
    missing = [entry for entry in chosen if not entry.is_kept()]
    host.say(f"bench: {len(chosen)} cells, {len(missing)} of them to be measured")
    failed = _run(missing)
    runs = [entry.run() for entry in chosen if entry.name not in failed]
    cells = {**store.read(), **measure.results(runs, measure.alone_rate())}
    store.write(cells)
    print(table.summary(cells))
    return list(failed.values())


def _parse() -> list[str]:
    parser = argparse.ArgumentParser(prog="python3 -m tests.bench", description=__doc__,
                                     epilog="cells: " + ", ".join(store.order()))
    parser.add_argument("cell", nargs="*", default=["*"],
                        help="which to measure, like hybrid/all or 'mainline-*' (default: all)")
    patterns = parser.parse_args().cell
    for pattern in patterns:
        if not any(fnmatch(name, pattern) for name in store.order()):
            parser.error(f"no cell is called {pattern}; there are {', '.join(store.order())}")
    return patterns


def _chosen(patterns: list[str]) -> list[cell.Cell]:
    """The cells that are named."""
    return [cell.find(name) for name in store.order()
            if any(fnmatch(name, pattern) for pattern in patterns)]


def _run(cells: list[cell.Cell]) -> dict[str, str]:
    """Measure cells, two at a time; why some could not be."""
    stop = threading.Event()
    with ThreadPoolExecutor(_BOOTS_AT_A_TIME) as pool:
        try:
            jobs = {pool.submit(_one, entry, stop): entry.name for entry in cells}
            _tell(jobs)
            return {name: text for job, name in jobs.items() if (text := job.result())}
        finally:
            stop.set()
            pool.shutdown(cancel_futures=True)


def _tell(jobs: Mapping[Future, str]) -> None:
    """Say, with each cell that is done, how long the others may take."""
    began_s = time.monotonic()
    for done, job in enumerate(as_completed(jobs), start=1):
        left_s = (time.monotonic() - began_s) / done * (len(jobs) - done)
        host.say(f"bench: {done}/{len(jobs)} {jobs[job]}, some {left_s / 60:.0f} min left")


def _one(entry: cell.Cell, stop: threading.Event) -> str:
    """Measure a cell; why that was not possible, or nothing."""
    try:
        entry.run(stop)
    except (cell.CellError, host.LabError) as error:
        return str(error)
    return ""


if __name__ == "__main__":
    sys.exit(host.call(main))
