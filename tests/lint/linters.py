# SPDX-License-Identifier: GPL-2.0-only
"""The linters: each takes what it checks and returns its complaints, nothing when content."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Sequence
from pathlib import Path

from tests.lab import cache, debian, host, modules

_KERNEL = "6.12"
# the script, its word lists, and one header: it looks for names in the headers of its --root
_CHECKPATCH = ("scripts/checkpatch.pl", "scripts/spelling.txt", "scripts/const_structs.checkpatch",
               "include/linux/kconfig.h")
_PACKAGE_HOST = re.compile(r"\b(?:[\w-]+\.)*(?:debian\.org|ubuntu\.com|raspberrypi\.(?:org|com)"
                           r"/debian|pypi\.org|pythonhosted\.org|npmjs\.org|crates\.io)\b")
_VERSION_CHECK = re.compile(r"\b(?:LINUX_VERSION_CODE|KERNEL_VERSION)\b")
_VERSIONS_PLACE = host.TREE / "core/compat.h"
_HOST_PROGRAMS = host.TREE / "tests/lab/board"
_PYTHON = ["/usr/bin/python3", "-B", "-m"]


@functools.cache
def tree_files() -> list[Path]:
    """Every file of the tree that is, or would be, committed."""
    listed = host.run(["git", "-C", host.TREE, "ls-files", "-z", "--cached", "--others",
                       "--exclude-standard"])
    paths = (host.TREE / name for name in sorted(set(listed.split("\0"))) if name)
    return [path for path in paths if path.is_file()]


def select(wanted: Callable[[Path], bool]) -> list[Path]:
    """The tree's files of one kind."""
    return [path for path in tree_files() if wanted(path)]


# --- kinds of files ---

def is_kernel_style(path: Path) -> bool:
    """What checkpatch judges."""
    return path.suffix in {".c", ".h", ".S", ".dts", ".dtsi"} or path.name in {"Kbuild", "Makefile"}


def is_shell(path: Path) -> bool:
    """Shell scripts, known by their first line or, where they are only sourced, by suffix."""
    with open(path, "rb") as file:
        first = file.readline()
    return path.suffix == ".sh" or bool(re.match(rb"#!.*\b(?:ba|da)?sh\b", first))


def is_python(path: Path) -> bool:
    """Python sources, with or without a suffix."""
    with open(path, "rb") as file:
        return path.suffix == ".py" or bool(re.match(rb"#!.*\bpython3?\b", file.readline()))


def is_device_tree(path: Path) -> bool:
    """Device trees and overlays that are compiled by themselves."""
    return path.suffix == ".dts"


def module_folders() -> list[str]:
    """Folders with a Kbuild for Debian's kernels; the suites need a kernel that has KUnit."""
    folders = {str(path.parent.relative_to(host.TREE))
               for path in select(lambda path: path.name == "Kbuild")}
    return sorted(folders - {"tests/kunit"})


# --- linters ---

def checkpatch(path: Path) -> str:
    """The kernel's style checker; programs for the host cannot have the kernel's types."""
    source = debian.package(f"linux-source-{_KERNEL}:all")
    root = cache.entry("checkpatch", [source.name, *_CHECKPATCH],
                       functools.partial(_unpack_checkpatch, source=source)) / "source"
    foreign = [f"--root={root}", "--ignore=PREFER_KERNEL_TYPES,ARRAY_SIZE,BIT_MACRO,CAMELCASE"] \
        if path.is_relative_to(_HOST_PROGRAMS) else []
    # it leaves a file where it runs
    return _output(["perl", root / _CHECKPATCH[0], "--no-tree", "--strict", "--quiet",
                    "--no-summary", "--show-types", *foreign, "--file", path], cwd=root)


def _unpack_checkpatch(folder: Path, source: Path) -> None:
    """Take checkpatch and its word lists from a kernel source."""
    with host.step("unpacking checkpatch"):
        debian.unpack_source(source, folder / "source", *_CHECKPATCH)


def warnings(folders: Sequence[str], tree: Path = host.TREE) -> str:
    """The compiler and modpost with every warning that kernel developers look at."""
    return _complaint(folders, ("W=1",), tree)


def sparse(folders: Sequence[str], tree: Path = host.TREE) -> str:
    """The kernel's semantic checker: address spaces, lock balance, byte order."""
    return _complaint(folders, ("C=2",), tree)


def _complaint(folders: Sequence[str], options: Sequence[str], tree: Path) -> str:
    """Build modules; return why that is not clean."""
    try:
        modules.build(debian.kernel(_KERNEL, "arm64"), folders, options, tree)
    except host.LabError as error:
        return str(error)
    return ""


def shellcheck(path: Path) -> str:
    """The shell checker."""
    return _output(["shellcheck", "--external-sources", path])


def pylint(paths: Sequence[Path]) -> str:
    """The Python checker."""
    return _output([*_PYTHON, "pylint", "--score=n", f"--rcfile={host.TREE / 'pylintrc'}", *paths],
                   env={"PYLINTHOME": str(cache.root() / "pylint")})


def flake8(paths: Sequence[Path]) -> str:
    """Python's style checker."""
    return _output([*_PYTHON, "flake8", f"--config={host.TREE / '.flake8'}", *paths])


def device_tree(path: Path) -> str:
    """The device tree compiler; it succeeds with warnings, so any output counts."""
    return _output(["dtc", "-@", "-I", "dts", "-O", "dtb", "-o", "/dev/null", path])


def opening(path: Path) -> str:
    """A source opens with its licence."""
    lines = path.read_text(encoding="utf-8").splitlines()[:2]
    if any("SPDX-License-Identifier: GPL-2.0" in line for line in lines):
        return ""
    return f"{path}: the first line, or the second after #!, must be the SPDX licence line"


def package_hosts(path: Path) -> str:
    """Package hosts are the machine's business: the tree names none."""
    text = path.read_bytes().decode("utf-8", errors="replace")
    return "\n".join(f"{path}:{number}: names the package host {match[0]}"
                     for number, line in enumerate(text.splitlines(), 1)
                     if (match := _PACKAGE_HOST.search(line)))


def version_checks(path: Path) -> str:
    """What differs between kernels is core/compat.h's business alone."""
    found = path != _VERSIONS_PLACE and _VERSION_CHECK.search(path.read_text(encoding="utf-8"))
    return f"{path}: checks {found[0]}: test for a symbol in compat.mk instead" if found else ""


def _output(command: Sequence[str | Path], **options) -> str:
    """What a checker prints, or that it failed in silence."""
    done = host.attempt(command, **{"cwd": host.TREE, **options})
    text = done.stdout.strip()
    return text or (f"{command[0]} failed with status {done.returncode}" if done.returncode else "")
