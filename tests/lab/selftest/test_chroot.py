# SPDX-License-Identifier: GPL-2.0-only
"""A command in a chroot runs in the other release, and reaches only what it was given."""

from __future__ import annotations

import pytest

from tests.lab import chroot


@pytest.fixture(scope="module", name="root")
def make_root():
    """A trixie system; the one that the checks of device trees have, so as to make no other."""
    return chroot.make("trixie", ["dt-schema/trixie-backports"])


@pytest.fixture(name="script")
def make_script(root, tmp_path):
    """A function that runs a shell script there, between a folder to read and one to write."""
    folders = {"/given/read": tmp_path / "read", "/given/write": tmp_path / "write"}
    for folder in folders.values():
        folder.mkdir()
    (tmp_path / "read/file").write_text("content", encoding="ascii")

    def run(text):
        return chroot.attempt(root, ["sh", "-c", text],
                              {"/given/read": folders["/given/read"]},
                              {"/given/write": folders["/given/write"]})
    return run


def test_release(script):
    """Its own programs and libraries."""
    assert "VERSION_CODENAME=trixie" in script("cat /etc/os-release").stdout


def test_status(script):
    """The command's status and output are the caller's."""
    done = script("echo out; echo err >&2; exit 3")
    assert (done.returncode, done.stdout) == (3, "out\nerr\n")


def test_folders(script, tmp_path):
    """It begins in the first folder, and writes only where it may."""
    done = script("pwd; cat file; cp file ../write/copy && echo more > file")
    assert done.returncode
    assert done.stdout.startswith("/given/read\ncontent")
    assert (tmp_path / "write/copy").read_text(encoding="ascii") == "content"
    assert (tmp_path / "read/file").read_text(encoding="ascii") == "content"


@pytest.mark.parametrize("place", ["/usr", "/etc", "/var"])
def test_holds_still(script, place):
    """The system cannot be changed, so one serves all runs."""
    assert "Read-only file system" in script(f"touch {place}/planted").stdout


def test_alone(script, tmp_path):
    """No other folder of this machine, none of its processes, no network."""
    done = script(f"ls {tmp_path}; ls -d /proc/[1-9]* | wc -l; cat /proc/net/dev")
    assert "No such file" in done.stdout
    assert int(done.stdout.splitlines()[1]) < 10
    assert [line.split(":")[0].strip() for line in done.stdout.splitlines() if ":" in line][1:] \
        == ["lo"]
