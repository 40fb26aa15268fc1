# SPDX-License-Identifier: GPL-2.0-only
"""irtx-stat, on copies of what a real kernel exported (see capture.py)."""

from __future__ import annotations

import ast
import json
import os
import re
import shutil
import signal
import statistics
import subprocess
import tempfile
from pathlib import Path

import pytest

from tests.tools import capture, programs
from tests.tools.programs import STAT, stat

FIGURES = ["min", "max", "mean", "median", "p99", "p999", "stddev"]
_METRIC = re.compile(r'irtx_[a-z0-9_]+\{([a-z]+="[^"\\\n]*",?)+\} -?[0-9]+(\.[0-9]+)?')
_FAKE_GNUPLOT = """#!/bin/sh
cat > "$SCRIPT"
[ -z "$FAILS" ] || { echo "no terminal svg" >&2; exit 1; }
echo "<svg/>" > plot.svg
"""


@pytest.fixture(name="module", scope="module")
def _module():
    return programs.load(STAT)


def numbers(moment: str, name: str = "stats") -> dict[str, int]:
    """The numbers of a file with keys, read without the tool."""
    text = (capture.DATA / moment / capture.DEVICE / name).read_text(encoding="ascii")
    return {key: int(value) for key, value in re.findall(r"^(\w+) (-?\d+)$", text, re.MULTILINE)}


def rows(moment: str, name: str) -> list[list[int]]:
    """The lines of a file with columns, read without the tool."""
    text = (capture.DATA / moment / capture.DEVICE / name).read_text(encoding="ascii")
    return [[int(word) for word in line.split()] for line in text.splitlines()
            if not line.startswith("#")]


# --- report ---

@pytest.mark.parametrize("moment", ["perfect", "bad", "failed"])
def test_report_counts(moment):
    """The form of the founding report: counts first."""
    done = stat(moment)
    kernel = numbers(moment)
    assert done.returncode == 0, done.stderr
    for title, key in [("Total signals", "signals"), ("Perfect signals", "perfect_signals"),
                       ("Bad signals", "bad_signals"), ("Failed signals", "errors"),
                       ("Total edges", "edges"), ("Bad edges", "bad_edges"),
                       ("Emitter operations", "cost_count")]:
        assert re.search(rf"^{title}: +{kernel[key]}\b", done.stdout, re.MULTILINE), title


def test_report_figures():
    """Then figures: edges in microseconds, operations in nanoseconds."""
    done = stat("bad")
    kernel = numbers("bad")
    for title, key, unit in [("Bad edges, us", "bad", 1000), ("All edges, us", "late", 1000),
                             ("Pulse widths, us", "pulse", 1000), ("Emitter operations, ns",
                                                                   "cost", 1)]:
        line = re.search(rf"^{title} +(.*)$", done.stdout, re.MULTILINE)[1]
        assert [float(word) for word in line.split()] == [
            kernel[f"{key}_{figure}_ns"] / unit
            for figure in ("max", "min", "mean", "median", "stddev")]


@pytest.mark.parametrize("moment, verdict", [
    ("perfect", "all {signals} signals sent perfectly, with no edge off by more than {worst} us."),
    ("bad", "{bad_signals} of {signals} signals had bad edges, the worst {worst} us late "
            "(see: irtx-stat edges --worst)."),
    ("failed", "1 signal sent perfectly, with no edge off by more than {worst} us; "
               "1 transmission failed (EIO: 1; see: dmesg)."),
])
def test_verdict(moment, verdict):
    """Last comes one sentence that says what it comes to."""
    kernel = numbers(moment)
    worst = f"{kernel['late_abs_max_ns'] / 1000:.3f}"
    assert stat(moment).stdout.splitlines()[-1] == (
        f"Verdict: {verdict.format(**kernel, worst=worst)}")


