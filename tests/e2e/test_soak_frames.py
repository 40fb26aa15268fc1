# SPDX-License-Identifier: GPL-2.0-only
"""The random frames of irtx-soak come out of the pin as they were made up, and a seed tells which
they are."""

from __future__ import annotations

import random

import pytest

from tests.lab import host, irfile, scenario, session, verdict
from tests.tools import programs

_FRAMES = 4
_SEED = 3
_SCENARIO = """
title = "random frames of irtx-soak"
python = true
modules = ["pwm-ir-tx"]
run = '''
echo hybrid > /sys/class/rc/rc0/device/tx_mode
irtx-soak --count {count} --gap 10 --seed {seed}
'''
[expect]
output = ["^{count} of {count} signals in [0-9]+ s: 0 bad, 0 failed$"]
signals = {lengths}
"""


def test_random_frames_are_sent():
    """Frame by frame and edge by edge."""
    soak = programs.load(programs.SOAK)
    source = random.Random(_SEED)
    frames = [irfile.parse(soak.random_text(source)) for _ in range(_FRAMES)]
    entry = scenario.parse(host.TREE / "soak-frames", _SCENARIO.format(
        count=_FRAMES, seed=_SEED, lengths=[list(frame.lengths_us) for frame in frames]))
    evidence = session.run(entry.board, [entry], session.new_logs())[0]
    if problems := verdict.problems(entry, evidence):
        pytest.fail(verdict.report(entry, evidence, problems), pytrace=False)
