# SPDX-License-Identifier: GPL-2.0-only
"""Shows the coverage of the tests that ran before this one, and wants most lines to have run."""

from __future__ import annotations

import pytest

from tests.lab import coverage, host, um_kernel

_LEAST_PCT = 95


@pytest.mark.parametrize("version", [um_kernel.MAIN])
def test_lines(version):
    """Lines of core/ and the drivers; scripts/check coverage names the tests that count."""
    if not coverage.SOURCES:
        pytest.fail("nothing ran before this test: use scripts/check coverage", pytrace=False)
    host.say(f"coverage on user-mode Linux {version}:\n{coverage.table()}")
    assert coverage.lines_pct() >= _LEAST_PCT, coverage.table()
