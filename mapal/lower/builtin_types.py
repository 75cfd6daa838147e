"""What builtin stages and collection operators do to types during literal typing.

Lengths of arrays do not matter here: two known types are never unified, and the lengths are
checked when the graph is built.
"""

from __future__ import annotations

from collections.abc import Callable

from mapal.ir.types import F32, F64, I32, I64, SCALARS, Array, Tuple
from mapal.lower.unify import Open, components, element, is_number, look, open_array

_WIDENED = {"widen_i64": I64, "widen_f32": F32, "widen_f64": F64}
_ANY_LENGTH = 1


def builtin_type(name: str, wire: Open, unify: Callable[[Open, Open], None]) -> Open:
    """The type that a builtin stage yields."""
    parts = components(wire) or ()
    match name:
        case "print" | "println":
            return None
        case "time":
            return F64
        case "zip":
            return _pairs(*parts) if len(parts) == 2 else None
        case "enumerate":
            seen = look(element(wire))
            return None if seen is None else Array(Tuple((I32, seen)), _ANY_LENGTH)
        case "iota":
            return Array(I32, _ANY_LENGTH)
        case "fill":
            return open_array(parts[0], _ANY_LENGTH) if parts else None
        case "widen_i64" | "widen_f32" | "widen_f64":
            return _WIDENED[name]
        case "to_i32" | "to_i64" | "to_u8" | "to_f32" | "to_f64":
            look(wire)
            return SCALARS[name.removeprefix("to_")]
        case "min" | "max":
            if len(parts) == 2 and is_number(parts[0]) and is_number(parts[1]):
                unify(parts[0], parts[1])
            return parts[0] if parts else None
        case _:
            return wire


def _pairs(left: Open, right: Open) -> Open:
    first, second = look(element(left)), look(element(right))
    if first is None or second is None:
        return None
    return Array(Tuple((first, second)), _ANY_LENGTH)


def body_parameters(operator: str, wire: Open) -> tuple[Open, ...]:
    """The types of the parameters of a collection body."""
    match operator:
        case "map":
            return (look(element(wire)),)
        case "fold":
            parts = components(wire) or (None, None)
            return (parts[0], element(parts[-1]))
        case _:
            seen = look(element(wire))
            return (seen, seen)


def mapped(tail: Open) -> Open:
    """What a `map` yields whose body ends in a value of some type."""
    seen = look(tail)
    return None if seen is None else Array(seen, _ANY_LENGTH)
