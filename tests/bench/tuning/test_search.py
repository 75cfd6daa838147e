"""Which candidate wins, and that only builds with a text of their own compete."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from mapal.bench.limits.building import Builder
from mapal.bench.run_worker import run_worker
from mapal.bench.tuning import search as search_module
from mapal.bench.tuning.search import Finding, best, search
from mapal.bench.tuning.trials import Step, Trial
from mapal.native.toolchain import require_compiler
from mapal.target.detect import detect_host
from tests.bench.limits.small_rows import small_row


def finding(name: int, *rows: tuple[float, float], quiet: int = 9) -> Finding:
    """A candidate with the ratio and the upper quartile of each row."""
    figures: dict[str, Mapping[str, Any]] = {
        str(number): {"ratio": ratio, "quartiles": [ratio, high], "quiet_rounds": quiet}
        for number, (ratio, high) in enumerate(rows)
    }
    return Finding("matmul-f32-exact", "tile", {"rows": name}, figures)


def test_the_best_of_the_clearly_better_ones_wins() -> None:
    good, better = finding(1, (0.95, 0.96)), finding(2, (0.90, 0.92))
    assert best([good, better, finding(3, (1.2, 1.3))]) is better
    assert best([]) is None


@pytest.mark.parametrize(
    "doubtful",
    [
        finding(1, (0.99, 0.99)),  # too little
        finding(1, (0.90, 1.02)),  # not in most rounds
        finding(1, (0.80, 0.85), (1.05, 1.06)),  # at the expense of another size
        finding(1, (0.80, 0.85), quiet=2),  # while others were busy
    ],
)
def test_what_is_not_clear_does_not_win(doubtful: Finding) -> None:
    assert best([doubtful]) is None


@pytest.fixture(scope="module")
def builder() -> Builder:
    return Builder(require_compiler(print))


class Contests:
    """In place of workers: every build takes as long as its number of rows in the tile says."""

    def __init__(self, *answers: Mapping[str, float]) -> None:
        self._answers = list(answers)
        self.contestants: list[list[str]] = []

    def __call__(self, name: str, request: Mapping[str, Any], _: object) -> dict[str, Any]:
        if "store" in request:
            return original(name, request, {})
        names = [peer["name"] for peer in request["peers"]]
        self.contestants.append(names)
        times = self._answers.pop(0)
        samples = {peer: [times.get(peer, 1.0)] * 4 for peer in names}
        return {"samples": {"mapal": [1.0] * 4, **samples}, "quiet": [True] * 4}


original = run_worker
TILES = ({"rows": 6}, {"rows": 4}, {"rows": 6}, {"rows": 3})


def trial(*steps: Step) -> Trial:
    return Trial("matmul-direct-f32-exact", (small_row(),), steps)


def run_search(
    contests: Contests,
    what: Trial,
    builder: Builder,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> tuple[Mapping[str, int], list[Finding]]:
    monkeypatch.setattr(search_module, "run_worker", contests)
    return search(what, detect_host(), builder, tmp_path, lambda line: None, rounds=4)


def test_a_winner_has_to_win_twice_and_is_the_base_of_the_next_step(
    builder: Builder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    contests = Contests({"1": 0.8, "3": 0.9}, {"0": 0.85}, {"0": 0.7}, {"0": 1.0})
    steps = (Step("tile", TILES), Step("width", ({"vectors": 1, "rows": 5},)))
    chosen, findings = run_search(contests, trial(*steps), builder, tmp_path, monkeypatch)
    # The second six rows are the text of the first; the winner runs alone a second time.
    assert contests.contestants[:2] == [["0", "1", "3"], ["0"]]
    # The last step won at first and not when it was alone.
    assert chosen == {"rows": 4}
    assert [found.step for found in findings if found.is_chosen] == ["tile again"]
    assert [found.step for found in findings][-1] == "width again"


def test_numbers_that_change_no_text_are_not_measured(
    builder: Builder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    what = Trial("matmul-f32-exact", (small_row(),), (Step("depth", ({"depth": 64},)),))
    chosen, findings = run_search(Contests({}), what, builder, tmp_path, monkeypatch)
    assert (dict(chosen), findings) == ({}, [])


def test_candidates_are_measured_in_a_worker_and_have_the_bits(
    builder: Builder, tmp_path: Path
) -> None:
    chosen, findings = search(
        trial(Step("tile", ({"rows": 5, "vectors": 1},))),
        detect_host(),
        builder,
        tmp_path,
        lambda line: None,
        rounds=1,
    )
    assert chosen == {}  # one round is too few
    (found,) = findings
    assert found.numbers == {"rows": 5, "vectors": 1}
    (figures,) = found.rows.values()
    assert figures["base_ms"] > 0
    assert figures["median_ms"] > 0
    assert not found.is_decided
