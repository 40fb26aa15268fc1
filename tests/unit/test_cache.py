# SPDX-License-Identifier: GPL-2.0-only
"""The cache: an entry is whole or absent, made once, and old ones go."""

from __future__ import annotations

import os
import threading
import time

import pytest

from tests.lab import cache, host


@pytest.fixture(autouse=True)
def own_cache(tmp_path, monkeypatch):
    """A cache of this test's own, that waits in silence."""
    monkeypatch.setattr(host, "say", lambda text: None)
    monkeypatch.setenv("IRTX_CACHE", str(tmp_path / "cache"))


def fill(folder):
    """Build an entry."""
    (folder / "file").write_text("content", encoding="ascii")


def refuse(folder):
    """A build that must not run."""
    raise AssertionError(f"{folder} was built again")


def test_root(tmp_path, monkeypatch):
    """The folder follows its variables, in their order."""
    assert cache.root() == tmp_path / "cache"
    monkeypatch.delenv("IRTX_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    assert cache.root() == tmp_path / "xdg/irtx"
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    assert cache.root() == tmp_path / "home/.cache/irtx"


def test_made_once():
    """The same name and key is the same folder; another key, or the key cut otherwise, is not."""
    place = cache.entry("name", ["ab", "c"], fill)
    assert (place / "file").read_text(encoding="ascii") == "content"
    assert cache.entry("name", ["ab", b"c"], refuse) == place
    assert cache.entry("name", ["a", "bc"], fill) != place
    assert cache.entry("other", ["ab", "c"], fill) != place


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt])
def test_interrupted_build(error):
    """A build that ends early leaves nothing, and can be repeated."""
    def stop(folder):
        fill(folder)
        raise error
    with pytest.raises(error):
        cache.entry("name", ["key"], stop)
    assert [path.name for path in cache.root().iterdir()] == ["locks"]
    assert cache.entry("name", ["key"], fill).exists()


def test_killed_build():
    """What a killed run left behind is swept when something is made."""
    for name in ("name-0123456789abcdef.making", "other-0123456789abcdef.making"):
        (cache.root() / name).mkdir()
    with cache.lock("other-0123456789abcdef"):
        cache.entry("new", ["key"], fill)
    left = {path.name for path in cache.root().glob("*.making")}
    assert left == {"other-0123456789abcdef.making"}, "only what is being made stays"


def test_unused_entries_go():
    """An entry that nothing asked for in a month makes room; files of others do not."""
    old = cache.entry("old", ["key"], fill)
    stranger = cache.root() / "stranger"
    stranger.mkdir()
    a_while_ago = time.time() - 31 * 24 * 3600
    for path in (old, stranger):
        os.utime(path, (a_while_ago, a_while_ago))
    cache.entry("new", ["key"], fill)
    assert not old.exists()
    assert stranger.exists()


def test_two_at_once():
    """Two runs that want the same entry make it once."""
    builds = []

    def build(folder):
        builds.append(folder)
        time.sleep(0.1)
    runs = [threading.Thread(target=cache.entry, args=("name", ["key"], build)) for _ in range(4)]
    for run in runs:
        run.start()
    for run in runs:
        run.join()
    assert len(builds) == 1
