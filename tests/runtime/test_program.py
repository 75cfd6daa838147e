"""A whole executable: its command line, exit statuses, and what it leaves behind."""

import errno
import os
import subprocess
from pathlib import Path

import numpy as np
import pytest

from tests.runtime.native_build import Driver, RuntimeBuild, lost_output

HELP = """\
usage: sample --input image=PATH --input gain=PATH --input mask=PATH --input index=PATH \
--input offset=PATH --input weights=PATH [--output result.0=PATH] [--output result.1=PATH] \
[--output result.2=PATH]
       sample --help

inputs, NumPy .npy files of any shape with this many elements:
  image    u8    6 elements, dtype |u1
  gain     f32   1 element, dtype <f4
  mask     bool  4 elements, dtype |b1
  index    i32   4 elements, dtype <i4
  offset   i64   1 element, dtype <i8
  weights  f64   4 elements, dtype <f8

outputs, written as NumPy .npy files if a path is given:
  result.0  u8    6 elements, dtype |u1
  result.1  f32   1 element, dtype <f4
  result.2  f64   4 elements, dtype <f8

exit status: 0 done; 1 output cannot be written; 2 usage or bad input; 101 trap
"""
PRINTED = b"1.5\n-7\ntrue\n"


@pytest.fixture(scope="module")
def program(runtime_build: RuntimeBuild) -> Driver:
    return runtime_build.driver("program")


@pytest.fixture
def inputs(tmp_path: Path) -> list[str]:
    """Arguments that give every input."""
    return write_inputs(tmp_path, scene=0)


def write_inputs(directory: Path, scene: int) -> list[str]:
    values = {
        "image": np.arange(6, dtype="u1").reshape(3, 2),
        "gain": np.array([1.5], dtype="<f4"),
        "mask": np.array([[False, False], [False, True]]),
        "index": np.array([scene, 1, 2, 3], dtype="<i4"),
        "offset": np.array(-7, dtype="<i8"),
        "weights": np.array([0.5, -0.0, np.nan, np.inf]),
    }
    arguments = []
    for name, value in values.items():
        np.save(directory / f"{name}.npy", value)
        arguments += ["--input", f"{name}={directory / name}.npy"]
    return arguments


def test_run_with_all_outputs(program: Driver, inputs: list[str], tmp_path: Path) -> None:
    outputs = [f"result.{i}={tmp_path}/{i}=x.npy" for i in range(3)]
    flags = [word for pair in outputs for word in ("--output", pair)]
    run = program.run(*flags, *inputs)
    assert (run.status, run.output, run.errors) == (0, PRINTED, "")
    first, second, third = (np.load(f"{tmp_path}/{i}=x.npy") for i in range(3))
    assert first.tolist() == [[6, 5, 4], [3, 2, 1]]
    assert (second.shape, second.dtype, second.item()) == ((), np.dtype("<f4"), 1.5)
    assert third.tobytes() == np.load(tmp_path / "weights.npy").tobytes()


def test_outputs_are_optional(program: Driver, inputs: list[str], tmp_path: Path) -> None:
    run = program.run(*inputs, "--output", f"result.1={tmp_path}/only.npy")
    assert (run.status, run.output, run.errors) == (0, PRINTED, "")
    assert np.load(tmp_path / "only.npy").item() == 1.5
    assert len(list(tmp_path.iterdir())) == 7


@pytest.mark.parametrize("flag", ["--help", "-h"])
def test_help(program: Driver, flag: str) -> None:
    run = program.run(flag)
    assert (run.status, run.output.decode(), run.errors) == (0, HELP, "")


def test_help_to_a_full_device(program: Driver) -> None:
    with open("/dev/full", "wb") as full:
        done = subprocess.run(
            [program.path, "-h"], stdout=full, stderr=subprocess.PIPE, check=False
        )
    assert done.returncode == 1
    assert done.stderr.decode() == lost_output(errno.ENOSPC)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "input 'image' is missing; give --input image=PATH"),
        (["--input", "imgae=x"], "unknown input 'imgae'; the closest is 'image'"),
        (["--input", "wights=x"], "unknown input 'wights'; the closest is 'weights'"),
        (["--output", "result=x"], "unknown output 'result'; the closest is 'result.0'"),
        (
            ["--input", "x" * 100 + "=x"],
            f"unknown input '{'x' * 100}'; the closest is 'index'",
        ),
        (["--input", "gain=a", "--input", "gain=b"], "input 'gain' is given twice"),
        (["--input"], "--input needs NAME=PATH, found nothing"),
        (["--output", "result.0"], "--output needs NAME=PATH, found 'result.0'"),
        (["--input", "=x"], "--input needs NAME=PATH, found '=x'"),
        (["--input", "gain="], "--input needs NAME=PATH, found 'gain='"),
        (["image.npy"], "unknown argument 'image.npy'; expected --input, --output or --help"),
        (
            ["--inputs", "gain=x"],
            "unknown argument '--inputs'; expected --input, --output or --help",
        ),
    ],
)
def test_usage_errors(program: Driver, arguments: list[str], message: str) -> None:
    run = program.run(*arguments)
    assert (run.status, run.output, run.errors) == (2, b"", f"mapal: {message}\n")