def test_no_figure_where_nothing_was_measured():
    """A dash says that there were no bad edges, where 0 would look like a measurement."""
    line = re.search(r"^Bad edges, us +(.*)$", stat("perfect").stdout, re.MULTILINE)[1]
    assert line.split() == ["-"] * 5


def test_percent_is_100_for_all_only(module):
    """999999 of 1000000 are not 100 %."""
    assert module.percent(999_999, 1_000_000) == "99.99 %"
    assert module.percent(7, 7) == "100.00 %"


# --- for programs ---

@pytest.mark.parametrize("moment", ["fresh", "perfect", "bad", "failed"])
def test_json_has_the_kernels_names_and_values(moment):
    """JSON repeats the export, whatever there is to tell."""
    data = json.loads(stat(moment, "--json").stdout)
    assert data["device"] == "rc0"
    for name in ("stats", "config"):
        assert numbers(moment, name).items() <= data[name].items()
    assert data["stats"]["emitter"] == "PWM scope-pwm channel 0"
    assert data["errors"] == ({"EIO": 1} if moment == "failed" else {})


@pytest.mark.parametrize("moment", ["fresh", "perfect", "bad", "failed"])
def test_prometheus_is_well_formed(moment):
    """Each metric is explained and typed once, then come its samples, each once."""
    lines = stat(moment, "--prometheus").stdout.splitlines()
    seen, name = set(), ""
    for line in lines:
        if match := re.fullmatch(r"# HELP (\w+) \S.*\.", line):
            name = match[1]
            assert name not in seen
            seen.add(name)
        elif match := re.fullmatch(r"# TYPE (\w+) (counter|gauge)", line):
            assert match[1] == name
            assert name.endswith("_total") == (match[2] == "counter")
        else:
            assert _METRIC.fullmatch(line) and line.startswith(f"{name}{{")
            assert line.rpartition(" ")[0] not in seen
            seen.add(line.rpartition(" ")[0])


def test_prometheus_values():
    """Seconds to the nanosecond, counts as they are."""
    lines = stat("bad", "--prometheus").stdout.splitlines()
    kernel = numbers("bad")
    assert f'irtx_bad_edges_total{{device="rc0"}} {kernel["bad_edges"]}' in lines
    for figure in FIGURES:
        value = f"{kernel[f'late_{figure}_ns'] / 1e9:.9f}"
        assert f'irtx_edge_late_seconds{{device="rc0",figure="{figure}"}} {value}' in lines


def test_prometheus_of_all_transmitters(tmp_path):
    """Without -d, the page has every transmitter, under one explanation."""
    system = programs.System(tmp_path, "perfect", devices=2)
    page = system.run(STAT, "--prometheus").stdout
    assert page.count('irtx_signals_total{device="rc0"}') == 1
    assert page.count('irtx_signals_total{device="rc1"}') == 1
    assert page.count("# TYPE irtx_signals_total ") == 1
    assert 'device="rc0"' not in system.run(STAT, "--prometheus", "-d", "rc1").stdout


# --- histogram ---

@pytest.mark.parametrize("key", ["late", "pulse", "space", "cost", "startup", "wakeup"])
def test_histogram_keeps_every_value(key):
    """Rows follow each other without a gap, fit on a screen, and lose nothing."""
    column = ["late", "pulse", "space", "cost", "startup", "wakeup"].index(key) + 2
    table = [line.split() for line in stat("bad", "hist", "--of", key).stdout.splitlines()[3:-2]]
    assert sum(int(row[2]) for row in table) == sum(row[column] for row in rows("bad", "histogram"))
    assert len(table) <= 24
    for before, after in zip(table, table[1:]):
        assert int(before[1]) + 1 == int(after[0])


def test_histogram_marks_bad_edges():
    """The rows that hold bad edges stand out, and no other."""
    limit_ns = numbers("bad")["threshold_ns"]
    table = [line.split() for line in stat("bad", "hist").stdout.splitlines()[3:-2]]
    for row in table:
        worst_ns = max(-int(row[0]), int(row[1]))
        assert ("!" in row) == (worst_ns >= limit_ns and row[2] != "0")
    assert any("!" in row for row in table)


