"""Every operation is known everywhere: one program that uses all of them passes every stage.

The program reaches each operation class, each code of the unary and binary ones, and each pair
of number types that converts. An operation added to the graph and forgotten by the verifier, the
text form, an interpreter, an analysis or code generation fails here.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from typing import get_args

import pytest

from mapal.analysis.totality import reachable_functions, region_summary
from mapal.codegen import emit
from mapal.interpreter import run
from mapal.ir import ops
from mapal.ir.builder import GraphBuilder
from mapal.ir.function_builder import FunctionBuilder
from mapal.ir.graph import Graph
from mapal.ir.mermaid import to_mermaid
from mapal.ir.ops import BinaryCode, UnaryCode
from mapal.ir.text import parse_graph, print_graph
from mapal.ir.types import BOOL, F32, F64, NUMERIC, UNIT, WIDENINGS, Scalar
from mapal.ir.verify import verify
from mapal.lower import lower
from mapal.syntax import parse
from mapal.target import load_profile

OPERATIONS: tuple[type, ...] = get_args(ops.Op)
ORDERED = (BinaryCode.LT, BinaryCode.GT, BinaryCode.LE, BinaryCode.GE)
FLOAT_ONLY = (UnaryCode.SQRT, UnaryCode.FLOOR, UnaryCode.CEIL, UnaryCode.ROUND, UnaryCode.TRUNC)
SYMBOLS = {
    BinaryCode.ADD: "+",
    BinaryCode.SUB: "-",
    BinaryCode.MUL: "*",
    BinaryCode.DIV: "/",
    BinaryCode.MOD: "%",
    BinaryCode.EQ: "==",
    BinaryCode.NEQ: "!=",
    BinaryCode.LT: "<",
    BinaryCode.GT: ">",
    BinaryCode.LE: "<=",
    BinaryCode.GE: ">=",
    BinaryCode.AND: "&&",
    BinaryCode.OR: "||",
}
STAGES = {BinaryCode.MIN: "min", BinaryCode.MAX: "max"}

STRUCTURE = """
type P { x: i32, y: i32 }
fn show(n: i32) -> i32 { n -> print; n -> println; n }
fn same(n: i32) -> i32 { n }
fn pack(n: i32) -> (i32, P) { n -> ret.0; P { x: n, y: n } -> ret.1; }
fn structure(n: i32) -> i32 {
    n -> pack -> pair;
    [n, 2, 3] -> mut v;
    v[1] <- pair.1.y;
    v -> map { x -> x + n } -> mapped;
    (v, mapped) -> zip -> zipped;
    zipped -> enumerate -> numbered;
    (0, numbered) -> fold { s, e -> s + e.0 * (e.1).1 } -> sum;
    v -> reduce { a, b -> a + b } -> total;
    3 -> iota -> range;
    (n, 3) -> fill -> filled;
    mut i: i32 <- 0;
    loop {
        (i < total) -> { -true-> { i + 5 -> i; -> loop; } -false-> i + filled[0] -> e; }
    }
    n -> { -1-> sum; -2-> e; -_-> range[n - n] + 1; } -> chosen;
    () -> time -> t;
    chosen -> same -> show
}
"""


def _scalars() -> str:
    """A function for every pair of operation and type, called from one place."""
    functions: list[str] = []
    calls: list[str] = []

    def add(ty: object, result: object, body: str) -> None:
        name = f"op{len(functions)}"
        functions.append(f"fn {name}(a: {ty}, b: {ty}) -> {result} {{ {body} }}")
        literal = "true" if ty == BOOL else f"{ty}_value"
        calls.append(f"({literal}, {literal}) -> {name} -> println;")

    for code, ty in product(BinaryCode, (*NUMERIC, BOOL)):
        logic = code in ops.LOGIC
        if ty == BOOL and not (logic or code in ops.EQUALITIES):
            continue
        if logic and ty != BOOL:
            continue
        result = ty if code in ops.ARITHMETIC else BOOL
        body = f"(a, b) -> {STAGES[code]}" if code in STAGES else f"a {SYMBOLS[code]} b"
        add(ty, result, body)
    for unary, ty in product(UnaryCode, (*NUMERIC, BOOL)):
        if (unary is UnaryCode.NOT) != (ty == BOOL) or (unary in FLOAT_ONLY and not ty.is_float):
            continue
        body = {UnaryCode.NEG: "-a", UnaryCode.NOT: "!a"}.get(unary, f"a -> {unary.value.lower()}")
        add(ty, ty, body)
    for source, target in product(NUMERIC, NUMERIC):
        add(source, target, f"a -> to_{target}")
    for ty in (F32, F64):
        add(ty, ty, "a * b + a")
        add(ty, ty, "a * b - a")
        add(ty, ty, "a - a * b")
    bindings = " ".join(f"{'7.5' if ty.is_float else '7'} -> {ty}_value: {ty};" for ty in NUMERIC)
    return (
        "\n".join(functions)
        + f"\nfn main() {{ 2 -> structure -> println; {bindings} "
        + (" ".join(calls) + " }\n")
    )


@pytest.fixture(scope="module")
def graph() -> Graph:
    """The fused program, so that every operation is in it."""
    parsed = parse(STRUCTURE + _scalars())
    assert parsed.diagnostics == ()
    lowered = lower(parsed.program, "fused")
    assert lowered.graph is not None, lowered.diagnostics
    return lowered.graph


def test_the_program_has_every_operation(graph: Graph) -> None:
    reached = set(reachable_functions(graph))
    found = [morphism for morphism in graph.morphisms if morphism.function in reached]
    used = {type(morphism.op) for morphism in found}
    assert used == set(OPERATIONS)
    codes = {morphism.op.code for morphism in found if isinstance(morphism.op, ops.Binary)}
    assert codes == set(BinaryCode)
    unary = {morphism.op.code for morphism in found if isinstance(morphism.op, ops.Unary)}
    assert unary == set(UnaryCode)
    pairs: set[tuple[object, object]] = {
        (graph.ty(morphism.source), graph.ty(morphism.target))
        for morphism in found
        if isinstance(morphism.op, ops.Widen | ops.Convert)
    }
    assert pairs == {pair for pair in product(NUMERIC, NUMERIC) if pair[0] != pair[1]}
    assert pairs >= WIDENINGS


def test_verifier_accepts_the_program_and_checks_every_operation(graph: Graph) -> None:
    assert verify(graph) == []
    for operation in OPERATIONS:
        morphism = next(found for found in graph.morphisms if isinstance(found.op, operation))
        target = graph.objects[morphism.target]
        wrong = Scalar("i64", 64) if target.ty == UNIT else UNIT
        objects = list(graph.objects)
        objects[target.id] = replace(target, ty=wrong)
        assert verify(replace(graph, objects=tuple(objects), memo={})), operation


def test_text_form_has_every_operation(graph: Graph) -> None:
    text = print_graph(graph)
    assert print_graph(parse_graph(text)) == text


def test_pictures_have_every_operation(graph: Graph) -> None:
    text = to_mermaid(graph)
    for operation in OPERATIONS:
        name = operation.__name__
        if name in ("Binary", "Unary", "Print"):
            continue
        assert name in text, name


def test_analyses_know_every_operation(graph: Graph) -> None:
    for region in graph.regions:
        assert region_summary(graph, region.id).cost >= 0


def test_interpreters_run_every_operation(graph: Graph) -> None:
    plain = run(graph, {}, budget=10**6, clock=lambda: 1.0)
    assert plain.kind == "done"
    assert plain.output.count(b"\n") > 100


def test_code_generation_emits_every_operation(graph: Graph) -> None:
    emission = emit(graph, load_profile("generic"), name="everything")
    assert "define" in emission.ll


def test_builder_has_a_primitive_for_every_operation() -> None:
    """Named like the operation, or one for a family of them."""
    names = {
        **{operation: operation.__name__.lower() for operation in OPERATIONS},
        ops.Pair: "pack",
        ops.TimeMs: "time_ms",
        ops.LoopEnter: "begin_loop",
        ops.LoopBack: "loop_back",
        ops.LoopExit: "loop_exit",
    }
    missing = [name for name in names.values() if not callable(getattr(FunctionBuilder, name, 0))]
    assert missing == []
    assert callable(GraphBuilder.seal)
