"""The region of every operation: what runs, and when.

`WORK` lists pieces of text for every kind of operation, each of which binds `q` from `a`, `d`,
`b` and `v`. `PLACES` lists where such a piece may stand and who uses `q`, with the region in
which all of the piece must end up. Every piece is tried at every place.
"""

from __future__ import annotations

import pytest

from mapal.ir.graph import Graph
from mapal.ir.ops import RegionId
from mapal.syntax import tokenize
from tests.lower.programs import graph_of

DECLARATIONS = (
    "type P { x: i32, y: i32 }\n"
    "fn half(n: i32) -> i32 { n / 2 }\n"
    "fn sum(n: i32, m: i32) -> i32 { n + m }\n"
)
HEAD = "fn f(a: i32, d: i32, b: bool, v: [i32; 3], x: f32) -> i32 { mut i: i32 <- 0; "

WORK = {
    "division": "a / d -> q;",
    "remainder": "a % d -> q;",
    "sum": "a + d -> q;",
    "negation": "-d -> q;",
    "comparison": "a < d -> c; c -> { -true-> 1; -false-> 2; } -> q;",
    "equality and logic": "!(a == d) && b -> c; c -> { -true-> 1; -false-> 2; } -> q;",
    "minimum": "(a, d) -> min -> q;",
    "absolute value": "d -> abs -> q;",
    "square root and conversion": "x -> sqrt -> to_i32 -> q;",
    "widening": "d -> widen_i64 -> to_i32 -> q;",
    "index": "v[d] -> q;",
    "update": "v -> mut w; w[d] <- a; w[0] -> q;",
    "tuple": "(a, d) -> t; t.1 -> q;",
    "struct": "P { x: a, y: d } -> p; p.y -> q;",
    "array literal": "[a, d] -> w; w[1] -> q;",
    "zip": "(v, v) -> zip -> w; w[0] -> t; t.0 -> q;",
    "enumerate": "v -> enumerate -> w; w[0] -> t; t.1 -> q;",
    "range": "3 -> iota -> w; w[d] -> q;",
    "fill": "(d, 3) -> fill -> w; w[a] -> q;",
    "map": "v -> map { e -> e / d } -> w; w[0] -> q;",
    "fold": "(a, v) -> fold { s, e -> s + e } -> q;",
    "reduce": "v -> reduce { s, e -> s + e * d } -> q;",
    "call": "d -> half -> q;",
    "call with several arguments": "(a, d) -> sum -> q;",
    "fanout": "a -> { -> + 1 -> m; -> / d -> n; } m - n -> q;",
    "joined fanout": "a -> { -> + 1; -> / d; } -> t; t.1 -> q;",
    "seq": "a -> seq { -> + d -> m; m / d } -> q;",
    "guard": "b -> { -true-> a / d; -false-> d; } -> q;",
    "guards in guards": "b -> { -true-> a / d; -false-> { (a < d) -> { -true-> 1; -_-> a % d; } } }"
    " -> q;",
    "integer match": "d -> { -0-> a; -7-> { a / d } -_-> a % d; } -> q;",
    "loop": "mut k: i32 <- d; loop { (k < 9) -> { -true-> { k + 2 -> k; -> loop; }"
    " -false-> a / k -> q; } }",
    "loop in a loop": "mut k: i32 <- d; loop { mut l: i32 <- 0;"
    " loop { (l < k) -> { -true-> { l + 1 -> l; -> loop; } -false-> l / d -> m; } }"
    " (k < 9) -> { -true-> { k + m -> k; -> loop; } -false-> k -> q; } }",
}

BODY, TRUE, FALSE = "body", "arm-true", "arm-false"
LOOP, JUMP, EXIT = "loop-body", "jump", "exit"

