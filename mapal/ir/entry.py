"""The ports of a program: its entry's inputs and outputs as `.npy` arrays see them.

A scalar has shape `()`; an array adds one axis per level; an array of tuples or structs with
k equal scalar components has a last axis of length k. A result that is a tuple gives one
output per component, named `result.0`, `result.1`, ….
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from mapal.diagnostics import UserError
from mapal.ir.graph import Graph
from mapal.ir.types import Array, Io, Scalar, Struct, Tuple, Type, Unit


@dataclass(frozen=True, slots=True)
class Port:
    """One input or output. `ty` is the Mapal type, `scalar` the type of its numbers."""

    name: str
    ty: Type
    scalar: Scalar
    shape: tuple[int, ...]

    @property
    def count(self) -> int:
        """Number of scalars."""
        return math.prod(self.shape)


@dataclass(frozen=True, slots=True)
class Ports:
    """`result_is_tuple` tells whether the outputs are components of one tuple."""

    inputs: tuple[Port, ...]
    outputs: tuple[Port, ...]
    result_is_tuple: bool


def npy_form(ty: Type) -> tuple[Scalar, tuple[int, ...]] | None:
    """Scalar type and shape of a value as a `.npy` array; None if it has no such form."""
    shape: list[int] = []
    while isinstance(ty, Array):
        shape.append(ty.length)
        ty = ty.element
    if isinstance(ty, Scalar):
        return ty, tuple(shape)
    if shape and isinstance(ty, Tuple | Struct):
        first = ty.items[0]
        if isinstance(first, Scalar) and all(item == first for item in ty.items):
            return first, (*shape, len(ty.items))
    return None


def result_forms(ty: Type) -> tuple[tuple[str, Type], ...] | None:
    """Names and types of the outputs of a result type; None if it has no `.npy` form."""
    if isinstance(ty, Unit):
        return ()
    if isinstance(ty, Tuple):
        parts = tuple((f"result.{slot}", item) for slot, item in enumerate(ty.items))
    else:
        parts = (("result", ty),)
    return parts if all(npy_form(part) is not None for _, part in parts) else None


def without_token(ty: Type) -> Type:
    """What is left of an entry's input or output when the token is taken away."""
    if isinstance(ty, Io):
        return Unit()
    if isinstance(ty, Tuple) and isinstance(ty.items[0], Io):
        return ty.items[1]
    return ty


def entry_ports(graph: Graph) -> Ports:
    """The ports of the entry function. Lowering admits only types with a `.npy` form; for an
    entry without one, which text edited by hand may have, raises `UserError`."""
    entry = graph.functions[graph.entry]
    taken = without_token(graph.ty(entry.input))
    given = without_token(graph.ty(entry.output))
    names = entry.parameters
    if len(names) > 1 and isinstance(taken, Tuple):
        parameter_types = taken.items
    else:
        parameter_types = (taken,) if names else ()
    inputs = tuple(_port(name, ty) for name, ty in zip(names, parameter_types, strict=True))
    outputs = result_forms(given)
    if outputs is None:
        raise UserError(f"the result of the entry, {given}, has no .npy form")
    return Ports(inputs, tuple(_port(name, ty) for name, ty in outputs), isinstance(given, Tuple))


def _port(name: str, ty: Type) -> Port:
    form = npy_form(ty)
    if form is None:
        raise UserError(f"{name} of the entry, {ty}, has no .npy form")
    return Port(name, ty, *form)
