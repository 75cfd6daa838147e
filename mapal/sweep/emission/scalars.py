"""Steps on numbers and `bool`."""

from __future__ import annotations

from mapal.ir.ops import BinaryCode, ObjectId, UnaryCode
from mapal.ir.types import BOOL, F32, F64, NUMERIC, WIDENINGS, Scalar
from mapal.sweep.catalogue import NUMBERS, SCALARS, corners, literal
from mapal.sweep.emission.emitter import Emitter, Numbers
from mapal.sweep.script import Block

_TOTAL_ARITHMETIC = (
    BinaryCode.ADD,
    BinaryCode.SUB,
    BinaryCode.MUL,
    BinaryCode.MIN,
    BinaryCode.MAX,
)
_DIVISIONS = (BinaryCode.DIV, BinaryCode.MOD)
_COMPARISONS = (
    BinaryCode.LT,
    BinaryCode.EQ,
    BinaryCode.GE,
    BinaryCode.GT,
    BinaryCode.LE,
    BinaryCode.NEQ,
)
_LOGIC = (BinaryCode.AND, BinaryCode.OR, BinaryCode.EQ, BinaryCode.NEQ)
_MATH = (UnaryCode.SQRT, UnaryCode.FLOOR, UnaryCode.CEIL, UnaryCode.ROUND, UnaryCode.TRUNC)


def constant(e: Emitter, n: Numbers, blocks: tuple[Block, ...]) -> None:
    """A literal of any scalar type."""
    ty = SCALARS[n.below(len(SCALARS))]
    e.know(e.constant(literal(ty, n.next()), ty))
    e.note(f"constant {ty}")


def _number(e: Emitter, n: Numbers) -> ObjectId:
    """A number of a chosen type, a literal if none is known."""
    return e.demand(NUMBERS[n.below(len(NUMBERS))], n.next())


def arithmetic(e: Emitter, n: Numbers, blocks: tuple[Block, ...]) -> None:
    """A binary operation that cannot trap, on known operands or one and a literal."""
    code = _TOTAL_ARITHMETIC[n.below(len(_TOTAL_ARITHMETIC))]
    if not e.afford():
        return
    left = _number(e, n)
    ty = e.scalar_ty(left)
    right = _other(e, ty, n)
    e.know(e.binary(code, *((right, left) if n.chance(3) else (left, right))))
    e.note(f"{code.value} {ty}")


def _other(e: Emitter, ty: Scalar, n: Numbers) -> ObjectId:
    """A second operand: a literal or a known value."""
    from_table = n.chance(3)
    choice = n.next()
    if from_table:
        return e.constant(literal(ty, choice), ty)
    return e.demand(ty, choice)


def division(e: Emitter, n: Numbers, blocks: tuple[Block, ...]) -> None:
    """A quotient or remainder."""
    code = _DIVISIONS[n.below(2)]
    if not e.afford():
        return
    left = _number(e, n)
    ty = e.scalar_ty(left)
    right = _other(e, ty, n) if ty.is_float else e.divisor(ty, n)
    e.know(e.binary(code, left, right))
    e.note(f"{code.value} {ty}")


def comparison(e: Emitter, n: Numbers, blocks: tuple[Block, ...]) -> None:
    code = _COMPARISONS[n.below(len(_COMPARISONS))]
    if not e.afford():
        return
    left = _number(e, n)
    ty = e.scalar_ty(left)
    e.know(e.binary(code, left, _other(e, ty, n)))
    e.note(f"{code.value} {ty}")


def logic(e: Emitter, n: Numbers, blocks: tuple[Block, ...]) -> None:
    """An operation on `bool`, equality included."""
    code = _LOGIC[n.below(len(_LOGIC))]
    left = e.pick_type(BOOL, n.next())
    if left is None or not e.afford():
        return
    e.know(e.binary(code, left, e.demand(BOOL, n.next())))
    e.note(f"{code.value} bool")


def unary(e: Emitter, n: Numbers, blocks: tuple[Block, ...]) -> None:
    """Negation, logical not, absolute value."""
    code = (UnaryCode.NEG, UnaryCode.ABS, UnaryCode.NOT)[n.below(3)]
    if not e.afford():
        return
    operand = e.demand(BOOL, n.next()) if code is UnaryCode.NOT else _number(e, n)
    e.know(e.b.unary(code, operand, e.key()))
    e.note(f"{code.value} {e.b.ty(operand)}")


def mathematics(e: Emitter, n: Numbers, blocks: tuple[Block, ...]) -> None:
    """A square root or rounding, of a corner value or a known float."""
    code = _MATH[n.below(len(_MATH))]
    ty = (F64, F32)[n.below(2)]
    if not e.afford():
        return
    choice = n.next()
    operand = e.pick_type(ty, choice) if n.below(2) else None
    if operand is None:
        operand = e.constant(corners(ty)[choice % len(corners(ty))], ty)
    e.know(e.b.unary(code, operand, e.key()))
    e.note(f"{code.value} {ty}")


def conversion(e: Emitter, n: Numbers, blocks: tuple[Block, ...]) -> None:
    """A widening or conversion between any two number types, of a corner or a known value."""
    source = NUMERIC[n.below(len(NUMERIC))]
    targets = [ty for ty in NUMERIC if ty != source]
    target = targets[n.below(len(targets))]
    if not e.afford():
        return
    choice = n.next()
    operand = e.pick_type(source, choice) if n.below(2) else None
    if operand is None:
        operand = e.constant(literal(source, choice), source)
    if (source, target) in WIDENINGS:
        e.know(e.b.widen(operand, target, e.key()))
        e.note(f"Widen {source} {target}")
    else:
        e.know(e.b.convert(operand, target, e.key()))
        e.note(f"Convert {source} {target}")


def multiply_add(e: Emitter, n: Numbers, blocks: tuple[Block, ...]) -> None:
    """A chain of products and sums of floats: in the fused mode single operations, of either
    sign. In the exact mode the same chain as it is written."""
    ty = (F32, F64)[n.below(2)]
    length = 1 + n.below(4)
    if not e.afford(2 * length):
        return
    total = e.demand(ty, n.next())
    for _ in range(length):
        x, y = e.demand(ty, n.next()), _other(e, ty, n)
        product, addend = (bool(n.below(2)) for _ in range(2))
        if product and addend:
            product = False
        if e.program.fused:
            total = e.b.fma(x, y, total, negate_product=product, negate_addend=addend, key=e.key())
            e.note(f"Fma {'-' if product else '+'}{'-' if addend else '+'} {ty}")
        else:
            result = e.binary(BinaryCode.MUL, x, y)
            code = BinaryCode.SUB if product or addend else BinaryCode.ADD
            pair = (total, result) if product else (result, total)
            total = e.binary(code, *pair)
            e.note(f"multiply-add {ty}")
    e.know(total)
