# SPDX-License-Identifier: GPL-2.0-only
"""The corpus as a page to read, made from its files."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from tests.corpus.entries import KINDS, Entry

_TOP = """\
# Signals of real remotes

{count} signals as others have published them, in `ir-ctl`'s format: what a receiver measured, or
what a table or an encoder of codes says, in microseconds or in cycles of the carrier. Values only,
rounded to microseconds. Each file names its device, its protocol and where it was published: a
repository, a path in it and the commit.

`tests/e2e/test_corpus.py` sends each of them by `pwm-ir-tx` and by `gpio-ir-tx` and compares what
the oscilloscope saw with the file, interval by interval; some go through `lircd` as well.
`tests/unit/test_corpus.py` holds the files to what rc-core takes, and to the variety below. The
page is made by `python3 -m tests.corpus > tests/corpus/README.md`.

"""
_COLUMNS = ["file", "device", "protocol", "carrier, Hz", "values", "ms", "pulses, us", "spaces, us",
            "source"]


def readme(corpus: Sequence[Entry]) -> str:
    """README.md."""
    return (_TOP.format(count=len(corpus)) + _rows(["kind", "signals"], _kinds(corpus)) + "\n"
            + _rows(_COLUMNS, map(_row, corpus)))


def _kinds(corpus: Sequence[Entry]) -> Iterator[list[str]]:
    """How many there are of each kind."""
    counts = Counter(entry.kind for entry in corpus)
    return ([KINDS[kind], str(count)] for kind, count in sorted(counts.items()))


def _row(entry: Entry) -> list[str]:
    """A signal's line."""
    return [f"[{entry.name}]({entry.name}.ir)", entry.device, entry.protocol,
            str(entry.signal.carrier_hz or "none"), str(len(entry.signal.lengths_us)),
            f"{entry.lasts_us / 1000:.0f}", _span(entry.pulses_us), _span(entry.spaces_us),
            entry.source.split(",")[0]]


def _span(lengths_us: Sequence[int]) -> str:
    """From the shortest to the longest."""
    return f"{min(lengths_us)} to {max(lengths_us)}"


def _rows(columns: Sequence[str], rows: Iterator[Sequence[str]]) -> str:
    """A table in Markdown."""
    lines = [columns, ["---"] * len(columns), *rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)
