# SPDX-License-Identifier: GPL-2.0-only
"""Makes data/, the copies of an export on which the tools are tested, anew in the lab:
python3 -m tests.tools.capture"""

from __future__ import annotations

import re
import shutil
import sys
from pathlib import Path

from tests.lab import host, scenario, session, verdict

SCENARIO = Path(__file__).with_name("capture.toml")
DATA = Path(__file__).with_name("data")
DEVICE = "irtx/rc0"


def cut(output: str) -> dict[str, dict[str, str]]:
    """The files that the scenario printed, by the moment at which it did and by their names."""
    moments: dict[str, dict[str, str]] = {}
    printed = re.compile(r"^@file (\S+) (\S+)\n(.*?)(?=^@file |^@end$)", re.MULTILINE | re.DOTALL)
    for moment, name, text in printed.findall(output):
        moments.setdefault(moment, {})[name] = text
    return moments


def main() -> int:
    """Run the scenario and write what it printed."""
    entry = scenario.load(SCENARIO)
    seen = session.run(entry.board, [entry], session.new_logs())[0]
    if problems := verdict.problems(entry, seen):
        print(verdict.report(entry, seen, problems), file=sys.stderr)
        return 1
    shutil.rmtree(DATA, ignore_errors=True)
    for moment, files in cut(seen.output).items():
        folder = DATA / moment / DEVICE
        folder.mkdir(parents=True)
        for name, text in files.items():
            (folder / name).write_text(text, encoding="ascii")
        host.say(f"wrote {folder.relative_to(host.TREE)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
