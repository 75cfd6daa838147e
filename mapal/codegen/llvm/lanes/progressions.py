"""Arithmetic on integers that differ between lanes by known constants.

What is known survives sums, differences, products with literals, and divisions where the numbers
themselves are known; everything else is for vectors. A comparison with a literal is decided where
it comes out the same for every number that a value may be.
"""

from __future__ import annotations

from dataclasses import replace

from mapal.codegen.layout import register_type
from mapal.codegen.llvm.lanes.context import Lanes
from mapal.codegen.llvm.lanes.values import Exact, LaneValue, Linear, Pattern
from mapal.codegen.llvm.scalars import as_index
from mapal.ir.ops import BinaryCode
from mapal.ir.types import Scalar

_MIRRORED = {
    BinaryCode.EQ: BinaryCode.EQ,
    BinaryCode.NEQ: BinaryCode.NEQ,
    BinaryCode.LT: BinaryCode.GT,
    BinaryCode.GT: BinaryCode.LT,
    BinaryCode.LE: BinaryCode.GE,
    BinaryCode.GE: BinaryCode.LE,
}
"""Comparisons, and what they are with their operands exchanged."""

_INDEX_BITS = 64
_INSTRUCTIONS = {BinaryCode.ADD: "add", BinaryCode.SUB: "sub", BinaryCode.MUL: "mul"}


def combined(lanes: Lanes, code: BinaryCode, ty: Scalar, a: LaneValue, b: LaneValue) -> LaneValue:
    """The result of an operation, where it differs between lanes by constants or is the same in all
    of them; else None."""
    if code in _MIRRORED:
        return _decided(code, ty, a, b)
    if code in (BinaryCode.ADD, BinaryCode.SUB):
        return _sum(lanes, code, ty, a, b)
    if code is BinaryCode.MUL:
        if isinstance(a, str):
            a, b = b, a
        return _product(lanes, ty, a, b) if _is_literal(b) else None
    if code in (BinaryCode.DIV, BinaryCode.MOD) and _is_literal(b) and int(b) > 0:
        return _division(lanes, code, ty, a, int(b))
    return None


def _is_literal(value: LaneValue) -> bool:
    return isinstance(value, str) and not value.startswith("%")


def _offsets(lanes: Lanes, value: LaneValue) -> tuple[int, ...] | None:
    match value:
        case str():
            return (0,) * lanes.width
        case Linear(stride=stride):
            return lanes.rises(stride)
        case Pattern(offsets=offsets):
            return offsets
    return None


def _made(lanes: Lanes, base: str, offsets: tuple[int, ...]) -> LaneValue:
    """A value in its simplest form."""
    stride = offsets[1] - offsets[0]
    if offsets == lanes.rises(stride):
        return Linear(base, stride) if stride else base
    return Pattern(base, offsets)


def _base(value: LaneValue) -> str:
    return value if isinstance(value, str) else str(value.base)


def _sum(lanes: Lanes, code: BinaryCode, ty: Scalar, a: LaneValue, b: LaneValue) -> LaneValue:
    left, right = _offsets(lanes, a), _offsets(lanes, b)
    if left is None or right is None:
        return None
    sign = 1 if code is BinaryCode.ADD else -1
    offsets = tuple(x + sign * y for x, y in zip(left, right, strict=True))
    base = _scalar(lanes, code, ty, _base(a), _base(b))
    made = _made(lanes, base, offsets)
    if not isinstance(made, Linear):
        return made
    if isinstance(a, str) and code is BinaryCode.ADD:
        a, b = b, a
    if isinstance(a, Linear) and a.exact is not None and isinstance(b, str):
        return replace(made, exact=_moved(lanes, code, ty, a.exact, b))
    return made


