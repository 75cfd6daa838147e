"""A third typing table, written out by hand, against the verifier's: every operation on every
pair of a source and a target type from a collection that holds near misses of each row."""

from __future__ import annotations

import itertools

import pytest

from mapal.ir import ops
from mapal.ir.graph import (
    Function,
    FunctionKind,
    Graph,
    Morphism,
    Object,
    ObjectKind,
    Region,
    RegionKind,
)
from mapal.ir.ops import (
    BinaryCode,
    FunctionId,
    GuardId,
    LoopId,
    MorphismId,
    ObjectId,
    Op,
    RegionId,
    UnaryCode,
)
from mapal.ir.types import (
    BOOL,
    F32,
    F64,
    I32,
    I64,
    IO,
    STR,
    U8,
    UNIT,
    Array,
    Struct,
    Tuple,
    Type,
)
from mapal.ir.verify_operations import operation_violations

INTEGERS = (I32, I64, U8)
FLOATS = (F32, F64)
NUMBERS = (*INTEGERS, *FLOATS)
SCALARS = (*NUMBERS, BOOL)

NUMBER_ARRAY = Array(I32, 4)
LONGER = Array(I32, 5)
REALS = Array(F64, 4)
POINT = Struct("Point", (("x", F32), ("y", BOOL)))
ELEMENT_PAIRS = ((F64, I32), (I32, F64), (I32, I32), (I32, BOOL))


def pair(left: Type, right: Type) -> Tuple:
    return Tuple((left, right))


def triple(first: Type, second: Type, third: Type) -> Tuple:
    return Tuple((first, second, third))


# Bodies by id: what they take and give.
SIGNATURES: dict[FunctionKind, list[tuple[FunctionId, Type, Type]]] = {
    FunctionKind.NAMED: [(FunctionId(1), I32, F64), (FunctionId(2), UNIT, IO)],
    FunctionKind.MAP_BODY: [(FunctionId(3), I32, F64), (FunctionId(4), pair(F64, I32), BOOL)],
    FunctionKind.FOLD_BODY: [
        (FunctionId(5), pair(F64, I32), F64),
        (FunctionId(6), triple(BOOL, F64, I32), F64),
    ],
    FunctionKind.REDUCE_BODY: [
        (FunctionId(7), pair(I32, I32), I32),
        (FunctionId(8), triple(F64, I32, I32), I32),
    ],
}

Row = set[tuple[Type, Type]]


def row(*entries: tuple[Type, Type]) -> Row:
    return set(entries)


