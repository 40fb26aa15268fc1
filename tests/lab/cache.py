# SPDX-License-Identifier: GPL-2.0-only
"""A folder outside the tree for what is costly to make: downloads, kernels, builds.

An entry is named by what goes into it, made in a temporary folder beside its place and renamed when
complete, so an entry that exists is whole, whatever interrupted an earlier run.
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import os
import shutil
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from tests.lab import host

_TEMPORARY = ".making"
_KEEP_UNUSED_S = 30 * 24 * 3600


def root() -> Path:
    """The cache folder: $IRTX_CACHE, else $XDG_CACHE_HOME/irtx, else ~/.cache/irtx."""
    if chosen := os.environ.get("IRTX_CACHE"):
        folder = Path(chosen)
    else:
        folder = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "irtx"
    folder = folder.absolute()
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def entry(name: str, key: Iterable[str | bytes], build: Callable[[Path], None]) -> Path:
    """The folder that @build fills, made once for each @name and content of @key."""
    place = root() / name_of(name, key)
    if not place.exists():
        with lock(place.name):
            if not place.exists():
                _sweep()
                _make(place, build)
    os.utime(place)
    return place


def has(name: str, key: Iterable[str | bytes]) -> bool:
    """Whether entry() would find what it is asked for."""
    return (root() / name_of(name, key)).exists()


def name_of(name: str, key: Iterable[str | bytes]) -> str:
    """What the folder of an entry is called."""
    return f"{name}-{_digest(key)}"


@contextlib.contextmanager
def lock(name: str) -> Iterator[None]:
    """Hold @name against other runs; wait, and say so, where another run holds it."""
    with open(_lock_file(name), "w", encoding="ascii") as handle:
        if not _try_lock(handle):
            host.say(f"waiting for another run that works on {name}")
            fcntl.flock(handle, fcntl.LOCK_EX)
        yield


def _digest(key: Iterable[str | bytes]) -> str:
    """A short name for a key; each part is framed by its length, so parts cannot run together."""
    digest = hashlib.sha256()
    for part in key:
        data = part.encode() if isinstance(part, str) else part
        digest.update(len(data).to_bytes(8, "big") + data)
    return digest.hexdigest()[:16]


def _lock_file(name: str) -> Path:
    """Locks lie in a folder of their own and stay: removing a lock file would break it."""
    folder = root() / "locks"
    folder.mkdir(exist_ok=True)
    return folder / name


def _try_lock(handle) -> bool:
    """Take the lock if it is free."""
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _make(place: Path, build: Callable[[Path], None]) -> None:
    """Build an entry beside its place and move it there; the caller holds its lock."""
    temporary = place.with_name(place.name + _TEMPORARY)
    shutil.rmtree(temporary, ignore_errors=True)
    temporary.mkdir()
    try:
        build(temporary)
        temporary.rename(place)
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


def _sweep() -> None:
    """Remove what a killed run left half-made, and entries that nothing has used for a month."""
    for folder in root().iterdir():
        if folder.name.endswith(_TEMPORARY):
            _remove_unless_held(folder, folder.name.removesuffix(_TEMPORARY))
        elif _unused(folder):
            _remove_unless_held(folder, folder.name)


def _unused(folder: Path) -> bool:
    """Whether @folder is an entry that was last asked for long ago."""
    if not (root() / "locks" / folder.name).exists():
        return False
    with contextlib.suppress(FileNotFoundError):  # another run may be sweeping, too
        return time.time() - folder.stat().st_mtime > _KEEP_UNUSED_S
    return False


def _remove_unless_held(folder: Path, name: str) -> None:
    """Delete @folder unless a run is making it right now, which its lock tells."""
    with open(_lock_file(name), "w", encoding="ascii") as handle:
        if _try_lock(handle):
            shutil.rmtree(folder, ignore_errors=True)
