"""The laws of arrays, and where they are cut."""

from __future__ import annotations

from mapal.analysis.element_plan import (
    DEEPEST,
    ApplyLaw,
    BroadcastLaw,
    ElementLaw,
    IndexLaw,
    LoadLaw,
    PairLaw,
    element_plan,
)
from mapal.analysis.index_arrays import MOST_HOPS, index_length, sites
from mapal.ir.graph import FunctionKind, Graph
from mapal.ir.ops import ObjectId
from mapal.ir.types import I32, Array
from tests.rewrite.build import ADD, DIV, LT, Lines, Program
from tests.rewrite.programs import graph_of


def laws(text: str) -> list[ElementLaw]:
    graph = graph_of(text)
    return list(element_plan(graph, graph.entry).values())


def test_each_law() -> None:
    found = laws(
        "fn main(a: [i32; 4]) -> i32 { 4 -> iota -> n; (7, 4) -> fill -> f; (n, a) -> zip -> z;"
        " a -> enumerate -> e; f -> map { x -> x + 1 } -> m;"
        " n[0] + f[0] + z[0].0 + e[0].0 + m[0] -> ret; }"
    )
    kinds = {type(law) for law in found}
    assert kinds == {IndexLaw, BroadcastLaw, PairLaw, ApplyLaw}
    pairs = [law for law in found if isinstance(law, PairLaw)]
    assert all(pair.left == IndexLaw() and isinstance(pair.right, LoadLaw) for pair in pairs)
    (applied,) = (law for law in found if isinstance(law, ApplyLaw))
    assert isinstance(applied.inner, BroadcastLaw)
    assert applied.captures == ()


def test_maps_that_are_not_safe_have_no_law() -> None:
    for body in ("{ x -> x / x }", "{ x -> a[x] }", "{ x -> (0, a) -> fold { s, y -> s + y } }"):
        text = f"fn main(a: [i32; 4]) -> [i32; 4] {{ a -> map {body} -> ret; }}"
        assert laws(text) == []


def test_arrays_in_loops_have_no_law() -> None:
    def main(f: Lines) -> ObjectId:
        def following(state: ObjectId) -> ObjectId:
            return f.op(ADD, state, f.index(f.iota(3), f.c(1)))

        return f.loop(f.c(0), lambda s: f.op(LT, s, f.c(5)), following)

    graph = Program().main(main)
    assert element_plan(graph, graph.entry) == {}


def nested(depth: int) -> Graph:
    def main(f: Lines) -> ObjectId:
        array = f.iota(2)
        for _ in range(depth):
            array = f.map(body, array)
        return array

    program = Program()
    body = program.helper(
        lambda f: f.op(ADD, f.f.input, f.c(1)), kind=FunctionKind.MAP_BODY, name="body"
    )
    return program.main(main, (), Array(I32, 2))


def test_deep_laws_are_cut() -> None:
    for depth in (DEEPEST - 1, DEEPEST + 20, 2000):
        graph = nested(depth)
        for law in element_plan(graph, graph.entry).values():
            height = 0
            at = law
            while isinstance(at, ApplyLaw):
                height, at = height + 1, at.inner
            assert height <= DEEPEST
            assert isinstance(at, LoadLaw | IndexLaw)


def test_ranges_through_packs_and_captures() -> None:
    graph = graph_of(
        "fn main() -> i32 { 5 -> iota -> n; (n, 3) -> p;"
        " 2 -> iota -> map { i -> (0, n) -> fold { s, k -> s + k * i } } -> m;"
        " (0, p.0) -> fold { s, k -> s + k } -> + m[1] -> ret; }"
    )
    lengths = {index_length(graph, o.id) for o in graph.objects if isinstance(o.ty, Array)}
    assert {2, 5, None} <= lengths
    captured = [
        o
        for o in graph.objects
        if graph.functions[o.function].kind is FunctionKind.MAP_BODY and isinstance(o.ty, Array)
    ]
    assert captured
    assert {index_length(graph, o.id) for o in captured} == {5}


def test_a_capture_of_a_body_with_two_sites_is_unknown() -> None:
    def main(f: Lines) -> ObjectId:
        n = f.iota(3)
        first, second = (f.map(body, n, array) for array in (n, f.array(*[f.c(4)] * 3)))
        return f.op(ADD, f.index(first, f.c(0)), f.index(second, f.c(0)))

    program = Program()
    array = Array(I32, 3)
    body = program.helper(
        lambda f: f.op(ADD, f.index(f.arg(0), f.c(1)), f.arg(1)),
        (array, I32),
        kind=FunctionKind.MAP_BODY,
        name="body",
    )
    graph = program.main(main)
    assert len(sites(graph)[body]) == 2
    captured = [o.id for o in graph.objects if o.function == body and o.ty == array]
    assert [index_length(graph, obj) for obj in captured] == [None]


def test_packs_in_packs_are_looked_through_some_way() -> None:
    def graph(depth: int) -> tuple[Graph, ObjectId]:
        last: list[ObjectId] = []

        def main(f: Lines) -> ObjectId:
            array = f.iota(3)
            for _ in range(depth):
                array = f.proj(f.pack(array, f.c(1)), 0)
            last.append(array)
            return f.op(DIV, f.index(array, f.c(0)), f.c(1))

        return Program().main(main), last[0]

    assert index_length(*graph(MOST_HOPS)) == 3
    assert index_length(*graph(MOST_HOPS + 1)) is None
