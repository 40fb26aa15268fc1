# SPDX-License-Identifier: GPL-2.0-only
"""The corpus of published signals: every file is whole, they are of many kinds, and the page about
them is of today."""

from __future__ import annotations

from collections import Counter

import pytest

from tests.corpus import entries, table

_CORPUS = entries.read_all()
_GOOD = """\
# device: a television
# protocol: none
# source: owner/repository, path, 0123456789ab
# published in: microseconds
carrier 38000
pulse 9000
space 4500
pulse 560
"""
_MANY = 511 * "pulse 1\nspace 1\n" + "pulse 1\n"
_ID = 24  # characters of a text that go into a test's name
_AT_LEAST = {"tv": 15, "audio": 8, "ac": 8, "settop": 3, "projector": 3, "fan": 2, "lamp": 1}
_CARRIERS_HZ = [(30_000, 31_500), (33_000, 33_500), (34_000, 35_800), (36_000, 36_800),
                (37_000, 37_000), (38_000, 38_700), (39_000, 39_500), (40_000, 40_300),
                (41_000, 42_000), (55_000, 57_500), (58_000, 60_000), (455_000, 455_000), (0, 0)]


def test_a_good_entry() -> None:
    """All that a file says is found."""
    entry = entries.parse(_GOOD, "tv-none")
    assert (entry.kind, entry.device, entry.protocol) == ("tv", "a television", "none")
    assert (entry.source, entry.published_in) == \
        ("owner/repository, path, 0123456789ab", "microseconds")
    assert (entry.pulses_us, entry.spaces_us, entry.lasts_us) == ((9000, 560), (4500,), 14_060)


@pytest.mark.parametrize("name, old, new, complaint", [
    ("box", "", "", "a name begins with one of: ac, audio"),
    ("tv", "# source: owner/repository, path, 0123456789ab\n", "", "it must begin with the lines"),
    ("tv", "# protocol: none", "# protocol:", "it must begin with the lines"),
    ("tv", "carrier", "# a remark\ncarrier", "it must begin with the lines"),
    ("tv", "carrier 38000\n", "", "it must name a carrier of up to 500000 Hz"),
    ("tv", "38000", "500001", "it must name a carrier of up to 500000 Hz"),
    ("tv", "pulse 560\n", "", "2 lengths make 1: pulses and spaces must take turns"),
    ("tv", "space 4500\n", "", "2 lengths make 1: pulses and spaces must take turns"),
    ("tv", "4500", "0", "a length of 0 us"),
    ("tv", "4500", "490441", "it lasts 500001 us; 500000 are the most"),
    ("tv", "pulse 560\n", _MANY, "1025 values; 1023 are the most"),
], ids=lambda text: text[:_ID])
def test_a_bad_entry(name: str, old: str, new: str, complaint: str) -> None:
    """What no kernel would send as it is written is refused, and so is what says too little."""
    with pytest.raises(entries.EntryError, match=complaint):
        entries.parse(_GOOD.replace(old, new) if old else _GOOD, name)


def test_there_are_many_kinds() -> None:
    """Of devices, and of sources."""
    counts = Counter(entry.kind for entry in _CORPUS)
    assert len(_CORPUS) >= 60
    assert {kind: counts[kind] for kind, least in _AT_LEAST.items() if counts[kind] < least} == {}
    assert len({entry.source.split(",")[0] for entry in _CORPUS}) >= 4


@pytest.mark.parametrize("lowest_hz, highest_hz", _CARRIERS_HZ)
def test_carriers_of_all_kinds(lowest_hz: int, highest_hz: int) -> None:
    """From unmodulated to 455 kHz."""
    assert any(lowest_hz <= entry.signal.carrier_hz <= highest_hz for entry in _CORPUS)


def test_long_and_odd_signals() -> None:
    """Air conditioners of over 300 edges, with gaps inside; pulses and spaces of all lengths."""
    long = [entry for entry in _CORPUS
            if entry.kind == "ac" and len(entry.signal.lengths_us) >= 300]
    assert len(long) >= 8
    assert sum(any(20_000 <= space_us <= 35_500 for space_us in entry.spaces_us)
               for entry in long) >= 3
    pulses_us = [pulse_us for entry in _CORPUS for pulse_us in entry.pulses_us]
    spaces_us = [space_us for entry in _CORPUS for space_us in entry.spaces_us]
    assert min(pulses_us) <= 30 and max(pulses_us) >= 30_000
    assert min(spaces_us) <= 100 and max(spaces_us) >= 120_000
    assert sum(length_us % 10 != 0 for length_us in pulses_us + spaces_us) > 5000


def test_the_page_is_of_today() -> None:
    """README.md says what the files say."""
    page = (entries.FOLDER / "README.md").read_text(encoding="utf-8")
    assert page == table.readme(_CORPUS), \
        "run python3 -m tests.corpus > tests/corpus/README.md"
