# SPDX-License-Identifier: GPL-2.0-only
"""What a board left behind is kept, and not made twice; nothing boots here."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.lab import host, qemu, scenario, session

_SERIAL = "@lab begin 0\nhello\n\n@lab end 0 exit=0\n@lab taint 0 0\n@lab done\n"
_EDGES = "# irboard 1\n10 mark 1\n20 mark 2\n30 mark 3\n"


class Bench:
    """Stands for the board; counts how often it is switched on."""

    def __init__(self) -> None:
        self.boots = 0
        self.reason = "done"

    def prepare(self, _board, scenarios, folder: Path) -> qemu.Image:
        """An image that differs where the scenarios do."""
        for name in ("kernel", "initrd"):
            (folder / name).write_text(scenarios[0].run, encoding="utf-8")
        return qemu.Image(folder / "kernel", folder / "initrd", [])

    def boot(self, _machine, _image, logs: Path, _patience, _heard) -> qemu.Outcome:
        """Leave the logs of a run."""
        self.boots += 1
        (logs / "serial.log").write_text(_SERIAL, encoding="utf-8")
        (logs / "edges.log").write_text(_EDGES, encoding="utf-8")
        return qemu.Outcome(self.reason, logs / "serial.log", logs / "edges.log")


@pytest.fixture(name="bench")
def a_bench(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Bench:
    """A board that is none, and a cache of its own."""
    bench = Bench()
    monkeypatch.setenv("IRTX_CACHE", str(tmp_path))
    monkeypatch.setattr(session, "_prepare", bench.prepare)
    monkeypatch.setattr(qemu.board, "plugin", lambda newer_qemu: "plugin")
    monkeypatch.setattr(qemu, "boot", bench.boot)
    return bench


def _run(script: str) -> session.Evidence:
    entry = scenario.Scenario(path=Path("one"), title="one", run=script)
    seen, = session.run_once(entry.board, [entry], session.new_logs())
    return seen


def test_the_same_image_boots_once(bench: Bench) -> None:
    """And another one boots."""
    first, again = _run("echo hello"), _run("echo hello")
    assert (first.output, first.exit, bench.boots) == ("hello\n", 0, 1)
    assert again == first
    _run("echo something else")
    assert bench.boots == 2


def test_a_crash_is_not_kept(bench: Bench) -> None:
    """It is an error, and the board boots anew next time."""
    bench.reason = "the guest's kernel panicked"
    with pytest.raises(host.LabError, match="did not survive: the guest's kernel panicked"):
        _run("crash")
    bench.reason = "done"
    assert _run("crash").exit == 0
    assert bench.boots == 2
