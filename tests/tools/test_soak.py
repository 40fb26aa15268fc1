# SPDX-License-Identifier: GPL-2.0-only
"""irtx-soak's own logic, with an ir-ctl that only pretends to send.

What these tests cover: what is sent and how often, how it is judged, progress, Ctrl-C, --break,
--load and the results. What a real ir-ctl does with the same frames, and what the driver measures
then, is covered by the scenarios in tests/e2e."""

from __future__ import annotations

import json
import os
import pty
import re
import shutil
import signal
import subprocess
import time
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.lab import host, irfile
from tests.tools import capture, programs
from tests.tools.programs import SOAK

# Says in its log what it was called for, and lets the export tell of one more signal: a good one,
# or the one that plan, a list of words, says: bad, fails, lies (success, but nothing sent).
_IR_CTL = """#!/usr/bin/python3
import pathlib, re, sys, time
here = pathlib.Path(__file__).parent
data = pathlib.Path("@DATA@")
exported = pathlib.Path("@EXPORTED@")
with open(here / "log", "a") as log:
    log.write(" ".join(sys.argv[1:]) + "\\n")
time.sleep(float((here / "slow_s").read_text()))
number = len((here / "log").read_text().splitlines())
plan = (here / "plan").read_text().split()
what = plan[number - 1] if number <= len(plan) else "good"
if what == "fails":
    sys.exit("/dev/lirc0: failed to send: Input/output error")
for word in sys.argv:
    if word.startswith("--send="):
        (here / f"frame-{number}").write_text(pathlib.Path(word[7:]).read_text())
if what != "lies":
    edges = (data / ("bad" if what == "bad" else "perfect") / "irtx/rc0/edges").read_text()
    edges = re.sub("signal [0-9]+", f"signal {100 + number}", edges)
    (exported / "edges.new").write_text(edges)
    (exported / "edges.new").rename(exported / "edges")
"""
_STRESS_NG = """#!/bin/sh
echo "$@" > "${0%/*}/load"
[ "$1" != --nonsense ] || { echo "no such option" >&2; exit 2; }
echo $$ > "${0%/*}/pid"
exec sleep 60
"""
_PULSE_MAX_US = 500_000  # of a signal in all; rc-core's limit


class Bench:
    """A system with the programs that irtx-soak calls."""

    def __init__(self, folder: Path) -> None:
        self.system = programs.System(folder / "sys", "perfect")
        self.bin = folder / "bin"
        self.work = folder / "work"
        self.work.mkdir()
        self.bin.mkdir()
        ir_ctl = _IR_CTL.replace("@DATA@", str(capture.DATA))
        self._add("ir-ctl", ir_ctl.replace("@EXPORTED@", str(self.system.exported())))
        self._add("stress-ng", _STRESS_NG)
        self.plan()
        self.slow_s(0)

    def _add(self, name: str, text: str) -> None:
        (self.bin / name).write_text(text, encoding="utf-8")
        (self.bin / name).chmod(0o755)

    def plan(self, *words: str) -> None:
        """Say what is to become of the signals, in turn."""
        (self.bin / "plan").write_text(" ".join(words), encoding="ascii")

    def slow_s(self, time_s: float) -> None:
        """Let ir-ctl take so long for a signal."""
        (self.bin / "slow_s").write_text(str(time_s), encoding="ascii")

    @property
    def sent(self) -> list[str]:
        """How ir-ctl was called."""
        path = self.bin / "log"
        return path.read_text(encoding="utf-8").splitlines() if path.exists() else []

    @property
    def options(self) -> dict:
        """How irtx-soak is to be started."""
        return {"env": {**os.environ, "PATH": f"{self.bin}:/usr/bin:/bin", "COLUMNS": "80",
                        "PYTHONPATH": str(host.TREE)}, "cwd": self.work, "text": True}

    def run(self, *arguments: str) -> subprocess.CompletedProcess:
        """Run irtx-soak, without a pause between signals."""
        return subprocess.run(self.system.command(SOAK, "--gap", "0", *arguments), check=False,
                              capture_output=True, **self.options)

    def start(self, *arguments: str, by: Sequence[str] = ()) -> subprocess.Popen:
        """Start irtx-soak, by another program perhaps."""
        return subprocess.Popen([*by, *self.system.command(SOAK, "--gap", "0", *arguments)],
                                stdout=subprocess.DEVNULL, **self.options)

    def results(self, *arguments: str) -> dict:
        """Run irtx-soak; what it wrote for programs."""
        self.run(*arguments, "--json", "results.json")
        return json.loads((self.work / "results.json").read_text(encoding="utf-8"))


