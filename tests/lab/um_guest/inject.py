# SPDX-License-Identifier: GPL-2.0-only
"""Binds a device to its driver again and again, and each time another allocation in it fails: the
first, the second, until there is none left. Runs in the guest: inject.py DRIVER DEVICE."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

_INJECT = "/proc/thread-self/fail-nth"
_RELEASE_S = 5  # DEBUG_KOBJECT_RELEASE keeps memory as long, and nothing else lets time pass
_FAILSLAB = Path("/sys/kernel/debug/failslab")


def main() -> int:
    """Print how many allocations failed, and how many of them the driver could do without."""
    driver, device = Path("/sys/bus/platform/drivers", sys.argv[1]), sys.argv[2]
    _FAILSLAB.joinpath("ignore-gfp-wait").write_text("N", encoding="ascii")
    _FAILSLAB.joinpath("verbose").write_text("0", encoding="ascii")
    failed = survived = 0
    (driver / "unbind").write_text(device, encoding="ascii")
    while _bind(driver, device, failed + 1):
        failed += 1
        time.sleep(_RELEASE_S)
        if (driver / device).exists():
            survived += 1
            (driver / "unbind").write_text(device, encoding="ascii")
    print(f"{failed} allocations failed, {survived} did not matter")
    return 0 if failed else 1


def _bind(driver: Path, device: str, number: int) -> bool:
    """Bind the device while an allocation fails; whether there was one with this number."""
    inject = os.open(_INJECT, os.O_RDWR)
    bind = os.open(driver / "bind", os.O_WRONLY)
    name = device.encode()
    os.write(inject, b"%d" % number)
    try:
        os.write(bind, name)
    except OSError:
        pass
    left = int(os.pread(inject, 16, 0))
    os.pwrite(inject, b"0", 0)
    os.close(bind)
    os.close(inject)
    return left == 0


sys.exit(main())
