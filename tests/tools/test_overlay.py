# SPDX-License-Identifier: GPL-2.0-only
"""irtx-overlay, on boot partitions that are folders."""

from __future__ import annotations

import contextlib
import functools
import json
import os
import pty
import re
import resource
import signal
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.lab import fdt, host, overrides
from tests.lint import linters
from tests.tools import programs, test_documents, test_stat

OVERLAY = host.TREE / "scripts/irtx-overlay"
NAMES = ["irtx-pwm", "pwm-ir-tx", "irtx-gpio", "gpio-ir-tx"]
COMMANDS = ["install", "remove", "list", "status"]
_STOCK = b"\xd0\x0d\xfe\xed, says the stock overlay\0gpio_pin\0"
_RPI_OS = "# comment\ndtparam=audio=off\n[cm4]\notg_mode=1\n\n[all]\n"
_DEBIAN = ("# Do not modify this file!\n# If you need to set boot-time parameters, do so via the\n"
           "# /etc/default/raspi-firmware, /etc/default/raspi-firmware-custom or\n[all]\n")


@dataclass
class Card:
    """A boot partition."""

    folder: Path

    @property
    def config(self) -> bytes:
        """What config.txt holds."""
        return (self.folder / "config.txt").read_bytes()

    def overlay(self, name: str) -> Path:
        """An overlay's file."""
        return self.folder / "overlays" / f"{name}.dtbo"

    def run(self, command: str, *words: str, board: str = "4", **options):
        """Run the tool, without a terminal."""
        more = [] if command == "remove" else ["--board", board]
        return programs.run(OVERLAY, command, "--boot", self.folder, *more, *words,
                            stdin=subprocess.DEVNULL, **options)

    def files(self) -> dict[str, tuple[int, bytes]]:
        """All files but the backup of config.txt; a new file has another number."""
        return {path.relative_to(self.folder).as_posix(): (path.stat().st_ino, path.read_bytes())
                for path in self.folder.rglob("*")
                if path.is_file() and path.name != "config.txt.irtx-backup"}

    def contents(self) -> dict[str, bytes]:
        """These, whether they are new or not."""
        return {name: content for name, (_, content) in self.files().items()}


@pytest.fixture(name="card")
def make_card(tmp_path):
    """A card as Raspberry Pi OS has it."""
    card = Card(tmp_path / "boot")
    (card.folder / "overlays").mkdir(parents=True)
    (card.folder / "config.txt").write_text(_RPI_OS, encoding="utf-8")
    card.overlay("pwm-ir-tx").write_bytes(_STOCK)
    return card


@pytest.fixture(name="module", scope="module")
def _module():
    return programs.load(OVERLAY)


@pytest.fixture(name="tree")
def make_tree(module, monkeypatch, tmp_path):
    """A device tree of the tool's own to run on."""
    folder = tmp_path / "tree"
    folder.mkdir()
    monkeypatch.setattr(module, "TREE", folder)
    return folder


@pytest.fixture(name="main")
def make_main(module, card):
    """The tool within this process, which installs irtx-pwm; it takes a signal for its own."""
    before = signal.getsignal(signal.SIGPIPE)
    yield lambda *words: module.main(["install", "--boot", str(card.folder), "--yes", "irtx-pwm",
                                      *words])
    signal.signal(signal.SIGPIPE, before)


@functools.cache
def compiled(name: str) -> bytes:
    """An overlay as dtc makes it."""
    source = host.TREE / f"dt-bindings/overlays/{name}.dts"
    return subprocess.run(["dtc", "-@", "-I", "dts", "-O", "dtb", source], check=True,
                          capture_output=True).stdout


# --- what an install makes of config.txt ---

