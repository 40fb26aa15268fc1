# SPDX-License-Identifier: GPL-2.0-only
"""Which of a machine's apt sources are Debian's, in both of apt's formats."""

from __future__ import annotations

import pytest

from tests.lab import sources
from tests.lab.sources import Source

_KEY = "/usr/share/keyrings/debian-archive-keyring.gpg"


@pytest.fixture(autouse=True)
def bookworm(monkeypatch):
    """The running release."""
    monkeypatch.setattr(sources, "_codename", lambda: "bookworm")


@pytest.mark.parametrize("line, found", [
    ("deb http://m/debian bookworm main contrib", [Source("http://m/debian", "bookworm")]),
    ("deb http://m bookworm-security main # now", [Source("http://m", "bookworm-security")]),
    (f"deb [arch=amd64 signed-by={_KEY}] http://m stable main", [Source("http://m", "stable")]),
    ("deb [check-valid-until=no] http://m bookworm main",
     [Source("http://m", "bookworm", "check-valid-until=no")]),
    ("deb [signed-by=/etc/apt/keyrings/vendor.gpg] http://m bookworm main", []),
    ("deb http://vendor/apt bookworm stable", []),
    ("deb http://vendor/apt vendor-bookworm main", []),
    ("deb http://m trixie main", []),
    ("deb-src http://m bookworm main", []),
    ("# deb http://m bookworm main", []),
])
def test_one_line_format(line, found):
    """sources.list."""
    assert list(sources.parse_lines(line + "\n")) == found


def test_deb822_format():
    """*.sources: all combinations of a stanza, and none of other vendors' or disabled ones."""
    text = f"""# a mirror
Types: deb deb-src
URIs: http://a
  http://b
Suites: bookworm bookworm-updates
# in between
Components: main
Signed-By: {_KEY}

Types: deb
URIs: http://vendor
Suites: bookworm
Components: main
Signed-By:
 -----BEGIN PGP PUBLIC KEY BLOCK-----

Enabled: no
Types: deb
URIs: http://off
Suites: bookworm
Components: main

Types: deb
URIs: http://s
Suites: bookworm-security
Components: main
Check-Valid-Until: no
"""
    assert list(sources.parse_deb822(text)) == [
        Source("http://a", "bookworm"), Source("http://a", "bookworm-updates"),
        Source("http://b", "bookworm"), Source("http://b", "bookworm-updates"),
        Source("http://s", "bookworm-security", "check-valid-until=no")]


def test_other_release(monkeypatch):
    """Suites of another release come from the same mirrors, security updates from theirs."""
    own = [Source("http://m", "bookworm"), Source("http://s", "bookworm-security", "a=b")]
    monkeypatch.setattr(sources, "machine_sources", lambda: own)
    lines = sources.listings(["planted", "planted-security"]).splitlines()
    assert [line.partition("] ")[2] for line in lines] == \
        ["http://m planted main", "http://s planted-security main"]
    assert "a=b" in lines[1]
