"""Sampling, comparison of answers, and a whole measurement of a small shared library."""

import itertools
import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mapal.bench.worker import Contestant, WrongAnswer, interleave, run_job, same_bits
from mapal.native.toolchain import compile_shared, require_compiler

PROGRAM = b"""
#include <stdint.h>
#include <stdio.h>
typedef struct { const char *name; uint32_t scalar; uint32_t rank; uint64_t count;
                 const uint64_t *shape; } mapal_port;
typedef struct { uint32_t abi; const char *name; uint32_t inputs; const mapal_port *input;
                 uint32_t outputs; const mapal_port *output;
                 void (*entry)(void *const *, void *const *); } mapal_program;
static void entry(void *const *inputs, void *const *outputs) {
    const float *x = inputs[0];
    float *y = outputs[0];
    for (int i = 0; i < 4; i++) y[i] = x[i] * 2.0f;
    puts("this must reach nobody");
}
static const uint64_t shape[1] = {4};
static const mapal_port input = {"x", 3, 1, 4, shape};
static const mapal_port output = {"result", 3, 1, 4, shape};
const mapal_program mapal_program_descriptor = {1, "double", 1, &input, 1, &output, entry};
"""
PEER = "def run(inputs):\n    return inputs['x'] * FACTOR\n"
C_PEER = b"""
void run(void *const *inputs, void *const *outputs) {
    const float *x = inputs[0];
    float *y = outputs[0];
    for (int i = 0; i < 4; i++) y[i] = x[i] + x[i];
}
"""


def ticking(seconds: float) -> Callable[[], float]:
    """A clock that moves on by the same step at every reading."""
    readings: Iterator[float] = itertools.count(0.0, seconds)
    return lambda: next(readings)


def test_every_round_samples_everyone_and_rotates() -> None:
    order: list[str] = []
    contestants = [
        Contestant(name, lambda name=name: order.append(name), [])  # type: ignore[misc]
        for name in ("a", "b", "c")
    ]
    interleave(contestants, 3, ticking(1.0))
    # One call each to find the sample size, one warm round, three rounds that count.
    assert order[3:] == list("abcbcacababc")
    assert [len(contestant.samples) for contestant in contestants] == [3, 3, 3]


def test_a_sample_of_a_short_call_is_many_calls() -> None:
    count = itertools.count()
    contestant = Contestant("short", lambda: next(count), [])
    interleave([contestant], 1, ticking(0.001))
    assert contestant.calls == 5
    assert contestant.samples == [pytest.approx(1000 * 0.001 / 5)]


def test_nan_equals_nan_and_zeros_differ_by_sign() -> None:
    nan = np.array([0x7FC00000, 0xFFC00001], dtype="<u4").view("<f4")
    assert same_bits(nan, nan[::-1].copy())
    assert not same_bits(np.array([0.0], "<f4"), np.array([-0.0], "<f4"))
    assert not same_bits(np.array([1], "<i4"), np.array([1], "<i8"))
    assert not same_bits(np.array([1], "<i4"), np.array([[1]], "<i4"))


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    compiler = require_compiler(print)
    path = tmp_path_factory.mktemp("bench") / "program.so"
    path.write_bytes(compile_shared(compiler, PROGRAM, ("-O1",)))
    return path


def job(
    directory: Path, library: Path, *, factor: str = "2", wanted: float = 2.0
) -> dict[str, Any]:
    x = np.arange(4, dtype="<f4") + np.float32(0.1)
    np.save(directory / "x.npy", x)
    np.save(directory / "result.npy", x * np.float32(wanted))
    script = directory / "numpy_double.py"
    script.write_text(PEER.replace("FACTOR", factor), encoding="utf-8")
    return {
        "library": str(library),
        "inputs": {"x": str(directory / "x.npy")},
        "expected": [str(directory / "result.npy")],
        "repeat": 2,
        "peers": [{"name": "numpy", "script": str(script), "library": None}],
    }


def test_a_job_is_measured_in_a_process_of_its_own(tmp_path: Path, library: Path) -> None:
    result = subprocess.run(
        [sys.executable, "-m", "mapal.bench.worker"],
        input=json.dumps(job(tmp_path, library)),
        capture_output=True,
        text=True,
        check=True,
    )
    figures = json.loads(result.stdout)
    assert {name: len(samples) for name, samples in figures["samples"].items()} == {
        "mapal": 2,
        "numpy": 2,
    }
    assert figures["notes"]["numpy"].startswith("NumPy ")


def test_a_c_peer_is_measured_too(tmp_path: Path, library: Path) -> None:
    request = job(tmp_path, library)
    peer = tmp_path / "c.so"
    peer.write_bytes(compile_shared(require_compiler(print), C_PEER, ("-O2",)))
    request["peers"] = [{"name": "c", "script": "c_double.c", "library": str(peer)}]
    assert len(run_job(request)["samples"]["c"]) == 2


def test_a_wrong_program_is_not_measured(tmp_path: Path, library: Path) -> None:
    with pytest.raises(WrongAnswer, match="differs from"):
        run_job(job(tmp_path, library, wanted=3.0))


def test_a_wrong_peer_is_not_measured(tmp_path: Path, library: Path) -> None:
    with pytest.raises(WrongAnswer, match="peer numpy gives another result"):
        run_job(job(tmp_path, library, factor="3"))


def test_a_peer_may_state_a_tolerance(tmp_path: Path, library: Path) -> None:
    request = job(tmp_path, library, factor="2.00001")
    script = Path(request["peers"][0]["script"])
    source = script.read_text(encoding="utf-8")
    with pytest.raises(WrongAnswer):
        run_job(request)
    script.write_text("RELATIVE_TOLERANCE = 1e-3\n" + source, encoding="utf-8")
    assert "numpy" in run_job(request)["samples"]
    script.write_text("RELATIVE_TOLERANCE = 1e-9\n" + source, encoding="utf-8")
    with pytest.raises(WrongAnswer, match="off by more"):
        run_job(request)


def test_a_peer_whose_package_is_missing_is_absent(tmp_path: Path, library: Path) -> None:
    request = job(tmp_path, library)
    script = Path(request["peers"][0]["script"])
    script.write_text("import no_such_package\n", encoding="utf-8")
    figures = run_job(request)
    assert figures["absent"] == [{"name": "numpy", "absent": "not installed: no_such_package"}]
