# SPDX-License-Identifier: GPL-2.0-only
"""Reading scenario files."""

from pathlib import Path

import pytest

from tests.lab import irfile, qemu, scenario

_PATH = Path("some.toml")


def test_defaults() -> None:
    """A scenario needs a title and something to run."""
    entry = scenario.parse(_PATH, 'title = "t"\nrun = "true"\n')
    assert entry.overlays == ["pwm-ir-tx"]
    assert entry.board == scenario.Board(qemu.Machine(), ("pwm-ir-tx",))
    assert entry.expect == scenario.Expect()


def test_everything_read() -> None:
    """Signals come as lengths or as files; equal boards are equal."""
    text = 'title = "t"\nrun = "true"\nboot = { cpus = 2, kernel = "6.1" }\n' \
        "[expect]\nsignals = [[1, 2, 3]]\n"
    first, second = scenario.parse(_PATH, text), scenario.parse(_PATH, text)
    assert first.expect.signals == [irfile.Signal((1, 2, 3))]
    assert first.board == second.board
    assert first.board.machine == qemu.Machine(kernel="6.1", cpus=2)


def test_other_kernels() -> None:
    """What is expected there is the same but for what is said otherwise."""
    text = 'title = "t"\nrun = "x"\n[expect]\nexit = 1\npin = 2\n' \
        '[kernels]\n"7.3" = {}\n"6.1" = { pin = 3 }\n'
    own, newer, older = scenario.parse(_PATH, text).variants().values()
    assert own.expect == newer.expect == scenario.Expect(exit=1, pin=2)
    assert older.expect == scenario.Expect(exit=1, pin=3)
    assert [entry.boot.kernel for entry in (own, newer, older)] == ["6.12", "7.3", "6.1"]


def test_names_of_variants() -> None:
    """They can be told apart by name, which pytest's -k takes."""
    text = 'title = "t"\nrun = "x"\n[kernels]\n"7.3" = {}\n'
    assert list(scenario.parse(_PATH, text).variants()) == ["some", "some[7.3]"]


@pytest.mark.parametrize("name", ["python", "lirc"])
def test_extras_take_a_board_of_their_own(name) -> None:
    """They are not unpacked where they are not asked for."""
    plain, other = (scenario.parse(_PATH, f'title = "t"\nrun = "x"\n{name} = {value}').board
                    for value in ("false", "true"))
    assert plain != other
    assert str(other) == f"{plain}-{name}"


@pytest.mark.parametrize("text, complaint", [
    ('title = "t"', "some.toml: run must be given"),
    ('title = "t"\nrun = "x"\nrum = 1', "unknown key 'rum'; allowed are boot"),
    ('title = "t"\nrun = "x"\ntimeout_s = "1"', "timeout_s must be"),
    ('title = "t"\nrun = "x"\n[expect]\npin_no = 1', r"\[expect\]: unknown key 'pin_no'"),
    ('title = "t"\nrun = "x"\nboot = { cpu = 1 }', "boot: unknown key 'cpu'"),
    ('title = "t"\nrun = "x"\nboot = { kernel = "5.1" }', "kernel must be .*'6.12', .*'6.1'"),
    ('title = "t"\nrun = "x"\n[expect]\nsignals = [[1, 2]]', "an odd number"),
    ('title = "t"\nrun = "x"\nkernels = ["7.3"]', r'write each kernel as "7.3" = \{\}'),
    ('title = "t"\nrun = "x"\n[kernels]\n"5.1" = {}', "kernels must be .*'6.12', .*'6.1'"),
    ('title = "t"\nrun = "x"\n[kernels]\n"7.3" = { pin_no = 1 }',
     r"\[kernels\] 7.3: unknown key 'pin_no'"),
    ('title = "t"\nrun = "x"\npython = true\nboot = { model = "pc" }',
     "for arm64, and pc is amd64"),
])
def test_refuse(text: str, complaint: str) -> None:
    """A mistake is named, with what is allowed."""
    with pytest.raises(scenario.ScenarioError, match=complaint):
        scenario.parse(_PATH, text)
