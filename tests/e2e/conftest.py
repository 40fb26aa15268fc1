# SPDX-License-Identifier: GPL-2.0-only
"""Makes every scenario file here a test. All the chosen ones that need the same board run in one
boot, two boots at a time, when the first of them is asked for."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.lab import scenario, verdict
from tests.lab.session import Evidence, new_logs, run

_BOOTS_AT_A_TIME = 2
_LAB = pytest.StashKey["Lab"]()


class Lab:
    """The boots of a test run; each is started once, and all are ended with the run."""

    def __init__(self, logs: Path, scenarios: list[scenario.Scenario]) -> None:
        self._stop = threading.Event()
        self._pool = ThreadPoolExecutor(_BOOTS_AT_A_TIME)
        self._boots: dict[scenario.Board, tuple[list[scenario.Scenario], Future]] = {}
        for board in dict.fromkeys(entry.board for entry in scenarios):
            mine = [entry for entry in scenarios if entry.board == board]
            boot = self._pool.submit(run, board, mine, logs, self._stop)
            self._boots[board] = (mine, boot)

    def evidence(self, entry: scenario.Scenario) -> Evidence:
        """What a scenario left behind."""
        mine, boot = self._boots[entry.board]
        return boot.result()[mine.index(entry)]

    def close(self) -> None:
        """End what still runs."""
        self._stop.set()
        self._pool.shutdown(cancel_futures=True)


class ScenarioFile(pytest.File):
    """A scenario file."""

    def collect(self) -> Iterator[ScenarioItem]:
        """One test for each kernel that the file names."""
        try:
            entry = scenario.load(self.path)
        except scenario.ScenarioError as error:
            raise self.CollectError(str(error)) from error
        for name, variant in entry.variants().items():
            yield ScenarioItem.from_parent(self, name=name, entry=variant)


class ScenarioItem(pytest.Item):
    """A scenario as a test."""

    def __init__(self, *, entry: scenario.Scenario, **others) -> None:
        super().__init__(**others)
        self.entry = entry

    def runtest(self) -> None:
        """Judge the scenario, after its boot."""
        seen = _lab(self.session).evidence(self.entry)
        if found := verdict.problems(self.entry, seen):
            pytest.fail(verdict.report(self.entry, seen, found), pytrace=False)

    def reportinfo(self) -> tuple[Path, int, str]:
        """Where the test is, and its name."""
        return self.path, 0, f"{self.name}: {self.entry.title}"


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> ScenarioFile | None:
    """Take every TOML file below this folder."""
    if file_path.suffix == ".toml":
        return ScenarioFile.from_parent(parent, path=file_path)
    return None


def _lab(session: pytest.Session) -> Lab:
    """The lab of a test run, made when it is first needed."""
    if _LAB not in session.stash:
        chosen = [item.entry for item in session.items if isinstance(item, ScenarioItem)]
        session.stash[_LAB] = Lab(new_logs(), chosen)
    return session.stash[_LAB]


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Leave no board running, however the run ends."""
    if _LAB in session.stash:
        session.stash[_LAB].close()
