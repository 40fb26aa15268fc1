# SPDX-License-Identifier: GPL-2.0-only
"""Device trees of Raspberry Pis as Debian's kernels have them, the one of a Pi 5 that Raspberry
Pi's own kernels have, as far as that is needed, and overlays applied to them."""

from __future__ import annotations

import functools
import shutil
from pathlib import Path

from tests.lab import cache, debian, fdt, host

_KERNEL = "6.12"
_NEWER = "7.3"
_VENDOR = Path(__file__).parent / "vendor-rpi-5.dts"
VENDOR_PI_5 = "bcm2712-rpi-5-b-vendor"
_ARM = "arch/arm/boot/dts/broadcom"
_ARM_BOARDS = ("bcm2835-rpi-*.dts", "bcm2836-rpi-*.dts")
_UNPACKED = (f"{_ARM}/bcm283*", "include/dt-bindings/*")


@functools.cache
def trees() -> dict[str, Path]:
    """The tree of every board, by its name, such as "bcm2837-rpi-3-b", or "bcm2837-rpi-3-b-7.3" as
    the newer kernel has it."""
    packaged = (debian.kernel(_KERNEL, "arm64").dtbs / "broadcom").glob("*-rpi-*.dtb")
    found = {path.stem: path for path in [*packaged, *arm().glob("*.dtb")]}
    newer = {f"{path.stem}-{_NEWER}": path for path in _newer().glob("*-rpi-*.dtb")}
    return dict(sorted({**found, **newer, VENDOR_PI_5: _vendor_pi_5()}.items()))


def is_newer(board: str) -> bool:
    """Whether a board's tree is the newer kernel's."""
    return board.endswith(f"-{_NEWER}")


def compatible(tree: Path) -> set[str]:
    """What a compiled tree or overlay says that it is for."""
    return set(fdt.parse(tree.read_bytes()).strings("compatible"))


def compile_source(source: Path, result: Path) -> Path:
    """Compile a device tree or overlay."""
    return _compile(source, result, arm() / "include")


def apply(overlay: Path, board: Path, result: Path) -> Path:
    """A board's tree with a compiled overlay."""
    host.run(["fdtoverlay", "-i", board, "-o", result, overlay])
    return result


def _compile(source: Path, result: Path, includes: Path) -> Path:
    """Compile a source that has labels and C's directives. Warnings are the linters' business."""
    plain = result.with_suffix(".plain")
    host.run(["cpp", "-nostdinc", "-undef", "-D__DTS__", "-x", "assembler-with-cpp", "-P",
              f"-I{includes}", source, plain])
    host.run(["dtc", "-q", "-@", "-i", source.parent, "-I", "dts", "-O", "dtb", "-o", result,
              plain])
    plain.unlink()
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
    addition = compile_source(_VENDOR, folder / "addition.dtbo")
    apply(addition, base, folder / f"{VENDOR_PI_5}.dtb")


# --- boards that an arm64 kernel does not have ---

@functools.cache
def arm() -> Path:
    """The trees of boards with CPUs of 32 bits, compiled from Debian's source of the kernel, since
    its packages for these are of architectures that the lab does not fetch; and the constants that
    sources of trees include."""
    source = debian.package(f"linux-source-{_KERNEL}:all")
    return cache.entry("boards", [source.name, *_ARM_BOARDS, *_UNPACKED],
                       functools.partial(_compile_arm, archive=source))


def _compile_arm(folder: Path, archive: Path) -> None:
    """Unpack and compile; keep the constants."""
    source = folder / "source"
    with host.step("compiling device trees of 32-bit boards"):
        debian.unpack_source(archive, source, *_UNPACKED)
        for pattern in _ARM_BOARDS:
            for board in (source / _ARM).glob(pattern):
                _compile(board, folder / f"{board.stem}.dtb", source / "include")
    (source / "include").rename(folder / "include")
    shutil.rmtree(source)
