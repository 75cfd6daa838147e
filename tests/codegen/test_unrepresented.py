"""Values without a representation take no memory, but what is done with them still happens."""

from __future__ import annotations

import pytest

from mapal.codegen import emit
from mapal.ir.builder import GraphBuilder
from mapal.ir.function_builder import Ret
from mapal.ir.graph import FunctionKind, Graph, Key
from mapal.ir.ops import BinaryCode
from mapal.ir.types import I32, UNIT, Array, Tuple
from mapal.target import load_profile
from tests.codegen.native_runs import assert_equal_endings

NOTHINGS = Array(UNIT, 3)


def _key(token: int) -> Key:
    return ((token, token),)


def _graph(divisor: int, index: int) -> Graph:
    """A program over an array of units: mapped by a body that divides 12 by `divisor` and
    gives nothing, zipped, enumerated, updated, and read at `index`."""
    g = GraphBuilder()
    body = g.declare(FunctionKind.MAP_BODY, "idle", Tuple((I32, UNIT)), UNIT, _key(0))
    counter = Tuple((I32, Tuple((I32, Tuple((UNIT, UNIT))))))
    count = g.declare(FunctionKind.FOLD_BODY, "count", counter, I32, _key(0))
    quiet = g.declare(FunctionKind.REDUCE_BODY, "quiet", Tuple((UNIT, UNIT)), UNIT, _key(0))
    main = g.declare(FunctionKind.NAMED, "main", UNIT, I32, _key(0))
    b = g.build(body)
    twelve = b.constant(12, I32, _key(1))
    b.binary(BinaryCode.DIV, twelve, b.proj(b.input, 0, _key(1)), _key(2))
    b.output(b.proj(b.input, 1, _key(3)), _key(3))
    b.finish()
    b = g.build(count)
    pair = b.proj(b.input, 1, _key(4))
    total = b.proj(b.input, 0, _key(4))
    b.binary(BinaryCode.ADD, total, b.proj(pair, 0, _key(5)), _key(6), Ret())
    b.finish()
    b = g.build(quiet)
    b.output(b.proj(b.input, 0, _key(7)), _key(7))
    b.finish()
    b = g.build(main)
    nothings = b.fill(b.input, b.constant(3, I32, _key(10)), _key(10))
    by = b.constant(divisor, I32, _key(11))
    mapped = b.map(body, [by], nothings, _key(12))
    updated = b.update(mapped, b.constant(2, I32, _key(13)), b.input, _key(13))
    b.reduce(quiet, [], updated, _key(14))
    one = b.index(updated, b.constant(index, I32, _key(15)), _key(16))
    literal = b.pack_array([one, b.input, one], _key(17))
    numbered = b.enumerate(b.zip(literal, mapped, _key(18)), _key(19))
    b.fold(count, [], b.constant(100, I32, _key(20)), numbered, _key(21), Ret())
    b.finish()
    return g.seal(main)


def test_nothing_is_stored() -> None:
    graph = _graph(4, 1)
    text = emit(graph, load_profile("generic"), name="p").ll
    assert "mapal_arena" not in text
    assert_equal_endings(graph)


@pytest.mark.parametrize(("divisor", "index", "token"), [(0, 1, 2), (4, 3, 16), (4, -1, 16)])
def test_traps_remain(divisor: int, index: int, token: int) -> None:
    ending = assert_equal_endings(_graph(divisor, index))
    assert ending.kind == "trapped"
    assert ending.trap is not None
    assert ending.trap[1] == token
