"""Verifier, second group: the typing rule of every operation.

One function per family, each a direct reading of "source type to target type".
"""

from __future__ import annotations

from collections.abc import Iterator

from mapal.ir import ops
from mapal.ir.graph import FunctionKind, Graph, Morphism, ObjectKind
from mapal.ir.ops import BinaryCode, ObjectId, UnaryCode
from mapal.ir.types import (
    BOOL,
    F32,
    F64,
    I32,
    I64,
    U8,
    Array,
    Io,
    Scalar,
    Str,
    Struct,
    Tuple,
    Type,
    contains_token,
    has_no_representation,
)
from mapal.ir.violation import Violation

_INTEGERS = (I32, I64, U8)
_FLOATS = (F32, F64)
_NUMBERS = (*_INTEGERS, *_FLOATS)
_LONGEST_COUNT = 2147483647
_LARGEST_PRODUCT = 4294967295

_Found = tuple[str, str] | None
_MISMATCH = ("BadEdgeType", "the types of its ends do not match the operation")


def operation_violations(graph: Graph) -> Iterator[Violation]:
    for morphism in graph.morphisms:
        found = _check(graph, morphism)
        if found is not None:
            code, what = found
            message = f"{type(morphism.op).__name__} (morphism {morphism.id}): {what}"
            places = (morphism.source, morphism.target)
            yield Violation(code, message, places, (morphism.id,))


def _check(graph: Graph, morphism: Morphism) -> _Found:
    source = graph.objects[morphism.source].ty
    target = graph.objects[morphism.target].ty
    match morphism.op:
        case ops.Pair() | ops.Proj():
            return _product(morphism.op, source, target)
        case ops.Binary(code=code):
            return _binary(code, source, target)
        case ops.Unary(code=code):
            return _unary(code, source, target)
        case ops.Fma():
            floats = target in _FLOATS and source == Tuple((target, target, target))
            return None if floats else _MISMATCH
        case ops.Widen() | ops.Convert():
            return _conversion(morphism.op, source, target)
        case ops.Phi():
            return _phi(source, target)
        case ops.Call() | ops.Map() | ops.Fold() | ops.Reduce():
            return _application(graph, morphism.op, source, target)
        case ops.Index() | ops.Update() | ops.Zip() | ops.Enumerate():
            return _array(morphism.op, source, target)
        case ops.Iota() | ops.Fill():
            return _counted(graph, morphism, source, target)
        case ops.Print() | ops.TimeMs():
            return _effect(morphism.op, source, target)
        case ops.LoopEnter() | ops.LoopBack() | ops.LoopExit():
            return _loop(graph, morphism, source, target)
        case ops.Output():
            is_result = graph.objects[morphism.target].kind is ObjectKind.RETURN
            if not is_result or source != target:
                return "BadOutput", "it hands on a value of the result's type to the result"
            return None


def _product(op: ops.Pair | ops.Proj, source: Type, target: Type) -> _Found:
    if isinstance(op, ops.Pair):
        parts = _parts(target, op.slot)
        fits = parts is not None and parts == (op.arity, source) and op.arity <= _LARGEST_PRODUCT
    else:
        parts = None if isinstance(source, Array) else _parts(source, op.index)
        fits = parts is not None and parts[1] == target
    return None if fits else _MISMATCH


def _parts(product: Type, slot: int) -> tuple[int, Type] | None:
    """Arity, and the type of one component."""
    match product:
        case Tuple(items=items) if 0 <= slot < len(items):
            return len(items), items[slot]
        case Struct(fields=fields) if 0 <= slot < len(fields):
            return len(fields), fields[slot][1]
        case Array(element=element, length=length) if 0 <= slot < length:
            return length, element
        case _:
            return None


def _binary(code: BinaryCode, source: Type, target: Type) -> _Found:
    match source:
        case Tuple(items=(left, right)) if left == right and isinstance(left, Scalar):
            operand = left
        case _:
            return _MISMATCH
    match code.value:
        case "Add" | "Sub" | "Mul" | "Div" | "Mod" | "Min" | "Max":
            fits = operand in _NUMBERS and target == operand
        case "Lt" | "Gt" | "Le" | "Ge":
            fits = operand in _NUMBERS and target == BOOL
        case "Eq" | "Neq":
            fits = target == BOOL
        case _:
            fits = operand == BOOL and target == BOOL
    return None if fits else _MISMATCH


def _unary(code: UnaryCode, source: Type, target: Type) -> _Found:
    match code.value:
        case "Not":
            operands: tuple[Scalar, ...] = (BOOL,)
        case "Neg" | "Abs":
            operands = _NUMBERS
        case _:
            operands = _FLOATS
    return None if source in operands and target == source else _MISMATCH


def _conversion(op: ops.Widen | ops.Convert, source: Type, target: Type) -> _Found:
    widens = (source == I32 and target in (I64, F32, F64)) or (source == F32 and target == F64)
    if isinstance(op, ops.Widen):
        return None if widens else ("InvalidWiden", f"{source} does not widen to {target}")
    converts = source in _NUMBERS and target in _NUMBERS and source != target and not widens
    return None if converts else ("InvalidConvert", f"{source} does not convert to {target}")


