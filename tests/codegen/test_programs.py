"""Programs end natively as on the interpreter: output, traps with their tokens, results."""

from __future__ import annotations

from pathlib import Path

import pytest

from mapal.lower import Arithmetic
from tests.codegen.native_runs import assert_equal_endings, graph_of, interpreted, run_natively
from tests.codegen.programs import PROGRAMS

EXAMPLES = Path(__file__).parent.parent / "examples"
NAMES = sorted(path.stem for path in EXAMPLES.glob("*.mapal"))


@pytest.mark.parametrize("name", PROGRAMS)
def test_program_ends_as_on_the_interpreter(name: str) -> None:
    assert_equal_endings(graph_of(PROGRAMS[name]))


@pytest.mark.parametrize("name", [n for n in NAMES if not (EXAMPLES / f"{n}.diverged").exists()])
def test_example_ends_as_stated(name: str) -> None:
    source = (EXAMPLES / f"{name}.mapal").read_text(encoding="utf-8")
    modes: dict[Arithmetic, Path] = {"exact": EXAMPLES / f"{name}.out"}
    if not modes["exact"].exists():
        modes = {
            "exact": EXAMPLES / f"{name}.exact.out",
            "fused": EXAMPLES / f"{name}.fused.out",
        }
    for arithmetic, stated in modes.items():
        ending = assert_equal_endings(graph_of(source, arithmetic))
        assert ending.stdout == stated.read_bytes()
        assert (ending.kind == "trapped") == (EXAMPLES / f"{name}.trap").exists()


def test_comparison_notices_a_difference() -> None:
    one, other = graph_of("fn main() { 1 -> println; }"), graph_of("fn main() { 2 -> println; }")
    assert run_natively(one, 0) != interpreted(other)
