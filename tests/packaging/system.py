# SPDX-License-Identifier: GPL-2.0-only
"""Systems of Debian releases that a test may change: each run has a copy of its own in memory, as
root in it, whoever runs the test."""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path

from tests.lab import host

ENTER = Path(__file__).with_name("enter.sh")


def attempt(root: Path, shared: Path, command: Sequence[str | Path],
            network: bool = False) -> subprocess.CompletedProcess:
    """Run a command in a copy of the system at @root, where @shared is the folder /shared."""
    options = ["--mount", "--pid", "--fork", "--kill-child"]
    if not network:
        options.append("--net")
    if os.geteuid():
        options.append("--map-root-user")
    with tempfile.TemporaryDirectory() as place:
        return host.attempt(["unshare", *options, ENTER, root, place, shared, *command])
