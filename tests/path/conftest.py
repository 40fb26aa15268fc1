# SPDX-License-Identifier: GPL-2.0-only
"""Gives each test here every user-mode kernel, the main one first: it has every checker."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.lab import um, um_kernel, um_path


@pytest.fixture(params=um_kernel.main_first(), name="version")
def fixture_version(request) -> str:
    """The series of a kernel."""
    return request.param


@pytest.fixture(name="boot")
def fixture_boot(version: str) -> Callable[[str], um.Run]:
    """A function that runs a script on that kernel, without a problem."""
    def boot(script: str) -> um.Run:
        done = um_path.run(script, version)
        if done.problem:
            pytest.fail(done.report(), pytrace=False)
        return done
    return boot