@pytest.mark.parametrize("before, words, after", [
    ("", ["irtx-pwm"], "dtoverlay=irtx-pwm\n"),
    ("a=1\n", ["irtx-pwm", "gpio_pin=13", "carrier=0"],
     "a=1\ndtoverlay=irtx-pwm,gpio_pin=13,carrier=0\n"),
    ("a=1", ["irtx-gpio"], "a=1\ndtoverlay=irtx-gpio\n"),
    ("[pi4]\na=1\n[all]\nb=2\n", ["irtx-gpio"], "[pi4]\na=1\n[all]\nb=2\ndtoverlay=irtx-gpio\n"),
    ("[pi4]\na=1\n", ["irtx-gpio"], "[pi4]\na=1\n# irtx-overlay\n[all]\ndtoverlay=irtx-gpio\n"),
    ("a=1\r\n", ["irtx-gpio"], "a=1\r\ndtoverlay=irtx-gpio\r\n"),
    ("a=1\r\nb=2", ["irtx-gpio"], "a=1\r\nb=2\r\ndtoverlay=irtx-gpio\r\n"),
    ("a=1\n[pi4]\r\nb=2\n", ["irtx-gpio"],
     "a=1\n[pi4]\r\nb=2\n# irtx-overlay\n[all]\ndtoverlay=irtx-gpio\n"),
    ("a=1\r\nb=2\ndtoverlay=irtx-gpio\nc=3\n", ["irtx-gpio", "gpio_pin=5"],
     "a=1\r\nb=2\ndtoverlay=irtx-gpio,gpio_pin=5\r\nc=3\n"),
    ("dtoverlay=irtx-pwm\ndtoverlay=\ndtparam=carrier=1\n", ["irtx-pwm", "gpio_pin=12"],
     "dtoverlay=irtx-pwm,gpio_pin=12\ndtoverlay=\ndtparam=carrier=1\n"),
    ("dtoverlay=pwm-ir-tx,gpio_pin=12,func=4\na=1\n", ["irtx-pwm", "gpio_pin=13"],
     "dtoverlay=irtx-pwm,gpio_pin=13\na=1\n"),
    ("dtoverlay=pwm-ir-tx,gpio_pin=12,func=4\na=1\n", ["irtx-pwm"],
     "dtoverlay=irtx-pwm,gpio_pin=12,func=4\na=1\n"),
    ("dtoverlay=gpio-ir-tx:gpio_pin=17\n", ["gpio-ir-tx", "gpio_pin=5"],
     "dtoverlay=gpio-ir-tx,gpio_pin=5\n"),
    ("device_tree_overlay=irtx-gpio\n", ["irtx-gpio", "invert=1"],
     "dtoverlay=irtx-gpio,invert=1\n"),
    ("dtoverlay=irtx-pwm-pi5\n", ["irtx-pwm"], "dtoverlay=irtx-pwm\n"),
    ("#dtoverlay=irtx-pwm\n", ["irtx-pwm"], "#dtoverlay=irtx-pwm\ndtoverlay=irtx-pwm\n"),
    ("dtoverlay=irtx-gpio,gpio_pin=5\ndtoverlay=irtx-gpio,gpio_pin=6\n",
     ["irtx-gpio", "gpio_pin=6"],
     "dtoverlay=irtx-gpio,gpio_pin=5\ndtoverlay=irtx-gpio,gpio_pin=6\n"),
    ("dtoverlay=irtx-pwm\ndtoverlay=vc4-kms-v3d\ndtparam=carrier=1\n", ["irtx-pwm", "gpio_pin=19"],
     "dtoverlay=irtx-pwm,gpio_pin=19\ndtoverlay=vc4-kms-v3d\ndtparam=carrier=1\n"),
])
def test_line(before, words, after, card):
    """Where the line goes; any other stays as it is."""
    (card.folder / "config.txt").write_bytes(before.encode())
    done = card.run("install", *words, "--yes")
    assert (done.returncode, card.config.decode()) == (0, after), done.stderr
    backup = card.folder / "config.txt.irtx-backup"
    assert not backup.exists() if after == before else backup.read_bytes() == before.encode()


@pytest.mark.parametrize("before, words, complaint", [
    ("[pi4]\ndtoverlay=irtx-pwm\n", ["irtx-pwm"], r"line 2 .* only where \[pi4\] holds"),
    ("dtoverlay=irtx-gpio\ndtoverlay=gpio-ir-tx,gpio_pin=6\n", ["irtx-gpio", "gpio_pin=7"],
     "lines 1 and 2 .* load it already"),
    ("dtoverlay=pwm-ir-tx\na=1\ndtparam=gpio_pin=12\n", ["irtx-pwm"],
     "line 3 .* sets parameters of the overlay in line 1"),
    ("dtoverlay=irtx-pwm,gpio_pin=12\ndtparam=func=4\n", ["irtx-pwm", "gpio_pin=13"],
     "line 2 .* sets parameters"),
    ("a=1\r\ndtoverlay=gpio-ir\nb=2\n", ["irtx-gpio"], "line 2 .* takes GPIO18"),
    pytest.param(f"dtoverlay=gpio-ir,gpio_pin={'9' * 5000}\n", ["irtx-gpio"],
                 "line 1 .* takes GPIO18", id="a long number"),
    ("dtoverlay=pwm-2chan\n", ["irtx-pwm"], "line 1 .* takes GPIO18. .* take irtx-gpio"),
    ("dtoverlay=pwm\n", ["irtx-pwm", "gpio_pin=12"], "line 1 .* takes the PWM"),
    ("dtoverlay=audremap\n", ["pwm-ir-tx", "gpio_pin=19"], "line 1 .* takes the PWM"),
    ("dtoverlay=audremap,pins_18_19\n", ["irtx-gpio"], "line 1 .* takes GPIO18"),
    ("dtoverlay=audremap\n", ["irtx-gpio", "gpio_pin=12"], "line 1 .* takes GPIO12"),
    ("dtoverlay=gpio-ir-tx\n", ["irtx-pwm"], r"takes GPIO18. .* \(GPIO12, .*\)"),
    ("dtoverlay=gpio-ir-tx,emitters=2,gpio_pin2=13\n", ["irtx-pwm", "gpio_pin=13"],
     "takes GPIO13"),
    ("dtoverlay=pwm-ir-tx,gpio_pin=12,emitters=2\n", ["irtx-gpio", "gpio_pin=19"],
     "takes GPIO19"),
    ("dtoverlay=gpio-ir\n", ["irtx-pwm"], "takes GPIO18"),
    ("dtoverlay=gpio-ir,gpio_pin=17\n", ["irtx-gpio", "emitters=2"], "takes GPIO17"),
    ("dtoverlay=w1-gpio\n", ["irtx-gpio", "gpio_pin=4"], "takes GPIO4"),
    ("dtoverlay=hifiberry-dac\n", ["irtx-pwm"], "takes GPIO18"),
    ("dtparam=i2s=on\n", ["irtx-gpio", "gpio_pin=21"], "takes GPIO21"),
    ("dtparam=i2c_arm=on,spi=on\n", ["irtx-gpio", "emitters=3", "gpio_pin2=3", "gpio_pin3=8"],
     "takes GPIO3 and GPIO8"),
])
def test_in_the_way(before, words, complaint, card):
    """Lines that irtx-overlay does not want to change, or that hold the pin."""
    (card.folder / "config.txt").write_text(before, encoding="utf-8")
    files = card.files()
    done = card.run("install", *words, "--yes")
    assert done.returncode == os.EX_CONFIG
    assert re.search(complaint, done.stderr)
    assert card.files() == files


