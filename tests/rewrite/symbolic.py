"""The meaning of scalar graphs as formulas, for proofs by z3.

Integers are bit vectors, floats the theory of IEEE 754 with its one NaN, which is the canonical
NaN of the language. Written from the language's rules and not from `mapal.ir.scalars`;
`test_symbolic.py` holds the two together on corner values. Only the remainder of floats has no
counterpart in the theory: it stays an unknown function, of which nothing but "equal operands
give equal results" can be proved.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass, field
from typing import Any

import z3  # type: ignore[import-untyped]

from mapal.ir import ops
from mapal.ir.graph import Graph, ObjectKind, Value
from mapal.ir.ops import BinaryCode, ObjectId, RegionId, UnaryCode
from mapal.ir.order import GuardItem, Item, OperationItem, PackItem, ReturnSlotItem, schedule
from mapal.ir.types import BOOL, F32, F64, Array, Scalar, Tuple, Type

NEAREST = z3.RNE()
_ROUNDINGS = {
    UnaryCode.FLOOR: z3.RTN(),
    UnaryCode.CEIL: z3.RTP(),
    UnaryCode.ROUND: NEAREST,
    UnaryCode.TRUNC: z3.RTZ(),
}
_PLACES = z3.BitVecSort(64)


def sort(ty: Type) -> Any:
    """The sort of a type's values; arrays are indexed by 64 bits, their length is apart."""
    match ty:
        case Scalar() if ty == BOOL:
            return z3.BoolSort()
        case Scalar() if ty == F32:
            return z3.Float32()
        case Scalar() if ty == F64:
            return z3.Float64()
        case Scalar():
            return z3.BitVecSort(ty.bits)
        case Array(element=element):
            return z3.ArraySort(_PLACES, sort(element))
        case _:
            raise AssertionError(f"no formula for type {ty}")


def unknown(name: str, ty: Type) -> Any:
    """A value of which nothing is known."""
    if isinstance(ty, Tuple):
        return tuple(unknown(f"{name}.{slot}", item) for slot, item in enumerate(ty.items))
    return z3.Const(name, sort(ty))


def literal(value: Value, ty: Scalar) -> Any:
    """A constant; of a float every bit but those of a NaN counts."""
    if ty == BOOL:
        return z3.BoolVal(bool(value))
    if not ty.is_float:
        return z3.BitVecVal(int(value), ty.bits)
    if value != value:
        return z3.fpNaN(sort(ty))
    pack, read = ("<f", "<I") if ty == F32 else ("<d", "<Q")
    (bits,) = struct.unpack(read, struct.pack(pack, value))
    return z3.fpBVToFP(z3.BitVecVal(bits, ty.bits), sort(ty))


def binary(code: BinaryCode, ty: Scalar, a: Any, b: Any) -> Any:
    """An operation on two values of one type, where it does not trap."""
    if ty == BOOL:
        return _LOGIC[code](a, b)
    return _float_binary(code, ty, a, b) if ty.is_float else _integer_binary(code, ty, a, b)


_LOGIC = {
    BinaryCode.AND: z3.And,
    BinaryCode.OR: z3.Or,
    BinaryCode.EQ: lambda a, b: a == b,
    BinaryCode.NEQ: lambda a, b: a != b,
}


def _integer_binary(code: BinaryCode, ty: Scalar, a: Any, b: Any) -> Any:
    below = (lambda x, y: x < y) if ty.is_signed else z3.ULT
    match code:
        case BinaryCode.ADD:
            return a + b
        case BinaryCode.SUB:
            return a - b
        case BinaryCode.MUL:
            return a * b
        case BinaryCode.DIV:
            return a / b if ty.is_signed else z3.UDiv(a, b)
        case BinaryCode.MOD:
            return z3.SRem(a, b) if ty.is_signed else z3.URem(a, b)
        case BinaryCode.MIN:
            return z3.If(below(b, a), b, a)
        case BinaryCode.MAX:
            return z3.If(below(a, b), b, a)
        case BinaryCode.EQ:
            return a == b
        case BinaryCode.NEQ:
            return a != b
        case BinaryCode.LT:
            return below(a, b)
        case BinaryCode.GT:
            return below(b, a)
        case BinaryCode.LE:
            return z3.Not(below(b, a))
        case BinaryCode.GE:
            return z3.Not(below(a, b))
        case _:
            raise AssertionError(code)