def test_histogram_with_an_open_bucket(module):
    """What is beyond the last bucket has no upper end."""
    merged = module.merge([module.Bucket(-40, -39, 2), module.Bucket(2**27, None, 1)])
    assert merged == [module.Bucket(-40, -39, 2), module.Bucket(2**27, None, 1)]


@pytest.mark.parametrize("value_ns", [0, 1, -1, 63, -64, 65, 1000, -1000, 10**8])
def test_scale_rows_hold_their_values(module, value_ns):
    """On every scale a value lies in its row, and the next row begins where that ends."""
    for scale in module.SCALES:
        from_ns, below_ns = scale.row(value_ns)
        assert from_ns <= value_ns < below_ns
        assert scale.row(below_ns)[0] == below_ns
        assert scale.row(from_ns) == scale.row(below_ns - 1) == (from_ns, below_ns)


def test_histogram_as_json():
    """Programs get the kernel's buckets."""
    data = json.loads(stat("bad", "--json", "hist").stdout)
    assert [[bucket["from_ns"], bucket["below_ns"], bucket["count"]]
            for bucket in data["buckets"]] == [row[:3] for row in rows("bad", "histogram")
                                               if row[2]]


@pytest.mark.parametrize("encoding, characters", [("utf-8", "█▉"), ("latin-1", "#")])
def test_bars_suit_the_terminal(encoding, characters):
    """Blocks where they can be shown, else signs that every terminal has."""
    done = subprocess.run([*programs.PYTHON, STAT, "--debugfs", capture.DATA / "bad", "hist"],
                          env={"PYTHONIOENCODING": encoding}, capture_output=True, check=True)
    text = done.stdout.decode(encoding)
    assert any(character in text for character in characters)
    assert set(text) - set("█ ▏▎▍▌▋▊▉") <= set(map(chr, range(128)))


# --- edges ---

def test_edges_intervals():
    """Each interval: what was asked, what was sent, and both errors."""
    table = rows("bad", "edges")
    shown = re.findall(r"^ *\d+ (pulse|space) +(\S+) +(\S+) +(\S+) +(\S+)",
                       stat("bad", "edges").stdout, re.MULTILINE)
    assert len(shown) == len(table) - 1
    for (kind, asked, sent, error, late), begin, end in zip(shown, table, table[1:]):
        assert kind == ("pulse" if begin[1] else "space")
        assert round(float(asked) * 1000) == end[2] - begin[2]
        assert round(float(sent) * 1000) == end[2] + end[3] - begin[2] - begin[3]
        assert round(float(error) * 1000) == end[3] - begin[3]
        assert round(float(late) * 1000) == end[3]


def test_waveform():
    """The drawing has pulses and spaces in turn, the shortest one character wide."""
    picture = stat("failed", "edges", env={"PYTHONIOENCODING": "ascii"}).stdout.splitlines()[2]
    assert picture == "###__#__"  # 416, 277, 166 and 277 us


def test_edges_of_a_failed_signal():
    """One that was cut off says by what."""
    assert "5 edges" in stat("failed", "edges").stdout.splitlines()[0]
    assert stat("failed", "edges").stdout.splitlines()[0].endswith("cut off by EIO")


def test_worst_signals():
    """The worst come first, and their bad edges are marked."""
    text = stat("bad", "edges", "--worst").stdout
    worst = [float(found) for found in re.findall(r"the worst (\S+) us", text)]
    assert worst == sorted(worst, reverse=True) and len(worst) == 4
    assert sum(line.endswith("!") for line in text.splitlines()) == numbers("bad")["bad_edges"]


