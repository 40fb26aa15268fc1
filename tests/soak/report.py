# SPDX-License-Identifier: GPL-2.0-only
"""Sums a ledger up, in a Markdown table: all of it, and for each way to send."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from tests.soak.ledger import Entry

_HEAD = ("| kernel | driver | mode | load | signals | perfect | worst edge | frames | decoded "
         "| missed |\n|---|---|---|---|---|---|---|---|---|---|")
_US_FROM_NS = 10_000


def text(entries: Sequence[Entry]) -> str:
    """The whole report."""
    if not entries:
        return "Nothing was sent yet."
    return "\n".join([totals(entries), "", *_table(entries)])


def totals(entries: Sequence[Entry]) -> str:
    """The sum in one sentence."""
    sent, perfect, frames, decoded, missed = (
        sum(getattr(entry, name) for entry in entries)
        for name in ("sent", "perfect", "frames", "decoded", "missed"))
    return (f"{sent} signals sent in {len(entries)} boots, {missed} missed; {decoded} of {frames} "
            f"frames decoded; {perfect} perfect; worst edge {_length(_worst_ns(entries))}.")


def _table(entries: Sequence[Entry]) -> Iterator[str]:
    """A row for each way to send."""
    yield _HEAD
    ways = [(entry.kernel, entry.driver, entry.mode, entry.load) for entry in entries]
    for way in dict.fromkeys(sorted(ways)):
        mine = [entry for entry, its in zip(entries, ways) if its == way]
        sums = {name: sum(getattr(entry, name) for entry in mine)
                for name in ("sent", "perfect", "frames", "decoded", "missed")}
        yield (f"| {' | '.join(way)} | {sums['sent']} | {sums['perfect']} "
               f"| {_length(_worst_ns(mine))} | {sums['frames']} | {sums['decoded']} "
               f"| {sums['missed']} |")


def _worst_ns(entries: Iterable[Entry]) -> int:
    return max(entry.worst_ns for entry in entries)


def _length(time_ns: int) -> str:
    return f"{time_ns / 1000:.1f} us" if time_ns >= _US_FROM_NS else f"{time_ns} ns"
