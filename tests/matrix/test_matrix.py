# SPDX-License-Identifier: GPL-2.0-only
"""The modules build without a warning for every kernel whose headers Debian offers, or it is known
why not."""

from __future__ import annotations

import pytest

from tests.matrix import build, rows


def pytest_generate_tests(metafunc):
    """One test a row."""
    if "row" in metafunc.fixturenames:
        metafunc.parametrize("row", build.find(), ids=str)


def may_skip(row, reason):
    """Whether a row may be left out for a reason. Kernels for rented machines have no infrared; of
    lists that a mirror has not brought up to date, only the lesser architectures' may be missing.
    """
    if reason == build.UNKNOWN:
        return row.place.arch in ("armhf", "riscv64")
    return rows.cloud(row.release) and reason.startswith("CONFIG_RC_CORE,")


def test_row(row):
    """It builds, or is left out for a reason that is expected of it."""
    result = build.build(row)
    if result.outcome == "skipped" and may_skip(row, result.reason):
        pytest.skip(result.reason)
    assert result.outcome == "succeeded", result.reason


@pytest.mark.parametrize("release, arch, reason, allowed", [
    ("6.1.0-9-cloud-arm64", "arm64", "CONFIG_RC_CORE, CONFIG_LIRC off", True),
    ("6.1.0-9-cloud-arm64", "arm64", "CONFIG_RC_CORE, CONFIG_LIRC, CONFIG_PWM off", True),
    ("6.1.0-9-arm64", "arm64", "CONFIG_RC_CORE, CONFIG_LIRC off", False),
    ("6.1.0-9-cloud-arm64", "arm64", "CONFIG_PWM off", False),
    ("", "riscv64", build.UNKNOWN, True),
    ("", "amd64", build.UNKNOWN, False),
])
def test_may_skip(release, arch, reason, allowed):
    """An unexpected reason fails, and an expected one of another row."""
    assert may_skip(rows.Row(rows.Place("planted", arch, "gcc 99"), release), reason) == allowed


def test_kinds():
    """The matrix has the series, compilers and architectures that the modules are made for."""
    found = [row for row in build.find() if row.release]
    for series in ("6.1.", "6.12.", "7.3."):
        assert any(row.release.startswith(series) for row in found), series
    assert {row.place.compiler for row in found} == {"gcc 12", "gcc 14", "clang 14"}
    assert {row.place.arch for row in found} == set(rows.ARCHES)
