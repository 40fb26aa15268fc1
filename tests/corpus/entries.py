# SPDX-License-Identifier: GPL-2.0-only
"""Reads the corpus: signals of real remotes as somebody has published them, each a file of ir-ctl's
that says in its first lines whose it is and where it was published."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.lab import irfile

FOLDER = Path(__file__).parent
KINDS = {"ac": "air conditioner", "audio": "audio", "camera": "camera", "console": "games console",
         "fan": "fan", "lamp": "lamp", "lift": "lift", "player": "player", "projector": "projector",
         "settop": "set-top box", "tv": "television"}
MOST_VALUES = 1023  # rc-core takes no more
LONGEST_US = 500_000  # of kernels before 7.3
HIGHEST_HZ = 500_000
_HEADINGS = ("device", "protocol", "source", "published in")


class EntryError(Exception):
    """A file is no entry of the corpus; the text says where, and what is allowed."""


@dataclass(frozen=True)
class Entry:
    """A signal and where it comes from."""

    name: str
    kind: str
    device: str
    protocol: str
    source: str
    published_in: str
    signal: irfile.Signal
    text: str

    @property
    def lasts_us(self) -> int:
        """How long it takes to send."""
        return sum(self.signal.lengths_us)

    @property
    def pulses_us(self) -> tuple[int, ...]:
        """Its pulses."""
        return self.signal.lengths_us[::2]

    @property
    def spaces_us(self) -> tuple[int, ...]:
        """Its spaces."""
        return self.signal.lengths_us[1::2]


def read_all() -> list[Entry]:
    """The whole corpus."""
    return [read(path) for path in sorted(FOLDER.glob("*.ir"))]


def read(path: Path) -> Entry:
    """The entry in a file."""
    return parse(path.read_text(encoding="utf-8"), path.stem)


def parse(text: str, name: str) -> Entry:
    """The entry in a text; its name begins with its kind."""
    kind = name.split("-")[0]
    if kind not in KINDS:
        raise EntryError(f"{name}: a name begins with one of: {', '.join(KINDS)}")
    signal = irfile.parse(text, name)
    faults = list(_faults(text, signal))
    if faults:
        raise EntryError(f"{name}: {'; '.join(faults)}")
    return Entry(name, kind, *_headings(text, name), signal, text)


def _headings(text: str, name: str) -> list[str]:
    """What the first lines say: all that is asked for, in this order, and nothing else."""
    lines = re.findall(r"^# (.*?): (\S.*)$", text, re.MULTILINE)
    if tuple(heading for heading, _ in lines) != _HEADINGS or text.count("#") != len(lines):
        raise EntryError(f"{name}: it must begin with the lines "
                         + ", ".join(f"'# {heading}: ...'" for heading in _HEADINGS))
    return [value for _, value in lines]


def _faults(text: str, signal: irfile.Signal) -> Iterator[str]:
    """Why a kernel would refuse a signal, or send another than the file shows."""
    lengths_us = signal.lengths_us
    written = len(re.findall(r"^(?:pulse|space) \d+$", text, re.MULTILINE))
    if written != len(lengths_us):
        yield f"{written} lengths make {len(lengths_us)}: pulses and spaces must take turns"
    if len(lengths_us) > MOST_VALUES:
        yield f"{len(lengths_us)} values; {MOST_VALUES} are the most"
    if sum(lengths_us) > LONGEST_US:
        yield f"it lasts {sum(lengths_us)} us; {LONGEST_US} are the most"
    if 0 in lengths_us:
        yield "a length of 0 us"
    if signal.carrier_hz is None or signal.carrier_hz > HIGHEST_HZ:
        yield f"it must name a carrier of up to {HIGHEST_HZ} Hz, 0 for none"
