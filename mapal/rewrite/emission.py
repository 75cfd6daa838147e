"""Repeats one operation of a graph through the builder of another."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from mapal.diagnostics import CompilerBug
from mapal.ir import ops
from mapal.ir.function_builder import Destination, Fresh, FunctionBuilder
from mapal.ir.graph import Key
from mapal.ir.ops import FunctionId, ObjectId, Op
from mapal.ir.types import Array, Struct, Type

FunctionOf = Callable[[FunctionId], FunctionId]
"""The new function that stands for an old one."""


def emit(
    f: FunctionBuilder,
    op: Op,
    operands: Sequence[ObjectId],
    ty: Type,
    key: Key,
    dest: Destination,
    function_of: FunctionOf,
    *,
    late: bool = False,
) -> ObjectId:
    """Builds an operation on new operands, in slot order. `ty` is the type of its result. An
    effect always gives a fresh object: the caller hands it to the result if need be."""
    match op:
        case ops.Proj(index=index):
            return f.proj(operands[0], index, key, dest)
        case ops.Unary(code=code):
            return f.unary(code, operands[0], key, dest)
        case ops.Binary(code=code):
            return f.binary(code, operands[0], operands[1], key, dest)
        case ops.Fma(negate_product=product, negate_addend=addend):
            x, y, z = operands
            return f.fma(x, y, z, negate_product=product, negate_addend=addend, key=key, dest=dest)
        case ops.Widen():
            return f.widen(operands[0], ty, key, dest)
        case ops.Convert():
            return f.convert(operands[0], ty, key, dest)
        case ops.Output():
            return f.output(operands[0], key)
        case ops.Call(function=function):
            return f.call(function_of(function), operands[0], key, dest)
        case ops.Map() | ops.Fold() | ops.Reduce():
            return _emit_collection(f, op, operands, key, dest, function_of(op.body), late)
        case _:
            return _emit_on_arrays(f, op, operands, key, dest)


def _emit_on_arrays(
    f: FunctionBuilder, op: Op, operands: Sequence[ObjectId], key: Key, dest: Destination
) -> ObjectId:
    match op:
        case ops.Index():
            return f.index(operands[0], operands[1], key, dest)
        case ops.Update():
            return f.update(operands[0], operands[1], operands[2], key, dest)
        case ops.Zip():
            return f.zip(operands[0], operands[1], key, dest)
        case ops.Enumerate():
            return f.enumerate(operands[0], key, dest)
        case ops.Iota():
            return f.iota(operands[0], key, dest)
        case ops.Fill():
            return f.fill(operands[0], operands[1], key, dest)
        case ops.Print(newline=newline):
            return f.print(operands[0], operands[1], newline, key)
        case ops.TimeMs():
            return f.time_ms(operands[0], key)
        case _:
            raise CompilerBug(f"{op} is no operation that can be repeated by itself")


def _emit_collection(
    f: FunctionBuilder,
    op: ops.Collection,
    operands: Sequence[ObjectId],
    key: Key,
    dest: Destination,
    body: FunctionId,
    late: bool,
) -> ObjectId:
    captures = operands[: op.captures]
    match op:
        case ops.Map():
            return f.map(body, captures, operands[-1], key, dest, late=late)
        case ops.Reduce():
            return f.reduce(body, captures, operands[-1], key, dest)
        case ops.Fold(captures=0):
            return f.fold_product(body, operands[0], key, dest, late=late)
        case ops.Fold():
            return f.fold(body, captures, operands[-2], operands[-1], key, dest, late=late)


def emit_product(
    f: FunctionBuilder, parts: Sequence[ObjectId], ty: Type, key: Key, name: str | None = None
) -> ObjectId:
    """Assembles a tuple, struct or array of a type."""
    match ty:
        case Array():
            return f.pack_array(parts, key, Fresh(name))
        case Struct():
            return f.pack_struct(ty, parts, key, Fresh(name))
        case _:
            return f.pack(parts, key, Fresh(name))