PLACES = {
    # Value-selecting guards.
    "one arm": ("@ b -> { -true-> q; -false-> 0; } -> r; r", (BODY, TRUE)),
    "the other arm": ("@ b -> { -true-> 0; -false-> q; } -> r; r", (BODY, FALSE)),
    "one arm, headed by the default": ("@ b -> { -_-> q; -true-> 0; } -> r; r", (BODY, FALSE)),
    "used by work of an arm": ("@ b -> { -true-> q * 3; -false-> 0; } -> r; r", (BODY, TRUE)),
    "used by idle work of an arm": (
        "@ b -> { -true-> { q * 3 -> idle; 1 } -false-> 0; } -> r; r",
        (BODY, TRUE),
    ),
    "both arms": ("@ b -> { -true-> q; -false-> q + 1; } -> r; r", (BODY,)),
    "condition": ("@ (q > 0) -> { -true-> 1; -false-> 2; } -> r; r", (BODY,)),
    "condition and arm": ("@ (q > 0) -> { -true-> q; -false-> 2; } -> r; r", (BODY,)),
    "arm and result": ("@ b -> { -true-> q; -false-> 2; } -> r; q + r", (BODY,)),
    "arm and idle work": ("@ b -> { -true-> q; -false-> 2; } -> r; q + 1 -> idle; r", (BODY,)),
    "nobody": ("@ d", (BODY,)),
    "the function's result": ("@ q", (BODY,)),
    "written in an arm, used": ("b -> { -true-> { @ q } -false-> 0; } -> r; r", (BODY, TRUE)),
    "written in an arm, idle": ("b -> { -true-> { @ 1 } -false-> 0; } -> r; r", (BODY, TRUE)),
    "arm of an arm": (
        "@ b -> { -true-> { (d > 0) -> { -true-> 1; -false-> q; } } -false-> 0; } -> r; r",
        (BODY, TRUE, FALSE),
    ),
    "both arms of an arm": (
        "@ b -> { -true-> { (d > 0) -> { -true-> q; -false-> -q; } } -false-> 0; } -> r; r",
        (BODY, TRUE),
    ),
    "condition in an arm": (
        "@ b -> { -true-> { (q > 0) -> { -true-> 1; -false-> 2; } } -false-> 0; } -> r; r",
        (BODY, TRUE),
    ),
    "written in an arm, used in its arm": (
        "b -> { -true-> 0; -false-> { @ (d > 0) -> { -true-> q; -false-> 2; } } } -> r; r",
        (BODY, FALSE, TRUE),
    ),
    "arms of two guards": (
        "@ b -> { -true-> q; -false-> 0; } -> r; (d > 1) -> { -true-> q; -_-> 0; } -> s; r + s",
        (BODY,),
    ),
    "sinks behind a guard that sinks": (
        "@ (d > 0) -> { -true-> q; -false-> 0; } -> r; b -> { -true-> r; -false-> 0; } -> s; s",
        (BODY, TRUE, TRUE),
    ),
    # Integer matches: a chain of guards whose remainders receive nothing.
    "first arm of a match": ("@ a -> { -1-> q; -2-> 0; -_-> 0; } -> r; r", (BODY, TRUE)),
    "second arm of a match": ("@ a -> { -1-> 0; -2-> q; -_-> 0; } -> r; r", (BODY, FALSE, TRUE)),
    "default of a match": ("@ a -> { -1-> 0; -_-> q; -2-> 0; } -> r; r", (BODY, FALSE, FALSE)),
    "two later arms of a match": (
        "@ a -> { -1-> 0; -2-> q; -3-> q + 1; -_-> 0; } -> r; r",
        (BODY,),
    ),
    "last number and default": ("@ a -> { -1-> 0; -2-> q; -_-> -q; } -> r; r", (BODY,)),
    "scrutinee of a match": ("@ q -> { -1-> 0; -_-> 3; } -> r; r", (BODY,)),
    "match in an arm": (
        "@ b -> { -true-> { a -> { -5-> 0; -6-> q; -_-> -q; } } -_-> 0; } -> r; r",
        (BODY, TRUE),
    ),
    # Loops: `e` is what they exit with.
    "next state": (
        "loop { @ (i < 3) -> { -true-> { i + q -> i; -> loop; } -_-> i -> e; } } e",
        (BODY, LOOP, JUMP),
    ),
    "next state, written whole before the guard": (
        "loop { @ i + q -> next; (i < 3) -> { -true-> { next -> i; -> loop; } -_-> i -> e; } } e",
        (BODY, LOOP, JUMP),
    ),
    "rebound before the guard": (
        "mut pair: i32 <- 0; loop { @ pair + q -> pair; (i < 3) ->"
        " { -true-> { i + 1 -> i; -> loop; } -_-> i -> e; } } e",
        (BODY, LOOP, JUMP),
    ),
    "exit value": (
        "loop { @ " + "(i < 3) -> { -true-> { i + 1 -> i; -> loop; } -_-> q -> e; } } e",
        (BODY, LOOP, EXIT),
    ),
    "work for the exit value": (
        "loop { @ (i < 3) -> { -true-> { i + 1 -> i; -> loop; } -_-> (i, q + 1) -> e; } } e.1",
        (BODY, LOOP, EXIT),
    ),
    "both routes": (
        "loop { @ (i < 3) -> { -true-> { i + q -> i; -> loop; } -_-> q -> e; } } e",
        (BODY, LOOP),
    ),
    "loop condition": (
        "loop { @ (i < q) -> { -true-> { i + 1 -> i; -> loop; } -_-> i -> e; } } e",
        (BODY, LOOP),
    ),
    "inverted loop condition": (
        "loop { @ (i > q) -> { -_-> { i + 1 -> i; -> loop; } -true-> i -> e; } } e",
        (BODY, LOOP),
    ),
    "loop body, nobody": (
        "loop { @ (i < 3) -> { -true-> { i + 1 -> i; -> loop; } -_-> i -> e; } } e",
        (BODY, LOOP),
    ),
    "loop body, idle work": (
        "loop { @ q + i -> idle; (i < 3) -> { -true-> { i + q -> i; -> loop; } -_-> i -> e; } } e",
        (BODY, LOOP),
    ),
    "written in the jump arm, used": (
        "loop { (i < 3) -> { -true-> { @ i + q -> i; -> loop; } -_-> i -> e; } } e",
        (BODY, LOOP, JUMP),
    ),
    "written in the jump arm, idle": (
        "loop { (i < 3) -> { -true-> { @ i + 1 -> i; -> loop; } -_-> i -> e; } } e",
        (BODY, LOOP, JUMP),
    ),
    "written in the exit arm, used": (
        "loop { (i < 3) -> { -true-> { i + 1 -> i; -> loop; } -_-> { @ q -> e; } } } e",
        (BODY, LOOP, EXIT),
    ),
    "written in the exit arm, idle": (
        "loop { (i < 3) -> { -true-> { i + 1 -> i; -> loop; } -_-> { @ i -> e; } } } e",
        (BODY, LOOP, EXIT),
    ),
    "before the loop, used in its body": (
        "@ loop { q + i -> idle; (i < 3) -> { -true-> { i + 1 -> i; -> loop; } -_-> i -> e; } } e",
        (BODY,),
    ),
    "before the loop, used in its jump arm": (
        "@ loop { (i < 3) -> { -true-> { i + q -> i; -> loop; } -_-> i -> e; } } e",
        (BODY,),
    ),
    "before the loop, used in its exit arm": (
        "@ loop { (i < 3) -> { -true-> { i + 1 -> i; -> loop; } -_-> q -> e; } } e",
        (BODY,),
    ),
    "before the loop, its state": (
        "@ mut s: i32 <- q; loop { (s < 3) -> { -true-> { s + 1 -> s; -> loop; } -_-> s -> e; } }"
        " e",
        (BODY,),
    ),
    "exit value used in an arm": (
        "loop { (i < 3) -> { -true-> { i + 1 -> i; -> loop; } -_-> { @ q -> e; } } }"
        " b -> { -true-> e; -false-> 0; } -> r; r",
        (BODY, TRUE, LOOP, EXIT),
    ),
    # Loops and guards together.
    "arm in the jump arm": (
        "loop { @ (i < 3) -> { -true-> { b -> { -true-> i + q; -_-> i + 1; } -> i; -> loop; }"
        " -_-> i -> e; } } e",
        (BODY, LOOP, JUMP, TRUE),
    ),
    "arm for the next state, before the guard": (
        "loop { @ b -> { -true-> i + q; -_-> i + 1; } -> next; (i < 3) ->"
        " { -true-> { next -> i; -> loop; } -_-> i -> e; } } e",
        (BODY, LOOP, JUMP, TRUE),
    ),
    "arm in the exit arm": (
        "loop { @ (i < 3) -> { -true-> { i + 1 -> i; -> loop; }"
        " -_-> b -> { -true-> q; -_-> 1; } -> e; } } e",
        (BODY, LOOP, EXIT, TRUE),
    ),
    "before the loop, used in an arm in it": (
        "@ loop { (i < 3) -> { -true-> { b -> { -true-> i + q; -_-> i + 1; } -> i; -> loop; }"
        " -_-> i -> e; } } e",
        (BODY,),
    ),
    "before an arm with a loop that uses it": (
        "@ b -> { -true-> { mut z: i32 <- 0; loop { (z < 3) -> { -true-> { z + q -> z; -> loop; }"
        " -_-> z -> e; } } e } -false-> 0; } -> r; r",
        (BODY, TRUE),
    ),
    "loop in a loop, used inside": (
        "loop { @ mut z: i32 <- 0; loop { (z < 3) -> { -true-> { z + q -> z; -> loop; }"
        " -_-> z -> y; } } (i < y) -> { -true-> { i + 1 -> i; -> loop; } -_-> i -> e; } } e",
        (BODY, LOOP),
    ),
    "loop in the jump arm, used inside": (
        "loop { @ (i < 3) -> { -true-> { mut z: i32 <- 0;"
        " loop { (z < 3) -> { -true-> { z + q -> z; -> loop; } -_-> z -> y; } }"
        " i + y -> i; -> loop; } -_-> i -> e; } } e",
        (BODY, LOOP, JUMP),
    ),
    "written in a loop in a loop": (
        "loop { mut z: i32 <- 0; loop { @ (z < 3) -> { -true-> { z + q -> z; -> loop; }"
        " -_-> z -> y; } } (i < y) -> { -true-> { i + 1 -> i; -> loop; } -_-> i -> e; } } e",
        (BODY, LOOP, LOOP, JUMP),
    ),
    # Captures and calls.
    "capture of a map in an arm": (
        "@ b -> { -true-> { v -> map { e -> e + q } -> u; u[0] } -false-> 0; } -> r; r",
        (BODY, TRUE),
    ),
    "capture of a map": ("@ v -> map { e -> b -> { -true-> q; -_-> e; } } -> u; u[0]", (BODY,)),
    "capture of a map for the exit value": (
        "loop { @ v -> map { e -> e + q } -> u; (i < 3) -> { -true-> { i + 1 -> i; -> loop; }"
        " -_-> u[0] -> e; } } e",
        (BODY, LOOP, EXIT),
    ),
    "argument of a call in an arm": ("@ b -> { -true-> q -> half; -_-> 0; } -> r; r", (BODY, TRUE)),
    "bound to other names": (
        "@ q -> y; (y, 1) -> pair; b -> { -true-> pair.0; -_-> 0; } -> r; r",
        (BODY, TRUE),
    ),
}


