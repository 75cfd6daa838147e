"""The JSON of case files as values of the engine; whatever does not fit is a `MalformedError`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields
from typing import Any, TypeVar

from mapal.affine.access import Access
from mapal.affine.equation import Terms, Var
from mapal.affine.index import (
    Affine,
    AxisIndex,
    Concat,
    Dynamic,
    Fixed,
    Interval,
    Iter,
    SubAxis,
    Sym,
)
from mapal.affine.paths import Arg, Part, PathComponent, Stmt
from mapal.affine.progression import AP

T = TypeVar("T")


class MalformedError(Exception):
    """What a case file has and what should be there."""


def _expected(what: str, value: object) -> MalformedError:
    return MalformedError(f"expected {what}, found {value!r}")


def integer(value: object) -> int:
    if not isinstance(value, int) or isinstance(value, bool):
        raise _expected("an integer", value)
    return value


def boolean(value: object) -> bool:
    if not isinstance(value, bool):
        raise _expected("true or false", value)
    return value


def symbol(value: object) -> Sym:
    if not isinstance(value, str):
        raise _expected("a symbol", value)
    return value


def record(value: object) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise _expected("an object", value)
    return value


def list_of(element: Callable[[object], T]) -> Callable[[object], tuple[T, ...]]:
    """A decoder of lists, from one of elements."""

    def decode(value: object) -> tuple[T, ...]:
        if not isinstance(value, list):
            raise _expected("a list", value)
        return tuple(element(each) for each in value)

    return decode


def items(value: object, count: int, what: str) -> list[Any]:
    """A list of so many elements."""
    if not isinstance(value, list) or len(value) != count:
        raise _expected(what, value)
    return value


def interval(value: object) -> Interval:
    low, high = items(value, 2, "a range [lower, upper]")
    return integer(low), integer(high)


def ranges(value: object) -> dict[Sym, Interval]:
    return {name: interval(each) for name, each in record(value).items()}


def pair(value: object) -> tuple[Sym, Sym]:
    one, other = items(value, 2, "a pair of symbols")
    return symbol(one), symbol(other)


def sized(value: object) -> tuple[Sym, int]:
    name, width = items(value, 2, "a symbol and its width")
    return symbol(name), integer(width)


def sized_once(value: object) -> tuple[tuple[Sym, int], ...]:
    """Symbols with widths, no symbol twice."""
    found = list_of(sized)(value)
    if len(dict(found)) != len(found):
        raise _expected("each symbol once", value)
    return found


def weighted(value: object) -> tuple[int, Sym]:
    coefficient, name = items(value, 2, "a coefficient and a symbol")
    return integer(coefficient), symbol(name)


def index(value: object) -> AxisIndex:
    """An axis index: an integer, a symbol, or an object."""
    if isinstance(value, str):
        return Iter(value)
    if not isinstance(value, dict):
        return Fixed(integer(value))
    if "affine" in value and value.keys() <= {"affine", "offset"}:
        return Affine(list_of(weighted)(value["affine"]), integer(value.get("offset", 0)))
    kind, rest = value.get("opaque"), value.keys() - {"opaque"}
    if kind == "sub_axis" and not rest:
        return SubAxis()
    if kind == "concat" and rest == {"symbols"}:
        return Concat(list_of(symbol)(value["symbols"]))
    if kind == "dynamic" and rest <= {"extent"}:
        extent = value.get("extent")
        return Dynamic(None if extent is None else integer(extent))
    raise _expected("an axis index", value)


vector = list_of(index)


def side(value: object) -> str:
    if value not in ("L", "R"):
        raise _expected('a side, "L" or "R"', value)
    return str(value)


def variable(value: object) -> Var:
    where, name = items(value, 2, "a variable [side, symbol]")
    if where not in ("L", "R", "S"):
        raise _expected('a side, "L", "R" or "S"', where)
    return Var(where, symbol(name))


def terms(value: object) -> Terms:
    """Terms over variables, coefficients of one variable summed."""
    found: Terms = {}
    for each in list_of(lambda e: items(e, 2, "a coefficient and a variable"))(value):
        name = variable(each[1])
        found[name] = found.get(name, 0) + integer(each[0])
    return {name: coefficient for name, coefficient in found.items() if coefficient}


def progression_term(value: object) -> tuple[int, Interval]:
    coefficient, bounds = items(value, 2, "a coefficient and a range")
    return integer(coefficient), interval(bounds)


def progression(value: object) -> AP:
    found = record(value)
    if found.keys() != {"lo", "hi", "step"}:
        raise _expected("a progression with lo, hi and step", value)
    return AP(integer(found["lo"]), integer(found["hi"]), integer(found["step"]))


def path_component(value: object) -> PathComponent:
    if isinstance(value, str) and value.upper() in Part.__members__ and value.islower():
        return Part[value.upper()]
    if isinstance(value, list) and len(value) == 2 and value[0] in ("stmt", "arg"):
        return (Stmt if value[0] == "stmt" else Arg)(integer(value[1]))
    raise _expected("a path component", value)


path = list_of(path_component)


def loop(value: object) -> tuple[Sym, int, int]:
    name, low, high = items(value, 3, "a loop [symbol, lower, upper]")
    return symbol(name), integer(low), integer(high)


def _optional_vector(value: object) -> tuple[AxisIndex, ...] | None:
    return None if value is None else vector(value)


_ACCESS: dict[str, Callable[[object], Any]] = {
    "array": lambda value: value,
    "map": vector,
    "write": boolean,
    "dynamic": boolean,
    "whole": boolean,
    "vec_len": integer,
    "guarded": boolean,
    "rmw": boolean,
    "val_syms": list_of(symbol),
    "stmt_write": _optional_vector,
    "loops": list_of(loop),
    "path": path,
}
assert _ACCESS.keys() == {field.name for field in fields(Access)}


def access(value: object) -> Access:
    """An access record; absent fields are false, zero or empty."""
    found: dict[str, Any] = {}
    for name, each in record(value).items():
        if name not in _ACCESS:
            raise MalformedError(f"an access has no field {name!r}")
        try:
            found[name] = _ACCESS[name](each)
        except MalformedError as fault:
            raise MalformedError(f"{name}: {fault}") from None
    return Access(**found)
