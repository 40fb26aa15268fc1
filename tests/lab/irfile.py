# SPDX-License-Identifier: GPL-2.0-only
"""Reads infrared signals in ir-ctl's two text formats: lines of "pulse 9000" and "space 4500", and
lines of "+9000 -4500", where the signs may be missing."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path


_RAW_WORDS = {"+": "pulse", "-": "space", "": "next"}


class IrFileError(Exception):
    """A file is not in ir-ctl's format; the text says where."""


@dataclass(frozen=True)
class Signal:
    """Pulses and spaces in turn, a pulse first and last; what is unsaid is None, and a file cannot
    say duty_pct."""

    lengths_us: tuple[int, ...]
    carrier_hz: int | None = None
    duty_pct: int | None = None


def read(path: Path) -> Signal:
    """The signal in a file."""
    return parse(path.read_text(encoding="utf-8"), str(path))


def parse(text: str, name: str = "signal") -> Signal:
    """The signal in a text; name stands for it in errors."""
    carrier_hz = None
    lengths_us: list[int] = []
    for place, word, value in _statements(text, name):
        if word == "carrier":
            carrier_hz = value
        else:
            _append(lengths_us, word, value, place)
    if len(lengths_us) % 2 == 0:
        del lengths_us[-1:]  # ir-ctl does not send a space at the end either
    if not lengths_us:
        raise IrFileError(f"{name}: there is no pulse in it")
    return Signal(tuple(lengths_us), carrier_hz)


def _statements(text: str, name: str) -> Iterator[tuple[str, str, int]]:
    """Everything that is said, as (place, word, value)."""
    for number, line in enumerate(text.splitlines(), start=1):
        place = f"{name}:{number}"
        line = re.split(r"#|//", line)[0].strip()
        if match := re.fullmatch(r"(pulse|space|carrier)\s+(\d+)", line):
            yield place, match[1], int(match[2])
        elif re.fullmatch(r"([+-]?\d+[\s,]*)+", line):
            for sign, value in re.findall(r"([+-]?)(\d+)", line):
                yield place, _RAW_WORDS[sign], int(value)
        elif line:
            raise IrFileError(f"{place}: {line!r} is none of: pulse N, space N, carrier N, +N -N")


def _append(lengths_us: list[int], word: str, value_us: int, place: str) -> None:
    """Add a length; two of the same kind in a row are one."""
    turn = "space" if len(lengths_us) % 2 else "pulse"
    if word in (turn, "next"):
        lengths_us.append(value_us)
    elif lengths_us:
        lengths_us[-1] += value_us
    else:
        raise IrFileError(f"{place}: a signal cannot begin with a space")
