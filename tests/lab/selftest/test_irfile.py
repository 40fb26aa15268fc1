# SPDX-License-Identifier: GPL-2.0-only
"""Reading signals in ir-ctl's formats."""

import pytest

from tests.lab import irfile


@pytest.mark.parametrize("text, lengths_us, carrier_hz", [
    ("pulse 9000\nspace 4500\npulse 560\n", (9000, 4500, 560), None),
    ("carrier 38000\n+9000 -4500 +560\n", (9000, 4500, 560), 38000),
    ("9000, 4500, 560", (9000, 4500, 560), None),
    ("+100 -200\n-300 +400", (100, 500, 400), None),
    ("pulse 100\npulse 50\nspace 10\npulse 1", (150, 10, 1), None),
    ("# a comment\n\npulse 100 # another\nspace 200\n", (100,), None),
])
def test_parse(text: str, lengths_us: tuple, carrier_hz: int | None) -> None:
    """Both formats give lengths in turn, ending on a pulse."""
    assert irfile.parse(text) == irfile.Signal(lengths_us, carrier_hz)


@pytest.mark.parametrize("text, complaint", [
    ("space 100\npulse 100", "name:1: a signal cannot begin with a space"),
    ("pulse 100\nplus 100", "name:2: 'plus 100' is none of"),
    ("pulse x", "name:1: 'pulse x' is none of"),
    ("# nothing", "name: there is no pulse"),
])
def test_refuse(text: str, complaint: str) -> None:
    """What is wrong is said with its place."""
    with pytest.raises(irfile.IrFileError, match=complaint):
        irfile.parse(text, "name")
