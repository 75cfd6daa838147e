"""Type variables of numeric literals and their unification (language 5.3)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TypeGuard

from mapal.ir.types import (
    F64,
    I32,
    MAXIMUM_DEPTH,
    STR,
    Array,
    Scalar,
    Struct,
    Tuple,
    Type,
    depth,
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
    """A tuple with variables in it; made by `open_tuple`. `size` counts what it is made of."""

    items: tuple[Open, ...]
    depth: int
    size: int


@dataclass(frozen=True, slots=True, eq=False)
class OpenArray:
    """An array with variables in its elements; made by `open_array`."""

    element: Open
    length: int
    depth: int
    size: int


Open = Type | Variable | OpenTuple | OpenArray | None
"""A type during inference. None stands for what is unknown because of an error elsewhere, and
for no value at all: it unifies with everything."""


_LONGEST_DESCRIPTION = 40
_WIDTH_HINT = "use two literals, or convert one of the values: `-> to_i64`"


def _literal_hint(wanted: Open) -> str:
    """How to write a literal where another type is needed."""
    if wanted == STR:
        return "a string can only be named and printed; print one part after the other"
    if not isinstance(wanted, Scalar):
        return "a number is none of that; check where the value goes"
    if wanted.is_float:
        return "write it with a point, as in `4.0`"
    return "write it without a point" if wanted.is_integer else "write `true` or `false`"


class ConflictError(Exception):
    """Two demands on one literal (L1203)."""

    def __init__(self, variable: Variable, demand: str, hint: str) -> None:
        super().__init__(demand)
        self.variable = variable
        self.demand = demand
        self.hint = hint


def open_tuple(items: tuple[Open, ...]) -> Open:
    """The tuple of some types; unknown if it nests deeper than types may, which lowering
    reports where the tuple is made. Nothing open is shared more than 64 levels deep."""
    closed = tuple(item for item in items if is_closed(item))
    if len(closed) == len(items):
        made = Tuple(closed)
        return made if made.depth <= MAXIMUM_DEPTH else None
    levels = 1 + max(map(_depth, items))
    if levels > MAXIMUM_DEPTH:
        return None
    return OpenTuple(items, levels, min(1 + sum(map(_size, items)), _LONGEST_DESCRIPTION + 1))


def open_array(inner: Open, length: int) -> Open:
    """The array of some type; unknown as `open_tuple` says."""
    if is_closed(inner):
        made = Array(inner, length)
        return made if made.depth <= MAXIMUM_DEPTH else None
    levels = 1 + _depth(inner)
    return OpenArray(inner, length, levels, 1 + _size(inner)) if levels <= MAXIMUM_DEPTH else None


def is_closed(ty: Open) -> TypeGuard[Type]:
    """Whether a type is known and has no variable in it."""
    return ty is not None and not isinstance(ty, Variable | OpenTuple | OpenArray)


def _depth(ty: Open) -> int:
    if isinstance(ty, OpenTuple | OpenArray):
        return ty.depth
    return depth(ty) if is_closed(ty) else 1


def _size(ty: Open) -> int:
    return ty.size if isinstance(ty, OpenTuple | OpenArray) else 1


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
    seen: set[tuple[int, int]] = set()
    while work:
        left, right = work.pop()
        if left is None or right is None or left is right or (id(left), id(right)) in seen:
            continue
        if isinstance(left, OpenTuple) and isinstance(right, OpenTuple):
            seen.add((id(left), id(right)))
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
        raise ConflictError(
            variable, f"a value of type `{describe(other)}` is needed here", _literal_hint(other)
        )
    assert isinstance(other, Scalar)
    if variable.settled is not None and variable.settled != other:
        raise ConflictError(
            variable,
            f"it is `{variable.settled}` in one place and `{other}` in another",
            _WIDTH_HINT,
        )
    variable.settled = other


def _join(a: Variable, b: Variable) -> None:
    if a is b:
        return
    if a.is_float != b.is_float:
        integer = b if a.is_float else a
        raise ConflictError(integer, "a float is needed here", _literal_hint(F64))
    if a.settled is not None and b.settled is not None and a.settled != b.settled:
        raise ConflictError(
            b, f"it is `{b.settled}` in one place and `{a.settled}` in another", _WIDTH_HINT
        )
    a.settled = a.settled or b.settled
    a.looked_at = a.looked_at or b.looked_at
    b.same_as = a


def look(ty: Open) -> Type | None:
    """The type as something that does not fix it sees it: open literals have their default."""
    return _Look().at(ty)


class _Look:
    """Looks at every shared part once."""

    def __init__(self) -> None:
        self._seen: dict[Open, Type | None] = {}

    def at(self, ty: Open) -> Type | None:
        match ty:
            case None:
                return None
            case Variable():
                root = find(ty)
                if root.settled is not None:
                    return root.settled
                root.looked_at = root.default
                return root.default
            case OpenTuple() | OpenArray():
                if ty not in self._seen:
                    self._seen[ty] = self._inside(ty)
                return self._seen[ty]
            case _:
                return ty

    def _inside(self, ty: OpenTuple | OpenArray) -> Type | None:
        if isinstance(ty, OpenArray):
            part = self.at(ty.element)
            return None if part is None else Array(part, ty.length)
        parts = [self.at(item) for item in ty.items]
        known = tuple(part for part in parts if part is not None)
        return Tuple(known) if len(known) == len(parts) else None


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
        case OpenTuple() | OpenArray() if ty.size > _LONGEST_DESCRIPTION:
            return "a tuple" if isinstance(ty, OpenTuple) else "an array"
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
    slot = field_slot(ty, name) if isinstance(ty, Struct) else None
    return ty.items[slot] if isinstance(ty, Struct) and slot is not None else None


def field_slot(struct: Struct, name: str) -> int | None:
    """The position of a field; None if there is none."""
    return _slots(struct).get(name)


@lru_cache(maxsize=64)
def _slots(struct: Struct) -> dict[str, int]:
    return {name: slot for slot, (name, _) in enumerate(struct.fields)}
