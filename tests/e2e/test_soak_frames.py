# SPDX-License-Identifier: GPL-2.0-only
"""What irtx-soak sends is taken by the real ir-ctl, with the options that irtx-soak gives it, and
comes out of the pin as it was made up. The tool itself needs Python, which the board has not; its
own logic is tested in tests/tools."""

from __future__ import annotations

import random

import pytest

from tests.lab import host, irfile, scenario, session, verdict
from tests.tools import programs

_FRAMES = 4
_SCENARIO = """
title = "random frames of irtx-soak"
modules = ["pwm-ir-tx"]
run = '''
ir-ctl --device=$TX --scancode=nec:0x408
mark 1000
{commands}
grep -E "^(signals|perfect_signals|errors) " $(debug pwm-ir-tx)/stats
'''
[expect]
output = ["signals {total}\\nperfect_signals {total}\\nerrors 0"]
signals = {lengths}
signals_after_mark = 1000
"""
_SEND = """
cat >/tmp/signal.ir <<EOF
{text}EOF
ir-ctl --device=$TX --send=/tmp/signal.ir
"""


def test_random_frames_are_sent():
    """Frame by frame and edge by edge."""
    soak = programs.load(programs.SOAK)
    source = random.Random(1)
    texts = [soak.random_text(source) for _ in range(_FRAMES)]
    entry = scenario.parse(host.TREE / "soak-frames", _SCENARIO.format(
        commands="".join(_SEND.format(text=text) for text in texts), total=_FRAMES + 1,
        lengths=[list(irfile.parse(text).lengths_us) for text in texts]))
    evidence = session.run(entry.board, [entry], session.new_logs())[0]
    if problems := verdict.problems(entry, evidence):
        pytest.fail(verdict.report(entry, evidence, problems), pytrace=False)
