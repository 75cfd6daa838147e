"""Branch coverage by package, printed at the end of a run of all tests, which it fails when a
package falls below the bound.

A run of some tests (paths, `-k`, `-m`) prints nothing and is held to nothing. All tests run in as
many processes as there are processors, some in one.
"""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Generator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import coverage
import pytest

LEAST_PERCENT = 85.0


@dataclass(slots=True)
class Covered:
    """Counts of one package. `unexecuted` are modules of which no line ran."""

    statements: int = 0
    statements_hit: int = 0
    branches: int = 0
    branches_hit: int = 0

    def add(self, summary: dict[str, Any]) -> None:
        self.statements += summary["num_statements"]
        self.statements_hit += summary["covered_lines"]
        self.branches += summary["num_branches"]
        self.branches_hit += summary["covered_branches"]

    @property
    def percent(self) -> float:
        """Branches taken; of a package without branches, statements run."""
        if self.branches:
            return 100.0 * self.branches_hit / self.branches
        return 100.0 * self.statements_hit / self.statements if self.statements else 100.0


def by_package(report: dict[str, Any]) -> dict[str, Covered]:
    """Sums a coverage report in JSON by package below `mapal`."""
    packages: dict[str, Covered] = {}
    for name, entry in sorted(report["files"].items()):
        parts = Path(name).parts
        package = ".".join(parts[:2]) if len(parts) > 2 else parts[0]
        packages.setdefault(package, Covered()).add(entry["summary"])
    return packages


def never_run(report: dict[str, Any]) -> list[str]:
    """Modules with statements of which none ran."""
    return [
        name
        for name, entry in sorted(report["files"].items())
        if entry["summary"]["num_statements"] and not entry["summary"]["covered_lines"]
    ]


def problems(report: dict[str, Any]) -> list[str]:
    """What is below the bound."""
    low = [
        f"{package}: {covered.percent:.1f} % of branches, at least {LEAST_PERCENT:.0f} % are needed"
        for package, covered in by_package(report).items()
        if covered.percent < LEAST_PERCENT
    ]
    return [*low, *(f"{name}: never run" for name in never_run(report))]


def _is_of_all_tests(config: pytest.Config) -> bool:
    chosen = config.option.keyword or config.option.markexpr or config.option.collectonly
    everything = [str(path) for path in config.getini("testpaths")]
    return not chosen and list(config.args) == everything


def _is_whole_run(config: pytest.Config) -> bool:
    """Whether this process sees a run of all tests whole: a worker sees a part."""
    is_worker = hasattr(config, "workerinput")
    return _is_of_all_tests(config) and not is_worker and config.pluginmanager.hasplugin("_cov")


def pytest_xdist_auto_num_workers(config: pytest.Config) -> int:
    """As many processes as there are processors for all tests; none for some, which start at
    once in this process."""
    return len(os.sched_getaffinity(0)) if _is_of_all_tests(config) else 0


def _report() -> dict[str, Any]:
    measured = coverage.Coverage(data_file=".coverage")
    measured.load()
    with tempfile.NamedTemporaryFile(suffix=".json") as file:
        measured.json_report(outfile=file.name)
        report: dict[str, Any] = json.loads(Path(file.name).read_text(encoding="utf-8"))
        return report


_FOUND = pytest.StashKey[dict[str, Any]]()


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtestloop(session: pytest.Session) -> Generator[None, object, object]:
    """Outermost, so that the measurement is written when this looks at it."""
    result = yield
    if _is_whole_run(session.config):
        report = _report()
        session.config.stash[_FOUND] = report
        if problems(report):
            session.testsfailed += 1
    return result


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    report = config.stash.get(_FOUND, None)
    if report is None:
        return
    terminalreporter.section("branch coverage by package")
    for package, covered in by_package(report).items():
        terminalreporter.write_line(
            f"{package:24} {covered.percent:6.1f} %  of {covered.branches} branches"
        )
    for problem in problems(report):
        terminalreporter.write_line(f"FAILED {problem}", red=True)
