"""All small scalar expressions over two unknowns, as data, and the programs that compute them."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from mapal.ir.graph import Graph, Value
from mapal.ir.ops import ORDERINGS, BinaryCode, ObjectId, UnaryCode
from mapal.ir.scalars import BINARY, UNARY, integer_range
from mapal.ir.types import BOOL, Scalar, Tuple
from tests.rewrite.build import Lines, Program

TRAPPING = (BinaryCode.DIV, BinaryCode.MOD)
_BOOLEAN_RESULT = ORDERINGS | {BinaryCode.EQ, BinaryCode.NEQ}


@dataclass(frozen=True, slots=True)
class Unknown:
    """A component of the input: 0 or 1."""

    slot: int
    ty: Scalar


@dataclass(frozen=True, slots=True)
class Known:
    value: Value
    ty: Scalar


@dataclass(frozen=True, slots=True)
class Applied:
    """An operation on expressions of one type."""

    code: BinaryCode | UnaryCode
    operands: tuple[Expression, ...]

    @property
    def ty(self) -> Scalar:
        return BOOL if self.code in _BOOLEAN_RESULT else self.operands[0].ty

    @property
    def may_trap(self) -> bool:
        """Whether this operation can trap, by its divisor."""
        divisor = self.operands[-1]
        divides = self.code in TRAPPING and self.ty.is_integer
        return divides and not (isinstance(divisor, Known) and divisor.value != 0)


Expression = Unknown | Known | Applied


def special(ty: Scalar) -> list[Value]:
    """Operands at which a law may hold."""
    if ty == BOOL:
        return [False, True]
    if ty.is_float:
        return [0.0, -0.0, 1.0, -1.0, 2.0, 0.5, math.inf, math.nan]
    low, high = integer_range(ty)
    return sorted({0, 1, 2, 7, low, high, high - 1, *(n for n in (-1, -2) if low <= n)})


def applications(x: Expression, y: Expression, values: Sequence[Value]) -> Iterator[Applied]:
    """All single operations on `x` with a constant, with itself, and with `y`."""
    ty = x.ty
    others: list[Expression] = [Known(value, ty) for value in values]
    if y.ty == ty:
        others.append(y)
    for code, of in BINARY:
        if of == ty:
            yield Applied(code, (x, x))
            for other in others:
                yield Applied(code, (x, other))
                yield Applied(code, (other, x))
    for unary, of in UNARY:
        if of == ty:
            yield Applied(unary, (x,))


def program(expressions: Sequence[Expression], ty: Scalar) -> Graph:
    """A program from two unknowns of a type to the values of all expressions."""
    taken = (Unknown(0, ty), Unknown(1, ty))

    def main(f: Lines) -> ObjectId:
        values: dict[Unknown, ObjectId] = {part: f.arg(part.slot) for part in taken}
        return f.pack(*(_built(f, expression, values) for expression in (*expressions, taken[0])))

    types = (*(expression.ty for expression in expressions), ty)
    return Program().main(main, (ty, ty), Tuple(types))


def _built(f: Lines, expression: Expression, unknowns: dict[Unknown, ObjectId]) -> ObjectId:
    match expression:
        case Unknown():
            return unknowns[expression]
        case Known(value=value, ty=ty):
            return f.c(value, ty)
        case Applied(code=code, operands=operands):
            values = [_built(f, operand, unknowns) for operand in operands]
            if isinstance(code, UnaryCode):
                return f.un(code, values[0])
            return f.op(code, values[0], values[1])