def _moved(lanes: Lanes, code: BinaryCode, ty: Scalar, exact: Exact, by: str) -> Exact | None:
    """What is known of numbers when `by` was added or subtracted."""
    if _is_literal(by):
        least = greatest = int(by)
        wide = by
    elif ty.is_signed and ty.bits < _INDEX_BITS:
        least, greatest = -(1 << (ty.bits - 1)), (1 << (ty.bits - 1)) - 1
        wide = as_index(lanes.e, ty, by)
    else:
        return None
    if code is BinaryCode.SUB:
        least, greatest = -greatest, -least
    least, greatest = exact.least + least, exact.greatest + greatest
    if max(-least, greatest) >= 1 << (_INDEX_BITS - 2):
        return None
    if _is_literal(exact.base) and _is_literal(wide):
        sign = -1 if code is BinaryCode.SUB else 1
        return Exact(least, greatest, str(int(exact.base) + sign * int(wide)))
    base = lanes.e.value(f"{_INSTRUCTIONS[code]} nsw i64 {exact.base}, {wide}")
    return Exact(least, greatest, base)


def _decided(code: BinaryCode, ty: Scalar, a: LaneValue, b: LaneValue) -> LaneValue:
    """A comparison of exact numbers with a literal that comes out the same for all of them; None
    for any other."""
    if isinstance(b, Linear):
        a, b, code = b, a, _MIRRORED[code]
    if not isinstance(a, Linear) or a.exact is None or not _is_literal(b):
        return None
    least, greatest, other = a.exact.least, a.exact.greatest, int(b)
    half = 1 << (ty.bits - 1)
    if not ty.is_signed or least < -half or greatest >= half:
        return None
    if code in (BinaryCode.EQ, BinaryCode.NEQ):
        is_apart = not least <= other <= greatest
        return _text(code is BinaryCode.NEQ) if is_apart else None
    if code in (BinaryCode.LE, BinaryCode.GT):
        other += 1
    # What is left is whether numbers are below `other`, or the contrary.
    if least < other <= greatest:
        return None
    is_below = greatest < other
    return _text(is_below == (code in (BinaryCode.LT, BinaryCode.LE)))


def _text(is_true: bool) -> str:
    return "true" if is_true else "false"


def _product(lanes: Lanes, ty: Scalar, a: LaneValue, literal: str) -> LaneValue:
    offsets = _offsets(lanes, a)
    if offsets is None:
        return None
    base = _scalar(lanes, BinaryCode.MUL, ty, _base(a), literal)
    return _made(lanes, base, tuple(offset * int(literal) for offset in offsets))


def _scalar(lanes: Lanes, code: BinaryCode, ty: Scalar, a: str, b: str) -> str:
    """An operation on bases; literals stay literals as long as nothing wraps."""
    if _is_literal(a) and _is_literal(b):
        x, y = int(a), int(b)
        known = {BinaryCode.ADD: x + y, BinaryCode.SUB: x - y, BinaryCode.MUL: x * y}[code]
        if 0 <= known < 1 << (ty.bits - 1):
            return str(known)
    return lanes.e.value(f"{_INSTRUCTIONS[code]} {register_type(ty)} {a}, {b}")


def _division(lanes: Lanes, code: BinaryCode, ty: Scalar, a: LaneValue, divisor: int) -> LaneValue:
    """Quotient or remainder: of the number of an element by what its rows have, or of numbers
    that are known, not negative, and do not wrap."""
    if isinstance(a, Linear) and a.split is not None:
        split = a.split
        if code is BinaryCode.DIV:
            return split.quotient if divisor == split.divisor else None
        if divisor == split.divisor:
            return Linear(split.remainder, 1, exact=split.exact)
        if split.divisor % divisor == 0:
            rest = Linear(split.remainder, 1, exact=split.exact)
            return _division(lanes, code, ty, rest, divisor)
        return None
    offsets = _offsets(lanes, a)
    if offsets is None or not _is_literal(_base(a)):
        return None
    numbers = [int(_base(a)) + offset for offset in offsets]
    if min(numbers) < 0 or max(numbers) >= 1 << (ty.bits - 1):
        return None
    results = [n // divisor if code is BinaryCode.DIV else n % divisor for n in numbers]
    return _made(lanes, "0", tuple(results))
