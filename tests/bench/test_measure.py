"""What the samples mean, and failures of the worker."""

from pathlib import Path
from typing import Any

import pytest

from mapal.bench.measure import Job, measure, summarize
from mapal.bench.peers import Peer
from mapal.bench.table import document, render
from mapal.diagnostics import UserError


def job(**changes: Any) -> Job:
    settings: dict[str, Any] = {
        "program": "double",
        "arithmetic": "exact",
        "threads": 1,
        "driver": Path("nowhere.so"),
        "binary": Path("nowhere.so"),
        "inputs": {},
        "expected": [],
        "peers": [Peer("numpy", Path("numpy_double.py")), Peer("numba", None, "no script")],
        "peer_libraries": {},
        "repeat": 3,
        "flop": 8_000_000,
        "bytes": None,
        **changes,
    }
    return Job(**settings)


FIGURES = {
    "samples": {"mapal": [2.0, 1.0, 4.0], "numpy": [4.0, 4.0, 2.0]},
    "quiet": [True, True, True],
    "notes": {"numpy": "NumPy 2"},
    "absent": [],
}


def test_medians_rates_and_ratios() -> None:
    result = summarize(job(), FIGURES)
    assert (result["median_ms"], result["min_ms"], result["max_ms"]) == (2.0, 1.0, 4.0)
    assert result["gflop_per_s"] == pytest.approx(4.0)
    assert result["gbyte_per_s"] is None
    numpy, numba = result["peers"]
    assert (numpy["ratio"], numpy["ratio_min"], numpy["ratio_max"]) == (0.5, 0.25, 2.0)
    assert numba == {"name": "numba", "absent": "no script"}


def test_a_peer_that_is_not_installed_is_absent() -> None:
    figures = {
        "samples": {"mapal": [2.0]},
        "quiet": [True],
        "notes": {},
        "absent": [{"name": "numpy", "absent": "not installed: numpy"}],
    }
    result = summarize(job(), figures)
    assert result["peers"][0] == {"name": "numpy", "absent": "not installed: numpy"}


def test_a_worker_that_fails_is_an_error_that_names_the_program(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="double: not measured: "):
        measure(job(binary=tmp_path / "missing.so"))


HOST = {"cpu": "znver4", "cores": 2, "isa": "x86_64 znver3", "caches": {}}


def test_the_table_shows_ratios_absences_and_what_was_left_out() -> None:
    skipped = [{"program": "trap", "reason": "the program ends as trapped"}]
    results = [summarize(job(), FIGURES)]
    failed = [{"program": "odd", "threads": 2, "reason": "peer c gives another result"}]
    text = render("zen3", document("zen3", HOST, results, skipped, failed, None))
    assert text.splitlines()[0] == "zen3 on znver4, 2 cores, x86_64 znver3"
    assert "ratio 0.500 [0.250 to 2.000]" in text
    assert "numba absent (no script)" in text
    assert text.splitlines()[-2:] == [
        "trap: not timed: the program ends as trapped",
        "odd, 2 threads: failed: peer c gives another result",
    ]


def test_the_least_times_are_no_zeros() -> None:
    quick = {**summarize(job(), FIGURES), "median_ms": 2.614e-6}
    assert " 2.61e-06 " in render("zen3", document("zen3", HOST, [quick], [], [], None))


def test_a_target_that_cannot_run_says_why() -> None:
    stated = document("apple-m", HOST, [], [], [], "this is Linux")
    assert render("apple-m", stated) == "apple-m: not timed: this is Linux\n"
    assert stated["results"] == []
