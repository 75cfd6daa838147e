"""The repository's tasks: those of all projects at once, and its own chores."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from doit.exceptions import TaskFailed

from mapal.dodo import DOIT_CONFIG, task_mapal

__all__ = [
    "DOIT_CONFIG",
    "task_compile_times",
    "task_format",
    "task_limits",
    "task_lint",
    "task_lock",
    "task_mapal",
    "task_mutants",
    "task_rewrite_times",
    "task_sweep",
    "task_test",
    "task_tune",
]

_LOCK_HEADER = "# Every package that ./dev installs, pinned. Renew: ./dev doit lock\n"


def task_lint() -> Iterator[dict[str, Any]]:
    """style, formatting and types, as in continuous integration"""
    commands = {"style": "ruff check .", "format": "ruff format --check .", "types": "mypy"}
    for name, command in commands.items():
        yield {"name": name, "actions": [command], "verbosity": 2}


def task_format() -> dict[str, Any]:
    """lay out all Python sources"""
    return {"actions": ["ruff format .", "ruff check --fix ."], "verbosity": 2}


def task_test() -> dict[str, Any]:
    """the tests"""
    return {"actions": ["pytest"], "verbosity": 2}


def task_compile_times() -> dict[str, Any]:
    """processor and wall time of every stage for every program, as tables"""
    return {"actions": ["python -m mapal.bench.compile_time projects/*/"], "verbosity": 2}


def task_rewrite_times() -> dict[str, Any]:
    """processor time of rewriting 1,000 to 100,000 operations, and its growth"""
    return {"actions": ["python -m mapal.bench.rewrite_time"], "verbosity": 2}


def task_limits() -> dict[str, Any]:
    """kernels against the limits of the machine: limits [--threads 1,2] [ROW or PATTERN]..."""
    threads = {"name": "threads", "long": "threads", "default": "", "help": "thread counts"}
    return {"actions": [_limits], "params": [threads], "pos_arg": "rows", "verbosity": 2}


def _limits(threads: str, rows: list[str]) -> bool | TaskFailed:
    from mapal.bench.limits.__main__ import main

    return _done(main(["--threads", threads, "--", *rows]))


def _done(status: int) -> bool | TaskFailed:
    """What doit makes of the exit status of a command that said itself what went wrong."""
    return TaskFailed(f"ended with status {status}") if status else True


def task_mutants() -> dict[str, Any]:
    """the tests against the rewriter without one exclusion after another"""
    return {"actions": ["python -m tests.mutations.run"], "verbosity": 2}


def task_sweep() -> dict[str, Any]:
    """random programs through both interpreters and native code: count=N seed=S rewrite=each"""
    return {"actions": [_sweep], "verbosity": 2}


def _sweep() -> bool:
    from doit import get_var

    from mapal.sweep.command import DEFAULTS, sweep

    return sweep({name: get_var(name, default) for name, default in DEFAULTS.items()})


def task_tune() -> dict[str, Any]:
    """numbers of kernels that a profile leaves open, by measurement: target=T [KERNEL]..."""
    return {"actions": [_tune], "pos_arg": "kernels", "verbosity": 2}


def _tune(kernels: list[str]) -> bool | TaskFailed:
    from doit import get_var

    from mapal.bench.tuning.__main__ import main

    return _done(main(["--target", get_var("target", "native"), "--", *kernels]))


def task_lock() -> dict[str, Any]:
    """write requirements.lock anew, from what pip chooses in a fresh environment"""
    return {"actions": [_write_lock], "verbosity": 2}


def _write_lock() -> None:
    import subprocess
    import tempfile
    import venv

    with tempfile.TemporaryDirectory() as directory:
        venv.create(directory, with_pip=True)
        python = str(Path(directory, "bin", "python"))
        pip = [python, "-m", "pip", "--quiet", "--disable-pip-version-check"]
        subprocess.run([*pip, "install", ".[test]"], check=True)
        frozen = subprocess.run(
            [*pip, "freeze", "--exclude", "mapal"], check=True, capture_output=True, text=True
        )
    Path("requirements.lock").write_text(_LOCK_HEADER + frozen.stdout, encoding="utf-8")
