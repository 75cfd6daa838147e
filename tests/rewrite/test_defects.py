"""Defects D-15, D-16, D-22, D-25 and D-26, which are no rewriting of a case."""

from __future__ import annotations

from collections import Counter
from functools import cache

import pytest

from mapal.analysis.bounds import accesses_in_range
from mapal.analysis.totality import is_total_morphism
from mapal.interpreter import run
from mapal.ir import ops
from mapal.ir.builder import GraphBuilder
from mapal.ir.drafts import BuilderError
from mapal.ir.graph import FunctionKind, Graph, ObjectKind
from mapal.ir.mermaid import to_mermaid
from mapal.ir.order import schedule
from mapal.ir.text import print_graph
from mapal.ir.types import I32, Array, Struct
from mapal.ir.verify import verify
from mapal.rewrite import apply_pass
from mapal.rewrite.pipeline import MAP_FUSION, NATURALITY, STREAMS
from mapal.sweep.census import shapes_of
from mapal.sweep.generate import script_of
from mapal.sweep.program import Program, build
from mapal.sweep.script import Script
from tests.ir.back_door import rebuilt
from tests.rewrite.programs import graph_of

KEY = ((1, 1),)


def test_d15_records_without_fields_are_refused() -> None:
    """Building one is an error, and a graph that holds one all the same does not verify."""
    empty = Struct("Empty", ())
    with pytest.raises(BuilderError):
        GraphBuilder().declare(FunctionKind.NAMED, "main", empty, I32, KEY)
    graph = graph_of("fn main(x: i32) -> i32 { x + 1 }")
    (parameter,) = (o.id for o in graph.objects if o.kind is ObjectKind.PARAMETER)
    broken = rebuilt(graph, objects={parameter: {"ty": empty}})
    assert "NonCoreType" in {violation.code for violation in verify(broken)}


def test_d16_analyses_are_computed_once_for_a_graph() -> None:
    """A body is applied a thousand times; its order is found once. Questions about a graph have
    the same object as answer each time."""
    graph = graph_of(
        "fn main() -> i32 { 1000 -> iota -> map { i -> i * 3 } -> m;"
        "(0, m) -> fold { s, x -> s + m[x % 7] } -> ret; }"
    )
    assert run(graph, {}, budget=10**6).kind == "done"
    before = len(graph.memo)
    for _ in range(3):
        assert run(graph, {}, budget=10**6).kind == "done"
    assert len(graph.memo) == before
    body = graph.functions[graph.entry].body
    assert schedule(graph, body) is schedule(graph, body)
    assert accesses_in_range(graph) is accesses_in_range(graph)


LAWS = {
    "zip of maps": (
        "a -> map { x -> x + 1 } -> m; b -> map { x -> x * 2 } -> n; (m, n) -> zip -> ret;",
        "[(i32, i32); 4]",
        STREAMS,
    ),
    "numbers of a map": (
        "a -> enumerate -> map { e -> (e.0, e.1 + 1) } -> ret;",
        "[(i32, i32); 4]",
        STREAMS,
    ),
    "second of an enumeration": (
        "a -> enumerate -> map { e -> e.1 } -> m; m[1] + m[2] -> ret;",
        "i32",
        NATURALITY,
    ),
    "first of an enumeration": (
        "a -> enumerate -> map { e -> e.0 } -> m; m[b[0] % 1] + m[2] -> ret;",
        "i32",
        STREAMS,
    ),
    "first of a zip": (
        "(a, b) -> zip -> map { p -> p.0 } -> m; m[1] + m[2] -> ret;",
        "i32",
        NATURALITY,
    ),
    "map of a fill": ("(b[1], 4) -> fill -> map { x -> x * 2 } -> ret;", "[i32; 4]", STREAMS),
    "zip of fills": (
        "(a[1], 4) -> fill -> m; (b[1], 4) -> fill -> n; (m, n) -> zip -> ret;",
        "[(i32, i32); 4]",
        NATURALITY,
    ),
    "element of a range": ("4 -> iota -> m; m[b[1] % 1] + 1 -> ret;", "i32", NATURALITY),
    "element of a fill": ("(b[1], 4) -> fill -> m; m[2] + 1 -> ret;", "i32", NATURALITY),
    "element of a map": ("a -> map { x -> x * 2 } -> m; m[2] + 1 -> ret;", "i32", NATURALITY),
    "map of a map": (
        "a -> map { x -> x * 2 } -> map { x -> x + 1 } -> ret;",
        "[i32; 4]",
        MAP_FUSION,
    ),
}


