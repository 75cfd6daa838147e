"""Groups of items that stand in the place of one, and operations in the place of a loop."""

from __future__ import annotations

from mapal.ir.builder import GraphBuilder
from mapal.ir.function_builder import Ret
from mapal.ir.graph import FunctionKind, Graph, Key
from mapal.ir.ops import BinaryCode
from mapal.ir.order import LoopItem, OperationItem, item_key, schedule
from mapal.ir.text import parse_graph, print_graph
from mapal.ir.types import BOOL, I32, IO, Array, Tuple


def key(*tokens: int) -> Key:
    return tuple((token, token) for token in tokens)


def keys(graph: Graph) -> list[Key]:
    """The keys of the operations of the entry's body, in evaluation order."""
    items = schedule(graph, graph.functions[graph.entry].body)
    return [item_key(item) for item in items if isinstance(item, OperationItem | LoopItem)]


def test_a_group_runs_as_one_where_its_first_pair_says() -> None:
    builder = GraphBuilder()
    main = builder.declare(FunctionKind.NAMED, "main", I32, I32, key(0))
    f = builder.build(main)
    late = f.binary(BinaryCode.ADD, f.input, f.input, key(7))
    second = f.binary(BinaryCode.MUL, f.input, f.input, key(5, 3))
    inner = f.binary(BinaryCode.SUB, f.input, f.input, key(5, 2, 9))
    first = f.binary(BinaryCode.SUB, f.input, f.input, key(5, 1))
    total = f.binary(BinaryCode.ADD, first, second, key(8))
    total = f.binary(BinaryCode.ADD, total, inner, key(9))
    f.binary(BinaryCode.ADD, total, late, key(10), Ret())
    f.finish()
    graph = builder.seal(main)
    assert keys(graph) == [
        key(5, 1),
        key(5, 2, 9),
        key(5, 3),
        key(7),
        key(8),
        key(9),
        key(10),
    ]


def test_a_group_waits_for_what_any_member_reads() -> None:
    """The division by the input is ready at once, but its group also reads a value that is
    written later."""
    builder = GraphBuilder()
    main = builder.declare(FunctionKind.NAMED, "main", I32, I32, key(0))
    f = builder.build(main)
    divided = f.binary(BinaryCode.DIV, f.input, f.input, key(2, 1))
    other = f.binary(BinaryCode.MUL, f.input, f.input, key(3))
    f.binary(BinaryCode.ADD, divided, other, key(2, 2), Ret())
    f.finish()
    assert keys(builder.seal(main)) == [key(3), key(2, 1), key(2, 2)]


def test_an_effect_inside_makes_the_group_an_effect() -> None:
    builder = GraphBuilder()
    main = builder.declare(FunctionKind.NAMED, "main", IO, IO, key(0))
    f = builder.build(main)
    seven = f.constant(7, I32, key(1))
    token = f.print(f.input, seven, True, key(4, 1))
    before = f.binary(BinaryCode.DIV, seven, seven, key(3))
    after = f.binary(BinaryCode.DIV, seven, seven, key(5))
    token = f.print(token, f.binary(BinaryCode.ADD, before, after, key(6)), True, key(7))
    f.output(token, key(8))
    f.finish()
    assert keys(builder.seal(main)) == [key(3), key(4, 1), key(5), key(6), key(7), key(8)]


def late_graph(late: bool) -> Graph:
    builder = GraphBuilder()
    main = builder.declare(
        FunctionKind.NAMED, "main", Array(I32, 2), Tuple((Array(I32, 2), I32)), key(0)
    )
    body = builder.declare(FunctionKind.MAP_BODY, "body", I32, I32, key(1))
    f = builder.build(body)
    f.binary(BinaryCode.DIV, f.input, f.input, key(1), Ret())
    f.finish()
    f = builder.build(main)
    mapped = f.map(body, (), f.input, key(2), late=late)
    nine = f.constant(9, I32, key(3))
    f.output(mapped, key(5), 0)
    f.index(f.input, nine, key(3), Ret(1))
    f.finish()
    return builder.seal(main)


def test_what_replaced_a_loop_runs_when_nothing_else_is_ready() -> None:
    assert keys(late_graph(False)) == [key(2), key(3)]
    assert keys(late_graph(True)) == [key(3), key(2)]


def test_lateness_and_long_keys_are_in_the_text() -> None:
    graph = late_graph(True)
    text = print_graph(graph)
    assert text.count(" late\n") == 1
    assert parse_graph(text) == graph
    assert print_graph(parse_graph(text)) == text


def test_a_loop_in_a_group_does_not_make_it_late() -> None:
    builder = GraphBuilder()
    main = builder.declare(FunctionKind.NAMED, "main", I32, I32, key(0))
    f = builder.build(main)
    no = f.constant(False, BOOL, key(1))
    loop = f.begin_loop(f.input, key(2, 1))
    with f.in_region(loop.jump):
        following = f.binary(BinaryCode.ADD, loop.merge, loop.merge, key(2, 1))
    f.loop_back(loop, following, no)
    left = f.loop_exit(loop, loop.merge, no)
    f.end_loop(loop)
    after = f.binary(BinaryCode.DIV, f.input, f.input, key(3))
    f.binary(BinaryCode.ADD, left, after, key(4), Ret())
    f.finish()
    assert keys(builder.seal(main)) == [key(2, 1), key(3), key(4)]
