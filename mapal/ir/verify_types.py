"""Verifier, second group: types and constants."""

from __future__ import annotations

import math
from array import array
from collections.abc import Iterator

from mapal.ir.graph import Graph, Object, ObjectKind
from mapal.ir.types import Array, Scalar, Str, Struct, Tuple, Type, depth
from mapal.ir.violation import Violation

_WIDTHS = {"i32": 32, "i64": 64, "u8": 8, "f32": 32, "f64": 64, "bool": 1}
_INTEGER_RANGES = {"i32": (-(2**31), 2**31 - 1), "i64": (-(2**63), 2**63 - 1), "u8": (0, 255)}
_DEEPEST = 64
_RESERVED = (*_WIDTHS, "str", "io")


def type_violations(graph: Graph) -> Iterator[Violation]:
    seen: set[Type] = set()
    structs: dict[str, Type] = {}
    for obj in graph.objects:
        if depth(obj.ty) > _DEEPEST:
            message = f"the type of object {obj.id} nests {depth(obj.ty)} deep"
            yield Violation("TyTooDeep", message, (obj.id,))
        work = [obj.ty]
        while work:
            ty = work.pop()
            if ty in seen:
                continue
            seen.add(ty)
            problem = _malformation(ty)
            if problem is not None:
                yield Violation("NonCoreType", problem, (obj.id,))
            if isinstance(ty, Struct) and structs.setdefault(ty.name, ty) != ty:
                message = f"two structs are named {ty.name}"
                yield Violation("StructNameConflict", message, (obj.id,))
            work.extend(_parts(ty))
        yield from _constant_violations(obj)


def _parts(ty: Type) -> tuple[Type, ...]:
    match ty:
        case Tuple(items=items):
            return items
        case Struct(fields=fields):
            return tuple(part for _, part in fields)
        case Array(element=element):
            return (element,)
        case _:
            return ()


def _malformation(ty: Type) -> str | None:
    match ty:
        case Scalar(name=name, bits=bits) if _WIDTHS.get(name) != bits:
            return f"there is no scalar {name} of {bits} bits"
        case Tuple(items=items) if len(items) < 2:
            return f"a tuple has {len(items)} components"
        case Struct(fields=()):
            return f"struct {ty.name} has no field"
        case Struct(name=name, fields=fields):
            words = (name, *(field for field, _ in fields))
            if name in _RESERVED or not all(w.isascii() and w.isidentifier() for w in words):
                return f"a struct has the name {name!r} or fields that are no names"
        case Array(length=length) if length < 1 or length >= 2**64:
            return f"an array has length {length}"
        case _:
            pass
    return None


def _constant_violations(obj: Object) -> Iterator[Violation]:
    if obj.kind is not ObjectKind.CONSTANT:
        if obj.value is not None:
            message = f"object {obj.id} has a value and is no constant"
            yield Violation("BadConstant", message, (obj.id,))
    elif not _holds(obj):
        message = f"the constant {obj.id} of type {obj.ty} has the value {obj.value!r}"
        yield Violation("BadConstant", message, (obj.id,))


def _holds(obj: Object) -> bool:
    value = obj.value
    if isinstance(obj.ty, Str):
        return isinstance(value, str) and _is_encodable(value)
    if not isinstance(obj.ty, Scalar):
        return False
    name = obj.ty.name
    if name == "bool":
        return value is True or value is False
    if name in _INTEGER_RANGES:
        low, high = _INTEGER_RANGES[name]
        return type(value) is int and low <= value <= high
    if type(value) is not float:
        return False
    if math.isnan(value):
        return True
    return name == "f64" or array("f", [value])[0] == value


def _is_encodable(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
