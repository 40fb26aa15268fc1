# SPDX-License-Identifier: GPL-2.0-only
"""Runs scenarios by hand: python3 -m tests.lab run tests/e2e/*.toml, or all of them on one kernel:
python3 -m tests.lab suite 7.3"""

from __future__ import annotations

import argparse
import sys
import typing
from pathlib import Path

from tests.lab import host, qemu, scenario, session, verdict

_SUITE = host.TREE / "tests" / "e2e"


def main() -> int:
    """Run what the command line names; 0 if all of it passed."""
    arguments = _parse()
    logs = session.new_logs()
    try:
        failed = _run(arguments.choose(arguments), logs)
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
    run.set_defaults(choose=_named)
    suite = commands.add_parser("suite", help="run all scenarios for the usual kernel on another")
    suite.add_argument("kernel", choices=typing.get_args(qemu.KernelName), metavar="KERNEL",
                       help="%(choices)s")
    suite.set_defaults(choose=_suite)
    return parser.parse_args()


def _named(arguments: argparse.Namespace) -> list[scenario.Scenario]:
    """The scenarios of the files named, on each kernel that these name."""
    return [variant for path in arguments.files
            for variant in scenario.load(path).variants().values()]


def _suite(arguments: argparse.Namespace) -> list[scenario.Scenario]:
    """All scenarios that are made for the usual kernel or for this one, on this one."""
    entries = [scenario.load(path) for path in sorted(_SUITE.rglob("*.toml"))]
    usual, kernel = qemu.Machine(), arguments.kernel
    return [entry.on_kernel(kernel) for entry in entries if entry.boot.model == usual.model
            and entry.boot.kernel in (usual.kernel, kernel)]


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