def paths_of(graph: Graph, first: int, last: int) -> set[tuple[str, ...]]:
    """The regions of the operations of `f` whose keys lie between two tokens, inner ones of the
    same text replaced by those around them."""
    function = next(function for function in graph.functions if function.name == "f")
    inside = {
        morphism.region
        for morphism in (graph.morphisms[edge] for edge in function.morphisms)
        if first <= morphism.key[0][0] and morphism.key[0][1] <= last
    }

    def outermost(region: RegionId) -> bool:
        parent = graph.regions[region].parent
        return parent is None or not any(graph.encloses(other, parent) for other in inside)

    return {path_of(graph, region) for region in inside if outermost(region)}


def path_of(graph: Graph, region: RegionId) -> tuple[str, ...]:
    path: list[str] = []
    at: RegionId | None = region
    while at is not None:
        path.append(graph.regions[at].kind.value)
        at = graph.regions[at].parent
    return tuple(reversed(path))


def regions_of_work(work: str, place: str) -> set[tuple[str, ...]]:
    before, after = place.split("@")
    source = DECLARATIONS + HEAD + before
    first = len(tokenize(source).tokens)
    last = first + len(tokenize("; " + work).tokens) - 2
    graph = graph_of(source + work + after + " } fn main() { }")
    return paths_of(graph, first, last)


@pytest.mark.parametrize("place", PLACES)
def test_region_of_every_operation(place: str) -> None:
    text, wanted = PLACES[place]
    found = {name: regions_of_work(work, text) for name, work in WORK.items()}
    assert found == {name: {wanted} for name in WORK}
