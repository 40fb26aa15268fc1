# SPDX-License-Identifier: GPL-2.0-only
"""The tree passes every linter."""

from __future__ import annotations

import pytest

from tests.lab import host
from tests.lint import linters


def each(wanted):
    """One test a file."""
    return pytest.mark.parametrize("path", linters.select(wanted),
                                   ids=lambda path: str(path.relative_to(host.TREE)))


def content(complaints: str) -> None:
    """Fail with the complaints alone."""
    if complaints:
        pytest.fail(complaints, pytrace=False)


@each(linters.is_kernel_style)
def test_checkpatch(path):
    """Kernel style."""
    content(linters.checkpatch(path))


def test_warnings():
    """No warning for arm64 with W=1."""
    content(linters.warnings(linters.module_folders()))


def test_sparse():
    """Not a word from sparse."""
    content(linters.sparse(linters.module_folders()))


@each(linters.is_shell)
def test_shellcheck(path):
    """Shell scripts."""
    content(linters.shellcheck(path))


def test_pylint():
    """Python, for errors and design."""
    content(linters.pylint(linters.select(linters.is_python)))


def test_flake8():
    """Python, for style."""
    content(linters.flake8(linters.select(linters.is_python)))


@each(linters.is_device_tree)
def test_device_tree(path):
    """Overlays and device trees."""
    content(linters.device_tree(path))


def test_openings():
    """Licence lines."""
    sources = linters.select(lambda path: linters.is_kernel_style(path) or linters.is_shell(path)
                             or linters.is_python(path))
    content("\n".join(filter(None, map(linters.opening, sources))))


def test_version_checks():
    """No source but core/compat.h knows of kernel versions."""
    content("\n".join(filter(None, map(linters.version_checks,
                                       linters.select(linters.is_kernel_style)))))


def test_package_hosts():
    """No package host is named anywhere."""
    content("\n".join(filter(None, map(linters.package_hosts, linters.tree_files()))))