@pytest.mark.parametrize("before, words, warning", [
    ("[pi3]\ndtoverlay=gpio-ir\n", ["irtx-pwm"], r"takes GPIO18 where \[pi3\] holds"),
    ("[pi3]\ndtoverlay=pwm\n", ["irtx-pwm", "gpio_pin=12"], r"takes the PWM where \[pi3\] holds"),
    ("dtparam=audio=on\n", ["irtx-pwm"], "headphone socket"),
    ("include more.txt\n", ["irtx-pwm"], "line 1 .*, include more.txt, adds lines that are not"),
    ("os_prefix=current/\n", ["irtx-pwm"], "look for overlays elsewhere"),
    ("overlay_prefix=mine/\n", ["irtx-pwm"], "look for overlays elsewhere"),
    ("dtparam=audio=on\n", ["irtx-gpio"], ""), ("dtparam=i2s=off\n", ["irtx-pwm"], ""),
    ("dtoverlay=gpio-ir,gpio_pin=17\n", ["irtx-gpio"], ""),
    ("dtoverlay=pwm\n", ["irtx-gpio", "gpio_pin=12"], ""),
])
def test_warnings(before, words, warning, card):
    """What need not be in the way."""
    (card.folder / "config.txt").write_text(before, encoding="utf-8")
    done = card.run("install", *words, "--yes")
    assert done.returncode == 0
    assert re.search(warning, done.stderr) if warning else done.stderr == ""


def test_no_headphones_on_a_5(card):
    """Its socket is gone."""
    (card.folder / "config.txt").write_text("dtparam=audio=on\n", encoding="utf-8")
    assert card.run("install", "irtx-pwm", "--yes", board="5").stderr == ""


# --- parameters ---

@pytest.mark.parametrize("board, words, complaint", [
    ("4", "irtx-pwm gpio_pin=17", "GPIO17 is no output of the PWM. On a Raspberry Pi 4 it has "
                                  "GPIO12, GPIO13, GPIO18 and GPIO19. .* irtx-gpio"),
    ("5", "irtx-pwm gpio_pin=40", "On a Raspberry Pi 5 it has GPIO12,"),
    ("3", "irtx-pwm gpio_pin=12 emitters=2 gpio_pin2=18",
     "GPIO12 and GPIO18 are one channel .* gpio_pin2=13 or gpio_pin2=19"),
    ("5", "irtx-pwm gpio_pin=12 emitters=2 gpio_pin2=12", "cannot have the same pin, GPIO12"),
    ("4", "irtx-gpio emitters=2 gpio_pin=17", "cannot have the same pin, GPIO17"),
    ("4", "irtx-gpio gpio_pin=28", "GPIO28 is not led out .* GPIO0 to GPIO27"),
    ("4", "irtx-gpio gpio_pin2=5", "without effect unless emitters=2"),
    ("4", "irtx-gpio emitters=2 gpio_pin3=5", "without effect unless emitters=3"),
    ("4", "irtx-gpio emitters=4", "emitters=4: it must be 1 to 3"),
    ("4", "irtx-pwm emitters=0", "emitters=0: it must be 1 to 2"),
    ("4", "irtx-gpio invert=2", "it must be 0 to 1"),
    ("4", "irtx-pwm carrier=500001", "it must be 0 to 500000"),
    ("4", "irtx-pwm gpio_pin=12 func=2", "func=2 .* not reach GPIO12"),
    ("4", "irtx-pwm invert=1", "no parameter invert; it has gpio_pin, gpio_pin2, emitters"),
    ("4", "irtx-gpio func=4", "no parameter func"),
    ("4", "irtx-pwm gpio_pin=12 gpio_pin=13", "gpio_pin is given twice"),
    ("4", "irtx-pwm gpio_pin", "'gpio_pin' is not a parameter and its number"),
    ("4", "irtx-pwm gpio_pin=-1", "is not a parameter and its number"),
    ("4", "irtx-pwm carrier=\u0663\u0668", "is not a parameter and its number"),
    pytest.param("4", f"irtx-pwm carrier={'9' * 5000}", "is not a parameter and its number",
                 id="a long number"),
    ("4", "irtx-pwm gpio_pin=13 --bogus", "unrecognized arguments: --bogus"),
    ("4", "irtx-pwm-pi5", "invalid choice"),
    ("6", "irtx-pwm", "invalid choice"),
])
def test_refused(board, words, complaint, card):
    """What would leave an LED dark, or means nothing."""
    files = card.files()
    done = card.run("install", *words.split(), "--yes", board=board)
    assert done.returncode == os.EX_USAGE
    assert re.search(complaint, done.stderr)
    assert card.files() == files


