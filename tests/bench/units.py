# SPDX-License-Identifier: GPL-2.0-only
"""Times for a person to read."""

from __future__ import annotations


def time(ns: float | None) -> str:
    """A time with three digits at most, in the unit that suits it."""
    if ns is None:
        return ""
    for size, unit in ((1_000_000, "ms"), (1000, "us")):
        if abs(ns) >= size:
            return f"{_short(ns / size)} {unit}"
    return f"{_short(ns)} ns"


def _short(value: float) -> str:
    return f"{value:.0f}" if abs(value) >= 10 else f"{value:.1f}"
