# SPDX-License-Identifier: GPL-2.0-only
"""How results are shown: one line a test as it ends, and a last line that sums everything."""

from __future__ import annotations

import sys

import pytest

from tests.lab import host

_SHOWN = {"passed": "pass", "failed": "FAIL", "skipped": "skip"}


class Counter:
    """Counts every test once, by the worst of its phases."""

    def __init__(self) -> None:
        self.outcomes: dict[str, str] = {}
        self.times_s: dict[str, float] = {}
        self.interrupted = False

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Note a phase; show the test after its last one."""
        name = report.nodeid
        self.times_s[name] = self.times_s.get(name, 0) + report.duration
        if self.outcomes.get(name) != "failed" and (report.when == "call" or not report.passed):
            self.outcomes[name] = report.outcome
        if report.when == "teardown":
            self._show(f"{_SHOWN[self.outcomes[name]]}  {name}  ({self.times_s[name]:.1f} s)")

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """A file that cannot be read counts as a failed test."""
        if report.failed:
            self.outcomes[report.nodeid] = "failed"
            self._show(f"FAIL  {report.nodeid}  (cannot be collected)")

    @pytest.hookimpl(tryfirst=True)
    def pytest_report_teststatus(self, report: pytest.TestReport):
        """Keep pytest's own progress letters away; it still prints failures at the end."""
        if report.failed or report.skipped or report.when == "call":
            return report.outcome, "", ""
        return None

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Anything failed, or nothing passed: status 1."""
        if self.count("failed") or not self.count("passed"):
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_keyboard_interrupt(self) -> None:
        """What was not finished is not summed up."""
        self.interrupted = True

    def pytest_unconfigure(self) -> None:
        """Once more what failed, and the closing line."""
        if self.interrupted:
            self._show("interrupted")
            return
        for name, outcome in self.outcomes.items():
            if outcome == "failed":
                self._show(f"FAIL  {name}")
        line = f"{self.count('passed')} passed, {self.count('failed')} failed"
        if skipped := self.count("skipped"):
            line += f", {skipped} skipped"
        self._show(line)

    def count(self, outcome: str) -> int:
        """How many tests ended so."""
        return list(self.outcomes.values()).count(outcome)

    @staticmethod
    def _show(line: str) -> None:
        """Print past pytest's capturing."""
        print(line, file=sys.__stdout__, flush=True)


def pytest_configure(config: pytest.Config) -> None:
    """Count, except where tests are only listed."""
    host.end_as_if_interrupted()
    if not config.option.collectonly:
        config.pluginmanager.register(Counter(), "irtx-counter")
