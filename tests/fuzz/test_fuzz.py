# SPDX-License-Identifier: GPL-2.0-only
"""Random operations find nothing; where a bug is planted they find it, with operations that lead to
it again."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from tests.fuzz import campaign
from tests.lab import host

_ROUNDS = 100  # a tenth of a whole campaign
_OPS_A_ROUND = 600
_KINDS = 12
_SEED = 1
_PLANTED_ROUNDS = 5
# what is broken, and what the fuzzer must say of it
_PLANTED = {
    "mask": ("core/emitter.c", "if (mask & ~irtx_emitter_all(emitter))", "if (0)",
             r"this returned 0: \d ioctl 0x\d 0x40046917 "),
    "range": ("core/sysfs.c", "if (value < knob->min || value > knob->max) {", "if (0) {",
              r"this returned \d+: \d put rc\d/tx_"),
    "dark": ("core/gpio.c", "ret = irtx_gpiod_set_value(gpio->lines->desc[i], false) ?: ret;",
             "irtx_gpiod_set_value(gpio->lines->desc[i], i == 2);", "scope-gpio-many is lit"),
}


def test_campaign():
    """Every kind of operation was done, some were refused, and signals were sent all along."""
    found = campaign.run(_SEED, 0, _ROUNDS)
    if found.problem:
        pytest.fail(found.report(), pytrace=False)
    assert found.operations == _ROUNDS * _OPS_A_ROUND
    assert found.signals >= 10 * _ROUNDS
    assert found.judged == 3 * _ROUNDS
    assert len(found.kinds) == _KINDS
    assert all(done > 0 for done, _ in found.kinds.values()), found.kinds
    assert all(0 < found.kinds[kind][1] < found.kinds[kind][0]
               for kind in ("ioctl", "pulses", "scancode", "put", "get")), found.kinds


@pytest.mark.parametrize("name", _PLANTED)
def test_planted(name, tmp_path):
    """The reproducer that is printed leads to the same again."""
    path, good, bad, told = _PLANTED[name]
    tree = _plant(tmp_path / "tree", path, good, bad)
    found = campaign.run(_SEED, 0, _PLANTED_ROUNDS, tree)
    assert re.search(told, found.finding), found.report()
    assert len(found.reproducer) == _OPS_A_ROUND
    again = campaign.replay(found.reproducer, tree)
    assert re.search(told, again.finding), again.report()


def test_minimise(tmp_path):
    """Operations that a finding does not need are left out."""
    needed = ["0 open rc0/lirc 0x0 0x2", "0 ioctl 0x0 0x40046917 0xff 0x0"]
    operations = [needed[0], "1 nap 0x1", needed[1], "0 get rc0/stats 0x1000"]
    assert campaign.minimise(operations, _plant(tmp_path / "tree", *_PLANTED["mask"][:3])) == needed


def _plant(tree: Path, path: str, good: str, bad: str) -> Path:
    """A copy of the sources with a bug in it."""
    shutil.copytree(host.TREE, tree, ignore=shutil.ignore_patterns(".git", "data", "examples"))
    text = (tree / path).read_text(encoding="utf-8")
    assert text.count(good) == 1, f"{path} no longer has {good!r}"
    (tree / path).write_text(text.replace(good, bad), encoding="utf-8")
    return tree