TABLE: dict[Op, Row] = {
    ops.Pair(0, 2): row(
        *((first, pair(first, second)) for first in SCALARS for second in SCALARS),
        (F32, POINT),
        (IO, pair(IO, I32)),
        (IO, pair(IO, STR)),
        (IO, pair(IO, F64)),
        (IO, pair(IO, BOOL)),
        (F64, pair(F64, NUMBER_ARRAY)),
        (NUMBER_ARRAY, pair(NUMBER_ARRAY, NUMBER_ARRAY)),
        (NUMBER_ARRAY, pair(NUMBER_ARRAY, I32)),
        (NUMBER_ARRAY, pair(NUMBER_ARRAY, REALS)),
        (NUMBER_ARRAY, pair(NUMBER_ARRAY, LONGER)),
        (NUMBER_ARRAY, pair(NUMBER_ARRAY, F64)),
        (UNIT, pair(UNIT, NUMBER_ARRAY)),
    ),
    ops.Pair(3, 4): row(
        (I32, NUMBER_ARRAY),
        (F64, REALS),
        (BOOL, Array(BOOL, 4)),
        *((pair(a, b), Array(pair(a, b), 4)) for a, b in ELEMENT_PAIRS),
    ),
    ops.Pair(4, 4): row(),
    ops.Proj(1): row(
        *((pair(first, second), second) for first in SCALARS for second in SCALARS),
        *((triple(x, x, BOOL), x) for x in SCALARS),
        *((triple(x, x, x), x) for x in FLOATS),
        (POINT, BOOL),
        (pair(IO, I32), I32),
        (pair(IO, STR), STR),
        (pair(IO, F64), F64),
        (pair(IO, BOOL), BOOL),
        (pair(F64, NUMBER_ARRAY), NUMBER_ARRAY),
        (pair(UNIT, NUMBER_ARRAY), NUMBER_ARRAY),
        (pair(NUMBER_ARRAY, NUMBER_ARRAY), NUMBER_ARRAY),
        (pair(NUMBER_ARRAY, I32), I32),
        (pair(NUMBER_ARRAY, F64), F64),
        (pair(NUMBER_ARRAY, REALS), REALS),
        (pair(NUMBER_ARRAY, LONGER), LONGER),
        (triple(NUMBER_ARRAY, I32, I32), I32),
        (triple(NUMBER_ARRAY, U8, I32), U8),
        (triple(NUMBER_ARRAY, I32, F64), I32),
        (triple(BOOL, F64, NUMBER_ARRAY), F64),
    ),
    ops.Proj(3): row(),
    **{
        ops.Binary(code): row(*((pair(n, n), n) for n in NUMBERS))
        for code in (
            BinaryCode.ADD,
            BinaryCode.SUB,
            BinaryCode.MUL,
            BinaryCode.DIV,
            BinaryCode.MOD,
            BinaryCode.MIN,
            BinaryCode.MAX,
        )
    },
    **{
        ops.Binary(code): row(*((pair(a, a), BOOL) for a in (*NUMBERS, BOOL)))
        for code in (BinaryCode.EQ, BinaryCode.NEQ)
    },
    **{
        ops.Binary(code): row(*((pair(n, n), BOOL) for n in NUMBERS))
        for code in (BinaryCode.LT, BinaryCode.GT, BinaryCode.LE, BinaryCode.GE)
    },
    ops.Binary(BinaryCode.AND): row((pair(BOOL, BOOL), BOOL)),
    ops.Binary(BinaryCode.OR): row((pair(BOOL, BOOL), BOOL)),
    ops.Unary(UnaryCode.NEG): row(*((n, n) for n in NUMBERS)),
    ops.Unary(UnaryCode.ABS): row(*((n, n) for n in NUMBERS)),
    ops.Unary(UnaryCode.NOT): row((BOOL, BOOL)),
    **{
        ops.Unary(code): row((F32, F32), (F64, F64))
        for code in (
            UnaryCode.SQRT,
            UnaryCode.FLOOR,
            UnaryCode.CEIL,
            UnaryCode.ROUND,
            UnaryCode.TRUNC,
        )
    },
    ops.Fma(False, True): row((triple(F32, F32, F32), F32), (triple(F64, F64, F64), F64)),
    ops.Widen(): row((I32, I64), (I32, F32), (I32, F64), (F32, F64)),
    ops.Convert(): row(
        (I32, U8),
        (I64, I32),
        (I64, U8),
        (I64, F32),
        (I64, F64),
        (U8, I32),
        (U8, I64),
        (U8, F32),
        (U8, F64),
        (F32, I32),
        (F32, I64),
        (F32, U8),
        (F64, I32),
        (F64, I64),
        (F64, U8),
        (F64, F32),
    ),
    ops.Phi(GuardId(0)): row(*((triple(t, t, BOOL), t) for t in SCALARS)),
    ops.Call(FunctionId(1)): row((I32, F64)),
    ops.Call(FunctionId(2)): row((UNIT, IO)),
    ops.Call(FunctionId(3)): row(),
    ops.Map(FunctionId(3), 0): row((NUMBER_ARRAY, REALS), (LONGER, Array(F64, 5))),
    ops.Map(FunctionId(4), 1): row((pair(F64, NUMBER_ARRAY), Array(BOOL, 4))),
    ops.Map(FunctionId(4), 0): row((Array(pair(F64, I32), 4), Array(BOOL, 4))),
    ops.Map(FunctionId(1), 0): row(),
    ops.Map(FunctionId(3), -1): row(),
    ops.Fold(FunctionId(5), 0): row((pair(F64, NUMBER_ARRAY), F64)),
    ops.Fold(FunctionId(6), 1): row((triple(BOOL, F64, NUMBER_ARRAY), F64)),
    ops.Fold(FunctionId(5), 1): row(),
    ops.Fold(FunctionId(3), 0): row(),
    ops.Reduce(FunctionId(7), 0): row((NUMBER_ARRAY, I32), (LONGER, I32)),
    ops.Reduce(FunctionId(8), 1): row((pair(F64, NUMBER_ARRAY), I32)),
    ops.Reduce(FunctionId(5), 0): row(),
    ops.Index(): row((pair(NUMBER_ARRAY, I32), I32)),
    ops.Update(): row(
        (triple(NUMBER_ARRAY, I32, I32), NUMBER_ARRAY),
        (triple(NUMBER_ARRAY, U8, I32), NUMBER_ARRAY),
    ),
    ops.Zip(): row(
        (pair(NUMBER_ARRAY, NUMBER_ARRAY), Array(pair(I32, I32), 4)),
        (pair(NUMBER_ARRAY, REALS), Array(pair(I32, F64), 4)),
    ),
    ops.Enumerate(): row(
        (NUMBER_ARRAY, Array(pair(I32, I32), 4)),
        (REALS, Array(pair(I32, F64), 4)),
        (Array(BOOL, 4), Array(pair(I32, BOOL), 4)),
    ),
    ops.Iota(): row(*((count, NUMBER_ARRAY) for count in INTEGERS)),
    ops.Fill(): row(
        *(
            (pair(value, count), Array(value, 4))
            for value in (I32, F64, BOOL)
            for count in INTEGERS
        ),
    ),
    ops.Print(True): row(
        *((pair(IO, value), IO) for value in (I32, F64, BOOL, STR)),
    ),
    ops.TimeMs(): row((IO, pair(IO, F64))),
    ops.LoopBack(LoopId(0)): row(*((pair(t, BOOL), t) for t in (*SCALARS, IO))),
    ops.LoopExit(LoopId(0)): row(*((pair(t, BOOL), t) for t in (*SCALARS, IO))),
}

