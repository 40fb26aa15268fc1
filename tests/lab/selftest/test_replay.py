# SPDX-License-Identifier: GPL-2.0-only
"""The second board hears what was sent as what it is, and nothing where an edge is too far off."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.lab import carrier, host, irfile, replay, scenario, scope, session
from tests.lab.qemu import Machine

_PROTOCOLS = ("nec", "rc-5", "rc-6", "sony", "rc-mm", "mce_kbd")


@dataclass(frozen=True)
class Played:
    """An example with one edge moved, and what must be heard of it."""

    example: str
    edge: int
    by_us: int
    heard: tuple[str, ...]


_PLAYED = {
    "nec": Played("nec", 0, 0, ("nec:0x408", "nec:0x408")),  # with its repeat frame
    "rc5": Played("rc5", 0, 0, ("rc5:0x510",)),
    "rc6": Played("rc6", 0, 0, ("rc6_0:0x40c",)),
    "sony12": Played("sony12", 0, 0, ("sony12:0x10015",) * 3),
    "rcmm24": Played("rcmm24", 0, 0, ("rc-mm-24:0x2c0a51",)),
    "rcmm32": Played("rcmm32", 0, 0, ("rc-mm-32:0x2c0a5178",)),
    "mce-keyboard": Played("mce-keyboard", 0, 0, ("mcir2-kbd:0x400",)),
    "nothing": Played("air-conditioner", 0, 0, ()),
    "rc6, within its margin": Played("rc6", 6, 200, ("rc6_0:0x40c",)),
    "rcmm24, within its margin": Played("rcmm24", 3, 60, ("rc-mm-24:0x2c0a51",)),
    "rc6, beyond": Played("rc6", 6, 230, ()),
    "rc5, beyond": Played("rc5", 4, 450, ()),
    "rcmm24, beyond": Played("rcmm24", 3, 90, ()),
}


def _envelope(played: Played) -> list[int]:
    """The example in ns, with its edge moved."""
    lengths_ns = [1000 * us for us in irfile.read(host.TREE / f"examples/{played.example}.ir")
                  .lengths_us]
    if played.by_us:
        lengths_ns[played.edge - 1] += 1000 * played.by_us
        lengths_ns[played.edge] -= 1000 * played.by_us
    return lengths_ns


@pytest.fixture(name="heard", scope="module")
def fixture_heard(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[str]]:
    """What the second board heard of each."""
    logs = tmp_path_factory.mktemp("replay") / "logs"
    heard = replay.decode([_envelope(played) for played in _PLAYED.values()], _PROTOCOLS, logs)
    return dict(zip(_PLAYED, heard))


@pytest.mark.parametrize("name", _PLAYED)
def test_heard(name: str, heard: dict[str, list[str]]) -> None:
    """Each signal stands for itself, whatever came before."""
    assert tuple(heard[name]) == _PLAYED[name].heard


def test_too_long(tmp_path: Path) -> None:
    """More than the board has time for is refused, with the way out."""
    with pytest.raises(host.LabError, match="play them in parts"):
        replay.decode([[4 * 10**12]], _PROTOCOLS, tmp_path / "logs")


def test_nothing_to_play(tmp_path: Path) -> None:
    """A board that is given something else to play does not begin."""
    (tmp_path / "score").write_text("1000 1\n", encoding="ascii")
    entry = scenario.Scenario(path=Path("score"), title="score", run="true",
                              boot=Machine(play=tmp_path / "score"))
    seen, = session.run(entry.board, [entry], tmp_path / "logs")
    assert "allowed is a file that begins with # irboard play 1" in seen.died


def test_envelopes() -> None:
    """A carrier made by software is light from its first cycle to its last."""
    edges = [scope.Edge(ns, 18, number % 2 == 0)
             for number, ns in enumerate([0, 9, 20, 29, 100, 109])]
    assert replay.of_edges(edges) == [9, 11, 9, 71, 9]
    assert replay.of_bursts(carrier.bursts(edges, 50)) == [29, 71, 9]