def test_last_input_missing(program: Driver, inputs: list[str]) -> None:
    run = program.run(*inputs[:-2])
    assert run.status == 2
    assert run.errors == "mapal: input 'weights' is missing; give --input weights=PATH\n"


def test_two_outputs_need_two_paths(program: Driver, inputs: list[str], tmp_path: Path) -> None:
    path = tmp_path / "same.npy"
    run = program.run(*inputs, "--output", f"result.0={path}", "--output", f"result.2={path}")
    assert run.status == 2
    assert run.errors == f"mapal: outputs 'result.0' and 'result.2' have the same path {path}\n"
    assert not path.exists()


def test_bad_input_stops_before_any_work(
    program: Driver, inputs: list[str], tmp_path: Path
) -> None:
    np.save(tmp_path / "mask.npy", np.arange(4, dtype="u1"))
    run = program.run(*inputs, "--output", f"result.1={tmp_path}/r.npy")
    assert (run.status, run.output) == (2, b"")
    assert run.errors == (
        f"mapal: input 'mask': {tmp_path}/mask.npy: found dtype '|u1', expected '|b1'\n"
    )
    assert not (tmp_path / "r.npy").exists()


def test_trap_writes_no_output_files(program: Driver, tmp_path: Path) -> None:
    inputs = write_inputs(tmp_path, scene=1)
    run = program.run(*inputs, "--output", f"result.1={tmp_path}/r.npy")
    assert (run.status, run.output) == (101, PRINTED)
    assert run.errors == "mapal trap: index_oob\n  at token 41\n"
    assert not (tmp_path / "r.npy").exists()


def test_output_that_cannot_be_written(program: Driver, inputs: list[str], tmp_path: Path) -> None:
    run = program.run(*inputs, "--output", f"result.1={tmp_path}/no/r.npy")
    assert (run.status, run.output) == (1, PRINTED)
    assert run.errors.startswith(f"mapal: output 'result.1': {tmp_path}/no/r.npy: cannot create")


@pytest.mark.parametrize("scene", [0, 2])
def test_lost_standard_output_leaves_no_result(program: Driver, tmp_path: Path, scene: int) -> None:
    inputs = write_inputs(tmp_path, scene)
    command = [str(program.path), *inputs, "--output", f"result.1={tmp_path}/r.npy"]
    with open("/dev/full", "wb") as full:
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, check=False)
    assert done.returncode == 1
    assert done.stderr.decode() == lost_output(errno.ENOSPC)
    assert not (tmp_path / "r.npy").exists()


def test_closed_descriptors_are_not_mistaken_for_files(
    program: Driver, inputs: list[str], tmp_path: Path
) -> None:
    """With standard output closed, the result file must not get its number."""
    script = '"$@" <&- >&- '
    command = ["/bin/sh", "-c", script, "sh", str(program.path), *inputs]
    done = subprocess.run(
        [*command, "--output", f"result.1={tmp_path}/r.npy"], stderr=subprocess.PIPE, check=False
    )
    assert done.returncode == 1
    assert done.stderr.decode() == lost_output(errno.EBADF)
    assert not (tmp_path / "r.npy").exists()


def test_closed_standard_error_loses_only_the_report(
    program: Driver, inputs: list[str], tmp_path: Path
) -> None:
    command = ["/bin/sh", "-c", '"$@" 2>&-', "sh", str(program.path), *inputs]
    done = subprocess.run(
        [*command, "--output", f"result.1={tmp_path}/r.npy"], stdout=subprocess.PIPE, check=False
    )
    assert (done.returncode, done.stdout) == (0, PRINTED)
    assert np.load(tmp_path / "r.npy").item() == 1.5


def test_memory_exhausted_for_the_buffers(program: Driver, inputs: list[str]) -> None:
    run = program.run(*inputs, fault="aligned_alloc=1")
    assert run.status == 1
    assert run.errors.startswith("mapal: out of memory: cannot allocate ")


def test_program_without_ports(runtime_build: RuntimeBuild, tmp_path: Path) -> None:
    driver = runtime_build.driver("plain_program")
    run = driver.run()
    assert (run.status, run.output, run.errors) == (0, b"hello\n", "")
    run = driver.run("--output", "result=x")
    assert run.status == 2
    assert run.errors == "mapal: unknown output 'result': this program has no outputs\n"
    run = driver.run("--help")
    assert "usage: hello\n       hello --help\n" in run.output.decode()
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize(
    ("definitions", "status", "message"),
    [
        (
            ["BROKEN_ABI"],
            -6,
            "mapal: internal error: broken was compiled for runtime interface 3, this is 2\n",
        ),
        (
            ["BROKEN_SCALAR"],
            -6,
            "mapal: internal error: a port has the unknown scalar type 99\n",
        ),
        ([], 1, "mapal: out of memory: 'x' has 4611686018427387904 elements\n"),
    ],
)
def test_impossible_descriptors(
    runtime_build: RuntimeBuild, definitions: list[str], status: int, message: str
) -> None:
    run = runtime_build.driver("broken_program", *definitions).run()
    assert (run.status, run.errors) == (status, message)
