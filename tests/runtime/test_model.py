"""The models of the pool's protocol, verified by spin for every interleaving of their steps."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.runtime.native_build import RUNTIME, find_compiler

LEAST_STATES = {"pool": 1_000_000, "nested": 200_000}

FAULTS = {
    ("pool", 1): "invalid end state",  # the last worker leaves without waking the host
    ("pool", 2): "assertion violated alive",  # a worker enters without the lock
    ("pool", 3): "invalid end state",  # the host sleeps without a second look
    ("pool", 4): "assertion violated ready",  # a host looks at its own task without the lock
    ("pool", 5): "assertion violated alive",  # a run ends while a worker is inside
    ("nested", 1): "invalid end state",  # a host leaves an inner run without waking its host
    ("nested", 2): "assertion violated alive",  # a host enters an inner run without the lock
    ("nested", 3): "invalid end state",  # a host sleeps without a second look at its task
}


def verify(model: str, directory: Path, optimisation: str, *definitions: str) -> str:
    """What the verifier says."""
    if shutil.which("spin") is None:
        pytest.fail("no spin found: the model of the runtime's pool cannot be verified")
    compiler = find_compiler()
    for command in (
        ["spin", *definitions, "-a", str(RUNTIME / "model" / f"{model}.pml")],
        [compiler, optimisation, "-DSAFETY", "-DCOLLAPSE", "-w", "-o", "pan", "pan.c"],
    ):
        made = subprocess.run(command, cwd=directory, capture_output=True, text=True, check=False)
        assert made.returncode == 0, made.stdout + made.stderr
    return subprocess.run(
        ["./pan", "-m1000000"],
        cwd=directory,
        capture_output=True,
        text=True,
        check=True,
        timeout=600,
    ).stdout


@pytest.mark.parametrize("model", LEAST_STATES)
def test_every_interleaving_keeps_the_promises(model: str, tmp_path: Path) -> None:
    said = verify(model, tmp_path, "-O2")
    assert "errors: 0" in said
    assert "max search depth too small" not in said
    states = re.search(r"(\d+) states, stored", said)
    assert states is not None
    assert int(states[1]) > LEAST_STATES[model]
    print(f"{states[1]} states")


@pytest.mark.parametrize(("model", "fault"), FAULTS)
def test_a_step_left_out_is_found(model: str, fault: int, tmp_path: Path) -> None:
    assert FAULTS[model, fault] in verify(model, tmp_path, "-O0", f"-DFAULT_{fault}")
