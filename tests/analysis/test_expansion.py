"""Shared bodies become functions when they are large, and emission stays small."""

from __future__ import annotations

from mapal.analysis.expansion import LARGEST_SHARED_BODY, outlined_bodies
from mapal.codegen import emit
from mapal.ir.builder import GraphBuilder
from mapal.ir.function_builder import Ret
from mapal.ir.graph import FunctionKind, Graph, Key
from mapal.ir.ops import BinaryCode
from mapal.ir.types import I32, UNIT, Array, Tuple
from mapal.target import load_profile
from tests.codegen.native_runs import assert_equal_endings

ROW = Array(I32, 2)


def _key(token: int) -> Key:
    return ((token, token),)


def _doubling(levels: int) -> Graph:
    """Bodies of which each maps the one before over a captured row twice: the innermost one
    would be emitted 2 ** levels times."""
    g = GraphBuilder()
    bodies = []
    for level in range(levels):
        bodies.append(
            g.declare(FunctionKind.MAP_BODY, f"body{level}", Tuple((ROW, I32)), I32, _key(level))
        )
    main = g.declare(FunctionKind.NAMED, "main", ROW, ROW, _key(levels), ("row",))
    for level, body in enumerate(bodies):
        b = g.build(body)
        row, x = (b.proj(b.input, slot, _key(1)) for slot in range(2))
        if level == 0:
            b.binary(BinaryCode.ADD, x, b.index(row, x, _key(7)), _key(2), Ret())
        else:
            parts = []
            for token in (3, 4):
                inner = b.map(bodies[level - 1], [row], row, _key(token))
                parts.append(b.index(inner, b.constant(1, I32, _key(token)), _key(token)))
            total = b.binary(BinaryCode.ADD, parts[0], parts[1], _key(5))
            b.binary(BinaryCode.SUB, total, x, _key(6), Ret())
        b.finish()
    b = g.build(main)
    b.map(bodies[-1], [b.input], b.input, _key(levels), Ret())
    b.finish()
    return g.seal(main)


def test_small_or_unshared_bodies_stay_in_place() -> None:
    assert outlined_bodies(_doubling(4)) == frozenset()


def test_large_shared_bodies_become_functions() -> None:
    graph = _doubling(40)
    assert outlined_bodies(graph)
    emission = emit(graph, load_profile("cuda-ada"), name="p")
    assert len(emission.ll) < 600 * LARGEST_SHARED_BODY
    assert emission.plan["kernels"][0]["host"] == "its body needs 8 bytes of memory of its own"


def test_called_bodies_end_as_on_the_interpreter() -> None:
    graph = _doubling(9)
    assert len(outlined_bodies(graph)) == 1
    assert_equal_endings(graph, {"row": [0, 1]})
    trapped = assert_equal_endings(graph, {"row": [0, 5]})
    assert trapped.trap == ("index_oob", 7)


def test_a_reduction_counts_its_copies() -> None:
    g = GraphBuilder()
    body = g.declare(FunctionKind.REDUCE_BODY, "long", Tuple((I32, I32)), I32, _key(0))
    main = g.declare(FunctionKind.NAMED, "main", UNIT, I32, _key(1))
    b = g.build(body)
    x, y = (b.proj(b.input, slot, _key(1)) for slot in range(2))
    for token in range(400):
        x = b.binary(BinaryCode.ADD, x, y, _key(token))
    b.output(x, _key(500))
    b.finish()
    b = g.build(main)
    numbers = b.iota(b.constant(5000, I32, _key(2)), _key(2))
    b.reduce(body, [], numbers, _key(3), Ret())
    b.finish()
    graph = g.seal(main)
    assert outlined_bodies(graph) == frozenset({body})
    assert_equal_endings(graph)
