"""Times one program and its peers, in turns, in this process.

Run as `python -m mapal.bench.worker`: a job as JSON on standard input; on standard output one JSON
object a line: `turn` says whose it is, the last one has the `figures` or what is `wrong`. What the
program prints goes nowhere. Only the kernel is timed: inputs exist and pages are touched before.
Everybody reads the same inputs, and who can writes into the same outputs. No peer is timed before
its answer agrees with what it must be, and after the contest the program has to give its bits once
more.
"""

from __future__ import annotations

import contextlib
import ctypes
import importlib.util
import json
import os
import signal
import sys
import zlib
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mapal.bench.answers import WrongAnswer, require_bits, require_close
from mapal.bench.contest import Contestant, hold
from mapal.bench.idle import QuietMachine
from mapal.bench.library import (
    Timer,
    aligned,
    load_peer,
    load_program,
    placed,
    python_timer,
)
from mapal.bench.machine import run_probes

Array = NDArray[Any]


Tell = Callable[[str], None]
"""Says whose turn it is, for the message if nothing else follows."""

_DEATH_SIGNAL = 1
"""`PR_SET_PDEATHSIG` of Linux."""


def main() -> int:
    """Reads the job, does it, writes the figures."""
    _end_with_parent()
    job = json.load(sys.stdin)
    answer = os.fdopen(os.dup(1), "w", encoding="utf-8")
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)

    def say(kind: str, value: object) -> None:
        answer.write(f"{json.dumps({kind: value})}\n")
        answer.flush()

    with answer:
        try:
            say("figures", _do(job, lambda turn: say("turn", turn)))
        except WrongAnswer as error:
            say("wrong", str(error))
            return 1
    return 0