def _phi(source: Type, target: Type) -> _Found:
    if contains_token(target) or contains_token(source):
        return "TokenInPhi", "a guard selects a token"
    return None if source == Tuple((target, target, BOOL)) else _MISMATCH


_BODY_KINDS = {
    ops.Call: FunctionKind.NAMED,
    ops.Map: FunctionKind.MAP_BODY,
    ops.Fold: FunctionKind.FOLD_BODY,
    ops.Reduce: FunctionKind.REDUCE_BODY,
}


def _application(
    graph: Graph, op: ops.Call | ops.Map | ops.Fold | ops.Reduce, source: Type, target: Type
) -> _Found:
    function = graph.functions[op.function if isinstance(op, ops.Call) else op.body]
    taken, given = graph.objects[function.input].ty, graph.objects[function.output].ty
    if function.kind is not _BODY_KINDS[type(op)]:
        return "BadEdgeType", f"{function.name} is a {function.kind.value} function"
    if isinstance(op, ops.Call):
        return None if (source, target) == (taken, given) else _MISMATCH
    if op.captures < 0:
        return "BadEdgeType", "a negative number of captures"
    operands: tuple[Type, ...] = (source,)
    if op.captures or isinstance(op, ops.Fold):
        operands = source.items if isinstance(source, Tuple) else ()
    if len(operands) != op.captures + (2 if isinstance(op, ops.Fold) else 1):
        return _MISMATCH
    array = operands[-1]
    if not isinstance(array, Array):
        return _MISMATCH
    captures = operands[: op.captures]
    if any(has_no_representation(capture) for capture in captures):
        return "ErasedCapture", "a capture has nothing in it that is stored"
    element = array.element
    match op:
        case ops.Map():
            arguments: tuple[Type, ...] = (*captures, element)
            result: Type = Array(given, array.length)
        case ops.Fold():
            arguments = (*captures, given, element)
            result = given
            if operands[op.captures] != given:
                return _MISMATCH
        case ops.Reduce():
            arguments = (*captures, element, element)
            result = given
            if element != given:
                return _MISMATCH
    expected = arguments[0] if len(arguments) == 1 else Tuple(arguments)
    return None if taken == expected and target == result else _MISMATCH


def _array(
    op: ops.Index | ops.Update | ops.Zip | ops.Enumerate, source: Type, target: Type
) -> _Found:
    match op, source:
        case ops.Index(), Tuple(items=(Array(element=element), index)):
            fits = index in _INTEGERS and target == element
        case ops.Update(), Tuple(items=(Array(element=element) as array, index, value)):
            fits = index in _INTEGERS and value == element and target == array
        case ops.Zip(), Tuple(items=(Array(length=n) as left, Array(length=m) as right)):
            pairs = Array(Tuple((left.element, right.element)), n)
            fits = n == m and target == pairs
        case ops.Enumerate(), Array(element=element, length=n):
            if n > _LONGEST_COUNT:
                return "EnumerateIndexOverflow", f"{n} elements cannot be counted in i32"
            fits = target == Array(Tuple((I32, element)), n)
        case _:
            fits = False
    return None if fits else _MISMATCH


def _counted(graph: Graph, morphism: Morphism, source: Type, target: Type) -> _Found:
    if not isinstance(target, Array):
        return _MISMATCH
    count: ObjectId | None = morphism.source
    if isinstance(morphism.op, ops.Iota):
        if target.element != I32:
            return _MISMATCH
        if target.length > _LONGEST_COUNT:
            return "EnumerateIndexOverflow", f"a range of {target.length} exceeds i32"
    else:
        match source:
            case Tuple(items=(value, _)) if value == target.element and not contains_token(value):
                count = _feeder_of_slot_1(graph, morphism.source)
            case _:
                return _MISMATCH
    counted = None if count is None else graph.objects[count]
    if (
        counted is None
        or counted.kind is not ObjectKind.CONSTANT
        or counted.ty not in _INTEGERS
        or counted.value != target.length
    ):
        return "IotaCountMismatch", f"its count is no constant {target.length}"
    return None


def _feeder_of_slot_1(graph: Graph, product: ObjectId) -> ObjectId | None:
    for edge in graph.in_edges[product]:
        writer = graph.morphisms[edge]
        if isinstance(writer.op, ops.Pair) and writer.op.slot == 1:
            return writer.source
    return None


def _effect(op: ops.Print | ops.TimeMs, source: Type, target: Type) -> _Found:
    match op, source:
        case ops.Print(), Tuple(items=(Io(), Scalar() | Str())):
            fits = isinstance(target, Io)
        case ops.TimeMs(), Io():
            fits = target == Tuple((Io(), F64))
        case _:
            fits = False
    return None if fits else _MISMATCH


def _loop(graph: Graph, morphism: Morphism, source: Type, target: Type) -> _Found:
    to_merge = graph.objects[morphism.target].kind is ObjectKind.LOOP_MERGE
    if isinstance(morphism.op, ops.LoopEnter):
        fits = to_merge and source == target
    else:
        fits = source == Tuple((target, BOOL))
        fits = fits and to_merge == isinstance(morphism.op, ops.LoopBack)
    return None if fits else _MISMATCH