@pytest.fixture(name="bench")
def _bench(tmp_path):
    return Bench(tmp_path)


def test_all_perfect(bench):
    """Status 0, a summary, and irtx-stat's report."""
    done = bench.run("-n", "3")
    assert done.returncode == 0, done.stderr
    assert re.match(r"3 of 3 signals in \d+ s: 0 bad, 0 failed\n\nrc0 \(/dev/lirc0\): ",
                    done.stdout)
    assert "Verdict: " in done.stdout
    assert not done.stderr  # no terminal, no progress
    assert len(bench.sent) == 3


def test_statistics_begin_anew(bench):
    """So that the report is on this test alone."""
    bench.run("-n", "1")
    assert (bench.system.exported() / "reset").read_text(encoding="ascii") == "1\n"


def test_bad_and_failed_signals(bench):
    """They are counted, and the status is 1."""
    bench.plan("good", "bad", "fails", "lies", "bad")
    results = bench.results("-n", "6")
    assert (results["signals_sent"], results["signals_bad"], results["signals_failed"]) == (4, 2, 2)
    assert results["last_error"] == "ir-ctl reports success, but the driver has sent nothing"
    assert results["worst_late_ns"] >= 1000
    assert bench.run("-n", "1").returncode == 0
    (bench.bin / "log").unlink()
    assert bench.run("-n", "2").returncode == 1


def test_giving_up(bench):
    """What fails ten times in a row will not come right."""
    bench.plan(*["fails"] * 9, "good", *["fails"] * 20)
    done = bench.run("-n", "1000")
    assert done.returncode == 1
    assert "It gave up after 10 failures in a row." in done.stdout
    assert "/dev/lirc0: failed to send: Input/output error" in done.stdout
    assert len(bench.sent) == 20


# --- what is sent ---

def test_files_and_scancodes_take_turns(bench):
    """All that was given, in turn, to the device that was chosen."""
    path = str(host.TREE / "examples/nec.ir")
    bench.run("-n", "5", "-S", "nec:0x408", "-S", "rc5:0x1e01", path, "-d", "rc0")
    turns = ["--scancode=nec:0x408", "--scancode=rc5:0x1e01", f"--send={path}"]
    assert bench.sent == [f"--device=/dev/lirc0 {word}" for word in (turns * 2)[:5]]


def test_random_frames_are_legal(bench):
    """ir-ctl's format; what rc-core takes: an odd number of lengths, at most 500 ms."""
    bench.run("-n", "40")
    signals = [irfile.read(path) for path in sorted(bench.bin.glob("frame-*"))]
    assert len({signal.lengths_us for signal in signals}) > 30
    for frame in signals:
        assert len(frame.lengths_us) % 2 == 1
        assert len(frame.lengths_us) < 1024
        assert min(frame.lengths_us) >= 150
        assert sum(frame.lengths_us) <= _PULSE_MAX_US


def test_the_seed_decides(bench):
    """The same seed gives the same frames, another gives others."""
    seen = []
    for seed in ("7", "7", "8"):
        bench.run("-n", "3", "--seed", seed)
        seen.append([path.read_text(encoding="ascii")
                     for path in sorted(bench.bin.glob("frame-*"))])
        for path in [*bench.bin.glob("frame-*"), bench.bin / "log"]:
            path.unlink()
    assert seen[0] == seen[1] != seen[2]


def test_the_gap_is_kept(bench):
    """Signals are so far apart."""
    start_s = time.monotonic()
    subprocess.run(bench.system.command(SOAK, "-n", "3", "--gap", "200"), check=True,
                   capture_output=True, **bench.options)
    assert time.monotonic() - start_s > 0.4


# --- --break ---

def test_break_keeps_everything(bench):
    """It stops at once, and what there is to look at is in a folder."""
    bench.plan("good", "bad", "good")
    results = bench.results("-n", "9", "--break", "1000")
    assert len(bench.sent) == 2
    assert results["stopped_by"] == "break"
    kept = bench.work / results["kept"]
    assert {path.name for path in kept.iterdir()} == {"edges", "stats", "config", "signal.ir"}
    assert "# signal 102 " in (kept / "edges").read_text(encoding="ascii")
    assert irfile.read(kept / "signal.ir") == irfile.read(bench.bin / "frame-2")


