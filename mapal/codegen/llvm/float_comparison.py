"""Comparisons of floats, so that LLVM does not join choices that are not the same.

Of two choices of the greater (or the less) of a number and one constant, one after the other,
LLVM 22 keeps the first (`foldSPFofSPF` of its instruction combiner). That is wrong where only the
second gives the constant for NaN, or another zero. It finds a choice by a comparison of the two
values that are chosen from. So what may be such a choice already is compared with a copy of the
other value, of which LLVM does not know that it is one: also where that is no literal, since calls
are inlined, loops unrolled and arrays forwarded later.
"""

from __future__ import annotations

from mapal.codegen.layout import register_type
from mapal.codegen.llvm.scalar_context import ScalarContext, literal
from mapal.ir.types import F64, Scalar

_ORDERS = ("olt", "ole", "ogt", "oge")
"""What choices of the greater or the less are made by."""

_TRIVIAL = frozenset(literal(sign * number, F64) for number in (0.0, 1.0) for sign in (1.0, -1.0))
"""Operands with which arithmetic may give back the other one, or its negative."""


def compare(c: ScalarContext, predicate: str, ty: Scalar, a: str, b: str) -> str:
    """`fcmp PREDICATE` of two floats of a type, of which the predicate is ordered or `une`."""
    if predicate in _ORDERS and _may_be_joined(c, a, b):
        # A value that a loop hands on is better left as it is.
        if c.literal_of(a) is not None or (c.literal_of(b) is None and c.floats.is_loaded(a)):
            a = _copy(c, ty, a)
        else:
            b = _copy(c, ty, b)
    return c.value(f"fcmp {predicate} {c.lanes(register_type(ty))} {a}, {b}")


def made(c: ScalarContext, result: str, *operands: str) -> str:
    """Notes that arithmetic made a float, which may give back none but these operands, if each of
    them is made as well."""
    if not any(_may_be_chosen(c, operand) for operand in operands):
        c.floats.note_made(result)
    return result


def never_gives_back(c: ScalarContext, a: str, b: str) -> bool:
    """Whether the sum, difference, product or quotient of two floats is neither of them, nor its
    negative, since one is a literal that is not trivial."""
    literals = (c.literal_of(a), c.literal_of(b))
    return any(text is not None and text not in _TRIVIAL for text in literals)


def _may_be_chosen(c: ScalarContext, operand: str) -> bool:
    return c.literal_of(operand) is None and c.floats.may_be_chosen(operand)


def _may_be_joined(c: ScalarContext, a: str, b: str) -> bool:
    """Whether one may be chosen between values of which the other one is a constant."""
    return any(
        _may_be_chosen(c, one) and c.floats.may_be_constant(other)
        for one, other in ((a, b), (b, a))
    )


def _copy(c: ScalarContext, ty: Scalar, operand: str) -> str:
    """The same float, zeros and NaN included, under a name of which LLVM does not know that."""
    base = register_type(ty)
    return c.value(f"fadd {c.lanes(base)} {operand}, {c.opaque_zero(base)}")