def test_edges_as_json():
    """Programs get edges and intervals."""
    entry, = json.loads(stat("failed", "edges", "--json").stdout)["signals"]
    assert entry["error"] == -5
    assert [[*edge.values()] for edge in entry["edges"]] == rows("failed", "edges")
    assert len(entry["intervals"]) == len(entry["edges"]) - 1


# --- list, watch, settings ---

def test_list(tmp_path):
    """All transmitters, with the device files that send."""
    system = programs.System(tmp_path, "perfect", devices=2)
    lines = system.run(STAT, "--list").stdout.splitlines()
    assert [line.split()[:5] for line in lines[1:]] == [
        [f"rc{number}", f"/dev/lirc{number}", "pwm-ir-tx", "busy", "3"] for number in (0, 1)]
    data = json.loads(system.run(STAT, "--list", "--json").stdout)
    assert [entry["lirc"] for entry in data] == ["/dev/lirc0", "/dev/lirc1"]


def test_watch_follows_until_interrupted(tmp_path):
    """A line when something was sent, and Ctrl-C is its normal end."""
    system = programs.System(tmp_path, "fresh")
    command = system.command(STAT, "watch")
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True,
                          cwd=Path(__file__).parents[2]) as child:
        assert child.stdout.readline() == "rc0: 0 signals so far; Ctrl-C ends\n"
        system.become("bad")
        news = child.stdout.readline()
        child.send_signal(signal.SIGINT)
        assert child.wait(10) == 0
    assert re.fullmatch(rf"\d\d:\d\d:\d\d  \+7 signals, {numbers('bad')['bad_signals']} bad, "
                        r"0 failed; signal 10: 72 edges in .*\n", news)


def test_reset_and_threshold(tmp_path):
    """Both write what the kernel wants."""
    system = programs.System(tmp_path, "perfect")
    assert system.run(STAT, "reset").returncode == 0
    assert (system.exported() / "reset").read_text(encoding="ascii") == "1\n"
    assert system.run(STAT, "-d", "/dev/lirc0", "threshold", "500").returncode == 0
    assert (system.exported() / "threshold_ns").read_text(encoding="ascii") == "500\n"


# --- plot ---

@pytest.fixture(name="gnuplot")
def _gnuplot(tmp_path, monkeypatch):
    """A gnuplot that keeps the script it was given."""
    folder = tmp_path / "bin"
    folder.mkdir()
    (folder / "gnuplot").write_text(_FAKE_GNUPLOT, encoding="ascii")
    (folder / "gnuplot").chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}:{os.environ['PATH']}")
    monkeypatch.setenv("SCRIPT", str(tmp_path / "script"))
    return tmp_path / "script"


def test_plot(gnuplot, tmp_path):
    """gnuplot gets every bucket and every edge, and the picture appears where it was wanted."""
    picture = tmp_path / "jitter.svg"
    done = stat("bad", "plot", "--svg", picture)
    assert done.returncode == 0, done.stderr
    assert picture.read_text(encoding="ascii") == "<svg/>\n"
    histogram, edges = re.findall(r"<< EOD\n(.*?)EOD", gnuplot.read_text(encoding="ascii"), re.S)
    assert len(histogram.splitlines()) == sum(row[2] > 0 for row in rows("bad", "histogram"))
    assert [[int(word) for word in line.split()] for line in edges.splitlines()] == [
        row[2:4] for row in rows("bad", "edges")]


def test_plot_that_fails(gnuplot, tmp_path):
    """gnuplot's message is passed on, and no half of a picture stays."""
    done = stat("bad", "plot", "--svg", tmp_path / "jitter.svg", env={"FAILS": "1"})
    assert done.returncode == os.EX_SOFTWARE
    assert "no terminal svg" in done.stderr
    assert {path.name for path in tmp_path.iterdir()} == {"bin", gnuplot.name}


