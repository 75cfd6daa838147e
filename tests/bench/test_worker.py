"""A whole measurement of a small shared library, and what is not measured."""

import json
import os
import select
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mapal.bench import run_worker as run_worker_module
from mapal.bench.answers import WrongAnswer
from mapal.bench.run import compile_driver
from mapal.bench.run_worker import run_worker
from mapal.bench.worker import evaluate_job, run_job
from mapal.diagnostics import UserError
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


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    compiler = require_compiler(print)
    path = tmp_path_factory.mktemp("bench") / "program.so"
    path.write_bytes(compile_shared(compiler, PROGRAM, ("-O1",)))
    path.with_name("repeat.so").write_bytes(compile_driver(compiler))
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
        "driver": str(library.with_name("repeat.so")),
        "threads": 1,
        "patience": 0.0,
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
    *turns, last = map(json.loads, result.stdout.splitlines())
    assert [turn["turn"] for turn in turns] == ["the program", "peer numpy", "the contest"]
    figures = last["figures"]
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
    with pytest.raises(
        WrongAnswer, match="the program gives another result: 4 of 4 elements, the first at 0"
    ):
        run_job(job(tmp_path, library, wanted=3.0))


def test_a_wrong_peer_is_not_measured(tmp_path: Path, library: Path) -> None:
    with pytest.raises(WrongAnswer, match="peer numpy gives another result"):
        run_job(job(tmp_path, library, factor="3"))


def test_a_program_that_changes_its_mind_is_found(tmp_path: Path) -> None:
    """Right when it is compared first, and wrong later: what it left behind has to matter not."""
    forgetful = PROGRAM.replace(b"x[i] * 2.0f", b"x[i] * (calls > 3 ? 3.0f : 2.0f)")
    forgetful = forgetful.replace(b"float *y = ", b"static int calls; calls++; float *y = ")
    path = tmp_path / "forgetful.so"
    path.write_bytes(compile_shared(require_compiler(print), forgetful, ("-O1",)))
    path.with_name("repeat.so").write_bytes(compile_driver(require_compiler(print)))
    request = {**job(tmp_path, path), "peers": []}
    with pytest.raises(WrongAnswer, match="the program, called again, gives another result"):
        run_job(request)


def test_another_build_of_the_program_has_to_have_its_bits(tmp_path: Path, library: Path) -> None:
    request = job(tmp_path, library)
    other = tmp_path / "other.so"
    entry = {"name": "other", "library": str(other), "program": True}
    other.write_bytes(library.read_bytes())
    assert len(run_job({**request, "peers": [entry]})["samples"]["other"]) == 2
    wrong = tmp_path / "wrong.so"
    text = PROGRAM.replace(b"* 2.0f", b"* 2.0000002f")
    wrong.write_bytes(compile_shared(require_compiler(print), text, ("-O1",)))
    with pytest.raises(WrongAnswer, match="other gives another result"):
        run_job({**request, "peers": [{**entry, "library": str(wrong)}]})


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
    # A package that is there and lacks something is not said to be missing.
    script.write_text("from json import no_such_name\n", encoding="utf-8")
    (entry,) = run_job(request)["absent"]
    assert entry["absent"].startswith("cannot be imported: cannot import name 'no_such_name'")


def test_a_peer_may_write_into_memory_that_is_there(tmp_path: Path, library: Path) -> None:
    request = job(tmp_path, library)
    script = Path(request["peers"][0]["script"])
    writes = "lambda: outputs[0].__setitem__(slice(2), inputs['x'][:2] * 2)"
    script.write_text(f"def prepare(inputs, outputs):\n    return {writes}\n", encoding="utf-8")
    # Half of the answer is what somebody else left there.
    with pytest.raises(WrongAnswer, match="another result: 2 of 4"):
        run_job(request)
    script.write_text(script.read_text(encoding="utf-8").replace("slice(2)", "slice(4)")
                      .replace("[:2]", ""), encoding="utf-8")  # fmt: skip
    assert len(run_job(request)["samples"]["numpy"]) == 2


def test_a_c_peer_has_our_bits_or_states_how_far_it_is(tmp_path: Path, library: Path) -> None:
    request = job(tmp_path, library)
    peer = tmp_path / "c.so"
    request["peers"] = [{"name": "c", "script": "c_double.c", "library": str(peer)}]
    near = C_PEER.replace(b"x[i] + x[i]", b"x[i] * 2.00001f")
    peer.write_bytes(compile_shared(require_compiler(print), near, ("-O2",)))
    with pytest.raises(WrongAnswer, match="peer c gives another result"):
        run_job(request)
    stated = tmp_path / "stated.so"
    request["peers"][0]["library"] = str(stated)
    text = b"const double relative_tolerance = 1e-3;" + near
    stated.write_bytes(compile_shared(require_compiler(print), text, ("-O2",)))
    assert len(run_job(request)["samples"]["c"]) == 2


def test_a_limit_answers_nothing(tmp_path: Path, library: Path) -> None:
    request = job(tmp_path, library)
    peer = tmp_path / "c.so"
    peer.write_bytes(compile_shared(require_compiler(print), b"void run(void) {}", ("-O0",)))
    entry = {"name": "peak", "script": "peak.c", "library": str(peer), "limit": True}
    request["peers"] = [entry]
    assert len(run_job(request)["samples"]["peak"]) == 2


