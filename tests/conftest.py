"""What all tests share: options, golden files, and how Hypothesis runs.

`--update-golden` writes what tests expect from files anew and shows the difference; with
`CI=true` in the environment it is refused. `--slow` adds the long sweeps.
"""

from __future__ import annotations

import logging
import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from tests.golden import Golden

# What a test builds it computes; tests of the cache name a directory of their own.
os.environ["MAPAL_CACHE"] = "off"

# Shells start jobs in the background with interrupts ignored, and what tests start would inherit
# that: an interrupted build would go on, and its test wait for ever.
if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

settings.register_profile(
    "mapal",
    deadline=None,
    derandomize=os.environ.get("CI") == "true",
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("mapal")


_CHANGES = pytest.StashKey[list[str]]()


@pytest.fixture(autouse=True)
def _logging_stays() -> Iterator[None]:
    """Tests run in any order and in any company, so none may leave our log otherwise."""
    before = _settings_of_our_loggers()
    yield
    after = _settings_of_our_loggers()
    assert {name: after[name] for name in before} == before, "a test changed how we log"


def _settings_of_our_loggers() -> dict[str, tuple[int, bool, bool]]:
    return {
        name: (logger.level, logger.propagate, logger.disabled)
        for name, logger in logging.Logger.manager.loggerDict.items()
        if name.split(".")[0] == "mapal" and isinstance(logger, logging.Logger)
    }


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--update-golden",
        action="store_true",
        help="write the expectations of golden tests anew and print the difference",
    )
    parser.addoption("--slow", action="store_true", help="run the long sweeps too")


def pytest_configure(config: pytest.Config) -> None:
    if config.getoption("--update-golden") and os.environ.get("CI") == "true":
        raise pytest.UsageError("golden files are not updated in continuous integration")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leaves the long sweeps out, unless they are asked for or named."""
    named = any("::" in argument for argument in config.args)
    if config.getoption("--slow") or config.getoption("-m") or named:
        return
    slow = [item for item in items if item.get_closest_marker("slow") is not None]
    if slow:
        config.hook.pytest_deselected(items=slow)
        items[:] = [item for item in items if item.get_closest_marker("slow") is None]


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Golden:
    """Compares a text with the one in a file, or writes it there."""
    root = Path(str(request.config.rootpath))
    update = bool(request.config.getoption("--update-golden"))
    return Golden(update, root, request.config.stash.setdefault(_CHANGES, []))


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, config: pytest.Config
) -> None:
    """Shows what `--update-golden` changed."""
    changes = config.stash.get(_CHANGES, [])
    if changes:
        terminalreporter.section("golden files written anew")
    for change in changes:
        terminalreporter.write(change)
