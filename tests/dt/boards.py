# SPDX-License-Identifier: GPL-2.0-only
"""Device trees of Raspberry Pis as Debian's kernels have them, the one of a Pi 5 that Raspberry
Pi's own kernels have, as far as that is needed, and overlays applied to them."""

from __future__ import annotations

import functools
from pathlib import Path

from tests.lab import cache, debian, dtc, fdt, host

_KERNEL = "6.12"
_NEWER = "7.3"
_VENDOR = Path(__file__).parent / "vendor-rpi-5.dts"
VENDOR_PI_5 = "bcm2712-rpi-5-b-vendor"


@functools.cache
def trees() -> dict[str, Path]:
    """The tree of every board, by its name, such as "bcm2837-rpi-3-b", or "bcm2837-rpi-3-b-7.3" as
    the newer kernel has it."""
    packaged = (debian.kernel(_KERNEL, "arm64").dtbs / "broadcom").glob("*-rpi-*.dtb")
    found = {path.stem: path for path in [*packaged, *dtc.arm().glob("*.dtb")]}
    newer = {f"{path.stem}-{_NEWER}": path for path in _newer().glob("*-rpi-*.dtb")}
    return dict(sorted({**found, **newer, VENDOR_PI_5: _vendor_pi_5()}.items()))


def is_newer(board: str) -> bool:
    """Whether a board's tree is the newer kernel's."""
    return board.endswith(f"-{_NEWER}")


def compatible(tree: Path) -> set[str]:
    """What a compiled tree or overlay says that it is for."""
    return set(fdt.parse(tree.read_bytes()).strings("compatible"))


def apply(overlay: Path, board: Path, result: Path) -> Path:
    """A board's tree with a compiled overlay."""
    host.run(["fdtoverlay", "-i", board, "-o", result, overlay])
    return result


# --- boards of the newer kernel ---

def _newer() -> Path:
    """The trees in the package of the newer kernel."""
    return debian.kernel(_NEWER, "arm64").modules / "dtb/broadcom"


@functools.cache
def _vendor_pi_5() -> Path:
    """A stand-in for the tree of Raspberry Pi's own kernel: Debian's, and what that one adds."""
    base = _newer() / "bcm2712-rpi-5-b.dtb"
    folder = cache.entry("vendor-rpi-5", [base.read_bytes(), _VENDOR.read_bytes()],
                         functools.partial(_make_vendor_pi_5, base=base))
    return folder / f"{VENDOR_PI_5}.dtb"


def _make_vendor_pi_5(folder: Path, base: Path) -> None:
    addition = dtc.compile_source(_VENDOR, folder / "addition.dtbo")
    apply(addition, base, folder / f"{VENDOR_PI_5}.dtb")