def test_break_has_its_own_limit(bench):
    """What is bad is the threshold's affair: a bad signal need not stop it, a good one may."""
    bench.plan("bad", "good", "good")
    done = bench.run("-n", "2", "--break", "1000000")
    assert done.returncode == 1
    assert "2 of 2 signals in 0 s: 1 bad, 0 failed" in done.stdout
    done = bench.run("-n", "2", "--break", "1")
    assert done.returncode == 1
    assert "1 of 2 signals in 0 s: 0 bad, 0 failed" in done.stdout
    assert "stopped at a signal with an edge off by 1 ns or more; its edges are in irtx-soak-" \
        in done.stdout


def test_break_without_tracefs(bench):
    """It says that there will be no trace, and goes on."""
    done = bench.run("-n", "1", "--break", "1000000")
    assert "no trace will be kept" in done.stderr
    assert done.returncode == 0


def test_break_with_trace(tmp_path, monkeypatch):
    """The trace is stopped, then copied."""
    soak = programs.load(SOAK)
    monkeypatch.chdir(tmp_path)
    trace = tmp_path / "instance"
    trace.mkdir()
    (trace / "trace").write_text("irtx_edge: minor=0\n", encoding="ascii")
    transmitter = soak.irtx_stat.Transmitter(capture.DATA / "bad" / capture.DEVICE)
    kept = soak.keep(transmitter, soak.Frame(("--scancode=nec:1",)), trace)
    assert (kept / "trace").read_text(encoding="ascii") == "irtx_edge: minor=0\n"
    assert (trace / "tracing_on").read_text(encoding="ascii") == "0"
    assert (kept / "signal.ir").read_text(encoding="ascii") == "# ir-ctl --scancode=nec:1\n"


# --- load ---

def test_load_runs_meanwhile(bench):
    """stress-ng gets its options, and is gone afterwards."""
    done = bench.run("-n", "3", "--load=--cpu 2 --io 1")
    assert done.returncode == 0, done.stderr
    assert (bench.bin / "load").read_text(encoding="ascii") == "--cpu 2 --io 1\n"
    pid = int((bench.bin / "pid").read_text(encoding="ascii"))
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


def test_load_that_ends_early(bench):
    """Without its load the test is worth nothing; what there was is reported all the same."""
    done = bench.run("-n", "1000", "--gap", "50", "--load=--nonsense", "--json",
                     "results.json")
    assert done.returncode == os.EX_UNAVAILABLE
    assert "stress-ng ended with status 2: no such option" in done.stderr
    results = json.loads((bench.work / "results.json").read_text(encoding="utf-8"))
    assert results["stopped_by"] == "problem"
    assert results["signals_sent"] == len(bench.sent) < 1000


# --- progress and interrupts ---

@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_interrupts(bench, number):
    """It reports what there was, in both forms, and ends what it started."""
    command = bench.system.command(SOAK, "-n", "1000", "--gap", "20", "--json", "results.json",
                                   "--load=--cpu 1")
    with subprocess.Popen(command, stdout=subprocess.PIPE, **bench.options) as child:
        wait_until(lambda: len(bench.sent) > 3)
        child.send_signal(number)
        output, _ = child.communicate(timeout=20)
    assert child.returncode == 130
    assert "It was interrupted; this is what there was so far." in output
    results = json.loads((bench.work / "results.json").read_text(encoding="utf-8"))
    assert results["stopped_by"] == "interrupt"
    assert len(bench.sent) - 1 <= results["signals_sent"] <= len(bench.sent)
    with pytest.raises(ProcessLookupError):
        os.kill(int((bench.bin / "pid").read_text(encoding="ascii")), 0)


def test_an_interrupt_waits_for_the_signal(bench):
    """What is being sent when Ctrl-C comes is sent to its end and counted."""
    bench.slow_s(1)
    with bench.start("-n", "1000", "--json", "results.json") as child:
        wait_until(lambda: len(bench.sent) == 1)
        child.send_signal(signal.SIGINT)
        assert child.wait(20) == 130
    results = json.loads((bench.work / "results.json").read_text(encoding="utf-8"))
    assert (results["signals_sent"], results["stopped_by"]) == (1, "interrupt")


def test_a_second_interrupt_does_not_wait(bench):
    """For when ir-ctl hangs."""
    bench.slow_s(60)
    with bench.start("-n", "1000", "--json", "results.json") as child:
        wait_until(lambda: len(bench.sent) == 1)
        child.send_signal(signal.SIGINT)
        time.sleep(0.2)
        child.send_signal(signal.SIGINT)
        assert child.wait(20) == 130
    results = json.loads((bench.work / "results.json").read_text(encoding="utf-8"))
    assert (results["signals_sent"], results["stopped_by"]) == (0, "interrupt")


