# SPDX-License-Identifier: GPL-2.0-only
"""The kinds of machine that the lab emulates, and all that they differ in: for QEMU, for the kernel
and for the programs in its image."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Model = Literal["raspi3b", "raspi2b", "raspi4b", "virt", "pc"]


@dataclass(frozen=True)
class Arch:
    """An architecture as Debian calls it, and where programs find libraries and their loader."""

    name: str
    libraries: str
    loader: str


@dataclass(frozen=True)
class Kind:
    """A kind of machine. The kernel of a Raspberry Pi gets the @tree of that name with @overlays,
    one without is told by QEMU what there is: in a device tree, or by ACPI."""

    arch: Arch
    program: str
    options: str
    tree: str = ""
    overlays: tuple[str, ...] = ()
    has_acpi: bool = False
    kernel_options: str = "console=ttyAMA0"
    modules: tuple[str, ...] = ("pwm-bcm2835", "bcm2835_wdt", "gpio-ir-recv")
    needs_newer_qemu: bool = False

    @property
    def is_pi(self) -> bool:
        """Whether it is a Raspberry Pi, the only machine with pins for the oscilloscope."""
        return bool(self.tree)


LAYERS_ARCH = "arm64"  # what image.py packs for some boards only
_AMD64 = Arch("amd64", "x86_64-linux-gnu", "lib64/ld-linux-x86-64.so.2")
_ARM64 = Arch("arm64", "aarch64-linux-gnu", "lib/ld-linux-aarch64.so.1")
_ARMHF = Arch("armhf", "arm-linux-gnueabihf", "lib/ld-linux-armhf.so.3")
_NO_PI = "-smp {cpus} -nic none -rtc base=2026-01-01,clock=vm"

KINDS: dict[Model, Kind] = {
    "raspi3b": Kind(_ARM64, "qemu-system-aarch64",
                    "-M raspi3b -global bcm2837.enabled-cpus={cpus}",
                    tree="bcm2837-rpi-3-b", overlays=("lab",)),
    "raspi2b": Kind(_ARMHF, "qemu-system-arm", "-M raspi2b -global bcm2836.enabled-cpus={cpus}",
                    tree="bcm2836-rpi-2-b", overlays=("raspi2b", "lab")),
    # irboard's controls lie inside a Pi 4's memory, so the kernel gets only what is below them
    "raspi4b": Kind(_ARM64, "qemu-system-aarch64",
                    "-M raspi4b -global bcm2838.enabled-cpus={cpus}",
                    tree="bcm2711-rpi-4-b", overlays=("raspi4b", "lab"),
                    kernel_options="console=ttyAMA0 mem=960M", needs_newer_qemu=True),
    "virt": Kind(_ARM64, "qemu-system-aarch64",
                 f"-M virt,dtb-randomness=off -cpu cortex-a53 -m 1G {_NO_PI}"),
    # the time stamp counter counts virtual time, whatever the kernel makes of an emulated one
    "pc": Kind(_AMD64, "qemu-system-x86_64", f"-M q35 -m 512M -nodefaults -vga none {_NO_PI}",
               has_acpi=True, kernel_options="console=ttyS0 tsc=reliable", modules=()),
}
