"""A small row from source to figures; goals."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from mapal.bench.limits.building import Builder, blas_library
from mapal.bench.limits.measuring import check_row, judge, measure_row, summarize
from mapal.bench.limits.report import render
from mapal.bench.limits.rows import Goal
from mapal.native.toolchain import require_compiler
from mapal.target import load_profile
from mapal.target.detect import detect_host, why_not_executable
from tests.bench.limits.small_rows import small_row


@pytest.fixture(scope="module")
def builder() -> Builder:
    return Builder(require_compiler(print))


def test_a_row_is_checked_and_measured(builder: Builder, tmp_path: Path) -> None:
    said: list[str] = []
    result = measure_row(
        small_row(), detect_host(), 1, builder, tmp_path, said.append, is_thorough=True
    )
    assert (result["row"], result["threads"], result["rounds"]) == ("small-24", 1, 3)
    assert result["median_ms"] > 0
    assert "the build without kernels" in result["checked"]
    peers = {peer["name"]: peer for peer in result["peers"]}
    assert peers["openblas"]["ratio"] > 0
    assert peers["peak"]["limit"]
    assert peers["absent"] == {"name": "absent", "absent": "not written for this kernel"}
    reached, is_open = result["goals"]
    assert reached["against"] == "openblas"
    assert is_open["reached"] is None
    assert "small-24" in render([result])
    assert said[-1] == "small-24: measuring with 1 thread"


def test_builds_for_other_profiles_have_the_same_bits(builder: Builder, tmp_path: Path) -> None:
    host = detect_host()
    profiles = [host]
    for name in ("x86-64-v2", "x86-64-v3", "aarch64-generic"):
        profile = load_profile(name)
        if why_not_executable(profile, host) is None:
            profiles.append(profile)
    count = check_row(small_row(), profiles, (1, 2), builder, tmp_path, lambda line: None)
    assert count == 2 * len(profiles) + 1


def test_numpy_without_a_library_of_its_own_is_an_import_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import numpy

    assert blas_library().is_file()
    monkeypatch.setattr(numpy, "__file__", str(tmp_path / "numpy" / "__init__.py"))
    with pytest.raises(ImportError, match="no OpenBLAS of its own"):
        blas_library()


def test_only_quiet_rounds_count_and_limits_are_scaled() -> None:
    figures: dict[str, Any] = {
        "samples": {"mapal": [1.0, 9.0, 1.0, 1.0], "openblas": [2.0] * 4, "peak": [1.0] * 4},
        "quiet": [True, False, True, True],
        "others": [0.0, 2.0, 0.0, 0.0],
        "absent": [{"name": "absent", "absent": "not installed"}],
    }
    row = small_row()
    result = summarize(row, detect_host(), 2, figures, ["a"], {"sites": [{"shape": "s"}]})
    assert result["median_ms"] == result["max_ms"] == 1.0
    assert (result["quiet_rounds"], result["rounds"]) == (3, 4)
    openblas, peak, _ = result["peers"]
    assert openblas["ratio"] == 0.5
    # Two cores do twice what one does.
    assert peak["median_ms"] == pytest.approx(2 * 24**3 / (1 << 24) / 2)
    assert result["goals"] == []


@pytest.mark.parametrize(("ratios", "reached"), [((0.9, 0.8), True), ((0.9, 1.1), False)])
def test_a_goal_is_reached_against_the_best(ratios: tuple[float, float], reached: bool) -> None:
    peers = {name: {"name": name, "ratio": r} for name, r in zip("ab", ratios, strict=True)}
    found = judge(Goal(peers=("a", "b", "c"), ratio=1.0), peers)
    assert found["reached"] is reached
    assert found["ratio"] == max(ratios)


def test_a_goal_without_peers_is_open() -> None:
    found = judge(Goal(peers=("a",), ratio=1.0), {"a": {"name": "a", "absent": "no"}})
    assert (found["reached"], found["ratio"]) == (None, None)


def test_contests_of_several_threads_are_judged_by_the_least_times() -> None:
    peers = {"a": {"name": "a", "ratio": 1.6, "ratio_of_least": 0.9}}
    found = judge(Goal(peers=("a",), ratio=1.0, threads=2), peers)
    assert (found["figure"], found["ratio"], found["reached"]) == ("ratio_of_least", 0.9, True)
    assert judge(Goal(peers=("a",), ratio=1.0), peers)["ratio"] == 1.6