def test_parameters_behind_an_option(card):
    """The order does not matter."""
    done = card.run("install", "irtx-pwm", "--yes", "gpio_pin=13", "carrier=0")
    assert done.returncode == 0, done.stderr
    assert card.config.endswith(b"\ndtoverlay=irtx-pwm,gpio_pin=13,carrier=0\n")


def test_kept_parameters_are_checked(card):
    """A line that leaves the LED dark is not carried over."""
    (card.folder / "config.txt").write_text("dtoverlay=pwm-ir-tx,gpio_pin=12\n"
                                            "dtoverlay=vc4-kms-v3d\n", encoding="utf-8")
    assert card.run("install", "pwm-ir-tx", "--yes").returncode == 0
    (card.folder / "config.txt").write_text("dtoverlay=pwm-ir-tx,gpio_pin=17\n", encoding="utf-8")
    done = card.run("install", "pwm-ir-tx", "--yes")
    assert (done.returncode, "GPIO17 is no output" in done.stderr) == (os.EX_USAGE, True)


@pytest.mark.parametrize("board, words", [
    ("0", "irtx-pwm gpio_pin=12 func=4"), ("1", "irtx-pwm func=2"),
    ("2", "pwm-ir-tx gpio_pin=13 emitters=2 gpio_pin2=18"), ("4", "irtx-gpio gpio_pin=0 carrier=0"),
    ("5", "irtx-pwm gpio_pin=12 emitters=2 gpio_pin2=18"), ("5", "pwm-ir-tx gpio_pin=12 func=2"),
    ("5", "irtx-gpio emitters=3 gpio_pin=1 gpio_pin2=2 gpio_pin3=27 carrier=500000 invert=1"),
])
def test_accepted(board, words, card):
    """What fits is taken as it was given, in a line that the firmware still reads as a whole."""
    done = card.run("install", *words.split(), "--yes", board=board)
    line = f"dtoverlay={words.replace(' ', ',')}"
    assert done.returncode == 0, done.stderr
    assert card.config.decode().splitlines()[-1] == line
    assert len(line) < 98


@pytest.mark.parametrize("suffix", ["", "-pi5"])
@pytest.mark.parametrize("name", ["irtx-pwm", "irtx-gpio"])
def test_parameters_are_the_overlays(name, suffix, module):
    """The tool knows those parameters that the overlay has."""
    tree = fdt.parse(compiled(name + suffix))
    assert set(module.KINDS[name].parameters) | {"phandle"} \
        >= tree.node_at("/__overrides__").properties.keys() \
        >= set(module.KINDS[name].parameters)


@pytest.mark.parametrize("number", "012345")
def test_channels_are_the_overlays(number, module, tmp_path):
    """The tool knows the channels that the overlay sets."""
    board = module.BOARDS[number]
    for pin, channel in board.channels.items():
        path = tmp_path / "overlay.dtbo"
        path.write_bytes(compiled(f"irtx-pwm{board.suffix}"))
        overrides.set_parameters(path, [f"gpio_pin={pin}"])
        node = fdt.parse(path.read_bytes()).node_at(
            "/fragment@2/__overlay__/pwm-ir-transmitter")
        assert node.cells("pwms")[1] == channel


# --- boards ---

_HEADER = [12, 13, 18, 19]


@pytest.mark.parametrize("compatible, expected", [
    ("raspberrypi,model-zero-w brcm,bcm2835", ("", _HEADER, 28)),
    ("raspberrypi,model-zero-2-w brcm,bcm2837", ("", _HEADER, 28)),
    ("raspberrypi,2-model-b brcm,bcm2836", ("", _HEADER, 28)),
    ("raspberrypi,400 brcm,bcm2711", ("", _HEADER, 28)),
    ("raspberrypi,3-compute-module brcm,bcm2837", ("", [*_HEADER, 40, 41, 45], 46)),
    ("raspberrypi,4-compute-module brcm,bcm2711", ("", _HEADER, 46)),
    ("raspberrypi,5-model-b brcm,bcm2712", ("-pi5", _HEADER, 28)),
    ("raspberrypi,5-compute-module brcm,bcm2712", ("-pi5", _HEADER, 28)),
])
def test_board(compatible, expected, module, tree):
    """It is known by the chip in the device tree, and named as the board calls itself."""
    (tree / "compatible").write_bytes(compatible.replace(" ", "\0").encode() + b"\0")
    (tree / "model").write_bytes(b"Raspberry Pi X Rev 1.2\0")
    board = module.this_board()
    assert board.name == "Raspberry Pi X Rev 1.2"
    assert (board.suffix, list(board.channels), board.pins) == expected


@pytest.mark.parametrize("words, missing", [
    ("brcm,bcm2711 pwm gpio", ""), ("brcm,bcm2712 rp1_gpio rp1_pwm0", ""),
    ("brcm,bcm2712 rp1_gpio", "rp1_pwm0, .* Take irtx-gpio"), ("brcm,bcm2837", "pwm, ")])
def test_tree(words, missing, tree, main, capsys):
    """A kernel whose tree, a chip and its labels, the overlay does not fit."""
    chip, *labels = words.split()
    (tree / "compatible").write_text(f"{chip}\0", encoding="ascii")
    (tree / "__symbols__").mkdir()
    for label in labels:
        (tree / "__symbols__" / label).touch()
    assert main() == 0
    errors = capsys.readouterr().err
    assert re.search(f"no label {missing}", errors) if missing else errors == ""


