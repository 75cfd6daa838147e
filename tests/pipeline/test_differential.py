"""The differential check against programs that misbehave in every way."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mapal.pipeline.differential import check, first_element
from mapal.pipeline.files import content_hash
from mapal.pipeline.site import Site
from mapal.pipeline.stages.result import StageResult
from mapal.pipeline.step import Call, Step
from mapal.pipeline.tools import Tools
from mapal.project.file import Program, Project


def saved(array: Any) -> bytes:
    buffer = io.BytesIO()
    np.save(buffer, array)
    return buffer.getvalue()


RESULT = np.array([[1.0, 2.0], [3.0, 4.0]], dtype="f4")


def run_check(
    tmp_path: Path,
    script: str,
    *,
    stdout: str = "one\ntwo\n",
    exit_status: int = 0,
    trap: dict[str, Any] | None = None,
    outputs: bool = False,
    threads: tuple[int, ...] = (1, 2),
) -> tuple[StageResult, dict[str, Any]]:
    """Checks a shell script as if it were the native program."""
    program = tmp_path / "program"
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)
    site = Site(str(tmp_path), Project(name="demo", programs=(Program(name="p", source="s"),)))
    oracle_file = tmp_path / "build/oracle/p/result.npy"
    oracle_file.parent.mkdir(parents=True, exist_ok=True)
    oracle_file.write_bytes(saved(RESULT))
    oracle = {
        "class": "trapped" if trap else "done",
        "exit": exit_status,
        "trap": trap,
        "stdout": stdout,
        "stdout_sha256": content_hash(stdout.encode()),
        "outputs": {"result": content_hash(saved(RESULT))} if outputs else {},
    }
    options = {
        "program": "p",
        "target": "generic",
        "arithmetic": "exact",
        "skipped": None,
        "opt": 2,
        "threads": list(threads),
    }
    step = Step(
        stage="differential",
        task="differential:generic:p",
        record="differential:generic:p",
        site=site,
        inputs=(),
        outputs=(),
        modules=(),
        options=options,
    )
    tools = Tools(lambda: pytest.fail("no compiler is asked for"), print)
    inputs = {"oracle": json.dumps(oracle).encode()}
    paths = {"program": str(program), "input.a": "data/a.npy"}
    result = check(Call(step, inputs, paths, str(tmp_path), tools))
    return result, json.loads(result.outputs["result"])


def test_equal_at_every_thread_count(tmp_path: Path) -> None:
    result, document = run_check(tmp_path, 'printf "one\\ntwo\\n"')
    assert (result.failure, result.summary) == (None, "equal")
    assert document["status"] == "equal"
    assert [run["threads"] for run in document["runs"]] == [1, 2]
    assert all(run["equal"] for run in document["runs"])


def test_the_program_gets_threads_inputs_and_outputs(tmp_path: Path) -> None:
    good = tmp_path / "good.npy"
    good.write_bytes(saved(RESULT))
    script = (
        'echo "$MAPAL_THREADS $1 $2 $3" >&2; cp '
        f'{good} "${{4#result=}}"; printf "one\\ntwo\\n"; [ "$1" = --input ] || exit 9'
    )
    result, document = run_check(tmp_path, script, outputs=True)
    assert result.failure is None
    assert set(result.outputs) == {"result", "t1-o2.result", "t2-o2.result"}
    assert document["runs"][0]["outputs"] == {"result": content_hash(saved(RESULT))}


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        (
            'printf "one\\ntwi\\n"',
            "line 2 of stdout: expected 'two' (hex 74776f), found 'twi' (hex",
        ),
        ('printf "one\\n"', "line 2 of stdout: expected 'two' (hex 74776f), found '' (hex )"),
        ('printf "one\\ntwo\\nthree\\n"', "line 3 of stdout: expected '' (hex ), found 'three'"),
        ('printf "one\\ntwo"', "stdout: expected 2 lines, found 1"),
        (
            'printf "one\\ntwo\\n"; echo bad >&2; exit 3',
            "exit status 0 expected, found 3; it said: bad",
        ),
        ('printf "one\\ntwo\\n"; kill -9 $$', "exit status 0 expected, found -9"),
    ],
)
def test_the_first_difference_is_named(tmp_path: Path, script: str, expected: str) -> None:
    result, document = run_check(tmp_path, script)
    assert result.failure is not None
    assert f"with 1 threads: {expected}" in result.failure
    assert document["status"] == result.summary == "different"
    assert document["runs"][0]["equal"] is False


def test_a_difference_at_one_thread_count_is_enough(tmp_path: Path) -> None:
    script = 'printf "one\\ntwo\\n"; [ $MAPAL_THREADS = 1 ] || echo more'
    result, document = run_check(tmp_path, script)
    assert result.failure is not None
    assert "with 1 threads" not in result.failure
    assert [run["equal"] for run in document["runs"]] == [True, False]


def test_traps_are_compared_by_kind_and_token(tmp_path: Path) -> None:
    trap = {"kind": "div_zero", "token": 7}
    script = 'printf "one\\ntwo\\n"; printf "mapal trap: div_zero\\n  at token {}\\n" >&2; exit 101'
    result, document = run_check(tmp_path, script.format(7), exit_status=101, trap=trap)
    assert result.failure is None
    assert document["runs"][0]["trap"] == trap
    result, _ = run_check(tmp_path, script.format(8), exit_status=101, trap=trap)
    assert "trap {'kind': 'div_zero', 'token': 7} expected" in str(result.failure)


def test_results_are_compared_and_kept_as_evidence(tmp_path: Path) -> None:
    result, _ = run_check(tmp_path, 'printf "one\\ntwo\\n"', outputs=True)
    assert "result was not written" in str(result.failure)
    other = RESULT.copy()
    other[1, 0] = np.nextafter(np.float32(3), np.float32(4))
    bad = tmp_path / "bad.npy"
    bad.write_bytes(saved(other))
    script = f'cp {bad} "${{4#result=}}"; printf "one\\ntwo\\n"'
    result, document = run_check(tmp_path, script, outputs=True, threads=(1,))
    assert (
        "result: 1 elements differ; the first is element [1, 0]: expected 3.0 (hex 40400000), "
        "found 3.0000002384185791 (hex 40400001)"
    ) in str(result.failure) or "(hex 40400001)" in str(result.failure)
    assert result.outputs["t1-o2.result"] == saved(other)
    assert document["runs"][0]["equal"] is False


def test_elements_of_all_shapes() -> None:
    assert "expected <i4 (), found <i4 (1,)" in first_element(
        saved(np.int32(1)), saved(np.array([1], "i4"))
    )
    assert "the first is element (): expected 1 (hex 00000001), found 2" in first_element(
        saved(np.int32(1)), saved(np.int32(2))
    )
    assert first_element(b"", saved(np.int32(1))) == "no readable array"
    same = saved(np.int32(1))
    assert first_element(same, same) == "the files differ outside the elements"
