# SPDX-License-Identifier: GPL-2.0-only
"""What the lab asks of the machine it runs on: progress lines, child processes that never outlive
us, and the place of the source tree."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

TREE = Path(__file__).resolve().parents[2]
TAIL_LINES = 40
_WORTH_A_TIME_S = 2


class LabError(Exception):
    """The lab cannot go on; the text says what was wrong and what to do next."""


def say(text: str) -> None:
    """Print one progress line, past any capturing of sys.stderr that a test runner does."""
    print(f"lab: {text}", file=sys.__stderr__, flush=True)


@contextlib.contextmanager
def step(text: str) -> Iterator[None]:
    """Announce a piece of long work, and its duration once it is done."""
    say(f"{text} ...")
    start_s = time.monotonic()
    yield
    took_s = time.monotonic() - start_s
    if took_s >= _WORTH_A_TIME_S:
        say(f"{text} ... {took_s:.0f} s")


def tail(text: str, lines: int = TAIL_LINES) -> str:
    """The last lines of a log."""
    return "\n".join(text.splitlines()[-lines:])


def end_as_if_interrupted() -> None:
    """Let a kill or a lost terminal end us as Ctrl-C does, with all the cleaning up.

    A shell starts what it puts into the background with Ctrl-C ignored, which all our children
    would inherit: that is undone as well.
    """
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.default_int_handler)


def call(main: Callable[[], int]) -> int:
    """Run a program's main function; its exit status, also when it is interrupted."""
    end_as_if_interrupted()
    try:
        return main()
    except KeyboardInterrupt:
        say("interrupted")
        return 128 + signal.SIGINT


def _kill_group(child: subprocess.Popen) -> None:
    """End a child that leads its own process group, with everything it started."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(child.pid, signal.SIGKILL)
    child.wait()


def attempt(command: Sequence[str | Path], *, cwd: Path | None = None,
            env: Mapping[str, str] | None = None,
            deadline_s: float | None = None) -> subprocess.CompletedProcess:
    """Run a command and collect its output, stderr among stdout.

    An interrupt or a missed deadline (subprocess.TimeoutExpired) ends its children, too.
    """
    argv = [str(word) for word in command]
    with subprocess.Popen(argv, cwd=cwd, env=None if env is None else {**os.environ, **env},
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, errors="replace",
                          start_new_session=True) as child:
        try:
            output, _ = child.communicate(timeout=deadline_s)
        except BaseException:
            _kill_group(child)
            raise
    return subprocess.CompletedProcess(argv, child.returncode, output)


def run(command: Sequence[str | Path], *, cwd: Path | None = None,
        env: Mapping[str, str] | None = None) -> str:
    """Run a command that must succeed; return its output."""
    done = attempt(command, cwd=cwd, env=env)
    if done.returncode:
        raise LabError(f"this command failed with status {done.returncode}:\n"
                       f"  {' '.join(done.args)}\n{tail(done.stdout)}")
    return done.stdout
