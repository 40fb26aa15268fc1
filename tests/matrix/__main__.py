# SPDX-License-Identifier: GPL-2.0-only
"""Builds the modules for every kernel whose headers Debian offers in bookworm and trixie, with the
compiler of its distribution, and for one kernel with clang; any warning (W=1) is a failure. Prints
a table. What was built before comes from the cache."""

from __future__ import annotations

import argparse
import json
import sys

from tests.lab import host
from tests.matrix import build

_HEADS = ("kernel", "suite", "architecture", "compiler", "result")


def main() -> int:
    """Build what the command line asks for and print the table."""
    options = _parse()
    chosen = [row for row in build.find() if options.filter in str(row)]
    if not chosen:
        print(f"matrix: no row has {options.filter!r} in its name; rows are named like "
              "trixie/6.12.117+deb13-arm64/arm64/gcc-14", file=sys.stderr)
        return 2
    results = [_build(number, len(chosen), row) for number, row in enumerate(chosen, 1)]
    print(_json(results) if options.json else _markdown(results))
    return int(any(result.outcome == "failed" for result in results))


def _parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python3 -m tests.matrix", description=__doc__)
    parser.add_argument("filter", nargs="?", default="", metavar="FILTER",
                        help="only rows with this in their name, like trixie or rt-arm64")
    parser.add_argument("--json", action="store_true",
                        help="print a list of objects instead of a table in Markdown")
    return parser.parse_args()


def _build(number: int, count: int, row: build.Row) -> build.Result:
    """Build one row, and tell how far we are."""
    result = build.build(row)
    host.say(f"matrix: {number}/{count} {row}: {result.outcome}")
    if result.outcome == "failed":
        host.say(result.reason)
    return result


def _cells(result: build.Result) -> dict[str, str]:
    """A line of the table."""
    place = result.row.place
    return dict(zip(_HEADS, (result.row.release, place.suite, place.arch, place.compiler,
                             result.outcome)))


def _json(results: list[build.Result]) -> str:
    """All results, with the reasons in full."""
    return json.dumps([{**_cells(result), "reason": result.reason} for result in results],
                      indent=2)


def _markdown(results: list[build.Result]) -> str:
    """All results as a table, with reasons cut to one line, and their sum."""
    lines = [f"| {' | '.join(_HEADS)} |", "|---" * len(_HEADS) + "|"]
    for result in results:
        reason = f" ({result.reason.splitlines()[0]})" if result.reason else ""
        lines.append(f"| {' | '.join(_cells(result).values())}{reason} |")
    outcomes = [result.outcome for result in results]
    sums = (f"{outcomes.count(name)} {name}" for name in ("succeeded", "skipped", "failed"))
    return "\n".join([*lines, "", ", ".join(sums)])


if __name__ == "__main__":
    sys.exit(host.call(main))