def test_unknown_board(card):
    """A machine that is none, such as this one, has to be told."""
    done = programs.run(OVERLAY, "--boot", card.folder, "install", "irtx-pwm")
    assert done.returncode == os.EX_UNAVAILABLE
    assert "--board 4 --boot DIR" in done.stderr


@pytest.mark.parametrize("board, suffix", [("0", ""), ("4", ""), ("5", "-pi5")])
@pytest.mark.parametrize("name", NAMES)
def test_right_file(name, board, suffix, card):
    """Under each name lies the overlay that fits the board."""
    card.run("install", name, board=board)
    own = {"pwm-ir-tx": "irtx-pwm", "gpio-ir-tx": "irtx-gpio"}.get(name, name)
    assert card.overlay(name).read_bytes() == compiled(own + suffix)


# --- consent ---

def test_without_consent(card):
    """The overlay is there, config.txt is as it was, and the user is told the line."""
    done = card.run("install", "irtx-pwm", "gpio_pin=13")
    assert done.returncode == 1
    assert "  + dtoverlay=irtx-pwm,gpio_pin=13\nIt was left as it is." in done.stdout
    assert card.config.decode() == _RPI_OS
    assert card.overlay("irtx-pwm").is_file()
    assert not (card.folder / "config.txt.irtx-backup").exists()


def test_remove_without_consent(card):
    """Nothing goes while config.txt still wants it."""
    card.run("install", "irtx-pwm", "--yes")
    files = card.files()
    done = card.run("remove", "irtx-pwm")
    assert done.returncode == 1
    assert "  - dtoverlay=irtx-pwm\nIt was left as it is." in done.stdout
    assert card.files() == files


@pytest.mark.parametrize("command, before, change", [
    ("install", _DEBIAN, "+"), ("remove", _DEBIAN + "dtoverlay=irtx-pwm\n", "-")])
def test_generated_config(command, before, change, card):
    """What Debian's raspi-firmware makes anew is not changed, even with consent."""
    (card.folder / "config.txt").write_text(before, encoding="utf-8")
    done = card.run(command, "irtx-pwm", "--yes")
    assert (done.returncode, card.config.decode()) == (1, before)
    assert f"  {change} dtoverlay=irtx-pwm\nIt was left as it is, since" in done.stdout
    assert "/etc/default/raspi-firmware-custom as well" in done.stdout


@contextlib.contextmanager
def asking(card: Card) -> Iterator[tuple[subprocess.Popen, int]]:
    """The tool on a terminal, when it has asked; and the terminal."""
    terminal, inside = pty.openpty()
    command = ["install", "--boot", card.folder, "--board", "4", "irtx-pwm"]
    with subprocess.Popen([*programs.PYTHON, OVERLAY, *command], stdin=inside, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE) as child:
        os.close(inside)
        seen = ""
        while not seen.endswith("[y/N] "):
            seen += child.stdout.read(1) or pytest.fail(f"it did not ask: {seen}")
        assert "  + dtoverlay=irtx-pwm\n" in seen
        yield child, terminal
    os.close(terminal)


@pytest.mark.parametrize("answer, status", [(b"y\n", 0), (b"Yes\n", 0), (b"\n", 1), (b"n\n", 1),
                                            (b"\x04", 1)])
def test_question(answer, status, card):
    """On a terminal it asks; Enter and Ctrl-D mean no."""
    with asking(card) as (child, terminal):
        os.write(terminal, answer)
        child.communicate()
    assert child.returncode == status
    assert (b"dtoverlay=irtx-pwm" in card.config) == (status == 0)


def test_interrupted_question(card):
    """Ctrl-C leaves all as it was. One that comes just before the tool begins to read is only seen
    with the next."""
    files = card.files()
    with asking(card) as (child, _):
        while child.poll() is None:
            child.send_signal(signal.SIGINT)
            with contextlib.suppress(subprocess.TimeoutExpired):
                child.wait(timeout=5)
        assert (child.returncode, child.stderr.read(), card.files()) == (130, "", files)


# --- writing ---

def test_interrupted_writing(card, main, module, monkeypatch):
    """Ctrl-C in the midst waits until all is written."""
    write = module._write  # pylint: disable=protected-access

    def interrupted(path, data):
        os.kill(os.getpid(), signal.SIGINT)
        write(path, data)

    monkeypatch.setattr(module, "_write", interrupted)
    assert main("--board", "4") == 130
    assert card.overlay("irtx-pwm").read_bytes() == compiled("irtx-pwm")
    assert card.config.endswith(b"dtoverlay=irtx-pwm\n")


def test_full_disk(card):
    """What cannot be written whole, is not written at all."""
    (card.folder / "config.txt").write_bytes(b"#" * 4096)
    files = card.files()
    done = card.run("install", "irtx-pwm", "--yes", preexec_fn=functools.partial(
        resource.setrlimit, resource.RLIMIT_FSIZE, (4096, 4096)))
    assert done.returncode == os.EX_CANTCREAT
    assert "Nothing was changed" in done.stderr
    assert card.files() == files


def test_folder_in_the_way(card):
    """What cannot take its name leaves nothing under another one."""
    card.overlay("irtx-pwm").mkdir()
    files = card.files()
    done = card.run("install", "irtx-pwm", "--yes")
    assert done.returncode == os.EX_CANTCREAT
    assert f"{card.overlay('irtx-pwm')}: Is a directory. Nothing was changed" in done.stderr
    assert card.files() == files
    assert not (card.folder / "config.txt.irtx-backup.irtx-new").exists()


