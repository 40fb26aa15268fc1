# SPDX-License-Identifier: GPL-2.0-only
"""Sends signals by the ten thousand on the emulated Raspberry Pi, in virtual time: many boots with
different seeds, loads, modes, drivers and kernels. The oscilloscope on the pin judges each edge,
and the kernel's decoders, on another board, each frame. It goes on where it was stopped."""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

from tests.lab import host
from tests.soak import ledger, report, run
from tests.soak.pieces import plan

_LEDGER = Path(__file__).with_name("ledger.jsonl")
_DEFAULT_SIGNALS = 20_000
_BAR = 30


def main() -> int:
    """Send what the ledger does not have yet, and report."""
    arguments = _parse()
    try:
        entries = ledger.read(arguments.ledger)
        if not arguments.report:
            _send(entries, arguments.signals, arguments.ledger)
    except (ledger.LedgerError, host.LabError) as error:
        print(f"soak: {error}", file=sys.stderr)
        return 2
    mine = [entry for entry in entries if arguments.all_sources or entry.sources == run.sources()]
    print(report.text(mine))
    if left := len(entries) - len(mine):
        print(f"\n{left} lines of the ledger are of other sources; --all-sources sums them, too.")
    return 1 if any(entry.missed for entry in mine) else 0


def _parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python3 -m tests.soak", description=__doc__)
    parser.add_argument("--signals", type=int, default=_DEFAULT_SIGNALS, metavar="N",
                        help="how many the ledger shall have of the drivers as they are now "
                             f"(default {_DEFAULT_SIGNALS})")
    parser.add_argument("--report", action="store_true", help="send nothing, sum the ledger up")
    parser.add_argument("--all-sources", action="store_true",
                        help="sum what was sent by other versions of the drivers as well")
    parser.add_argument("--ledger", type=Path, default=_LEDGER, metavar="FILE",
                        help=f"(default: {_LEDGER.relative_to(host.TREE)})")
    arguments = parser.parse_args()
    if arguments.signals < 1:
        parser.error(f"--signals {arguments.signals}: give a number from 1 up")
    return arguments


def _send(entries: list[ledger.Entry], wanted: int, path: Path) -> None:
    """Send the first pieces that are not there, until there are signals enough; each is written
    down when it is complete, so an interrupt loses one at most."""
    here = {entry.what: entry.sent for entry in entries if entry.sources == run.sources()}
    before = sum(here.values())
    began_s = time.monotonic()
    for piece in plan():
        if sum(here.values()) >= wanted:
            return
        if piece.what in here:
            continue
        entry = run.send(piece)
        entries.append(entry)
        ledger.write(path, entries)
        here[entry.what] = entry.sent
        sent = sum(here.values())
        s_per_signal = (time.monotonic() - began_s) / (sent - before)
        _tell_progress(sent, wanted, s_per_signal * max(wanted - sent, 0))


def _tell_progress(sent: int, wanted: int, left_s: float) -> None:
    """How far it is, and how long it will take."""
    done = min(sent / wanted, 1)
    host.say(f"soak: [{'#' * round(_BAR * done):.<{_BAR}}] {sent}/{wanted} signals, "
             f"{100 * done:.0f} %, {left_s / 60:.0f} min left")


if __name__ == "__main__":
    sys.exit(host.call(main))
