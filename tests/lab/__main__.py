# SPDX-License-Identifier: GPL-2.0-only
"""Runs scenarios by hand: python3 -m tests.lab run tests/e2e/*.toml"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from tests.lab import host, scenario, session, verdict


def main() -> int:
    """Run what the command line names; 0 if all of it passed."""
    arguments = _parse()
    logs = session.new_logs()
    try:
        failed = _run([scenario.load(path) for path in arguments.files], logs)
    except (host.LabError, scenario.ScenarioError) as error:
        print(error, file=sys.stderr)
        return 2
    print(f"logs: {logs}")
    return 1 if failed else 0


def _parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python3 -m tests.lab", description=__doc__)
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    run = commands.add_parser("run", help="run scenarios on the emulated board")
    run.add_argument("files", nargs="+", type=Path, metavar="FILE.toml")
    return parser.parse_args()


def _run(scenarios: list[scenario.Scenario], logs: Path) -> int:
    """Run scenarios board by board and print verdicts; the number that failed."""
    failed = 0
    for board in dict.fromkeys(entry.board for entry in scenarios):
        mine = [entry for entry in scenarios if entry.board == board]
        for entry, seen in zip(mine, session.run(board, mine, logs)):
            found = verdict.problems(entry, seen)
            failed += bool(found)
            print(f"{'FAIL' if found else 'pass'}  {entry.path.stem}: {entry.title}")
            if found:
                print(verdict.report(entry, seen, found), end="\n\n")
    return failed


if __name__ == "__main__":
    sys.exit(host.call(main))
