# SPDX-License-Identifier: GPL-2.0-only
"""The whole path on user-mode Linux with every checker on: write() to a lirc device, rc-core, our
modules, and virtual chips (tests/scope) that a device-tree overlay brings."""

from __future__ import annotations

import functools
from pathlib import Path

from tests.lab import cache, coverage, debian, host, modules, um, um_kernel

_GUEST = Path(__file__).parent / "um_guest"
_FILES = (Path(__file__).parent / "guest/lib.sh", _GUEST / "path.sh", _GUEST / "inject.py",
          host.TREE / "examples")
_SOURCES = (modules.DRIVERS, "tests/scope", str((_GUEST / "overlay").relative_to(host.TREE)))
_PACKAGES = ("v4l-utils", "libc6", "zlib1g", "libexpat1", "python3.11-minimal",
             "libpython3.11-minimal", "libpython3.11-stdlib")
_BASE = "base.dtb"


def run(script: str, version: str = um_kernel.MAIN, *,
        deadline_s: float | None = None) -> um.Run:
    """Run @script as root on the user-mode kernel of a series; any word of a checker is a problem.

    It has lib.sh and path.sh with their functions, ir-ctl, Python and busybox. At its end, whatever
    that is, all hardware is unplugged and every module of ours unloaded.
    """
    kernel = um_kernel.kernel(version)
    built = modules.build(kernel, _SOURCES, um_kernel.module_options(version))
    trees = _device_trees()
    with host.step(f"running the whole path on user-mode Linux {version}"):
        done = um.run(kernel, f". /path.sh\nenter {_tools()}\n{script}",
                      [*_FILES, *built.glob("*.ko"), *trees.glob("*.dtbo")],
                      arguments=[f"dtb={trees / _BASE}"], deadline_s=deadline_s)
    coverage.add(built, done.coverage)
    return done


def _tools() -> Path:
    """Debian's programs for this machine's processor."""
    return debian.unpack(*(f"{name}:{debian.host_arch()}" for name in _PACKAGES))


def _device_trees() -> Path:
    """The base tree and all overlays, compiled."""
    sources = sorted((_GUEST / "dts").glob("*.dts"))
    key = [part for path in sources for part in (path.name.encode(), path.read_bytes())]
    return cache.entry("um-dtb", key, functools.partial(_compile, sources=sources))


def _compile(folder: Path, sources: list[Path]) -> None:
    """Compile device trees. Overlays go without symbols: the base tree has none to add them to."""
    for source in sources:
        name = _BASE if source.stem == Path(_BASE).stem else f"{source.stem}.dtbo"
        host.run(["dtc", "-I", "dts", "-O", "dtb", "-o", folder / name, source])
