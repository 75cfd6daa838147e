"""What type expressions name."""

from __future__ import annotations

from dataclasses import dataclass, field

from mapal.diagnostics import Diagnostic
from mapal.ir.types import MAXIMUM_DEPTH, SCALARS, Array, Struct, Tuple, Type, depth
from mapal.lower.reports import problem
from mapal.syntax import ast

_NAMES_IN_HINT = 12

_NEAREST = {
    **dict.fromkeys(("int", "integer", "i8", "i16", "u16", "short"), "i32"),
    **dict.fromkeys(("u32", "u64", "usize", "isize", "long"), "i64"),
    **dict.fromkeys(("byte", "char", "uint8"), "u8"),
    **dict.fromkeys(("float", "half", "f16"), "f32"),
    **dict.fromkeys(("double", "real", "number"), "f64"),
    **dict.fromkeys(("boolean", "Bool"), "bool"),
}
"""The type to use for a name that other languages have."""


@dataclass(slots=True)
class TypeNames:
    """The declared types. `broken` are those whose declaration was reported: nobody knows what
    they are, and nothing more is said about them."""

    structs: dict[str, Struct] = field(default_factory=dict)
    broken: set[str] = field(default_factory=set)


class UnknownTypeError(Exception):
    """A type expression that names no type."""

    def __init__(self, diagnostic: Diagnostic) -> None:
        super().__init__(diagnostic.message)
        self.diagnostic = diagnostic


def resolve_type(expression: ast.TypeExpression, names: TypeNames) -> Type | None:
    """The type that an expression names; None if a broken type is part of it. Raises
    `UnknownTypeError`: L1102, L1208, L1209."""
    ty = _resolve(expression, names)
    if ty is not None and depth(ty) > MAXIMUM_DEPTH:
        raise UnknownTypeError(
            problem(
                "L1209",
                f"this type nests {depth(ty)} levels deep",
                expression.tokens,
                f"types nest at most {MAXIMUM_DEPTH} levels; use longer arrays in place of nested"
                " ones",
            )
        )
    return ty


def _resolve(expression: ast.TypeExpression, names: TypeNames) -> Type | None:
    match expression:
        case ast.NamedType():
            return _named(expression, names)
        case ast.TupleType(items=items):
            parts = [_resolve(item, names) for item in items]
            known = tuple(part for part in parts if part is not None)
            return Tuple(known) if len(known) == len(parts) else None
        case ast.ArrayType(element=element, length=length, tokens=tokens):
            inner = _resolve(element, names)
            if length == 0:
                raise UnknownTypeError(
                    problem(
                        "L1208",
                        "an array type has at least one element",
                        tokens,
                        "give it a length of 1 or more",
                    )
                )
            return None if inner is None else Array(inner, length)


def _named(expression: ast.NamedType, names: TypeNames) -> Type | None:
    name = expression.name
    if name in SCALARS:
        return SCALARS[name]
    if name in names.structs:
        return names.structs[name]
    if name in names.broken:
        return None
    raise UnknownTypeError(
        problem("L1102", f"there is no type `{name}`", expression.tokens, type_hint(name, names))
    )


def type_hint(name: str, names: TypeNames) -> str:
    """What to write for a name that is no type."""
    if name.lower() in ("str", "string"):
        return "a string can only be named and printed: no parameter or field holds one"
    if name in _NEAREST:
        return f"the nearest type is `{_NEAREST[name]}`"
    known = [*SCALARS, *names.structs]
    more = ", …" if len(known) > _NAMES_IN_HINT else ""
    return f"known types: {', '.join(known[:_NAMES_IN_HINT])}{more}"


def mentioned(expression: ast.TypeExpression) -> list[str]:
    """The names in a type expression."""
    match expression:
        case ast.NamedType(name=name):
            return [name]
        case ast.TupleType(items=items):
            return [name for item in items for name in mentioned(item)]
        case ast.ArrayType(element=element):
            return mentioned(element)
