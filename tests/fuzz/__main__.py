# SPDX-License-Identifier: GPL-2.0-only
"""The fuzzer by hand: a whole campaign, a repetition, the shortest way to a finding."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from tests.fuzz import campaign
from tests.lab import host


def main() -> int:
    """Run the command that is asked for; the status is 1 where something was found."""
    parser = argparse.ArgumentParser(prog="python3 -m tests.fuzz", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    run = commands.add_parser("run", help="do random operations")
    run.add_argument("--seed", type=int, default=1, help="which ones (default 1)")
    run.add_argument("--first", type=int, default=0, help="round to begin with (default 0)")
    run.add_argument("--rounds", type=int, default=1000,
                     help="how many rounds of 600 operations (default 1000, some ten minutes)")
    for name, text in (("replay", "repeat operations that were printed"),
                       ("minimise", "find out which of them a finding needs")):
        commands.add_parser(name, help=text).add_argument("file", type=Path)
    return _run(parser.parse_args())


def _run(asked: argparse.Namespace) -> int:
    if asked.command == "minimise":
        print("\n".join(campaign.minimise(_operations(asked.file))))
        return 0
    found = campaign.run(asked.seed, asked.first, asked.rounds) if asked.command == "run" else \
        campaign.replay(_operations(asked.file))
    print(found.run.output)
    if found.problem:
        print(found.report(), file=sys.stderr)
    return 1 if found.problem else 0


def _operations(path: Path) -> list[str]:
    """The operations in a file, which may hold all that the fuzzer printed."""
    lines = path.read_text(encoding="utf-8").splitlines()
    return [line for line in lines if line[:1].isdigit()]


if __name__ == "__main__":
    sys.exit(host.call(main))
