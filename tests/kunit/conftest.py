# SPDX-License-Identifier: GPL-2.0-only
"""Makes every KUnit case in this folder a test, run on each user-mode kernel in one boot."""

from __future__ import annotations

import functools
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.lab import host, kunit, um_kernel

_MODULE = "irtx-kunit.ko"


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """The Kbuild file stands for the module of all suites."""
    if file_path.name == "Kbuild":
        return Suites.from_parent(parent, path=file_path)
    return None


class Suites(pytest.File):
    """All suites, on each kernel."""

    def collect(self):
        """The main kernel comes first: it has every checker."""
        declared = kunit.declared(self.path.parent.glob("*.c"))
        for version in um_kernel.main_first():
            yield Boot.from_parent(self, name=version, declared=declared)


class Boot(pytest.Collector):
    """All suites on one kernel; they run once, when the first of their cases is asked for."""

    def __init__(self, *, declared: list[tuple[str, str]], **kwargs):
        super().__init__(**kwargs)
        self.declared = declared

    @functools.cached_property
    def results(self) -> kunit.Results:
        """What ran; a module that cannot be built is a problem of all of them, told once."""
        try:
            return kunit.run(str(self.path.parent.relative_to(host.TREE)), _MODULE,
                             version=self.name)
        except host.LabError as error:
            return kunit.Results(problem=str(error))

    def collect(self):
        """One test for the kernel beneath, and one a case."""
        yield Item.from_parent(self, name="kernel", check=self.check_kernel)
        for key in self.declared:
            yield Item.from_parent(self, name=".".join(key),
                                   check=functools.partial(self.check_case, key))

    def check_case(self, key: tuple[str, str]) -> None:
        """How a case ended."""
        case = self.results.cases.get(key)
        if case is None:
            reason = self.results.problem.partition("\n")[0]
            raise Failed(f"{'.'.join(key)} is declared but did not run: {reason}\n"
                         f"The test {self.name}::kernel shows all of it.")
        if case.outcome == "skipped":
            pytest.skip(case.log.splitlines()[-1].strip())
        if case.outcome != "passed":
            raise Failed(case.log)

    def check_kernel(self) -> None:
        """What no single case can show: a crash, a checker's report, a case nobody declared."""
        if self.results.problem:
            raise Failed(self.results.problem)
        if strangers := self.results.cases.keys() - set(self.declared):
            names = ", ".join(sorted(".".join(key) for key in strangers))
            raise Failed(f"cases ran that no source in {self.path.parent.name}/ declares: {names}; "
                         "write suites as tests/lab/kunit.py reads them")


class Failed(Exception):
    """A test of this folder failed; the text is the whole report."""


class Item(pytest.Item):
    """A test whose failure is told without Python's traceback."""

    def __init__(self, *, check: Callable[[], None], **kwargs):
        super().__init__(**kwargs)
        self.check = check

    def runtest(self) -> None:
        """Run the check."""
        self.check()

    def repr_failure(self, excinfo, style=None):
        """The report alone."""
        if isinstance(excinfo.value, Failed):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)

    def reportinfo(self):
        """Where the test is, for headings."""
        return self.path, None, self.name
