# SPDX-License-Identifier: GPL-2.0-only
"""Man pages, --help, completion and the ABI page say the same."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from tests.lab import host
from tests.lint import linters
from tests.tools import abi, capture, programs

COMMANDS = ["report", "hist", "edges", "watch", "reset", "threshold", "plot"]
LINES = [(programs.SOAK, []), (programs.STAT, []),
         *((programs.STAT, [command]) for command in COMMANDS)]
_OPTION = r"(?<![\w-])--?[a-z][a-z-]*\b"

both = pytest.mark.parametrize("program", [programs.STAT, programs.SOAK],
                               ids=lambda path: path.name)


def helped(program: Path, *command: str) -> set[str]:
    """The options in a help."""
    text = programs.run(program, *command, "--help", env={"COLUMNS": "200"}).stdout
    listed = re.findall(r"^  (-.*?)(?:  |$)", text, re.MULTILINE)
    return set(re.findall(_OPTION, " ".join(listed), re.IGNORECASE))


def all_options(program: Path) -> set[str]:
    """The options of all commands."""
    commands = COMMANDS if program == programs.STAT else []
    return helped(program).union(*(helped(program, command) for command in commands))


def man_page(program: Path) -> Path:
    """A tool's page."""
    return host.TREE / "man" / f"{program.name}.1"


@both
def test_man_page_has_the_options_of_help(program):
    """No more and no less."""
    text = man_page(program).read_text(encoding="ascii")
    listed = re.findall(r"^\.It (Fl .*)$", text, re.MULTILINE)
    assert {f"-{word}" for line in listed for word in re.findall(r"\bFl (\S+)", line)} \
        == all_options(program)


def test_man_page_has_the_commands_of_help():
    """Likewise; the first list of the page are the commands."""
    text = man_page(programs.STAT).read_text(encoding="ascii")
    commands = text.partition("The commands are:")[2].partition(".El")[0]
    assert re.findall(r"^\.It Cm (\w+)", commands, re.MULTILINE) == COMMANDS
    help_text = programs.run(programs.STAT, "--help").stdout
    assert re.findall(r"^    (\w+) ", help_text, re.MULTILINE) == COMMANDS


@both
def test_man_page_is_clean(program):
    """The formatter has nothing to complain about."""
    done = host.attempt(["mandoc", "-Tlint", "-Wwarning", man_page(program)])
    assert done.stdout == ""


@both
def test_man_page_has_every_status(program):
    """A status that the tool can end with is explained."""
    text = program.read_text(encoding="utf-8")
    if program == programs.SOAK:  # it reads the export by irtx-stat's means
        text += programs.STAT.read_text(encoding="utf-8").partition("# --- numbers")[0]
    stat = programs.load(programs.STAT)
    used = {getattr(stat.os, name) for name in re.findall(r"os\.(EX_\w+)", text)}
    used |= {130, stat.os.EX_USAGE, stat.os.EX_IOERR} | ({1} if program == programs.SOAK else set())
    page = man_page(program).read_text(encoding="ascii").partition(".Sh EXIT STATUS")[2]
    assert {int(status) for status in re.findall(r"^\.It (\d+)$", page, re.MULTILINE)} == used


def completed(program: Path, *words: str) -> list[str]:
    """What bash offers for the last word."""
    function = "_" + program.name.replace("-", "_")
    script = (f'. "{host.TREE}/scripts/completion/{program.name}"; '
              f'COMP_WORDS=({program.name} "$@"); COMP_CWORD=$#; {function}; '
              'printf "%s\\n" "${COMPREPLY[@]}"')
    done = subprocess.run(["bash", "-euc", script, "bash", *words], cwd=host.TREE, check=True,
                          capture_output=True, text=True)
    assert not done.stderr
    return done.stdout.split()


@pytest.mark.parametrize("program, command", LINES,
                         ids=lambda value: value.name if isinstance(value, Path) else str(value))
def test_completion_offers_the_options_of_help(program, command):
    """No more and no less, after every command."""
    assert set(completed(program, *command, "-")) == helped(program, *command)


@pytest.mark.parametrize("words, expected", [
    ([""], COMMANDS), (["-d", "rc0", "h"], ["hist"]), (["hist", "--of", "s"], ["space", "startup"]),
    (["--debugfs", "tests/too"], ["tests/tools"]), (["-d", "rc0", "edges", "--w"], ["--worst"]),
    (["plot", "--svg", "READ"], ["README.md"]), (["edges", "h"], []),
])
def test_completion_of_stat(words, expected):
    """Commands and values, wherever they stand."""
    assert [word for word in completed(programs.STAT, *words) if word[0] != "-"
            or words[-1]] == expected


@pytest.mark.parametrize("words, expected", [
    (["examples/ne"], ["examples/nec.ir"]), (["--json", "READ"], ["README.md"]), (["-n", ""], []),
])
def test_completion_of_soak(words, expected):
    """Files, where files belong."""
    assert completed(programs.SOAK, *words) == expected


@both
def test_completion_passes_shellcheck(program):
    """It has no first line by which the linter would find it."""
    assert linters.shellcheck(host.TREE / "scripts/completion" / program.name) == ""


def test_abi_page_describes_the_captured_export():
    """Every file and every name, in both directions; the live export is compared in tests/e2e."""
    found: dict[str, set[str]] = {}
    for path in capture.DATA.glob(f"*/{capture.DEVICE}/*"):
        names = abi.exported(path.name, path.read_text(encoding="ascii"))
        found[path.name] = found.get(path.name, set()) | names
    assert found == abi.described()
