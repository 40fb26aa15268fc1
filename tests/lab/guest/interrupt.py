# SPDX-License-Identifier: GPL-2.0-only
"""interrupt.py SECONDS COMMAND...: runs the command and presses Ctrl-C after that time. A shell
cannot: what it starts in the background, as the lab's init does, has SIGINT ignored."""

import signal
import subprocess
import sys


def main(after_s: str, *command: str) -> int:
    """Run the command; its status."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    with subprocess.Popen(command) as child:
        try:
            return child.wait(float(after_s))
        except subprocess.TimeoutExpired:
            child.send_signal(signal.SIGINT)
            return child.wait()


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