def _float_binary(code: BinaryCode, ty: Scalar, a: Any, b: Any) -> Any:
    match code:
        case BinaryCode.ADD:
            return z3.fpAdd(NEAREST, a, b)
        case BinaryCode.SUB:
            return z3.fpSub(NEAREST, a, b)
        case BinaryCode.MUL:
            return z3.fpMul(NEAREST, a, b)
        case BinaryCode.DIV:
            return z3.fpDiv(NEAREST, a, b)
        case BinaryCode.MOD:
            return z3.Function(f"fmod {ty}", sort(ty), sort(ty), sort(ty))(a, b)
        case BinaryCode.MIN:
            return _number(a, b, z3.fpLT(a, b), z3.fpLT(b, a), z3.fpIsNegative(a))
        case BinaryCode.MAX:
            return _number(a, b, z3.fpGT(a, b), z3.fpGT(b, a), z3.fpIsPositive(a))
        case BinaryCode.EQ:
            return z3.fpEQ(a, b)
        case BinaryCode.NEQ:
            return z3.Not(z3.fpEQ(a, b))
        case BinaryCode.LT:
            return z3.fpLT(a, b)
        case BinaryCode.GT:
            return z3.fpGT(a, b)
        case BinaryCode.LE:
            return z3.fpLEQ(a, b)
        case BinaryCode.GE:
            return z3.fpGEQ(a, b)
        case _:
            raise AssertionError(code)


def _number(a: Any, b: Any, first: Any, second: Any, first_zero: Any) -> Any:
    """minimumNumber or maximumNumber: a NaN loses, zeros are ordered by their sign."""
    zeros = z3.If(first_zero, a, b)
    numbers = z3.If(first, a, z3.If(second, b, zeros))
    return z3.If(z3.fpIsNaN(a), b, z3.If(z3.fpIsNaN(b), a, numbers))


def unary(code: UnaryCode, ty: Scalar, x: Any) -> Any:
    """An operation on one value."""
    match code:
        case UnaryCode.NOT:
            return z3.Not(x)
        case UnaryCode.NEG:
            return z3.fpNeg(x) if ty.is_float else -x
        case UnaryCode.ABS if ty.is_float:
            return z3.fpAbs(x)
        case UnaryCode.ABS:
            return z3.If(x < 0, -x, x) if ty.is_signed else x
        case UnaryCode.SQRT:
            return z3.fpSqrt(NEAREST, x)
        case _:
            return z3.fpRoundToIntegral(_ROUNDINGS[code], x)


def converted(source: Scalar, target: Scalar, x: Any) -> Any:
    """A conversion or widening."""
    if source.is_float and target.is_float:
        return z3.fpToFP(NEAREST, x, sort(target))
    if target.is_float:
        make = z3.fpSignedToFP if source.is_signed else z3.fpUnsignedToFP
        return make(NEAREST, x, sort(target))
    if source.is_float:
        return _saturated(source, target, x)
    if target.bits <= source.bits:
        return z3.Extract(target.bits - 1, 0, x)
    extend = z3.SignExt if source.is_signed else z3.ZeroExt
    return extend(target.bits - source.bits, x)


def _saturated(source: Scalar, target: Scalar, x: Any) -> Any:
    bits = target.bits
    high = 1 << (bits - 1 if target.is_signed else bits)
    low = -high if target.is_signed else 0
    inside = z3.fpToSBV if target.is_signed else z3.fpToUBV
    whole = z3.fpRoundToIntegral(z3.RTZ(), x)
    within = inside(z3.RTZ(), whole, z3.BitVecSort(bits))
    too_high = z3.fpGEQ(whole, literal(float(high), source))
    too_low = z3.fpLEQ(whole, literal(float(low), source))
    bounded = z3.If(too_high, z3.BitVecVal(high - 1, bits), within)
    bounded = z3.If(too_low, z3.BitVecVal(low, bits), bounded)
    return z3.If(z3.fpIsNaN(x), z3.BitVecVal(0, bits), bounded)


@dataclass(slots=True)
class Meaning:
    """What a graph computes: the value where nothing traps, and which operation traps first, as
    its token, 0 for none."""

    value: Any
    trap: Any


@dataclass(slots=True)
class _Reading:
    """The walk over one graph. `here` are the conditions under which the current region
    runs."""

    graph: Graph
    values: dict[ObjectId, Any] = field(default_factory=dict)
    traps: list[tuple[Any, int]] = field(default_factory=list)
    here: list[Any] = field(default_factory=list)
    slots: dict[int, Any] = field(default_factory=dict)


def meaning(graph: Graph) -> Meaning:
    """The meaning of an entry made of scalar operations, products, arrays, accesses and
    guards, as a function of its unknown input."""
    reading = _Reading(graph)
    entry = graph.functions[graph.entry]
    taken = graph.ty(entry.input)
    if entry.parameters:
        reading.values[entry.input] = unknown("input", taken)
    _region(reading, entry.body)
    value = reading.values.get(entry.output)
    if value is None:
        value = tuple(reading.slots[slot] for slot in sorted(reading.slots))
    trap = z3.BitVecVal(0, 32)
    for condition, token in reversed(reading.traps):
        trap = z3.If(condition, z3.BitVecVal(token, 32), trap)
    return Meaning(value, trap)