PRODUCTS: tuple[Type, ...] = (
    *(pair(a, b) for a in SCALARS for b in SCALARS),
    *(triple(a, a, BOOL) for a in SCALARS),
    *(triple(a, a, a) for a in FLOATS),
    *(pair(IO, a) for a in (I32, F64, BOOL, STR)),
    pair(F64, NUMBER_ARRAY),
    pair(UNIT, NUMBER_ARRAY),
    pair(NUMBER_ARRAY, NUMBER_ARRAY),
    pair(NUMBER_ARRAY, I32),
    pair(NUMBER_ARRAY, F64),
    pair(NUMBER_ARRAY, REALS),
    pair(NUMBER_ARRAY, LONGER),
    triple(NUMBER_ARRAY, I32, I32),
    triple(NUMBER_ARRAY, U8, I32),
    triple(NUMBER_ARRAY, I32, F64),
    triple(BOOL, F64, NUMBER_ARRAY),
    POINT,
)
ARRAYS: tuple[Type, ...] = (
    NUMBER_ARRAY,
    LONGER,
    REALS,
    Array(F64, 5),
    Array(BOOL, 4),
    *(Array(pair(a, b), 4) for a, b in ELEMENT_PAIRS),
)
SOURCES: tuple[Type, ...] = (*SCALARS, UNIT, IO, STR, *PRODUCTS, *ARRAYS)
TARGETS = SOURCES
ANY_TYPE: tuple[Op, ...] = (ops.LoopEnter(LoopId(0)), ops.Output())


def make_object(place: int, ty: Type, kind: ObjectKind, value: int | None = None) -> Object:
    return Object(
        id=ObjectId(place),
        function=FunctionId(0),
        ty=ty,
        kind=kind,
        value=value,
        name=None,
        key=((0, 0),),
    )


