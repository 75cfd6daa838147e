"""What the pictures of a graph write on nodes, edges and frames."""

from __future__ import annotations

import math

from mapal.ir import ops
from mapal.ir.formatting import shortest_digits
from mapal.ir.graph import Graph, Object, ObjectKind, RegionKind
from mapal.ir.ops import FunctionId, Op
from mapal.ir.types import F32, F64, Scalar

LONGEST_TEXT = 20
"""Characters of a string constant that are shown."""

REGION_TITLES = {
    RegionKind.BODY: "body",
    RegionKind.ARM_TRUE: "true arm",
    RegionKind.ARM_FALSE: "false arm",
    RegionKind.LOOP_BODY: "loop",
    RegionKind.JUMP: "jump",
    RegionKind.EXIT: "exit",
}


def object_label(obj: Object) -> str:
    """Value, role or name, and type."""
    match obj.kind:
        case ObjectKind.CONSTANT:
            return f"{_literal(obj)}: {obj.ty}"
        case ObjectKind.RETURN:
            return f"ret: {obj.ty}"
        case _:
            named = f"{obj.ty}" if obj.name is None else f"{obj.name}: {obj.ty}"
            return f"⟲ {named}" if obj.kind is ObjectKind.LOOP_MERGE else named


def op_label(graph: Graph, op: Op, verbose: bool) -> str:
    """The operation and its payload; `verbose` adds the name of a callee or body."""
    match op:
        case ops.Pair(slot=slot, arity=arity):
            return f"Pair {slot}/{arity}"
        case ops.Proj(index=index):
            return f"Proj {index}"
        case ops.Binary(code=code):
            return code.value
        case ops.Unary(code=code):
            return code.value
        case ops.Fma(negate_product=product, negate_addend=addend):
            return f"Fma {'-' if product else '+'} {'-' if addend else '+'}"
        case ops.Call(function=function):
            return "Call" + _callee(graph, function, verbose)
        case ops.Map(body=body, captures=count):
            return "Map" + _callee(graph, body, verbose) + _captures(count)
        case ops.Fold(body=body, captures=count):
            return "Fold" + _callee(graph, body, verbose) + _captures(count)
        case ops.Reduce(body=body, captures=count):
            return "Reduce" + _callee(graph, body, verbose) + _captures(count)
        case ops.Print(newline=newline):
            return "Println" if newline else "Print"
        case ops.LoopBack():
            return "LoopBack ↩"
        case _:
            return type(op).__name__


def _callee(graph: Graph, function: FunctionId, verbose: bool) -> str:
    return f" {graph.functions[function].name}" if verbose else ""


def _captures(count: int) -> str:
    return f" (+{count} caps)" if count else ""


def _literal(obj: Object) -> str:
    match obj.value:
        case bool():
            return "true" if obj.value else "false"
        case float():
            return float_text(obj.value, obj.ty if isinstance(obj.ty, Scalar) else F64)
        case str():
            text = obj.value
            shown = text if len(text) <= LONGEST_TEXT else text[:LONGEST_TEXT] + "…"
            return '"' + "".join(map(_visible, shown)) + '"'
        case _:
            return str(obj.value)


def _visible(character: str) -> str:
    return character if character.isprintable() else repr(character)[1:-1]


def float_text(value: float, ty: Scalar) -> str:
    """The shortest decimal that reads back at the type's precision, with a point or an
    exponent: from 1e16 up, and below 1e-4, an exponent."""
    if math.isnan(value) or math.isinf(value):
        return str(value)
    if ty == F32 and value:
        digits, exponent = shortest_digits(abs(value), F32)
        value = math.copysign(float(f"{digits}e{exponent}"), value)
    mantissa, e, exponent_text = repr(value).partition("e")
    return f"{mantissa}e{int(exponent_text)}" if e else mantissa
