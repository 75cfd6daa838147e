"""The translated interpreter against the walk of the graph, on every program at hand."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

import pytest

from mapal.interpreter import run
from mapal.ir.entry import without_token
from mapal.ir.types import Unit
from mapal.lower import lower
from mapal.syntax import parse
from tests.interpreter.programs import AMPLE
from tests.interpreter.walk import Walk

ROOT = Path(__file__).parent.parent.parent
PROGRAMS = sorted((ROOT / "tests" / "examples").glob("*.mapal"))
PROGRAMS += sorted((ROOT / "projects" / "tour" / "src").glob("*.mapal"))


def is_comparable(source: Path) -> bool:
    """Whether a program ends and needs no inputs."""
    text = source.read_text(encoding="utf-8")
    return "fn main()" in text and not source.with_suffix(".diverged").exists()


SOURCES = [source for source in PROGRAMS if is_comparable(source)]


@pytest.mark.parametrize("arithmetic", ["exact", "fused"])
@pytest.mark.parametrize("source", SOURCES, ids=lambda path: path.stem)
def test_same_outcome(source: Path, arithmetic: Literal["exact", "fused"]) -> None:
    graph = lower(parse(source.read_text(encoding="utf-8")).program, arithmetic).graph
    assert graph is not None
    found = run(graph, {}, budget=AMPLE, clock=lambda: 0.0)
    expected = Walk(graph).run(None)
    assert (found.kind, found.output, found.trap) == (
        expected.kind,
        expected.output,
        expected.trap,
    )
    ty = graph.ty(graph.functions[graph.entry].output)
    plain = without_token(ty)
    if found.kind == "done" and not isinstance(plain, Unit):
        value: Any = expected.result
        assert found.result == (value if plain is ty else value[1])


def test_there_are_programs() -> None:
    assert len(SOURCES) > 60
