"""Last reads by position, with the components that a read names."""

from __future__ import annotations

from mapal.analysis.liveness import WHOLE, contains_array, loop_reads, region_reads
from mapal.ir import ops
from mapal.ir.order import LoopItem, OperationItem, schedule
from mapal.ir.types import F32, I32, UNIT, Array, Struct, Tuple
from tests.analysis.test_bounds import graph_of

LOOP = """
fn main(given: [i32; 4]) -> [i32; 4] {
    given -> map { x -> x + 1 } -> start;
    mut v: [i32; 4] <- start;
    mut i: i32 <- 0;
    loop {
        (i < 4) -> {
            -true-> { v[i] <- given[i]; i + 1 -> i; -> loop; }
            -false-> v -> r;
        }
    }
    r -> ret;
}
"""


def test_only_values_with_arrays_matter() -> None:
    graph = graph_of(LOOP)
    nested = Struct("S", (("a", F32), ("b", Tuple((I32, Array(I32, 2))))))
    assert contains_array(graph, nested)
    assert not contains_array(graph, Tuple((I32, UNIT)))
    body = graph.functions[graph.entry].body
    for obj, _ in region_reads(graph, body).last:
        assert contains_array(graph, graph.ty(obj))


def test_a_loop_reads_from_outside_what_any_pass_reads() -> None:
    graph = graph_of(LOOP)
    entry = graph.functions[graph.entry]
    (loop,) = graph.loops
    assert {obj for obj, _ in loop_reads(graph, loop.id)} == {entry.input}
    items = schedule(graph, entry.body)
    position = next(n for n, item in enumerate(items) if isinstance(item, LoopItem))
    last = region_reads(graph, entry.body).last
    assert last[entry.input, WHOLE] == position


def test_what_an_arm_of_the_loop_reads_is_read_when_the_body_closes() -> None:
    graph = graph_of(LOOP)
    (loop,) = graph.loops
    reads = region_reads(graph, loop.body)
    length = len(schedule(graph, loop.body))
    views = [
        morphism.target
        for morphism in graph.morphisms
        if isinstance(morphism.op, ops.Proj) and contains_array(graph, graph.ty(morphism.target))
    ]
    assert views
    assert all(reads.last[view, WHOLE] == length for view in views)


def test_projecting_reads_one_component() -> None:
    graph = graph_of(
        "fn f(v: [i32; 4], k: i32) -> i32 { v[0] + k -> ret; }\n"
        "fn main(v: [i32; 4]) -> i32 { (v, 3) -> f -> ret; }"
    )
    function = next(f for f in graph.functions if f.name == "f")
    last = region_reads(graph, function.body).last
    assert (function.input, 0) in last
    assert (function.input, WHOLE) not in last
    first = schedule(graph, function.body)[0]
    assert isinstance(first, OperationItem)
