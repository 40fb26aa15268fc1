# SPDX-License-Identifier: GPL-2.0-only
"""What the measurement costs: the same signals are sent by the drivers as they are and by a copy
that measures nothing, and the oscilloscope's times are compared.

An edge's cost: lengths of 1 us on a core that is too slow for them, so edges follow each other as
fast as the engine can. A signal's cost: from the last of its 1024 edges to the end of write()."""

from __future__ import annotations

import json
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.lab import host, scenario, scope, session
from tests.lab.qemu import Machine

_MARK = 1000
_SLOW_SHIFT = 2
_VALUES = 201
_MARK_COST_EDGES = 1023
_TEXT = """
i=0
while [ $i -lt {values} ]; do
    [ $((i % 2)) = 0 ] && echo pulse {us} || echo space {us}
    i=$((i + 1))
done > /tmp/signal.ir
ir-ctl -d $TX --send /tmp/signal.ir
mark {mark}
ir-ctl -d $TX --send /tmp/signal.ir
mark {end}
"""
_WITHOUT = {
    "core/engine.c": [
        (r"static s32 irtx_late_ns\(.*?\n}\n", ""),
        (r"static void irtx_sample_edge\(.*?\n}\n", ""),
        (r"\tu64 begin_ns = \*now_ns;\n", ""),
        (r"\tif \(!ret && engine->step.envelope\)\n\t\tirtx_sample_edge\(.*?\);\n", ""),
    ],
    "core/device.c": [(r"\tirtx_stats_fold\(&irtx->stats, irtx->last\);\n", "")],
}


def main() -> int:
    """Measure both and print the difference."""
    if sys.argv[1:] not in ([], ["--here"]):
        print(f"{__doc__}\n\nIt takes no arguments.", file=sys.stderr)
        return 2
    if sys.argv[1:] == ["--here"]:
        print(json.dumps(_measure()))
        return 0
    with tempfile.TemporaryDirectory(prefix="irtx-cost-") as folder:
        ours, bare = _run(host.TREE), _run(_without(Path(folder)))
    print("| | measuring | not measuring | cost |\n|---|---|---|---|")
    for name, unit in (("edge", "ns"), ("signal", "us")):
        print(f"| {name} | {ours[name]:.1f} {unit} | {bare[name]:.1f} {unit} "
              f"| {ours[name] - bare[name]:.1f} {unit} |")
    return 0


def _run(tree: Path) -> dict[str, float]:
    """What one tree's drivers need."""
    done = subprocess.run([sys.executable, "-B", "-m", "tests.bench.cost", "--here"], cwd=tree,
                          stdout=subprocess.PIPE, check=True, text=True)
    return json.loads(done.stdout)


def _without(folder: Path) -> Path:
    """A copy of the tree whose drivers do not measure."""
    tree = folder / "tree"
    shutil.copytree(host.TREE, tree, ignore=shutil.ignore_patterns(".git"))
    for name, changes in _WITHOUT.items():
        text = (tree / name).read_text(encoding="utf-8")
        for pattern, replacement in changes:
            text, count = re.subn(pattern, replacement, text, flags=re.DOTALL)
            if count != 1:
                raise host.LabError(f"{name}: {pattern!r} is there {count} times, not once; "
                                    "adapt _WITHOUT in tests/bench/cost.py")
        (tree / name).write_text(text, encoding="utf-8")
    return tree


def _measure() -> dict[str, float]:
    """ns from edge to edge at full speed, on the Pi 3's core; us from the last edge of a signal
    of 1024 to the end of its write()."""
    _, edges = _send(_VALUES, 1, _SLOW_SHIFT)
    per_edge_ns = statistics.mean(scope.intervals_ns(edges)) / 2 ** _SLOW_SHIFT
    end_ns, edges = _send(_MARK_COST_EDGES, 100, 0)
    return {"edge": per_edge_ns, "signal": (end_ns - edges[-1].ns) / 1000}


def _send(values: int, length_us: int, shift: int) -> tuple[int, list[scope.Edge]]:
    """The second of two equal signals; the first one warms up."""
    run = _TEXT.format(values=values, us=length_us, mark=_MARK, end=_MARK + 1)
    entry = scenario.Scenario(path=Path("cost"), title="cost", run=run, modules=["pwm-ir-tx"],
                              boot=Machine(shift=shift))
    seen, = session.run(entry.board, [entry], session.new_logs())
    if seen.died or seen.exit:
        raise host.LabError(f"the board ended with {seen.died or seen.exit}:\n{seen.output}")
    trace = seen.during.after(_MARK)
    end = next(record for record in trace.records if isinstance(record, scope.Mark))
    return end.ns, trace.edges(18)


if __name__ == "__main__":
    sys.exit(host.call(main))
