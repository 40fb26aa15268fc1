# SPDX-License-Identifier: GPL-2.0-only
"""Compiles the board plugin for the host's QEMU into the cache."""

from __future__ import annotations

from pathlib import Path

from tests.lab import cache, host

_SOURCES = Path(__file__).parent / "board"
_PLUGIN = "irboard.so"
_FLAGS = ["-O2", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC", "-fvisibility=hidden"]
_RX_PIN = 24
_TX_PINS = [pin for pin in range(28) if pin != _RX_PIN]  # all of the header


def plugin() -> Path:
    """The compiled plugin."""
    sources = [path.read_bytes() for path in sorted(_SOURCES.glob("*.[ch]"))]
    return cache.entry("irboard", [*sources, *_FLAGS], _compile) / _PLUGIN


def arguments(edge_log: Path) -> list[str]:
    """QEMU's options that bring the board in, with its oscilloscope writing to edge_log."""
    pins = "+".join(map(str, _TX_PINS))
    return ["-plugin", f"file={plugin()},out={edge_log},tx={pins},rx={_RX_PIN}"]


def _compile(folder: Path) -> None:
    host.run(["gcc", *_FLAGS, "-o", folder / _PLUGIN, _SOURCES / "irboard.c"])
