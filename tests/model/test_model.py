# SPDX-License-Identifier: GPL-2.0-only
"""The model of a transmission's concurrency holds, and each part that it rests on is missed."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.lab import host

_MODEL = Path(__file__).with_name("engine.pml")
_DEADLINE_S = 120
_DEPTH = 100_000
_SEARCH = re.compile(r"errors: (\d+)\n\s*(\d+) states, stored")
_COMPLAINT = re.compile(r"pan:\d+: (.*?) \(at depth \d+\)")
_HANGS = "invalid end state"
_UNTRUE = "assertion violated"

# what is taken away (what stands there instead), and what spin must say then
_MUTANTS = {
    "a lost timer's reason is not looked up":
        ("(step < STEPS || abort == ETIMEDOUT)", "false", _UNTRUE),
    "a lost timer is not completed by the watch":
        ("complete(timer_done);\n\t   sleeping", "sleeping", _HANGS),
    "a lost thread is not woken by the watch":
        ("sleeping = false;\t\t\t/* wake_up_process() */", "skip;", _HANGS),
    "the watch comes once":
        ("watch_armed = true; watch_running = false", "watch_running = false", _HANGS),
    "the watch is not cancelled":
        ("cancel(watch_armed, watch_running);", "skip;", _UNTRUE),
    "the work is cancelled before the watch":
        ("cancel(watch_armed, watch_running);\t/* irtx_end_watch() */\n"
         "\t   cancel(douse_pending, douse_running);",
         "cancel(douse_pending, douse_running); cancel(watch_armed, watch_running);", _UNTRUE),
    "the work is not cancelled":
        ("cancel(douse_pending, douse_running)", "skip", _UNTRUE),
    "the timer is not cancelled":
        ("cancel(timer_armed, timer_running)", "skip", _UNTRUE),
    "a stale completion is left":
        ("timer_done = 0;", "skip;", _UNTRUE),
    "the emitter is not put out after a transmission":
        ("dark(true);\t\t/* irtx_emitter_dark() */", "skip;", _UNTRUE),
    "it is put out again after unbinding":
        ("cancel(again_pending, again_running);", "skip;", _UNTRUE),
    "unbinding waits for that with the lock":
        ("registered = false;\n\tunlock(locked);", "registered = false;", _HANGS),
    "shutting down and unbinding at once":
        ("lock(device_locked);\n\tif", "if", _UNTRUE),
}


def search(folder: Path, model: str) -> str:
    """Go through all states of @model; return what is wrong, nothing when all is well."""
    (folder / "model.pml").write_text(model, encoding="ascii")
    host.run(["spin", "-a", "model.pml"], cwd=folder)
    host.run(["gcc", "-w", "-DSAFETY", "-o", "pan", "pan.c"], cwd=folder)
    done = host.attempt(["./pan", f"-m{_DEPTH}"], cwd=folder, deadline_s=_DEADLINE_S)
    found = _SEARCH.search(done.stdout)
    if not found or "max search depth too small" in done.stdout:
        raise host.LabError(f"spin did not get through the model:\n{host.tail(done.stdout)}")
    complaint = _COMPLAINT.search(done.stdout)
    return complaint[1] if complaint else ""


def test_holds(tmp_path):
    """Nobody waits for ever, and nothing that is asserted is ever untrue."""
    assert not search(tmp_path, _MODEL.read_text(encoding="ascii"))


@pytest.mark.parametrize("name", _MUTANTS)
def test_awake(tmp_path, name):
    """A model without one of its parts is reported."""
    part, instead, complaint = _MUTANTS[name]
    model = _MODEL.read_text(encoding="ascii")
    assert model.count(part) == 1
    found = search(tmp_path, model.replace(part, instead))
    assert found and complaint in found
