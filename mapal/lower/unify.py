"""Type variables of numeric literals and their unification (language 5.3)."""

from __future__ import annotations

from dataclasses import dataclass

from mapal.ir.types import (
    F64,
    I32,
    Array,
    Scalar,
    Struct,
    Tuple,
    Type,
    is_float,
    is_integer,
)
from mapal.syntax import ast


@dataclass(eq=False, slots=True)
class Variable:
    """The open type of one literal. `looked_at` is the default that something has seen."""

    is_float: bool
    tokens: ast.Tokens
    same_as: Variable | None = None
    settled: Scalar | None = None
    looked_at: Scalar | None = None

    @property
    def default(self) -> Scalar:
        return F64 if self.is_float else I32


@dataclass(frozen=True, slots=True, eq=False)
class OpenTuple:
    """A tuple literal whose components may hold variables."""

    items: tuple[Open, ...]


@dataclass(frozen=True, slots=True, eq=False)
class OpenArray:
    """An array literal whose elements may hold variables."""

    element: Open
    length: int


Open = Type | Variable | OpenTuple | OpenArray | None
"""A type during inference. None stands for what is unknown because of an error elsewhere, and
for no value at all: it unifies with everything."""


class ConflictError(Exception):
    """Two demands on one literal (L1203)."""

    def __init__(self, variable: Variable, demand: str) -> None:
        super().__init__(demand)
        self.variable = variable
        self.demand = demand


def find(variable: Variable) -> Variable:
    """The representative of a variable's class, with path halving."""
    while variable.same_as is not None:
        if variable.same_as.same_as is not None:
            variable.same_as = variable.same_as.same_as
        variable = variable.same_as
    return variable


def unify(a: Open, b: Open) -> None:
    """Makes two types equal where a literal is open. Raises `ConflictError`."""
    work: list[tuple[Open, Open]] = [(a, b)]
    while work:
        left, right = work.pop()
        if left is None or right is None:
            continue
        if isinstance(left, Variable):
            _unify_variable(find(left), right)
        elif isinstance(right, Variable):
            _unify_variable(find(right), left)
        else:
            work.extend(reversed(_component_pairs(left, right)))


def _component_pairs(a: Open, b: Open) -> list[tuple[Open, Open]]:
    left, right = components(a), components(b)
    if left is not None and right is not None and len(left) == len(right):
        if isinstance(a, OpenTuple) or isinstance(b, OpenTuple):
            return list(zip(left, right, strict=True))
        return []
    one, other = element(a), element(b)
    if (
        one is not None
        and other is not None
        and (isinstance(a, OpenArray) or isinstance(b, OpenArray))
    ):
        return [(one, other)]
    return []


def components(ty: Open) -> tuple[Open, ...] | None:
    """The components of a tuple; None for anything else (structs are never open)."""
    return ty.items if isinstance(ty, Tuple | OpenTuple) else None


def element(ty: Open) -> Open:
    """The element type of an array; None for anything else."""
    return ty.element if isinstance(ty, Array | OpenArray) else None


def _unify_variable(variable: Variable, other: Open) -> None:
    if isinstance(other, Variable):
        _join(variable, find(other))
        return
    fits = not isinstance(other, OpenTuple | OpenArray) and other is not None
    if fits:
        assert not isinstance(other, OpenTuple | OpenArray)
        assert other is not None
        fits = is_float(other) if variable.is_float else is_integer(other)
    if not fits:
        raise ConflictError(variable, f"a value of type {describe(other)} is needed here")
    assert isinstance(other, Scalar)
    if variable.settled is not None and variable.settled != other:
        raise ConflictError(
            variable, f"it is {variable.settled} in one place and {other} in another"
        )
    variable.settled = other


def _join(a: Variable, b: Variable) -> None:
    if a is b:
        return
    if a.is_float != b.is_float:
        integer = b if a.is_float else a
        raise ConflictError(integer, "a float is needed here")
    if a.settled is not None and b.settled is not None and a.settled != b.settled:
        raise ConflictError(b, f"it is {b.settled} in one place and {a.settled} in another")
    a.settled = a.settled or b.settled
    a.looked_at = a.looked_at or b.looked_at
    b.same_as = a


def look(ty: Open) -> Type | None:
    """The type as something that does not fix it sees it: open literals have their default."""
    match ty:
        case None:
            return None
        case Variable():
            root = find(ty)
            if root.settled is not None:
                return root.settled
            root.looked_at = root.default
            return root.default
        case OpenTuple(items=items):
            seen = [look(item) for item in items]
            known = [item for item in seen if item is not None]
            return Tuple(tuple(known)) if len(known) == len(seen) else None
        case OpenArray(element=inner, length=length):
            part = look(inner)
            return None if part is None else Array(part, length)
        case _:
            return ty


def describe(ty: Open) -> str:
    """A type for messages; an open literal is named by its kind."""
    match ty:
        case None:
            return "unknown"
        case Variable():
            root = find(ty)
            if root.settled is not None:
                return str(root.settled)
            return "float" if root.is_float else "integer"
        case OpenTuple(items=items):
            return "(" + ", ".join(map(describe, items)) + ")"
        case OpenArray(element=inner, length=length):
            return f"[{describe(inner)}; {length}]"
        case _:
            return str(ty)


def is_number(ty: Open) -> bool:
    """Whether a type is a number, open or not."""
    return isinstance(ty, Variable) or (isinstance(ty, Scalar) and ty.is_numeric)


def field_type(ty: Open, name: str) -> Open:
    """The type of a struct's field; None if there is none."""
    if isinstance(ty, Struct):
        for field, field_ty in ty.fields:
            if field == name:
                return field_ty
    return None