@pytest.mark.parametrize("command", ["install", "remove"])
def test_two_at_once(command, card):
    """While one asks, another must not change what its question was about."""
    files = card.files()
    with asking(card) as (child, terminal):
        done, meanwhile = card.run(command, "irtx-gpio", "--yes"), card.files()
        os.write(terminal, b"y\n")
        child.communicate()
    assert (done.returncode, meanwhile) == (os.EX_TEMPFAIL, files)
    assert "another irtx-overlay changes" in done.stderr
    assert card.config == f"{_RPI_OS}dtoverlay=irtx-pwm\n".encode()
    assert card.run("remove", "irtx-pwm", "--yes").returncode == 0


@pytest.mark.parametrize("words, status", [
    ("status", 0), ("install --board 4 irtx-pwm <&-", 1), ("install --board 4 --yes irtx-pwm", 0)])
def test_closed_input_and_output(words, status, card):
    """What nobody reads is no reason to fall over; nobody to ask means no."""
    command = f"{OVERLAY} --boot {card.folder} {words} >&-"
    done = subprocess.run(["sh", "-c", command], stderr=subprocess.PIPE, text=True, check=False)
    assert (done.returncode, done.stderr) == (status, "")


def test_not_allowed(main, module, monkeypatch, capsys):
    """Users who are not root are told so."""
    def refuse(path, _):
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr(module, "_write", refuse)
    assert main("--board", "4") == os.EX_NOPERM
    assert "Try again with sudo" in capsys.readouterr().err


def test_again(card):
    """A second install touches nothing."""
    card.run("install", "irtx-pwm", "gpio_pin=19", "--yes")
    files = card.files()
    done = card.run("install", "irtx-pwm", "gpio_pin=19")
    assert (done.returncode, done.stdout) == (0, "irtx-pwm on GPIO19 is installed already.\n")
    assert card.files() == files


@pytest.mark.parametrize("config", [_RPI_OS.encode(), b"[pi4]\na=1\n", b"a=\xff\xfe\x0b\x85\n",
                                    b"a=1\r\n[pi4]\r\n", b""], ids=range(5))
@pytest.mark.parametrize("name", ["irtx-gpio", "pwm-ir-tx"])
def test_remove(name, config, card):
    """It leaves no trace but the backup."""
    (card.folder / "config.txt").write_bytes(config)
    before = card.contents()
    assert card.run("install", name, "--yes").returncode == 0
    assert card.contents() != before
    assert card.run("remove", name, "--yes").returncode == 0
    assert card.contents() == before
    again = card.run("remove", name, "--yes")
    assert (again.returncode, again.stdout) == (0, f"{name} is not installed.\n")


def test_remove_keeps_a_section_in_use(card):
    """Lines that others added below ours must not come under another section."""
    (card.folder / "config.txt").write_bytes(b"[pi4]\n")
    card.run("install", "irtx-pwm", "--yes")
    with open(card.folder / "config.txt", "ab") as file:
        file.write(b"b=2\n")
    card.run("remove", "irtx-pwm", "--yes")
    assert card.config == b"[pi4]\n[all]\nb=2\n"


@pytest.mark.parametrize("before, name, after", [
    ("[pi4]\n# irtx-overlay\ndtoverlay=irtx-pwm\na=1\n", "irtx-pwm", "[pi4]\na=1\n"),
    ("[pi4]\r\n# irtx-overlay\r\n[all]\r\ndtoverlay=irtx-pwm\r\n", "irtx-pwm", "[pi4]\r\n"),
    ("[pi4]\n# irtx-overlay\n[all]\ndtoverlay=irtx-pwm\n", "irtx-gpio",
     "[pi4]\n# irtx-overlay\n[all]\ndtoverlay=irtx-pwm\n"),
    ("dtoverlay=irtx-pwm-pi5\na=1\n", "irtx-pwm", "a=1\n"),
    ("dtoverlay=irtx-pwm\ndtoverlay=gpio-ir\ndtparam=gpio_pin=5\n", "irtx-pwm",
     "dtoverlay=gpio-ir\ndtparam=gpio_pin=5\n")])
def test_remove_after_hand_edits(before, name, after, card):
    """Nothing goes but our lines."""
    (card.folder / "config.txt").write_bytes(before.encode())
    assert card.run("remove", name, "--yes").returncode == 0
    assert card.config.decode() == after


def test_remove_leaves_no_parameter_to_others(card):
    """A dtparam behind our line would move the receiver to our pin."""
    before = "dtoverlay=gpio-ir\ndtoverlay=irtx-gpio\ndtparam=gpio_pin=12\n"
    (card.folder / "config.txt").write_text(before, encoding="utf-8")
    done = card.run("remove", "irtx-gpio", "--yes")
    assert (done.returncode, card.config.decode()) == (os.EX_CONFIG, before)
    assert "line 3 of config.txt, dtparam=gpio_pin=12, sets parameters" in done.stderr


