# SPDX-License-Identifier: GPL-2.0-only
"""Which kernel is taken of those on offer, and what is done where a mirror fails."""

from __future__ import annotations

import os
import time
from types import SimpleNamespace

import pytest

from tests.lab import cache, debian, host
from tests.lab.debian import Lists


@pytest.fixture(autouse=True)
def silence(monkeypatch):
    """Choices are made in silence."""
    monkeypatch.setattr(host, "say", lambda text: None)


@pytest.mark.parametrize("offers, chosen", [
    (["6.12.99+deb12", "6.12.117+deb12", "6.12.120+deb12"], "6.12.117+deb12"),
    (["6.12.99+deb12", "6.12.120+deb12"], "6.12.120+deb12"),
    (["6.12.120+deb12.1", "6.12.120+deb12"], "6.12.120+deb12.1"),
], ids=["pinned", "newest", "rebuilt"])
def test_kernel_choice(monkeypatch, offers, chosen):
    """The pinned release while it is on offer, then the newest."""
    monkeypatch.setattr(debian, "offered_bases", lambda series, lists, flavour: offers)
    assert debian.choose_base("6.12", "arm64", "arm64") == chosen


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
    monkeypatch.setattr(debian, "have", lambda lists: True)
    monkeypatch.setattr(debian, "_apt", lambda *command: SimpleNamespace(stdout=listed))
    assert debian.offered_bases(series, Lists("", "arm64"), flavour) == bases


@pytest.mark.parametrize("age_s, fetched", [(60, False), (48 * 3600, True)], ids=["young", "old"])
def test_mirror_out_of_step(monkeypatch, tmp_path, age_s, fetched):
    """Lists that cannot be had are asked for once a day, and what is there of them is used."""
    seen = []

    def apt(_, *command):
        seen.append(command[0])
        return SimpleNamespace(stdout="linux-headers-1 linux-headers-2", returncode=100)
    monkeypatch.setattr(debian, "_apt", apt)
    monkeypatch.setattr(debian, "_apt_folder", lambda lists: tmp_path)
    monkeypatch.setattr(cache, "root", lambda: tmp_path)
    lists = Lists("planted", "armhf")
    (tmp_path / "failed").touch()
    os.utime(tmp_path / "failed", (time.time() - age_s,) * 2)
    assert debian.package_names(lists, "linux-headers-") == ["linux-headers-1", "linux-headers-2"]
    assert seen == ["apt-get"] * fetched + ["apt-cache"]
    assert not debian.have(lists)


def test_no_kernel(monkeypatch):
    """Where sources have no such kernel, the message tells which suite has."""
    monkeypatch.setattr(debian, "offered_bases", lambda series, lists, flavour: [])
    with pytest.raises(host.LabError, match="-security"):
        debian.choose_base("6.12", "arm64", "arm64")


def test_spec_without_architecture():
    """A package without architecture would be the host's by accident."""
    with pytest.raises(host.LabError, match="name:arm64"):
        debian.package("v4l-utils")
