"""`doit bench` on a small project: figures, a trap, an absent peer, a foreign target."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mapal.bench.run import thread_counts
from mapal.target import host_architecture

SETTINGS = """\
name: tiny
programs:
  double:
    source: src/double.mapal
    inputs: {x: data/x.npy}
    bench: {repeat: 2, peers: [numpy, c, numba], flop: 4, bytes: 32}
  stops:
    source: src/stops.mapal
bench: {repeat: 2, peers: []}
"""
PROGRAM = """\
fn main(x: [f32; 4]) -> ([f32; 4], i32) {
    x -> map { v -> v * 2.0 } -> y;
    (y, 7) -> ret;
}
"""
STOPS = "fn main() {\n    0 -> d;\n    1 / d -> println;\n}\n"
NUMPY = """\
import numpy as np


def run(inputs):
    return inputs["x"] * np.float32(2), np.int32(7)
"""
C = """\
void run(void *const *inputs, void *const *outputs) {
    const float *x = inputs[0];
    float *y = outputs[0];
    for (int i = 0; i < 4; i++) y[i] = 2.0f * x[i];
    *(int *)outputs[1] = 7;
}
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    for name in ("src", "data", "peers"):
        (tmp_path / name).mkdir()
    texts = {
        "mapal.yaml": SETTINGS,
        "dodo.py": "from mapal.dodo import *\n",
        "src/double.mapal": PROGRAM,
        "src/stops.mapal": STOPS,
        "peers/numpy_double.py": NUMPY,
        "peers/c_double.c": C,
    }
    for name, text in texts.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    np.save(tmp_path / "data" / "x.npy", np.array([0.1, 0.2, 0.3, 0.4], dtype="<f4"))
    return tmp_path


def bench(project: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "doit", "bench", *words],
        cwd=project,
        env={**os.environ, "NO_COLOR": "1"},
        capture_output=True,
        text=True,
        check=False,
    )


def figures(project: Path, target: str) -> dict[str, Any]:
    path = project / "build" / "bench" / f"{target}.json"
    document: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return document


def test_programs_are_measured_against_their_peers(project: Path) -> None:
    result = bench(project)
    assert result.returncode == 0, result.stderr
    document = figures(project, "native")
    double = document["results"][0]
    assert [result["threads"] for result in document["results"]] == list(thread_counts())
    assert {result["program"] for result in document["results"]} == {"double"}
    numpy, c, numba = double["peers"]
    assert numpy["ratio"] > 0
    assert c["ratio"] > 0
    assert numba == {"name": "numba", "absent": "no script peers/numba_double.py"}
    assert document["skipped"] == [{"program": "stops", "reason": "the program ends as trapped"}]
    assert document["host"]["cores"] >= 1
    assert [roof["threads"] for roof in document["host"]["roofs"]] == list(thread_counts())
    for roof in document["host"]["roofs"]:
        assert min(roof.values()) > 0
    assert "at most with 1 thread: " in result.stdout
    assert "numpy" in result.stdout
    assert "stops: not timed: the program ends as trapped" in result.stdout


def test_a_wrong_peer_fails_the_bench_and_is_named(project: Path) -> None:
    script = project / "peers" / "numpy_double.py"
    script.write_text(NUMPY.replace("float32(2)", "float32(3)"), encoding="utf-8")
    result = bench(project, "program=double")
    assert result.returncode != 0
    assert "peer numpy gives another result" in result.stdout + result.stderr
    assert not (project / "build" / "bench" / "native.json").exists()


def test_a_target_of_another_machine_says_why_it_is_not_timed(project: Path) -> None:
    foreign = "x86-64-v2" if host_architecture() == "aarch64" else "apple-m"
    result = bench(project, f"target={foreign}", "program=double")
    assert result.returncode == 0, result.stderr
    document = figures(project, foreign)
    assert document["results"] == []
    assert document["not_timed"]
    assert f"{foreign}: not timed: " in result.stdout


def test_one_wrong_peer_costs_no_figures_of_others(project: Path) -> None:
    """The other program is measured, and who is wrong is said with the compiler's words."""
    settings = project / "mapal.yaml"
    text = settings.read_text(encoding="utf-8")
    single = "  single:\n    source: src/double.mapal\n    inputs: {x: data/x.npy}\n"
    single += "    bench: {repeat: 2, peers: [c]}\n"
    settings.write_text(text.replace("programs:\n", f"programs:\n{single}"), encoding="utf-8")
    (project / "peers" / "c_single.c").write_text("void run(", encoding="utf-8")
    result = bench(project)
    assert result.returncode != 0
    assert "Traceback" not in result.stdout + result.stderr
    assert "native: single, 1 thread: failed: peer c, " in result.stderr
    assert "c_single.c: " in result.stderr
    document = figures(project, "native")
    assert {entry["program"] for entry in document["results"]} == {"double"}
    assert {entry["program"] for entry in document["failed"]} == {"single"}