def test_nohup(bench):
    """A signal that whoever started it has ignored does not end it."""
    with bench.start("-n", "4", by=["nohup"]) as child:
        wait_until(lambda: len(bench.sent) == 1)
        child.send_signal(signal.SIGHUP)
        assert child.wait(20) == 0
    assert len(bench.sent) == 4


def test_progress_on_a_terminal(bench):
    """One line that is written over, with an estimate."""
    ours, theirs = pty.openpty()
    with subprocess.Popen(bench.system.command(SOAK, "-n", "30", "--gap", "50"), stderr=theirs,
                          stdout=subprocess.DEVNULL, **bench.options) as child:
        os.close(theirs)
        shown = read_terminal(ours)
    assert child.returncode == 0
    lines = shown.split("\r\033[K")
    assert re.fullmatch(r"irtx-soak: \d+/30 \(\d+ %\), 0 bad, 0 failed, worst 0\.\d{3} us "
                        r"late, \d+\.\d signals/s, \d+ s left", lines[-2])
    assert lines[-1] == ""


def test_duration():
    """Times are short, and never of 60 s."""
    soak = programs.load(SOAK)
    assert [soak.duration(time_s) for time_s in (0, 59.4, 59.6, 3599.7, 90_000)] == [
        "0 s", "59 s", "1 min 00 s", "1 h 00 min", "25 h 00 min"]


def read_terminal(file: int) -> str:
    """All that is written to a terminal until nobody has it open any more."""
    shown = b""
    try:
        while data := os.read(file, 1000):
            shown += data
    except OSError:  # how a terminal says that
        pass
    os.close(file)
    return shown.decode()


def wait_until(true) -> None:
    """Wait until a condition holds, at most 20 s."""
    end_s = time.monotonic() + 20
    while not true():
        assert time.monotonic() < end_s
        time.sleep(0.02)


# --- errors ---

@pytest.mark.parametrize("program, package, arguments", [
    ("ir-ctl", "v4l-utils", []), ("stress-ng", "stress-ng", ["--load=--cpu 1"])])
def test_missing_programs(bench, program, package, arguments):
    """It names the package."""
    (bench.bin / program).unlink()
    done = subprocess.run(bench.system.command(SOAK, *arguments), capture_output=True, check=False,
                          **{**bench.options, "env": {**bench.options["env"],
                                                      "PATH": str(bench.bin)}})
    assert done.returncode == os.EX_UNAVAILABLE
    assert f"{program} is not installed. Install it with: sudo apt install {package}" in done.stderr
    assert not bench.sent


def test_missing_file(bench):
    """It is named before anything is sent."""
    done = bench.run("nowhere.ir")
    assert done.returncode == os.EX_NOINPUT
    assert "nowhere.ir: No such file or directory. Give files in ir-ctl's format" in done.stderr


def test_no_lirc_device(bench):
    """A copy from elsewhere cannot send."""
    shutil.rmtree(bench.system.folder / "class")
    done = bench.run()
    assert done.returncode == os.EX_UNAVAILABLE
    assert "rc0 has no /dev/lircN here" in done.stderr


def test_module_removed_meanwhile(bench):
    """It ends with what happened."""
    command = bench.system.command(SOAK, "-n", "1000", "--gap", "20")
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                          **bench.options) as child:
        wait_until(lambda: len(bench.sent) > 2)
        shutil.move(bench.system.debugfs / "irtx", bench.work)
        _, errors = child.communicate(timeout=20)
    assert child.returncode == os.EX_UNAVAILABLE
    assert "Was the module removed?" in errors


def test_results_that_cannot_be_written(bench):
    """The status says so."""
    done = bench.run("-n", "1", "--json", "nowhere/results.json")
    assert done.returncode == os.EX_CANTCREAT
    assert "nowhere/results.json: No such file or directory." in done.stderr


@pytest.mark.parametrize("arguments", [["-n", "0"], ["--gap", "-1"], ["--break", "x"],
                                       ["--invent"]])
def test_wrong_command_lines(bench, arguments):
    """Refused, with a hint where to read on."""
    done = bench.run(*arguments)
    assert done.returncode == os.EX_USAGE
    assert "irtx-soak --help" in done.stderr