def _read(reading: _Reading, obj: ObjectId) -> Any:
    record = reading.graph.objects[obj]
    if record.kind is ObjectKind.CONSTANT:
        assert isinstance(record.ty, Scalar)
        assert record.value is not None
        return literal(record.value, record.ty)
    return reading.values[obj]


def _region(reading: _Reading, region: RegionId) -> None:
    for item in schedule(reading.graph, region):
        _item(reading, item)


def _item(reading: _Reading, item: Item) -> None:
    match item:
        case OperationItem():
            reading.values[item.target] = _operation(reading, item)
        case PackItem(target=target, feeders=feeders):
            parts = tuple(_read(reading, feeder) for feeder in feeders)
            reading.values[target] = _product(reading.graph.ty(target), parts)
        case ReturnSlotItem(slot=slot, source=source):
            reading.slots[slot] = _read(reading, source)
        case GuardItem(guard=guard):
            cond = _read(reading, guard.cond)
            for region, holds in ((guard.arm_true, cond), (guard.arm_false, z3.Not(cond))):
                reading.here.append(holds)
                _region(reading, region)
                reading.here.pop()
            arms = _read(reading, item.when_true), _read(reading, item.when_false)
            reading.values[item.target] = z3.If(cond, *arms)
        case _:
            raise AssertionError(f"no formula for {item}")


def _product(ty: Type, parts: tuple[Any, ...]) -> Any:
    if not isinstance(ty, Array):
        return parts
    array = z3.K(_PLACES, parts[0])
    for place, part in enumerate(parts):
        array = z3.Store(array, z3.BitVecVal(place, 64), part)
    return array


def _operation(reading: _Reading, item: OperationItem) -> Any:
    graph = reading.graph
    operands = [_read(reading, operand) for operand in item.operands]
    ty, result = graph.ty(item.operands[0]), graph.ty(item.target)
    match item.morphism.op:
        case ops.Binary(code=code):
            assert isinstance(ty, Scalar)
            if code in (BinaryCode.DIV, BinaryCode.MOD) and ty.is_integer:
                _may_trap(reading, item, operands[1] == 0)
            return binary(code, ty, *operands)
        case ops.Unary(code=code):
            assert isinstance(ty, Scalar)
            return unary(code, ty, *operands)
        case ops.Fma(negate_product=product, negate_addend=addend):
            x, y, z = operands
            x, z = z3.fpNeg(x) if product else x, z3.fpNeg(z) if addend else z
            return z3.fpFMA(NEAREST, x, y, z)
        case ops.Widen() | ops.Convert():
            assert isinstance(ty, Scalar)
            assert isinstance(result, Scalar)
            return converted(ty, result, *operands)
        case ops.Proj(index=index):
            return operands[0][index]
        case ops.Output():
            return operands[0]
        case ops.Index():
            return z3.Select(operands[0], _place(reading, item, operands[1]))
        case ops.Update():
            return z3.Store(operands[0], _place(reading, item, operands[1]), operands[2])
        case op:
            raise AssertionError(f"no formula for {op}")


def _place(reading: _Reading, item: OperationItem, index: Any) -> Any:
    array, number = item.operands[:2]
    held, ty = reading.graph.ty(array), reading.graph.ty(number)
    assert isinstance(held, Array)
    assert isinstance(ty, Scalar)
    extend = z3.SignExt if ty.is_signed else z3.ZeroExt
    place = extend(64 - ty.bits, index)
    _may_trap(reading, item, z3.UGE(place, z3.BitVecVal(held.length, 64)))
    return place


def _may_trap(reading: _Reading, item: OperationItem, condition: Any) -> None:
    found = z3.simplify(z3.And(*reading.here, condition))
    if not z3.is_false(found):
        reading.traps.append((found, item.morphism.key[-1][0]))


def differs(before: Meaning, after: Meaning, limit_ms: int = 20_000) -> str | None:
    """Inputs on which two meanings differ, or why that could not be decided; None for a
    proof that they never do."""
    solver = z3.Solver()
    solver.set("timeout", limit_ms)
    first, second = _flat(before.value), _flat(after.value)
    assert len(first) == len(second), "the results have one type"
    for a, b in zip(first, second, strict=True):
        if not a.eq(b) and not z3.simplify(a).eq(z3.simplify(b)):
            found = _refuted(solver, z3.And(before.trap == 0, a != b))
            if found is not None:
                return found
    if before.trap.eq(after.trap):
        return None
    return _refuted(solver, before.trap != after.trap)


def _refuted(solver: z3.Solver, claim: Any) -> str | None:
    """A model of the claim, in one line; None where there is none."""
    solver.push()
    solver.add(claim)
    answer = solver.check()
    text = None
    if answer == z3.sat:
        text = " ".join(str(solver.model()).split())
    elif answer == z3.unknown:
        text = f"undecided: {solver.reason_unknown()}"
    solver.pop()
    return text


def _flat(value: Any) -> list[Any]:
    return [leaf for part in value for leaf in _flat(part)] if isinstance(value, tuple) else [value]