def test_a_result_may_be_stored_without_a_contest(tmp_path: Path, library: Path) -> None:
    request = job(tmp_path, library)
    stored = tmp_path / "stored.npy"
    evaluate_job({**request, "forms": None, "store": [str(stored)]})
    assert np.array_equal(np.load(stored), np.load(tmp_path / "result.npy"))
    peer = tmp_path / "c.so"
    peer.write_bytes(compile_shared(require_compiler(print), C_PEER, ("-O2",)))
    forms = [[[4], "<f4"]]
    evaluate_job({**request, "library": str(peer), "forms": forms, "store": [str(stored)]})
    assert np.array_equal(np.load(stored), np.load(tmp_path / "result.npy"))


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("return 1 / 0", "peer numpy fails: ZeroDivisionError: division by zero"),
        ("raise SystemExit(0)", "peer numpy fails: SystemExit: 0"),
        ("return [[1], [1, 2]]", "peer numpy fails: ValueError: "),
        ("return None", "peer numpy gives 1 elements, not 4"),
        ("return ['a'] * 4", "peer numpy gives another result: <U1 instead of float32"),
        ("return inputs['x'][:3] * 2", "peer numpy gives 3 elements, not 4"),
        ("return inputs['x'].astype('f8') * 2", "float64 instead of float32"),
        ("y = inputs['x'] * 2; y[1] = float('nan'); return y", "1 of 4 elements, the first at 1"),
        ("x = inputs['x']; x *= 2; return x", "peer numpy changes the input 'x'"),
    ],
)
def test_a_peer_that_misbehaves_is_named(
    tmp_path: Path, library: Path, body: str, reason: str
) -> None:
    request = job(tmp_path, library)
    script = Path(request["peers"][0]["script"])
    script.write_text(f"def run(inputs):\n    {body}\n", encoding="utf-8")
    with pytest.raises(WrongAnswer) as caught:
        run_job(request)
    assert reason in str(caught.value)


def test_a_peer_that_changes_the_inputs_later_is_no_fault_of_ours(
    tmp_path: Path, library: Path
) -> None:
    request = job(tmp_path, library)
    script = Path(request["peers"][0]["script"])
    script.write_text(
        "calls = []\n"
        "def run(inputs):\n"
        "    calls.append(1)\n"
        "    y = inputs['x'] * 2\n"
        "    inputs['x'][0] += len(calls) > 3\n"
        "    return y\n",
        encoding="utf-8",
    )
    with pytest.raises(WrongAnswer, match="somebody in the contest changes the input 'x'"):
        run_job(request)


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("os.kill(os.getpid(), 11)", "peer numpy: killed by SIGSEGV"),
        ("os._exit(0)", "peer numpy: ended with status 0 and no answer"),
        ("os._exit(3)", "peer numpy: ended with status 3 and no answer"),
        ("print('not figures', flush=True); return inputs['x'] * 3", "peer numpy gives another"),
        ("os.write(2, b'\\xff\\n'); os._exit(3)", "peer numpy: \ufffd"),
        ("os.write(2, b'warning\\n'); os.abort()", "peer numpy: killed by SIGABRT"),
    ],
)
def test_a_peer_that_ends_the_process_is_named(
    tmp_path: Path, library: Path, body: str, reason: str
) -> None:
    request = job(tmp_path, library)
    script = Path(request["peers"][0]["script"])
    script.write_text(f"import os\ndef run(inputs):\n    {body}\n", encoding="utf-8")
    with pytest.raises(UserError, match=f"double: not measured: {reason}"):
        run_worker("double", request, {})


def test_a_peer_that_hangs_is_named(
    tmp_path: Path, library: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run_worker_module, "LIMIT_SECONDS", 3)
    request = job(tmp_path, library)
    script = Path(request["peers"][0]["script"])
    script.write_text("import signal\ndef run(inputs):\n    signal.pause()\n", encoding="utf-8")
    with pytest.raises(UserError, match="not measured: peer numpy: took over 3 s"):
        run_worker("double", request, {})


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells children")
def test_a_worker_ends_with_who_waits_for_it(tmp_path: Path, library: Path) -> None:
    """The peer holds a pipe open, which ends with the worker."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    request = job(tmp_path, library)
    script = Path(request["peers"][0]["script"])
    script.write_text(
        "import signal\n"
        "def run(inputs):\n"
        f"    held = open({str(pipe)!r}, 'w')\n"
        "    print('here', file=held, flush=True)\n"
        "    while True:\n"
        "        signal.pause()\n",
        encoding="utf-8",
    )
    program = (
        "import json, sys\n"
        "from mapal.bench.run_worker import run_worker\n"
        "run_worker('double', json.load(sys.stdin), {})\n"
    )
    waiting = subprocess.Popen([sys.executable, "-c", program], stdin=subprocess.PIPE, text=True)
    assert waiting.stdin is not None
    waiting.stdin.write(json.dumps(request))
    waiting.stdin.close()
    with open(pipe, encoding="ascii") as held:
        assert held.readline() == "here\n"
        waiting.kill()
        waiting.wait()
        ready, _, _ = select.select([held], [], [], 60)
        assert ready
        assert held.read() == ""


def test_files_of_a_project_are_no_modules_of_a_worker(
    tmp_path: Path, library: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "json.py").write_text("raise SystemExit('shadowed')\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    assert set(run_worker("double", job(tmp_path, library), {})["samples"]) == {"mapal", "numpy"}
