# SPDX-License-Identifier: GPL-2.0-only
"""A run of the whole path ends clean, or says that it did not."""

from __future__ import annotations

from tests.lab import um_path


def test_failing_script():
    """Its status counts, and nothing of ours stays loaded."""
    done = um_path.run("plug pwm\nls /dev/lirc0\nsh -c 'exit 3'\necho never\n")
    assert done.problem == "the script ended with status 3"
    assert done.output.split() == ["/dev/lirc0"]


def test_module_that_stays():
    """A module that cannot be unloaded is a problem, even if the script has none."""
    done = um_path.run("plug pwm\nloaded='irtx-core pwm-ir-tx'\n")
    assert done.problem == "the script ended with status 1"
    assert "can't unload module 'irtx_core'" in done.output


def test_checker():
    """What a checker says is a problem, even if the script has none."""
    done = um_path.run("plug pwm\necho 'WARNING: planted' > /dev/kmsg\n")
    assert "WARNING: planted" in done.problem
    assert len(done.reports) == 1