def test_plot_without_gnuplot(tmp_path):
    """It names the package."""
    done = stat("bad", "plot", "--svg", tmp_path / "jitter.svg", env={"PATH": str(tmp_path)})
    assert done.returncode == os.EX_UNAVAILABLE
    assert "sudo apt install gnuplot-nox" in done.stderr


# --- errors: each with its status, and what to do next ---

@pytest.mark.parametrize("arguments", [[], ["hist"], ["edges"], ["edges", "--worst"]])
def test_nothing_sent_yet(arguments):
    """Nothing to show."""
    done = stat("fresh", *arguments)
    assert done.returncode == os.EX_NOINPUT
    assert "rc0 has sent no signal since it was loaded or reset. Send one, as with: ir-ctl -d" \
        in done.stderr
    assert not done.stdout


def test_not_root():
    """debugfs is root's."""
    nobody = {"user": 65534} if os.geteuid() == 0 else {}
    with tempfile.TemporaryDirectory() as folder, open(STAT, encoding="utf-8") as program:
        os.chmod(folder, 0o755)
        Path(folder, "irtx").mkdir(mode=0o700 if nobody else 0)
        done = subprocess.run([*programs.PYTHON, "-", "--debugfs", folder], stdin=program,
                              capture_output=True, text=True, check=False, cwd="/", **nobody)
    assert done.returncode == os.EX_NOPERM
    assert "only root may read and write it. Try again with sudo" in done.stderr


def test_kernel_lockdown(module, monkeypatch):
    """Root may read and not write."""
    monkeypatch.setattr(module.os, "geteuid", lambda: 0)
    with pytest.raises(module.Problem, match="locked down") as problem:
        with module.reasons(Path("reset")):
            raise PermissionError
    assert problem.value.status == os.EX_NOPERM


def test_debugfs_not_mounted(tmp_path):
    """It says how to mount it."""
    system = programs.System(tmp_path, "perfect", devices=0)
    system.debugfs.mkdir(parents=True)
    done = system.run(STAT)
    assert done.returncode == os.EX_UNAVAILABLE
    assert f"sudo mount -t debugfs none {system.debugfs}" in done.stderr


def test_kernel_without_debugfs(tmp_path):
    """It names the option."""
    done = programs.System(tmp_path, "perfect", devices=0).run(STAT)
    assert done.returncode == os.EX_UNAVAILABLE
    assert "CONFIG_DEBUG_FS" in done.stderr


def test_module_not_loaded(module, monkeypatch, tmp_path):
    """It says what to load."""
    monkeypatch.setattr(module, "DEBUGFS", tmp_path)
    monkeypatch.setattr(module.os.path, "ismount", lambda path: path == tmp_path)
    with pytest.raises(module.Problem, match="sudo modprobe pwm-ir-tx") as problem:
        module.transmitters(tmp_path)
    assert problem.value.status == os.EX_UNAVAILABLE


def test_no_transmitter_bound(tmp_path):
    """It says where to look."""
    (tmp_path / "irtx").mkdir()
    done = programs.run(STAT, "--debugfs", tmp_path)
    assert done.returncode == os.EX_UNAVAILABLE
    assert "Is the overlay applied?" in done.stderr


def test_not_a_copy(tmp_path):
    """A folder that is something else."""
    done = programs.run(STAT, "--debugfs", tmp_path)
    assert done.returncode == os.EX_UNAVAILABLE
    assert "Give the folder that holds irtx/" in done.stderr


def test_several_transmitters(tmp_path):
    """It does not guess."""
    system = programs.System(tmp_path, "perfect", devices=2)
    done = system.run(STAT)
    assert done.returncode == os.EX_USAGE
    assert "rc0 (/dev/lirc0), rc1 (/dev/lirc1). Choose one with -d" in done.stderr
    for wanted in ("rc1", "/dev/lirc1"):
        assert system.run(STAT, "-d", wanted).stdout.startswith("rc1 (/dev/lirc1): ")


