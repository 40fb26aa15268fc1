# SPDX-License-Identifier: GPL-2.0-only
"""A driver takes any device tree: a transmitter that sends comes of it, or an error with a message
and nothing else."""

from __future__ import annotations

import re

import pytest

from tests.fuzz import lab, trees

_SEEDS = range(60)
_TOLD = re.compile(r"transmitter(?:: error -E|\t\S+: )")  # in the log, or why it waits
_PREPARE = """
load_rest
printf '\\144\\000\\000\\000' >/signal  # 100 us
"""
_ROUND = """
echo "tree {seed}"
plug tree-{seed} || echo "no overlay {seed}"
if [ -e /sys/bus/platform/drivers/{driver}/transmitter ]; then
    cat /signal >"$(lirc {driver})"
    echo "works {seed}"
else
    fails ls /dev/lirc*
    cat /sys/kernel/debug/devices_deferred
    echo "fails {seed}"
fi
[ ! -e /sys/module/lab_overlay ] || unplug
"""


def _word(output: str, seed: int) -> str:
    """What became of a tree."""
    match = re.search(rf"^(works|fails) {seed}$", output, re.MULTILINE)
    assert match, f"tree {seed} ended otherwise"
    return match[1]


def _section(console: str, seed: int) -> str:
    """What was printed while a tree was there."""
    return re.split(r"^tree \d+$", console, flags=re.MULTILINE)[seed + 1]


def test_trees():
    """Those that must work do, those that cannot do not, and each failure is told of."""
    made = {seed: trees.make(seed) for seed in _SEEDS}
    overlays = [lab.compiled(f"tree-{seed}", tree.text) for seed, tree in made.items()]
    rounds = [_ROUND.format(seed=seed, driver=tree.driver) for seed, tree in made.items()]
    done = lab.run("".join([_PREPARE, *rounds]), overlays, deadline_s=600)
    if done.problem:
        pytest.fail(done.report(), pytrace=False)
    words = {seed: _word(done.output, seed) for seed in made}
    assert {words[seed] for seed, tree in made.items() if tree.works} == {"works"}
    assert {words[seed] for seed, tree in made.items() if tree.works is False} == {"fails"}
    assert list(words.values()).count("fails") >= 10
    for seed, tree in made.items():
        if tree.works is False:
            assert _TOLD.search(_section(done.console, seed)), f"tree {seed} fails in silence"
