"""Runs every test of the runtime with the shipped build and with the sanitizers.

MAPAL_RUNTIME_COVERAGE names a directory: then the one build with branch counters is made there
instead (see branch_coverage.py).
"""

import os
from pathlib import Path

import pytest

from tests.runtime.native_build import RuntimeBuild

COVERAGE_DIRECTORY = os.environ.get("MAPAL_RUNTIME_COVERAGE")


@pytest.fixture(
    scope="session", params=["coverage"] if COVERAGE_DIRECTORY else ["plain", "sanitized"]
)
def runtime_build(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> RuntimeBuild:
    """The runtime and its drivers in one flavour."""
    flavour: str = request.param
    if COVERAGE_DIRECTORY:
        return RuntimeBuild(flavour, Path(COVERAGE_DIRECTORY))
    return RuntimeBuild(flavour, tmp_path_factory.mktemp(f"runtime-{flavour}"))
