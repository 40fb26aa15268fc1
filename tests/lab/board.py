# SPDX-License-Identifier: GPL-2.0-only
"""Compiles the board plugin for the host's QEMU into the cache."""

from __future__ import annotations

import functools
from pathlib import Path

from tests.lab import cache, host

_SOURCES = Path(__file__).parent / "board"
_PLUGIN = "irboard.so"
_FLAGS = ["-O2", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC", "-fvisibility=hidden"]
_NEWER = ["-DPLUGIN_V=4"]  # the plugin interface of QEMU 10
_RX_PIN = 24
_TX_PINS = [pin for pin in range(28) if pin != _RX_PIN]  # all of the header


def plugin(newer_qemu: bool = False) -> Path:
    """The compiled plugin."""
    flags = [*_FLAGS, *_NEWER[:newer_qemu]]
    sources = [path.read_bytes() for path in sorted(_SOURCES.glob("*.[ch]"))]
    return cache.entry("irboard", [*sources, *flags],
                       functools.partial(_compile, flags=flags)) / _PLUGIN


def arguments(edge_log: Path, play: Path | None, newer_qemu: bool) -> list[str]:
    """QEMU's options that bring the board in, with its oscilloscope writing to edge_log, and what
    its receiver is played (replay.py), if anything."""
    pins = "+".join(map(str, _TX_PINS))
    played = f",play={play}" if play else ""
    return ["-plugin", f"file={plugin(newer_qemu)},out={edge_log},tx={pins},rx={_RX_PIN}{played}"]


def _compile(folder: Path, flags: list[str]) -> None:
    host.run(["gcc", *flags, "-o", folder / _PLUGIN, _SOURCES / "irboard.c"])