@pytest.mark.parametrize("name", LAWS)
def test_d22_every_law_has_a_pass(name: str) -> None:
    body, result, step = LAWS[name]
    graph = graph_of(f"fn main(a: [i32; 4], b: [i32; 4]) -> {result} {{ {body} }}")
    application = apply_pass(graph, step)
    assert application.replayed is not None
    inputs = {"a": [3, 1, 4, 1], "b": [2, 7, 1, 8]}
    expected = run(graph, inputs, budget=10**5)
    assert expected.kind == "done"
    assert run(application.replayed.graph, inputs, budget=10**5).result == expected.result


def test_d25_graphs_that_call_different_functions_have_different_dumps() -> None:
    callees = "fn f(x: i32) -> i32 { x } fn g(x: i32) -> i32 { x }"
    text = "fn main(x: i32) -> i32 {{ x -> {} }}"
    first, second = (graph_of(callees + text.format(callee)) for callee in "fg")
    assert to_mermaid(first) != to_mermaid(second)
    assert to_mermaid(first, verbose=False) == to_mermaid(second, verbose=False)
    assert print_graph(first) != print_graph(second)


COUNT = 300


@cache
def generated() -> tuple[tuple[Script, Program], ...]:
    scripts = [script_of(26, number) for number in range(COUNT)]
    return tuple((script, build(script)) for script in scripts)


def test_d26_programs_without_traps_have_total_bodies() -> None:
    seen = 0
    for script, program in generated():
        if script.mode != "trap_free":
            continue
        graph = program.graph
        for morphism in graph.morphisms:
            kind = graph.functions[morphism.function].kind
            is_division = morphism.op in (
                ops.Binary(ops.BinaryCode.DIV),
                ops.Binary(ops.BinaryCode.MOD),
            )
            if kind is not FunctionKind.NAMED and is_division:
                seen += 1
                assert is_total_morphism(graph, morphism.id)
    assert seen > 0


def test_d26_guards_in_loops_shared_traps_and_arrays_of_all_types_are_generated() -> None:
    shapes: Counter[str] = Counter()
    arrays: set[tuple[str, int]] = set()
    for _, program in generated():
        shapes.update(shapes_of(program.graph) | set(program.shapes))
        shapes["a trap that two guards use"] += shares_a_trap(program.graph)
        for obj in program.graph.objects:
            if isinstance(obj.ty, Array):
                arrays.add((str(obj.ty.element), obj.ty.length))
    for shape in (
        "guard in the body of a loop",
        "guard in the jump arm of a loop",
        "guard in a map body",
        "trap in an arm",
        "trap in an arm and a loop",
        "a trap that two guards use",
    ):
        assert shapes[shape] >= 3, shape
    elements = {element for element, _ in arrays}
    assert {"i32", "i64", "u8", "f32", "f64", "bool"} <= elements
    assert len({length for _, length in arrays}) >= 5


def shares_a_trap(graph: Graph) -> bool:
    """Whether arms of two guards hand on, or compute with, the same value that may trap."""
    readers: dict[int, set[int]] = {}
    for guard in graph.guards:
        arms = (guard.arm_true, guard.arm_false)
        for morphism in graph.morphisms:
            if morphism.region in arms:
                readers.setdefault(morphism.source, set()).add(guard.id)
    return any(
        len(guards) > 1 and any(not is_total_morphism(graph, edge) for edge in graph.in_edges[obj])
        for obj, guards in readers.items()
    )
