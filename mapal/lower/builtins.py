"""Lowering of builtin stages (language 6.5)."""

from __future__ import annotations

from mapal.ir import ops
from mapal.ir.function_builder import LONGEST_RANGE
from mapal.ir.ops import BinaryCode, UnaryCode
from mapal.ir.types import (
    F64,
    I32,
    IO,
    SCALARS,
    WIDENINGS,
    Array,
    Scalar,
    Tuple,
    is_float,
    is_integer,
    is_numeric,
    is_printable,
)
from mapal.lower.context import Context, at
from mapal.lower.draft import DraftValue
from mapal.lower.expressions import reject_string
from mapal.lower.reports import stop
from mapal.syntax import ast

_UNARY = {
    "sqrt": UnaryCode.SQRT,
    "abs": UnaryCode.ABS,
    "floor": UnaryCode.FLOOR,
    "ceil": UnaryCode.CEIL,
    "round": UnaryCode.ROUND,
    "trunc": UnaryCode.TRUNC,
}


def apply(context: Context, name: str, tokens: ast.Tokens, wire: DraftValue) -> DraftValue | None:
    """The value of a builtin stage on a wire; None for the prints."""
    match name:
        case "print" | "println":
            _print(context, name, tokens, wire)
            return None
        case "zip":
            return _zip(context, tokens, wire)
        case "enumerate":
            return _enumerate(context, tokens, wire)
        case "iota":
            return _iota(context, tokens, wire)
        case "fill":
            return _fill(context, tokens, wire)
        case "widen_i64" | "widen_f32" | "widen_f64":
            return _widen(context, name, tokens, wire)
        case "min" | "max":
            return _extremum(context, name, tokens, wire)
        case _ if name in _UNARY:
            return _unary(context, name, tokens, wire)
        case _:
            return _convert(context, name, tokens, wire)


def read_clock(context: Context, tokens: ast.Tokens) -> DraftValue:
    """`() -> time`."""
    key = at(tokens[0])
    token = context.begin_effect("time", tokens)
    read = context.operate(ops.TimeMs(), [token], Tuple((IO, F64)), key)
    context.token = context.project(read, 0, key)
    return context.project(read, 1, key)


def _print(context: Context, name: str, tokens: ast.Tokens, wire: DraftValue) -> None:
    if not is_printable(wire.ty):
        raise stop(
            "L1207",
            f"a value of type `{wire.ty}` cannot be printed",
            tokens,
            "print its elements or components",
        )
    token = context.begin_effect(name, tokens)
    operation = ops.Print(name == "println")
    context.token = context.operate(operation, [token, wire], IO, at(tokens[0]))


def _zip(context: Context, tokens: ast.Tokens, wire: DraftValue) -> DraftValue:
    if not isinstance(wire.ty, Tuple) or len(wire.ty.items) != 2:
        raise stop(
            "L1606",
            f"`zip` takes a pair of arrays, not `{wire.ty}`",
            tokens,
            "write `(a, b) -> zip`",
        )
    left, right = wire.ty.items
    if not isinstance(left, Array) or not isinstance(right, Array):
        raise stop(
            "L1607",
            f"`zip` takes two arrays, not `{wire.ty}`",
            tokens,
            "repeat a single value: `(value, 10) -> fill`",
        )
    if left.length != right.length:
        raise stop(
            "L1608",
            f"these arrays have {left.length} and {right.length} elements",
            tokens,
            "`zip` pairs arrays of one length",
        )
    key = at(tokens[0])
    parts = [context.component(wire, 0, key), context.component(wire, 1, key)]
    result = Array(Tuple((left.element, right.element)), left.length)
    return context.operate(ops.Zip(), parts, result, key)


