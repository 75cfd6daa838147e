"""Comparisons of floats, so that LLVM does not join choices that are not the same.

Of two choices of the greater (or the less) of a number and one constant, one after the other,
LLVM 22 keeps the first (`foldSPFofSPF` of its instruction combiner). That is wrong where only the
second gives the constant for NaN, or another zero. It finds choices by a comparison of what is
chosen from, so here a second choice compares something else: the number with the neighbour of the
constant, which says the same, or, if it is no literal but may turn out to be a constant, with a
copy of it.
"""

from __future__ import annotations

import math
import struct

from mapal.codegen.layout import register_type
from mapal.codegen.llvm.scalar_context import ScalarContext, literal
from mapal.ir.types import F64, Scalar

_MIRRORED = {"olt": "ogt", "ogt": "olt", "ole": "oge", "oge": "ole"}
_SHIFTED = {"olt": "ole", "ogt": "oge", "ole": "olt", "oge": "ogt"}
_UPWARD = ("ole", "ogt")
"""Comparisons with a number that say the same, strict or not, of its neighbour above."""

_TRIVIAL = frozenset(literal(sign * number, F64) for number in (0.0, 1.0) for sign in (1.0, -1.0))
"""Operands with which arithmetic may give back the other one, or its negative."""


def compare(c: ScalarContext, predicate: str, ty: Scalar, a: str, b: str) -> str:
    """`fcmp PREDICATE` of two floats of a type, of which the predicate is ordered or `une`."""
    register = c.lanes(register_type(ty))
    if predicate in _MIRRORED:
        if c.literal_of(a) is not None:
            a, b, predicate = b, a, _MIRRORED[predicate]
        if c.literal_of(a) is not None:
            pass  # both are literals
        elif c.literal_of(b) is not None:
            if not c.floats.is_computed(a):
                predicate, b = _beside(c, predicate, ty, a, b)
        elif _may_be_joined(c, a, b):
            b = _copy(c, ty, b)
    return c.value(f"fcmp {predicate} {register} {a}, {b}")


def computed(c: ScalarContext, result: str, *operands: str) -> str:
    """Notes that arithmetic made a float, unless LLVM may see through it."""
    literals = [c.literal_of(operand) for operand in operands]
    if _TRIVIAL.isdisjoint(filter(None, literals)) and None in literals:
        c.floats.note_computed(result, operands)
    return result


def _may_be_joined(c: ScalarContext, a: str, b: str) -> bool:
    """Whether one may be chosen with a constant that the other one may turn out to be."""
    floats = c.floats
    return (floats.may_choose(a) and floats.may_be_constant(b)) or (
        floats.may_choose(b) and floats.may_be_constant(a)
    )


def _beside(c: ScalarContext, predicate: str, ty: Scalar, a: str, b: str) -> tuple[str, str]:
    """The comparison with the neighbour of a literal that says the same."""
    known = c.literal_of(b)
    assert known is not None
    (number,) = struct.unpack(">d", bytes.fromhex(known.removeprefix("0x")))
    neighbour = _neighbour(number, ty, upward=predicate in _UPWARD)
    if neighbour != number:
        return _SHIFTED[predicate], c.constant(register_type(ty), literal(neighbour, ty))
    # Nothing is beyond an infinity: no number, or all but NaN.
    return ("ord", a) if predicate in ("ole", "oge") else (predicate, b)


def _neighbour(number: float, ty: Scalar, *, upward: bool) -> float:
    """The next number of the type in one direction; there is none beyond infinity or for NaN."""
    if math.isnan(number):
        return number
    kind, word = (">f", ">I") if ty.bits == 32 else (">d", ">Q")
    bits, infinity = (struct.unpack(word, struct.pack(kind, x))[0] for x in (number, math.inf))
    sign = 1 << (ty.bits - 1)
    order = sign - bits if bits & sign else bits
    order = max(-infinity, min(infinity, order + (1 if upward else -1)))
    found = struct.unpack(kind, struct.pack(word, order if order >= 0 else sign - order))[0]
    assert isinstance(found, float)
    return found


def _copy(c: ScalarContext, ty: Scalar, b: str) -> str:
    """The same float under a name of which LLVM does not know that."""
    base = f"i{ty.bits}"
    zero = c.opaque_zero(base)
    if zero is None:
        return b
    register, word = c.lanes(register_type(ty)), c.lanes(base)
    bits = c.value(f"bitcast {register} {b} to {word}")
    return c.value(f"bitcast {word} {c.value(f'xor {word} {bits}, {zero}')} to {register}")