def test_stock_overlay_is_kept(card):
    """It is put aside, announced, and comes back."""
    done = card.run("install", "pwm-ir-tx", "--yes")
    kept = card.overlay("pwm-ir-tx").with_name("pwm-ir-tx.dtbo.irtx-stock")
    assert "is the stock overlay; it is kept as pwm-ir-tx.dtbo.irtx-stock" in done.stderr
    assert kept.read_bytes() == _STOCK
    card.run("install", "pwm-ir-tx", "--yes", board="5")
    assert kept.read_bytes() == _STOCK
    card.run("remove", "pwm-ir-tx", "--yes")
    assert card.overlay("pwm-ir-tx").read_bytes() == _STOCK
    assert not kept.exists()


def test_updated_stock_overlay_stays(card):
    """A system update put a newer one in our place: the old one must not come back."""
    card.run("install", "pwm-ir-tx", "--yes")
    card.overlay("pwm-ir-tx").write_bytes(b"newer")
    card.run("remove", "pwm-ir-tx", "--yes")
    assert [path.name for path in (card.folder / "overlays").iterdir()] == ["pwm-ir-tx.dtbo"]
    assert card.overlay("pwm-ir-tx").read_bytes() == b"newer"


def test_another_name(card):
    """The other name of the same overlay gives way, with its file."""
    card.run("install", "pwm-ir-tx", "--yes")
    card.run("install", "irtx-pwm", "gpio_pin=13", "--yes")
    assert card.config.decode() == _RPI_OS + "dtoverlay=irtx-pwm,gpio_pin=13\n"
    assert card.contents().keys() == {"config.txt", "overlays/irtx-pwm.dtbo",
                                      "overlays/pwm-ir-tx.dtbo"}
    assert card.overlay("pwm-ir-tx").read_bytes() == _STOCK


def test_link(card):
    """A config.txt that is a link stays one."""
    (card.folder / "config.txt").rename(card.folder / "real.txt")
    (card.folder / "config.txt").symlink_to("real.txt")
    card.run("install", "irtx-pwm", "--yes")
    assert (card.folder / "config.txt").is_symlink()
    assert b"dtoverlay=irtx-pwm" in card.config


# --- where overlays and the partition are ---

def test_packaged_overlay(module, monkeypatch, tmp_path):
    """What a package brought is taken before sources."""
    (tmp_path / "irtx-pwm-pi5.dtbo").write_bytes(b"packaged")
    monkeypatch.setattr(module, "COMPILED", tmp_path)
    assert module.binary(module.PWM, module.BOARDS["5"]) == b"packaged"
    assert module.binary(module.PWM, module.BOARDS["4"]) == compiled("irtx-pwm")


def test_no_overlay(module, monkeypatch, tmp_path):
    """Neither is there."""
    monkeypatch.setattr(module, "SOURCES", tmp_path)
    with pytest.raises(module.Problem, match="Install the package irtx-tools"):
        module.binary(module.PWM, module.BOARDS["4"])


def test_no_compiler(card):
    """The sources are there, dtc is not."""
    done = card.run("install", "irtx-pwm", env={"PATH": "/nowhere"})
    assert done.returncode == os.EX_UNAVAILABLE
    assert "sudo apt install device-tree-compiler" in done.stderr


def test_bad_source(module, monkeypatch, tmp_path):
    """dtc's own words are passed on."""
    (tmp_path / "irtx-pwm.dts").write_text("nonsense", encoding="ascii")
    monkeypatch.setattr(module, "SOURCES", tmp_path)
    with pytest.raises(module.Problem, match="syntax error") as raised:
        module.binary(module.PWM, module.BOARDS["4"])
    assert raised.value.status == os.EX_SOFTWARE


def test_no_partition(tmp_path):
    """The folder is no boot partition."""
    done = programs.run(OVERLAY, "--boot", tmp_path)
    assert done.returncode == os.EX_UNAVAILABLE
    assert f"no config.txt in {tmp_path}" in done.stderr


@pytest.mark.parametrize("folders, expected", [(["firmware", "."], "firmware"), (["."], ".")])
def test_finds_partition(folders, expected, module, monkeypatch, tmp_path):
    """/boot/firmware comes before /boot, where newer systems only leave a note."""
    for folder in folders:
        (tmp_path / folder).mkdir(exist_ok=True)
        (tmp_path / folder / "config.txt").touch()
    monkeypatch.setattr(module, "BOOTS", (tmp_path / "firmware", tmp_path))
    assert module.find_boot(None).folder == tmp_path / expected


def test_note_is_no_partition(tmp_path):
    """With the partition not mounted, there is what Raspberry Pi OS leaves in /boot."""
    note = "The file you are looking for has moved to /boot/firmware/config.txt\n"
    (tmp_path / "config.txt").write_text(note, encoding="ascii")
    assert programs.run(OVERLAY, "--boot", tmp_path).returncode == os.EX_UNAVAILABLE


# --- list and status ---

def test_list(card):
    """Every parameter, with what it may be on the board."""
    text = card_list("4")
    assert re.search(r"^  gpio_pin +12, 13, 18 and 19 \(default 18\)$", text, re.MULTILINE)
    assert re.search(r"^  gpio_pin3 +0 to 27 \(default 27\)$", text, re.MULTILINE)
    data = json.loads(card_list("5", "--json"))
    assert data["board"] == "Raspberry Pi 5"
    assert list(data["overlays"]) == NAMES
    assert card.config.decode() == _RPI_OS


def card_list(board: str, *words: str) -> str:
    """What list prints."""
    done = programs.run(OVERLAY, "list", "--board", board, *words)
    assert done.returncode == 0
    return done.stdout


