# SPDX-License-Identifier: GPL-2.0-only
"""Every allocation on the way to a working device fails once: nothing is left behind, and
afterwards the device comes up."""

from __future__ import annotations

import pytest

from tests.lab import um_kernel

_SWEEP = """
plug {overlay}
python3 /inject.py {kind}-ir-tx {kind}-ir-transmitter
ir-ctl -d "$(lirc {kind}-ir-tx)" --send=/examples/rc5.ir
"""


def _sweep(boot, overlay: str, kind: str) -> None:
    """Bind by bind."""
    done = boot(_SWEEP.format(overlay=overlay, kind=kind))
    assert " allocations failed, " in done.output


@pytest.mark.parametrize("overlay, kind", [("pwm", "pwm"), ("gpio-second", "gpio")],
                         ids=["pwm", "gpio"])
def test_allocations(boot, overlay, kind):
    """A transmitter with one line."""
    _sweep(boot, overlay, kind)


@pytest.mark.parametrize("version", [um_kernel.MAIN])
@pytest.mark.parametrize("overlay", ["pwm-many", "fallback"])
def test_more_allocations(boot, overlay):
    """Several lines, and two emitters."""
    _sweep(boot, overlay, "pwm")
