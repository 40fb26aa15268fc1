# SPDX-License-Identifier: GPL-2.0-only
"""KUnit suites on the user-mode kernel: which cases the sources declare, and what each of them said
when the module of suites was loaded (KTAP)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from tests.lab import coverage, host, modules, um, um_kernel

_SUITE = re.compile(r"struct kunit_suite \w+ = \{(.*?)\n\};", re.DOTALL)
_CASES = re.compile(r"struct kunit_case (\w+)\[\] = \{(.*?)\n\};", re.DOTALL)
_CASE = re.compile(r"KUNIT_CASE\w*\(\s*(\w+)")
_RESULT = re.compile(r"(?P<indent> *)(?P<outcome>ok|not ok) \d+ (?:- )?(?P<name>.*?)"
                     r"(?P<skip> # SKIP.*)?")
_CASE_INDENT = 4
_SCRIPT = """
insmod /{module}
cd /sys/kernel/debug/kunit
for suite in *; do
    [ ! -e "$suite/results" ] || cat "$suite/results" > "/out/$suite"
done
rmmod /{module}
"""


@dataclass(frozen=True)
class Case:
    """The result of one case; @log is everything it printed."""

    suite: str
    name: str
    outcome: str
    log: str


@dataclass
class Results:
    """All results of one boot, and what was wrong with it as a whole."""

    cases: dict[tuple[str, str], Case] = field(default_factory=dict)
    problem: str = ""


def declared(sources: Iterable[Path]) -> list[tuple[str, str]]:
    """Every (suite, case) that C sources declare."""
    return [pair for path in sorted(sources)
            for pair in _declared_in(path.read_text(encoding="utf-8"))]


def run(folder: str, module: str, tree: Path = host.TREE,
        version: str = um_kernel.MAIN) -> Results:
    """Build the suites in @folder of @tree, load their module on the user-mode kernel of a series,
    and collect its results."""
    kernel = um_kernel.kernel(version)
    built = modules.build(kernel, [folder], um_kernel.module_options(version), tree)
    with host.step(f"running the unit suites on user-mode Linux {version}"):
        done = um.run(kernel, _SCRIPT.format(module=module), [built / module])
    coverage.add(built, done.coverage)
    cases = {(case.suite, case.name): case
             for suite, text in done.files.items() for case in parse(suite, text)}
    return Results(cases, _problem(done, cases))


def parse(suite: str, text: str) -> Iterator[Case]:
    """The cases in the results file of one suite; lines of a parameter are part of its case."""
    log: list[str] = []
    for line in text.splitlines():
        match = _RESULT.fullmatch(line)
        if not match or len(match["indent"]) != _CASE_INDENT:
            log.append(line)
            continue
        outcome = "skipped" if match["skip"] else {"ok": "passed"}.get(match["outcome"], "failed")
        yield Case(suite, match["name"], outcome, "\n".join([*log, line]))
        log = []


def _declared_in(text: str) -> Iterator[tuple[str, str]]:
    """The (suite, case) pairs of one source."""
    tables = {match[1]: _CASE.findall(match[2]) for match in _CASES.finditer(text)}
    for match in _SUITE.finditer(text):
        name = re.search(r"\.name = \"([^\"]+)\"", match[1])
        table = re.search(r"\.test_cases = (\w+)", match[1])
        if name and table:
            yield from ((name[1], case) for case in tables.get(table[1], []))


def _problem(done: um.Run, cases: dict) -> str:
    """What is wrong with a run as a whole, or nothing."""
    if done.problem:
        return done.report()
    if not cases:
        return f"no case ran; the console ends with:\n{host.tail(done.console)}"
    return ""
