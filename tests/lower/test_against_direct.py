"""The graph means what the program says: its run equals a run straight from the tree."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mapal.interpreter import run
from mapal.lower import lower
from mapal.syntax import ast, parse
from tests.lower.direct_evaluator import Evaluator, TooLongError, TrapError, plain
from tests.source_programs import random_program
from tests.token_mutations import example_sources

_BUDGET = 20_000


def compared(source: str) -> str:
    """Runs a program both ways and asserts equality; what became of it."""
    program = parse(source).program
    graph = lower(program, "exact").graph
    main = next(item for item in program.items if item.name == "main")
    assert isinstance(main, ast.FunctionItem)
    if graph is None or main.parameters:
        return "refused"
    evaluator = Evaluator(program, _BUDGET)
    try:
        result = evaluator.call("main", [])
    except TrapError:
        return "trapped"
    except TooLongError:
        return "too long"
    outcome = run(graph, {}, budget=10**7, clock=lambda: 1.0)
    assert outcome.kind == "done"
    assert outcome.output.decode() == "".join(evaluator.output)
    if main.result is not None:
        assert repr(outcome.result) == repr(plain(result))
    return "equal"


@given(st.integers(0, 2**32))
def test_random_programs(seed: int) -> None:
    compared(random_program(seed))


def test_many_random_programs_are_compared() -> None:
    found = [compared(random_program(seed)) for seed in range(150)]
    assert found.count("equal") > 40


def test_examples() -> None:
    found = [compared(source) for source in example_sources()]
    assert found.count("equal") > 20


@pytest.mark.slow
def test_very_many_random_programs() -> None:
    for seed in range(20_000):
        compared(random_program(seed, size=3))