def states(card: Card, board: str = "4") -> list[tuple[str, str, int]]:
    """What status says, where it says something."""
    rows = json.loads(card.run("status", "--json", board=board).stdout)["overlays"]
    return [(row["overlay"], row["file"], len(row["lines"])) for row in rows
            if row["file"] != "-" or row["lines"]]


def test_status(card):
    """Whose each file is, and which lines load it."""
    assert states(card) == [("pwm-ir-tx", "stock", 0)]
    card.run("install", "irtx-gpio", "gpio_pin=5", "--yes")
    assert states(card) == [("pwm-ir-tx", "stock", 0), ("irtx-gpio", "irtx", 1)]
    assert states(card, "5") == [("pwm-ir-tx", "stock", 0), ("irtx-gpio", "outdated", 1)]
    text = card.run("status").stdout
    assert re.search(r"^irtx-gpio +irtx +7: dtoverlay=irtx-gpio,gpio_pin=5$", text, re.MULTILINE)


@pytest.mark.parametrize("config, advice", [
    ("dtoverlay=irtx-pwm\n", "so nothing is loaded: sudo irtx-overlay install irtx-pwm"),
    ("dtoverlay=irtx-pwm-pi5\n", "so nothing is loaded: sudo irtx-overlay install irtx-pwm"),
    ("[pi4]\ndtoverlay=pwm-ir-tx\n", "the stock overlay knows channel 0 of the PWM alone"),
])
def test_advice(config, advice, card):
    """What is not as it should be comes with its cure."""
    (card.folder / "config.txt").write_text(config, encoding="utf-8")
    assert advice in card.run("status").stdout


def test_status_without_knowing_the_board(card):
    """A card in a reader."""
    card.run("install", "irtx-pwm", "--yes")
    done = programs.run(OVERLAY, "--boot", card.folder, "--json")
    assert (done.returncode, json.loads(done.stdout)["overlays"][0]["file"]) == (0, "irtx")


def test_json_of_an_action(card):
    """Only what prints can print JSON."""
    done = programs.run(OVERLAY, "--json", "remove", "--boot", card.folder, "irtx-pwm")
    assert done.returncode == os.EX_USAGE
    assert "remove cannot print JSON" in done.stderr


def test_runs_on_old_systems():
    """As the other tools do."""
    test_stat.test_runs_on_old_systems(OVERLAY)


# --- documents ---

def man_page() -> str:
    """The tool's page."""
    return (host.TREE / "man/irtx-overlay.1").read_text(encoding="ascii")


def test_man_page_has_the_options_of_help():
    """No more and no less."""
    listed = re.findall(r"^\.It (Fl .*)$", man_page(), re.MULTILINE)
    options = set().union(*(test_documents.helped(OVERLAY, *command)
                            for command in [[], *([name] for name in COMMANDS)]))
    assert {f"-{word}" for line in listed for word in re.findall(r"\bFl (\S+)", line)} == options


def test_man_page_has_the_commands_of_help():
    """Likewise."""
    commands = man_page().partition("The commands are:")[2].partition(".El")[0]
    assert re.findall(r"^\.It Cm (\w+)", commands, re.MULTILINE) == COMMANDS
    help_text = programs.run(OVERLAY, "--help").stdout
    assert re.findall(r"^    (\w+) ", help_text, re.MULTILINE) == COMMANDS


def test_man_page_has_every_status():
    """A status that the tool can end with is explained."""
    used = {getattr(os, name) for name in
            re.findall(r"os\.(EX_\w+)", OVERLAY.read_text(encoding="utf-8"))}
    page = man_page().partition(".Sh EXIT STATUS")[2]
    assert {int(status) for status in re.findall(r"^\.It (\d+)$", page, re.MULTILINE)} \
        == used | {1, 130}


def test_man_page_is_clean():
    """The formatter has nothing to complain about."""
    done = host.attempt(["mandoc", "-Tlint", "-Wwarning", host.TREE / "man/irtx-overlay.1"])
    assert done.stdout == ""


@pytest.mark.parametrize("command", [[], *([name] for name in COMMANDS)])
def test_completion_offers_the_options_of_help(command):
    """No more and no less, after every command."""
    assert set(test_documents.completed(OVERLAY, *command, "-")) \
        == test_documents.helped(OVERLAY, *command)


@pytest.mark.parametrize("words, expected", [
    ([""], COMMANDS), (["install", ""], NAMES), (["remove", "irtx-g"], ["irtx-gpio"]),
    (["install", "irtx-pwm", "f"], ["func="]), (["install", "gpio-ir-tx", "inv"], ["invert="]),
    (["remove", "irtx-pwm", ""], []), (["--board", ""], list("012345")),
    (["--boot", "tests/too"], ["tests/tools"]),
])
def test_completion(words, expected):
    """Commands, overlays, parameters and values."""
    assert test_documents.completed(OVERLAY, *words) == expected


def test_completion_knows_the_parameters(module):
    """All of them."""
    for name in NAMES:
        assert test_documents.completed(OVERLAY, "install", name, "") \
            == [f"{parameter}=" for parameter in module.KINDS[name].parameters]


def test_completion_passes_shellcheck():
    """It has no first line by which the linter would find it."""
    assert linters.shellcheck(host.TREE / "scripts/completion/irtx-overlay") == ""
