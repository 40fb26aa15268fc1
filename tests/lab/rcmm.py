# SPDX-License-Identifier: GPL-2.0-only
"""The kernel's RC-MM decoder, which Debian's kernels leave out: built, when it is needed, from
Debian's kernel source, and never kept in the tree."""

from __future__ import annotations

import functools
import shutil
from pathlib import Path

from tests.lab import cache, debian, host

_FOLDER = "drivers/media/rc"
_FILES = ("ir-rcmm-decoder.c", "rc-core-priv.h")
_KBUILD = "obj-m += ir-rcmm-decoder.o\nccflags-y += -DCONFIG_IR_RCMM_DECODER_MODULE\n"
# What the decoder knows between two edges lies in rc-core's own structure, where an rc-core that
# was built without it has no room; there is one receiver, so one variable does.
_STATE = "struct rcmm_dec *data = &dev->raw->rcmm;"
_OWN_STATE = "static struct rcmm_dec state, *data = &state;"


def sources(kernel: str) -> Path:
    """A folder to build the decoder in."""
    package = debian.package(f"linux-source-{kernel}:all")
    return cache.entry(f"rcmm-{kernel}", [package.name, Path(__file__).read_bytes()],
                       functools.partial(_make, package=package))


def _make(folder: Path, package: Path) -> None:
    """Take the two files out of the whole source."""
    with host.step(f"unpacking {_FILES[0]} of {package.name}"):
        debian.unpack_source(package, folder / "source", *(f"{_FOLDER}/{name}" for name in _FILES))
    for name in _FILES:
        text = (folder / "source" / _FOLDER / name).read_text(encoding="utf-8")
        (folder / name).write_text(text.replace(_STATE, _OWN_STATE), encoding="utf-8")
    shutil.rmtree(folder / "source")
    (folder / "Kbuild").write_text(_KBUILD, encoding="ascii")
