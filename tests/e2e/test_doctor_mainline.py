# SPDX-License-Identifier: GPL-2.0-only
"""irtx-doctor where mainline's module of the same name is what is installed and loaded: it sends,
badly, and nothing else tells."""

from __future__ import annotations

import dataclasses
import re

import pytest

from tests.bench import mainline
from tests.lab import host, scenario, session

_SCENARIO = """
title = "mainline's module"
python = true
modules = ["pwm-ir-tx"]
run = '''
ends 1 irtx-doctor
'''
"""


def test_mainlines_module_is_named():
    """It is the first thing to mend; that it is loaded is told as well."""
    entry = scenario.parse(host.TREE / "doctor", _SCENARIO)
    try:
        entry = dataclasses.replace(entry, drivers=mainline.sources(entry.boot.kernel))
        seen, = session.run(entry.board, [entry], session.new_logs())
    except host.LabError as error:
        pytest.fail(str(error), pytrace=False)
    assert seen.exit == 0, seen.output
    assert re.search(r"^broken +ours +the pwm-ir-tx that is loaded is mainline's, whose edges come "
                     r"late$", seen.output, re.MULTILINE)
    assert re.search(r"^First broken link: modules: only mainline's pwm-ir-tx is installed for "
                     r"this kernel, ", seen.output, re.MULTILINE)