def _end_with_parent() -> None:
    """When the process that waits for the figures is killed, so is this one: to measure for nobody
    would disturb whoever measures next. Only Linux can do that."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_DEATH_SIGNAL, signal.SIGKILL)


def _do(job: Mapping[str, Any], tell: Tell) -> dict[str, Any]:
    if "probes" in job:
        return run_probes(job)
    return evaluate_job(job) if "store" in job else run_job(job, tell)


def evaluate_job(job: Mapping[str, Any]) -> dict[str, Any]:
    """Runs a program once, or a peer that writes outputs of the given `forms`, and stores the
    results: no contest."""
    inputs = {name: placed(np.load(path)) for name, path in job["inputs"].items()}
    if job["forms"] is None:
        kernel, outputs = load_program(job["library"], inputs)
    else:
        outputs = [aligned(tuple(shape), dtype) for shape, dtype in job["forms"]]
        kernel, _, _ = load_peer(job["library"], inputs, outputs)
    kernel()
    for path, output in zip(job["store"], outputs, strict=True):
        np.save(path, output)
    return {}


def run_job(job: Mapping[str, Any], tell: Tell = lambda turn: None) -> dict[str, Any]:
    """The figures of one job: `samples` of ours and, for each peer, its samples or why it is
    absent; what the rounds were like. Raises `WrongAnswer`."""
    inputs = {name: placed(np.load(path)) for name, path in job["inputs"].items()}
    sums = _checksums(inputs)
    expected = [np.load(path, allow_pickle=False) for path in job["expected"]]
    tell("the program")
    kernel, outputs = load_program(job["library"], inputs)
    kernel()
    require_bits("the program", outputs, expected)
    _require_untouched("the program", inputs, sums)
    contestants = [Contestant("mapal", kernel.timer(job["driver"]))]
    absent: list[dict[str, str]] = []
    for peer in job["peers"]:
        name = f"peer {peer['name']}"
        tell(name)
        try:
            with _blaming(name):
                timer = _peer_timer(peer, job["driver"], inputs, outputs, expected)
        except ImportError as error:
            absent.append({"name": peer["name"], "absent": _why_absent(error)})
            continue
        _require_untouched(name, inputs, sums)
        contestants.append(Contestant(peer["name"], timer))
    tell("the contest")
    machine = QuietMachine(job["threads"], os.cpu_count() or 1, job["patience"])
    rounds = hold(contestants, job["repeat"], machine)
    _require_untouched("somebody in the contest", inputs, sums)
    kernel()
    require_bits("the program, called again,", outputs, expected)
    return {
        "samples": {contestant.name: contestant.samples for contestant in contestants},
        "calls": {contestant.name: contestant.calls for contestant in contestants},
        "others": rounds.others,
        "quiet": rounds.quiet,
        "notes": {"numpy": _numpy_note()},
        "absent": absent,
    }


@contextlib.contextmanager
def _blaming(name: str) -> Iterator[None]:
    """What a peer raises, or that it would end the process, is said with its name. A package that
    is not installed is no fault of it."""
    try:
        yield
    except (ImportError, WrongAnswer):
        raise
    except (Exception, SystemExit) as error:
        raise WrongAnswer(f"{name} fails: {type(error).__name__}: {error}") from error


def _why_absent(error: ImportError) -> str:
    if isinstance(error, ModuleNotFoundError) and error.name is not None:
        return f"not installed: {error.name}"
    return f"cannot be imported: {error}"


def _checksums(inputs: Mapping[str, Array]) -> dict[str, int]:
    flat = {name: array.reshape(-1).view(np.uint8) for name, array in inputs.items()}
    return {name: zlib.crc32(array.data) for name, array in flat.items()}


def _require_untouched(name: str, inputs: Mapping[str, Array], sums: Mapping[str, int]) -> None:
    """Everybody reads the same inputs. Raises `WrongAnswer` if they are not what they were."""
    for port, found in _checksums(inputs).items():
        if found != sums[port]:
            raise WrongAnswer(f"{name} changes the input {port!r}")


def _peer_timer(
    peer: Mapping[str, Any],
    driver: str,
    inputs: Mapping[str, Array],
    outputs: list[Array],
    expected: list[Array],
) -> Timer:
    """A timer of a peer whose answer was compared. A limit is no peer: it answers nothing.
    Another build of a program has to have its bits."""
    name = f"peer {peer['name']}"
    if peer.get("program", False):
        _forget(outputs)
        program, _ = load_program(peer["library"], inputs, outputs)
        program()
        require_bits(peer["name"], outputs, expected)
        return program.timer(driver)
    if peer["library"] is not None:
        kernel, tolerance, fraction = load_peer(peer["library"], inputs, outputs)
        if not peer.get("limit", False):
            _forget(outputs)
            kernel()
            require_close(name, outputs, expected, tolerance, fraction)
        return kernel.timer(driver)
    return python_timer(_python_call(name, Path(peer["script"]), inputs, outputs, expected))


def _python_call(
    name: str,
    path: Path,
    inputs: Mapping[str, Array],
    outputs: list[Array],
    expected: list[Array],
) -> Callable[[], object]:
    """A call of `prepare(inputs, outputs)`, which writes into the outputs, or of `run(inputs)`,
    which returns a result."""
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    tolerance = float(getattr(module, "RELATIVE_TOLERANCE", 0.0))
    fraction = float(getattr(module, "TOLERATED_FRACTION", 0.0))
    if hasattr(module, "prepare"):
        _forget(outputs)
        call: Callable[[], object] = module.prepare(dict(inputs), list(outputs))
        call()
        require_close(name, outputs, expected, tolerance, fraction)
        return call
    answer = module.run(dict(inputs))
    answers = list(answer) if isinstance(answer, tuple) else [answer]
    require_close(name, answers, expected, tolerance, fraction)
    return lambda: module.run(inputs)


def _forget(outputs: list[Array]) -> None:
    """Nobody passes with the answer of somebody else."""
    for output in outputs:
        output.reshape(-1).view(np.uint8).fill(0xA5)


def _numpy_note() -> str:
    """Which NumPy, and which linear algebra behind it."""
    config = np.show_config(mode="dicts")
    blas = config.get("Build Dependencies", {}).get("blas", {}) if config else {}
    return (
        f"NumPy {np.__version__}, {blas.get('name', 'unknown')} {blas.get('version', '')}".strip()
    )


if __name__ == "__main__":
    sys.exit(main())
