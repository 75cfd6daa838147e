"""Programs and comparisons, for the tests of this folder."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from mapal.interpreter import Outcome, run
from mapal.ir.entry import without_token
from mapal.ir.graph import Graph
from mapal.ir.types import Array, Scalar, Struct, Tuple, Type, Unit
from mapal.lower import lower
from mapal.project.template import substitute
from mapal.syntax import parse

ROOT = Path(__file__).parent.parent.parent
AMPLE = 10**6

EXAMPLES = sorted((ROOT / "tests" / "examples").glob("*.mapal"))
SOURCES = EXAMPLES + sorted((ROOT / "projects").glob("*/src/*.mapal"))


def graph_of_file(source: Path) -> Graph:
    """The exact graph of an accepted program."""
    text = substitute(source.read_text(encoding="utf-8"), {"N": 5}, source.name)
    graph = lower(parse(text).program, "exact").graph
    assert graph is not None
    return graph


def graph_of(text: str) -> Graph:
    """The exact graph of a program's text."""
    parsed = parse(text)
    assert parsed.diagnostics == ()
    lowered = lower(parsed.program, "exact")
    assert lowered.diagnostics == ()
    assert lowered.graph is not None
    return lowered.graph


def strict(outcome: Outcome) -> tuple[object, ...]:
    """All of an outcome that a pass must keep."""
    trap = outcome.trap
    return (
        outcome.kind,
        outcome.output,
        repr(outcome.result),
        (trap.kind, trap.token) if trap else None,
    )


def outcome_of(
    graph: Graph, inputs: Mapping[str, object], budget: int = AMPLE
) -> tuple[object, ...]:
    """The strict outcome of a program with a clock that stands still. A run that spends its
    budget tells nothing about where it was."""
    found = run(graph, inputs, budget=budget, clock=lambda: 0.0)
    return ("diverged",) if found.kind == "diverged" else strict(found)


def inputs_for(graph: Graph, number: int) -> dict[str, object]:
    """Some inputs for the entry's parameters."""
    entry = graph.functions[graph.entry]
    if not entry.parameters:
        return {}
    plain = without_token(graph.ty(entry.input))
    types = plain.items if len(entry.parameters) > 1 and isinstance(plain, Tuple) else (plain,)
    return {
        name: _value(ty, number + place)
        for place, (name, ty) in enumerate(zip(entry.parameters, types, strict=True))
    }


def _value(ty: Type, number: int) -> Any:
    match ty:
        case Scalar(name="bool"):
            return number % 2 == 0
        case Scalar(name="u8"):
            return (number * 37) % 256
        case Scalar() if ty.is_float:
            return (0.0, 1.5, -0.0, -2.25, float("nan"), 3.0)[number % 6]
        case Scalar():
            return (0, 1, 3, -1, 2, -(2**31), 2**31 - 1)[number % 7]
        case Array(element=element, length=length):
            return [_value(element, number + place) for place in range(length)]
        case Tuple(items=items) | Struct(items=items):
            return tuple(_value(item, number + place) for place, item in enumerate(items))
        case Unit():
            return None
        case _:
            raise AssertionError(f"no value of type {ty}")
