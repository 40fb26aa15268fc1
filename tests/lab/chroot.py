# SPDX-License-Identifier: GPL-2.0-only
"""Another Debian release in the cache, and commands that run inside it: for tools and compilers
that this machine's own release does not have."""

from __future__ import annotations

import functools
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

from tests.lab import cache, debian, host, sources

_POCKETS = ("", "-updates", "-security", "-backports")
_SYSTEM = ("usr", "etc", "var")  # of a merged /usr, whose other folders are links into it
_LINKS = ("bin", "sbin", "lib", "lib64")


def make(release: str, packages: Sequence[str]) -> Path:
    """The root of a system of Debian's @release ("trixie") for this machine's architecture that has
    @packages ("cpp", "dt-schema/trixie-backports"); made once for each set of them."""
    listing = sources.listings([release + pocket for pocket in _POCKETS])
    folder = cache.entry(f"chroot-{release}", [release, *sorted(packages), listing],
                         functools.partial(_install, release=release, packages=packages,
                                           listing=listing))
    return folder / "root"


def attempt(root: Path, command: Sequence[str | Path], readable: Mapping[str, Path],
            writable: Mapping[str, Path] | None = None) -> subprocess.CompletedProcess:
    """Run a command in the system at @root, which it cannot change, and without network.

    Of this machine it sees the folders of @readable and @writable, each under the path that is its
    key; it begins in the first of them.
    """
    views = [*_views("--ro-bind", readable), *_views("--bind", writable or {})]
    return host.attempt(["bwrap", "--unshare-all", "--die-with-parent", *_system(root), *views,
                         "--chdir", next(iter({**readable, **(writable or {})})),
                         "--setenv", "LC_ALL", "C.UTF-8", "--", *command])


# --- making one ---

def _install(folder: Path, release: str, packages: Sequence[str], listing: str) -> None:
    """Install a system and give it to whoever runs the lab, who need not be root."""
    archive = folder / "system.tar"
    (folder / "sources.list").write_text(listing, encoding="utf-8")
    (folder / "apt.conf").write_text("\n".join(debian.network_settings()), encoding="utf-8")
    with host.step(f"installing a {release} system with {', '.join(packages)}"):
        host.run(["mmdebstrap", "--variant=apt", f"--include={','.join(packages)}",
                  f"--aptopt={folder / 'apt.conf'}", release, archive, folder / "sources.list"])
    (folder / "root").mkdir()
    host.run(["tar", "--extract", "--no-same-owner", "--exclude=./dev/*", "--file", archive,
              "--directory", folder / "root"])
    archive.unlink()


# --- what a command sees ---

def _system(root: Path) -> list[str | Path]:
    """Bubblewrap's options for a system that holds still: it is laid out anew over nothing, since
    in a folder that is read-only there would be no place to show another."""
    options: list[str | Path] = ["--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp"]
    for name in _SYSTEM:
        options += ["--ro-bind", root / name, f"/{name}"]
    for name in _LINKS:
        options += ["--symlink", f"usr/{name}", f"/{name}"]
    return options


def _views(option: str, folders: Mapping[str, Path]) -> list[str | Path]:
    """Bubblewrap's options that show folders of this machine."""
    return [word for inside, outside in folders.items() for word in (option, outside, inside)]
