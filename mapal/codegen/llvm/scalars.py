"""Operations on numbers and `bool`, with exactly the language's results and no undefined
behaviour.

The same operations serve single values and vectors, element by element: the context says what a
value of an LLVM type is called there, and how a constant is written.

Integer arithmetic carries no overflow flags and floating point no fast-math flags, so LLVM may
neither assume nor change anything that the language defines. What instructions leave undefined
(division by zero, the least integer divided by -1, conversions out of range) is excluded by a
check, a select or a saturating intrinsic.
"""

from __future__ import annotations

import math

from mapal.codegen.layout import register_type
from mapal.codegen.llvm.float_comparison import compare, made, never_gives_back
from mapal.codegen.llvm.scalar_context import ScalarContext, literal
from mapal.ir.graph import Key
from mapal.ir.ops import BinaryCode, UnaryCode
from mapal.ir.types import Scalar

DIV_ZERO = 0
INDEX_OOB = 1
"""Kinds of traps, as the runtime numbers them."""


_SIGNED = {"Lt": "slt", "Gt": "sgt", "Le": "sle", "Ge": "sge"}
_UNSIGNED = {"Lt": "ult", "Gt": "ugt", "Le": "ule", "Ge": "uge"}
_EQUAL = {"Eq": "eq", "Neq": "ne"}
_FLOAT = {"Eq": "oeq", "Neq": "une", "Lt": "olt", "Gt": "ogt", "Le": "ole", "Ge": "oge"}
_ARITHMETIC = {"Add": "add", "Sub": "sub", "Mul": "mul"}
_FLOAT_ARITHMETIC = {"Add": "fadd", "Sub": "fsub", "Mul": "fmul", "Div": "fdiv"}
_LOGIC = {"And": "and", "Or": "or"}
_FLOAT_EXTREMES = {"Min": "llvm.minimumnum", "Max": "llvm.maximumnum"}
_BETTER = {"Min": ("olt", "ole"), "Max": ("ogt", "oge")}
_ROUNDINGS = {
    UnaryCode.SQRT: "llvm.sqrt",
    UnaryCode.FLOOR: "llvm.floor",
    UnaryCode.CEIL: "llvm.ceil",
    UnaryCode.ROUND: "llvm.roundeven",
    UnaryCode.TRUNC: "llvm.trunc",
    UnaryCode.ABS: "llvm.fabs",
}


def binary(c: ScalarContext, code: BinaryCode, ty: Scalar, a: str, b: str, key: Key) -> str:
    """An operation on two operands of type `ty`."""
    name, register = code.value, c.lanes(register_type(ty))
    if name in _LOGIC:
        return c.value(f"{_LOGIC[name]} {c.lanes('i1')} {a}, {b}")
    if name in _FLOAT and ty.is_float:
        return compare(c, _FLOAT[name], ty, a, b)
    if name in _EQUAL:
        return c.value(f"icmp {_EQUAL[name]} {register} {a}, {b}")
    if name in _SIGNED:
        predicate = (_SIGNED if ty.is_signed else _UNSIGNED)[name]
        return c.value(f"icmp {predicate} {register} {a}, {b}")
    if ty.is_float:
        return _float_binary(c, name, ty, a, b)
    if name in _ARITHMETIC:
        return c.value(f"{_ARITHMETIC[name]} {register} {a}, {b}")
    if name in _FLOAT_EXTREMES:
        intrinsic = f"llvm.{'s' if ty.is_signed else 'u'}{name.lower()}"
        return _call(c, intrinsic, ty, a, b)
    return _integer_division(c, code, ty, a, b, key)


def _float_binary(c: ScalarContext, name: str, ty: Scalar, a: str, b: str) -> str:
    register = c.lanes(register_type(ty))
    if name in _FLOAT_ARITHMETIC:
        result = c.value(f"{_FLOAT_ARITHMETIC[name]} {register} {a}, {b}")
        return made(c, result, *(() if never_gives_back(c, a, b) else (a, b)))
    if name in _FLOAT_EXTREMES:
        if c.selects_numbers:
            return _call(c, _FLOAT_EXTREMES[name], ty, a, b)
        return _float_extreme(c, name, ty, a, b)
    return c.float_remainder(ty, a, b)