def _enumerate(context: Context, tokens: ast.Tokens, wire: DraftValue) -> DraftValue:
    if not isinstance(wire.ty, Array):
        raise stop(
            "L1609",
            f"`enumerate` takes an array, not `{wire.ty}`",
            tokens,
            "the indices alone are `10 -> iota`",
        )
    if wire.ty.length > LONGEST_RANGE:
        raise stop(
            "L1610",
            f"`enumerate` counts at most {LONGEST_RANGE} elements",
            tokens,
            "its indices are `i32`; use an array of arrays",
        )
    result = Array(Tuple((I32, wire.ty.element)), wire.ty.length)
    return context.operate(ops.Enumerate(), [wire], result, at(tokens[0]))


def _iota(context: Context, tokens: ast.Tokens, wire: DraftValue) -> DraftValue:
    count = wire.literal
    if wire.ty != I32 or not isinstance(count, int) or count < 1:
        raise stop(
            "L1612",
            "`iota` takes a positive integer constant",
            tokens,
            "write a literal, or a name bound to one: `10 -> iota`",
        )
    return context.operate(ops.Iota(), [wire], Array(I32, count), at(tokens[0]))


def _fill(context: Context, tokens: ast.Tokens, wire: DraftValue) -> DraftValue:
    hint = "write `(value, 10) -> fill`"
    if not isinstance(wire.ty, Tuple) or len(wire.ty.items) != 2:
        raise stop("L1613", "`fill` takes a value and a positive integer constant", tokens, hint)
    key = at(tokens[0])
    value, count = context.component(wire, 0, key), context.component(wire, 1, key)
    if not is_integer(count.ty) or not isinstance(count.literal, int) or count.literal < 1:
        raise stop("L1613", "`fill` takes a value and a positive integer constant", tokens, hint)
    reject_string(value, tokens)
    return context.operate(ops.Fill(), [value, count], Array(value.ty, count.literal), key)


def _widen(context: Context, name: str, tokens: ast.Tokens, wire: DraftValue) -> DraftValue:
    target = SCALARS[name.removeprefix("widen_")]
    if (wire.ty, target) not in WIDENINGS:
        raise stop(
            "L1614",
            f"`{name}` does not take `{wire.ty}`",
            tokens,
            f"`to_{target}` converts any number",
        )
    return context.operate(ops.Widen(), [wire], target, at(tokens[0]))


def _convert(context: Context, name: str, tokens: ast.Tokens, wire: DraftValue) -> DraftValue:
    target = SCALARS[name.removeprefix("to_")]
    if not is_numeric(wire.ty):
        raise stop(
            "L1616",
            f"`{name}` converts numbers, not `{wire.ty}`",
            tokens,
            "select a number: `b -> { -true-> 1; -false-> 0; }`",
        )
    if wire.ty == target:
        return wire
    assert isinstance(wire.ty, Scalar)
    operation = ops.Widen() if (wire.ty, target) in WIDENINGS else ops.Convert()
    return context.operate(operation, [wire], target, at(tokens[0]))


def _unary(context: Context, name: str, tokens: ast.Tokens, wire: DraftValue) -> DraftValue:
    fits = is_numeric(wire.ty) if name == "abs" else is_float(wire.ty)
    if not fits:
        raise stop(
            "L1617",
            f"`{name}` does not take `{wire.ty}`",
            tokens,
            "convert it first: `-> to_f64`"
            if is_numeric(wire.ty)
            else "select a number: `b -> { -true-> 1.0; -false-> 0.0; }`",
        )
    return context.operate(ops.Unary(_UNARY[name]), [wire], wire.ty, at(tokens[0]))


def _extremum(context: Context, name: str, tokens: ast.Tokens, wire: DraftValue) -> DraftValue:
    items = wire.ty.items if isinstance(wire.ty, Tuple) else ()
    if len(items) != 2 or items[0] != items[1] or not is_numeric(items[0]):
        raise stop(
            "L1618",
            f"`{name}` takes a pair of numbers of one type, not `{wire.ty}`",
            tokens,
            f"write `(a, b) -> {name}`",
        )
    key = at(tokens[0])
    parts = [context.component(wire, 0, key), context.component(wire, 1, key)]
    code = BinaryCode.MIN if name == "min" else BinaryCode.MAX
    return context.operate(ops.Binary(code), parts, items[0], key)