def morphism(place: int, op: Op, source: int, target: int) -> Morphism:
    return Morphism(
        id=MorphismId(place),
        function=FunctionId(0),
        op=op,
        source=ObjectId(source),
        target=ObjectId(target),
        region=RegionId(0),
        key=((0, 0),),
    )


def function(place: int, kind: FunctionKind, taken: int, given: int) -> Function:
    return Function(
        id=FunctionId(place),
        name=f"f{place}",
        kind=kind,
        parameters=(),
        input=ObjectId(taken),
        output=ObjectId(given),
        objects=(),
        morphisms=(),
        regions=(RegionId(0),),
        guards=(),
        loops=(),
        key=((0, 0),),
    )


def signature_tables() -> tuple[list[Object], list[Function]]:
    """The ends of every body, after the three objects of the function under test."""
    objects: list[Object] = []
    functions = [function(0, FunctionKind.NAMED, 0, 1)]
    for kind, signatures in SIGNATURES.items():
        for _, taken, given in signatures:
            first = 3 + len(objects)
            objects.append(make_object(first, taken, ObjectKind.PARAMETER))
            objects.append(make_object(first + 1, given, ObjectKind.RETURN))
            functions.append(function(len(functions), kind, first, first + 1))
    return objects, functions


BODY_ENDS, FUNCTIONS = signature_tables()
BODY = Region(id=RegionId(0), function=FunctionId(0), kind=RegionKind.BODY, parent=None, owner=None)


def accepts(op: Op, source: Type, target: Type) -> bool:
    """What the verifier's typing rules say about one morphism, alone in a graph."""
    kind = ObjectKind.TEMPORARY
    if isinstance(op, ops.LoopEnter | ops.LoopBack):
        kind = ObjectKind.LOOP_MERGE
    elif isinstance(op, ops.Output):
        kind = ObjectKind.RETURN
    is_count = isinstance(op, ops.Iota)
    reads = make_object(0, source, ObjectKind.CONSTANT if is_count else ObjectKind.PARAMETER, 4)
    count = source.items[-1] if isinstance(source, Tuple) else I32
    objects = (reads, make_object(1, target, kind), make_object(2, count, ObjectKind.CONSTANT, 4))
    nothing: tuple[MorphismId, ...] = ()
    graph = Graph(
        objects=(*objects, *BODY_ENDS),
        morphisms=(morphism(0, op, 0, 1), morphism(1, ops.Pair(1, 2), 2, 0)),
        functions=tuple(FUNCTIONS),
        regions=(BODY,),
        guards=(),
        loops=(),
        entry=FunctionId(0),
        in_edges=((MorphismId(1),), (MorphismId(0),), nothing),
        out_edges=((MorphismId(0),), nothing, (MorphismId(1),)),
    )
    return all(found.morphisms != (0,) for found in operation_violations(graph))


def accepted(op: Op) -> Row:
    pairs = itertools.product(SOURCES, TARGETS)
    return {(source, target) for source, target in pairs if accepts(op, source, target)}


@pytest.mark.parametrize("op", TABLE, ids=str)
def test_the_verifier_agrees_with_the_table(op: Op) -> None:
    assert accepted(op) == TABLE[op]


@pytest.mark.parametrize("op", ANY_TYPE, ids=str)
def test_what_keeps_every_type(op: Op) -> None:
    assert accepted(op) == {(ty, ty) for ty in SOURCES}


def test_the_table_has_every_operation() -> None:
    kinds = {type(op) for op in (*TABLE, *ANY_TYPE)}
    assert kinds == set(ops.Op.__args__)
    codes = {op.code for op in TABLE if isinstance(op, ops.Binary | ops.Unary)}
    assert codes == {*BinaryCode, *UnaryCode}


def test_each_row_speaks_of_types_that_are_tried() -> None:
    for entries in TABLE.values():
        for source, target in entries:
            assert source in SOURCES
            assert target in TARGETS