def _float_extreme(c: ScalarContext, name: str, ty: Scalar, a: str, b: str) -> str:
    """minimumNumber or maximumNumber from comparisons. LLVM 22 compiles the intrinsics wrongly
    for x86 with AVX-512DQ: a NaN wins over an operand that is known to be none."""
    register, bits = c.lanes(register_type(ty)), c.lanes(f"i{ty.bits}")
    i1 = c.lanes("i1")
    if c.literal_of(a) is not None:
        a, b = b, a
    known = c.literal_of(b)
    if known is not None and known != literal(math.nan, ty):
        # The constant wins over NaN and over an equal number, unless another zero beats it.
        yields = known == literal(-0.0 if name == "Max" else 0.0, ty)
        predicate = _BETTER[name][yields]
        better = compare(c, predicate, ty, a, b)
        return c.value(f"select {i1} {better}, {register} {a}, {register} {b}")
    # The second operand wins unless it is NaN. Operands that compare equal differ at most in
    # the sign of zero, which the and of their bits has for the maximum, the or for the minimum.
    better = compare(c, _BETTER[name][0], ty, a, b)
    chosen = c.value(f"select {i1} {better}, {register} {a}, {register} {b}")
    unordered = c.value(f"fcmp uno {register} {b}, {b}")
    number = c.value(f"select {i1} {unordered}, {register} {a}, {register} {chosen}")
    a_bits = c.value(f"bitcast {register} {a} to {bits}")
    b_bits = c.value(f"bitcast {register} {b} to {bits}")
    joined = c.value(f"{'and' if name == 'Max' else 'or'} {bits} {a_bits}, {b_bits}")
    zero = c.value(f"bitcast {bits} {joined} to {register}")
    equal = c.value(f"fcmp oeq {register} {a}, {b}")
    return c.value(f"select {i1} {equal}, {register} {zero}, {register} {number}")


def _integer_division(
    c: ScalarContext, code: BinaryCode, ty: Scalar, a: str, b: str, key: Key
) -> str:
    """Quotient or remainder. A literal divisor drops the checks that it answers."""
    register, i1 = c.lanes(register_type(ty)), c.lanes("i1")
    text = c.literal_of(b)
    known = None if text is None else int(text)
    zero, one, minus_one = (c.constant(register_type(ty), text) for text in ("0", "1", "-1"))
    if known is None or known == 0:
        nonzero = c.value(f"icmp ne {register} {b}, {zero}")
        c.require(nonzero, DIV_ZERO, key)
        if known == 0:
            return zero
    is_quotient = code is BinaryCode.DIV
    if known and not is_quotient:
        remainder = c.known_remainder(a, known)
        if remainder is not None:
            return remainder
    if not ty.is_signed:
        return c.value(f"{'udiv' if is_quotient else 'urem'} {register} {a}, {b}")
    instruction = "sdiv" if is_quotient else "srem"
    if known is not None and known != -1:
        return c.value(f"{instruction} {register} {a}, {b}")
    # Dividing by 1 where the divisor is -1 avoids the one overflow; the quotient is then
    # negated with wrapping, and the remainder is 0 as it should be.
    negates = c.value(f"icmp eq {register} {b}, {minus_one}")
    divisor = c.value(f"select {i1} {negates}, {register} {one}, {register} {b}")
    result = c.value(f"{instruction} {register} {a}, {divisor}")
    if not is_quotient:
        return result
    negated = c.value(f"sub {register} {zero}, {a}")
    return c.value(f"select {i1} {negates}, {register} {negated}, {register} {result}")


def unary(c: ScalarContext, code: UnaryCode, ty: Scalar, a: str) -> str:
    """An operation on one operand that keeps its type."""
    register = c.lanes(register_type(ty))
    if code is UnaryCode.NOT:
        return c.value(f"xor {c.lanes('i1')} {a}, {c.constant('i1', 'true')}")
    if code is UnaryCode.NEG:
        zero = c.constant(register_type(ty), "0")
        if ty.is_float:
            return made(c, c.value(f"fneg {register} {a}"), a)
        return c.value(f"sub {register} {zero}, {a}")
    if ty.is_float:
        result = _call(c, _ROUNDINGS[code], ty, a)
        return made(c, result, *(() if code is UnaryCode.SQRT else (a,)))
    if not ty.is_signed:
        return a
    suffix = c.suffix(register_type(ty))
    symbol = c.intrinsic(f"llvm.abs.{suffix}", register, f"{register}, i1 immarg")
    return c.value(f"call {register} {symbol}({register} {a}, i1 false)")


def fma(
    c: ScalarContext,
    ty: Scalar,
    operands: tuple[str, str, str],
    *,
    negate_product: bool,
    negate_addend: bool,
) -> str:
    """`±(x*y) ± z` rounded once."""
    register = c.lanes(register_type(ty))
    x, y, z = operands
    if negate_product:
        x = c.value(f"fneg {register} {x}")
    if negate_addend:
        z = c.value(f"fneg {register} {z}")
    symbol = c.fused(ty)
    result = c.value(f"call {register} {symbol}({register} {x}, {register} {y}, {register} {z})")
    return made(c, result, z, *(() if never_gives_back(c, x, y) else (x, y)))


