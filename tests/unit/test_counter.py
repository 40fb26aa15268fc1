# SPDX-License-Identifier: GPL-2.0-only
"""The closing line counts every test once, and a run that proves nothing fails."""

from __future__ import annotations

import shutil

import pytest

from tests.lab import host

_SOME = """
import pytest
def test_good(): pass
def test_bad(): assert False
def test_skipped(): pytest.skip("not here")
@pytest.fixture
def broken(): raise ValueError
def test_error(broken): pass
"""


@pytest.mark.parametrize("text, last, status", [
    ("def test_good(): pass\n", "1 passed, 0 failed", 0),
    (_SOME, "1 passed, 2 failed, 1 skipped", 1),
    ("import pytest\ndef test_skipped(): pytest.skip('')\n", "0 passed, 0 failed, 1 skipped", 1),
    ("", "0 passed, 0 failed", 1),
    ("this is not Python\n", "0 passed, 1 failed", 1),
], ids=["good", "some-of-each", "only-skipped", "nothing", "unreadable"])
def test_closing_line(tmp_path, text, last, status):
    """The last line and the status of a run."""
    shutil.copy(host.TREE / "tests/conftest.py", tmp_path)
    shutil.copy(host.TREE / "pytest.ini", tmp_path)
    (tmp_path / "test_planted.py").write_text(text, encoding="ascii")
    done = host.attempt(["/usr/bin/python3", "-B", "-m", "pytest", tmp_path], cwd=tmp_path,
                        env={"PYTHONPATH": str(host.TREE)})
    assert done.stdout.splitlines()[-1] == last
    assert done.returncode == status
