# SPDX-License-Identifier: GPL-2.0-only
"""Which of a machine's apt sources are Debian's, in both of apt's formats."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from tests.lab import debian, host
from tests.lab.debian import Source

_KEY = "/usr/share/keyrings/debian-archive-keyring.gpg"


@pytest.fixture(autouse=True)
def bookworm(monkeypatch):
    """The running release; choices are made in silence."""
    monkeypatch.setattr(host, "say", lambda text: None)
    monkeypatch.setattr(debian, "_codename", lambda: "bookworm")


@pytest.mark.parametrize("line, sources", [
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
def test_one_line_format(line, sources):
    """sources.list."""
    assert list(debian.parse_lines(line + "\n")) == sources


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
    assert list(debian.parse_deb822(text)) == [
        Source("http://a", "bookworm"), Source("http://a", "bookworm-updates"),
        Source("http://b", "bookworm"), Source("http://b", "bookworm-updates"),
        Source("http://s", "bookworm-security", "check-valid-until=no")]


@pytest.mark.parametrize("offers, chosen", [
    (["6.12.99+deb12", "6.12.117+deb12", "6.12.120+deb12"], "6.12.117+deb12"),
    (["6.12.99+deb12", "6.12.120+deb12"], "6.12.120+deb12"),
], ids=["pinned", "newest"])
def test_kernel_choice(monkeypatch, offers, chosen):
    """The pinned release while it is on offer, then the newest."""
    monkeypatch.setattr(debian, "offered_bases", lambda series, flavour: offers)
    assert debian.choose_base("6.12", "arm64") == chosen


@pytest.mark.parametrize("series, flavour, bases", [
    ("6.1", "arm64", ["6.1.0-57"]),
    ("6.12", "arm64", ["6.12.117+deb12"]),
    ("6.12", "rt-arm64", ["6.12.118+deb12"]),
    ("6.12", "armmp", []),
])
def test_kernel_offers(monkeypatch, series, flavour, bases):
    """One series and one flavour; no debugging symbols, no unsigned images, no larger pages."""
    names = ["6.1.0-57-arm64", "6.1.0-57-arm64-dbg", "6.1-arm64", "6.12.117+deb12-arm64:amd64",
             "6.12.117+deb12-arm64-16k", "6.12.118+deb12-rt-arm64",
             "6.12.118+deb12-rt-arm64-unsigned"]
    listed = "".join(f"linux-image-{name}\n" for name in names)
    monkeypatch.setattr(debian, "_have_lists", lambda: True)
    monkeypatch.setattr(debian, "_apt", lambda *command: SimpleNamespace(stdout=listed))
    assert debian.offered_bases(series, flavour) == bases


def test_no_kernel(monkeypatch):
    """Where sources have no such kernel, the message tells which suite has."""
    monkeypatch.setattr(debian, "offered_bases", lambda series, flavour: [])
    with pytest.raises(host.LabError, match="-security"):
        debian.choose_base("6.12", "arm64")


def test_spec_without_architecture():
    """A package without architecture would be the host's by accident."""
    with pytest.raises(host.LabError, match="name:arm64"):
        debian.package("v4l-utils")


def test_release_sources(monkeypatch):
    """Suites of another release come from the same mirrors, security updates from theirs."""
    own = [Source("http://m", "bookworm"), Source("http://s", "bookworm-security", "a=b")]
    monkeypatch.setattr(debian, "_machine_sources", lambda: own)
    lines = debian.release_sources(["planted", "planted-security"]).splitlines()
    assert [line.partition("] ")[2] for line in lines] == \
        ["http://m planted main", "http://s planted-security main"]
    assert "a=b" in lines[1]