def convert(c: ScalarContext, source: Scalar, target: Scalar, a: str) -> str:
    """Any conversion between two different numeric types, widenings included."""
    taken, given = c.lanes(register_type(source)), c.lanes(register_type(target))
    if source.is_float and target.is_float:
        instruction = "fptrunc" if source.bits > target.bits else "fpext"
        return made(c, c.value(f"{instruction} {taken} {a} to {given}"), a)
    if source.is_float:
        return _to_integer(c, source, target, a)
    if target.is_float:
        instruction = "sitofp" if source.is_signed else "uitofp"
        return made(c, c.value(f"{instruction} {taken} {a} to {given}"))
    wider = "sext" if source.is_signed else "zext"
    instruction = "trunc" if source.bits > target.bits else wider
    return c.value(f"{instruction} {taken} {a} to {given}")


def _to_integer(c: ScalarContext, source: Scalar, target: Scalar, a: str) -> str:
    """Truncated, then clamped to the range; 0 for NaN. For x86, LLVM takes vectors apart for the
    saturating intrinsics; there it is comparisons that exclude what conversions leave undefined."""
    taken, given = c.lanes(register_type(source)), c.lanes(register_type(target))
    kind = "fptosi" if target.is_signed else "fptoui"
    if c.saturates:
        suffix = f"{c.suffix(register_type(target))}.{c.suffix(register_type(source))}"
        symbol = c.intrinsic(f"llvm.{kind}.sat.{suffix}", given, taken)
        return c.value(f"call {given} {symbol}({taken} {a})")
    i1 = c.lanes("i1")

    def bound(number: int) -> str:
        return c.constant(register_type(source), literal(float(number), source))

    if not target.is_signed:
        zero, most = bound(0), bound((1 << target.bits) - 1)
        is_positive = c.value(f"fcmp ogt {taken} {a}, {zero}")
        positive = c.value(f"select {i1} {is_positive}, {taken} {a}, {taken} {zero}")
        is_within = c.value(f"fcmp olt {taken} {positive}, {most}")
        clamped = c.value(f"select {i1} {is_within}, {taken} {positive}, {taken} {most}")
        word = c.lanes("i32")
        whole = c.value(f"fptosi {taken} {clamped} to {word}")
        short = c.value(f"trunc {word} {whole} to {given}")
        if not c.floats.may_be_chosen(a):
            return short  # NaN is clamped
        return _number_or_zero(c, source, target, a, short)
    limit = 1 << (target.bits - 1)
    least, beyond = bound(-limit), bound(limit)
    is_above = c.value(f"fcmp ogt {taken} {a}, {least}")
    raised = c.value(f"select {i1} {is_above}, {taken} {a}, {taken} {least}")
    whole = c.value(f"fptosi {taken} {raised} to {given}")
    is_beyond = c.value(f"fcmp oge {taken} {a}, {beyond}")
    greatest = c.constant(register_type(target), str(limit - 1))
    capped = c.value(f"select {i1} {is_beyond}, {given} {greatest}, {given} {whole}")
    return _number_or_zero(c, source, target, a, capped)


def _number_or_zero(
    c: ScalarContext, source: Scalar, target: Scalar, a: str, converted: str
) -> str:
    """What `a` was converted to, 0 if it is NaN."""
    taken, given = c.lanes(register_type(source)), c.lanes(register_type(target))
    is_number = c.value(f"fcmp ord {taken} {a}, {a}")
    none = c.constant(register_type(target), "0")
    return c.value(f"select {c.lanes('i1')} {is_number}, {given} {converted}, {given} {none}")


def as_index(c: ScalarContext, ty: Scalar, a: str) -> str:
    """An integer as a signed 64-bit index. A `u8` is extended with zeros: 200 is no negative
    index."""
    if ty.bits == 64:
        return a
    known = c.literal_of(a)
    if known is not None:
        return c.constant("i64", known)
    register, index = c.lanes(register_type(ty)), c.lanes("i64")
    return c.value(f"{'sext' if ty.is_signed else 'zext'} {register} {a} to {index}")


SUFFIXES = {"float": "f32", "double": "f64", "i64": "i64", "i32": "i32", "i8": "i8", "i1": "i1"}
"""How names of intrinsics write LLVM types."""


def _call(c: ScalarContext, intrinsic: str, ty: Scalar, *operands: str) -> str:
    """A call of an intrinsic on operands of one type that gives that type."""
    base = register_type(ty)
    register = c.lanes(base)
    parameters = ", ".join([register] * len(operands))
    symbol = c.intrinsic(f"{intrinsic}.{c.suffix(base)}", register, parameters)
    arguments = ", ".join(f"{register} {operand}" for operand in operands)
    return c.value(f"call {register} {symbol}({arguments})")