def test_no_such_transmitter():
    """It lists what there is."""
    done = stat("perfect", "-d", "rc7")
    assert done.returncode == os.EX_UNAVAILABLE
    assert "Choose one with -d: rc0" in done.stderr


@pytest.mark.parametrize("before, after, complaint", [
    ("# irtx stats 1", "# irtx stats 2", "has format 2, this tool reads 1. Install"),
    ("# irtx stats 1", "something else", "does not begin with '# irtx stats'"),
    ("signals 3", "signals three", "should hold numbers: 'signals three'"),
    ("cost_count", "cost_number", "has no cost_count"),
])
def test_an_export_we_cannot_read(tmp_path, before, after, complaint):
    """Other formats and damage are noticed."""
    shutil.copytree(capture.DATA / "perfect", tmp_path, dirs_exist_ok=True)
    path = tmp_path / capture.DEVICE / "stats"
    path.write_text(path.read_text(encoding="ascii").replace(before, after), encoding="ascii")
    done = programs.run(STAT, "--debugfs", tmp_path)
    assert done.returncode == os.EX_PROTOCOL
    assert complaint in done.stderr


def test_keys_of_newer_modules(tmp_path):
    """What was added since does no harm."""
    shutil.copytree(capture.DATA / "perfect", tmp_path, dirs_exist_ok=True)
    with open(tmp_path / capture.DEVICE / "stats", "a", encoding="ascii") as file:
        file.write("invented_key some words\n")
    assert programs.run(STAT, "--debugfs", tmp_path).stdout == stat("perfect").stdout


@pytest.mark.parametrize("arguments", [
    ["hist", "--of", "nothing"], ["threshold", "0"], ["threshold", "2147483648"],
    ["threshold", "1us"], ["threshold"], ["plot"], ["invent"], ["--json", "reset"],
    ["--prometheus", "hist"], ["--json", "--prometheus"], ["--list", "hist"],
])
def test_wrong_command_lines(arguments):
    """Refused, with a hint where to read on."""
    done = stat("perfect", *arguments)
    assert done.returncode == os.EX_USAGE
    assert "--help" in done.stderr and not done.stdout


def test_full_disk():
    """Output that cannot be written is an error."""
    with open("/dev/full", "w", encoding="ascii") as full:
        done = subprocess.run([*programs.PYTHON, STAT, "--debugfs", capture.DATA / "bad", "hist"],
                              stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode == os.EX_IOERR
    assert "cannot write the output: No space left on device" in done.stderr


def test_closed_pipe(tmp_path):
    """When the reader has seen enough, it ends without a word, as programs do."""
    system = programs.System(tmp_path, "perfect")
    with subprocess.Popen(system.command(STAT, "watch"), stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, cwd=Path(__file__).parents[2]) as child:
        child.stdout.readline()
        child.stdout.close()
        system.become("bad")
        assert child.wait(10) == -signal.SIGPIPE
        assert child.stderr.read() == b""


# --- the rest ---

@pytest.mark.parametrize("program", [STAT, programs.SOAK], ids=lambda path: path.name)
def test_runs_on_old_systems(program):
    """Python 3.9 can read it, and it needs nothing but Python's own modules."""
    tree = ast.parse(program.read_text(encoding="utf-8"), feature_version=(3, 9))
    names = {name.name for node in ast.walk(tree) if isinstance(node, ast.Import)
             for name in node.names}
    names |= {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    assert {name.partition(".")[0] for name in names} <= set(programs.sys.stdlib_module_names)


def test_captured_statistics_agree_with_captured_edges():
    """The copies hang together: the worst signal's worst edge is what the statistics tell."""
    worst = max((row[3] for row in rows("bad", "worst")), key=abs)
    assert worst == numbers("bad")["late_max_ns"]
    assert statistics.fmean(row[4] for row in rows("bad", "edges")) <= numbers("bad")["cost_max_ns"]
