"""The types that generated source programs use, and the state of their names."""

from __future__ import annotations

from dataclasses import dataclass, field

SCALARS = ("i32", "i64", "u8", "f32", "f64", "bool")
NUMBERS = SCALARS[:5]
FLOATS = ("f32", "f64")
INTEGERS = ("i32", "i64", "u8")


@dataclass(frozen=True)
class Shape:
    """A type as text with its parts: `kind` is scalar, tuple, array or struct."""

    text: str
    kind: str = "scalar"
    items: tuple[Shape, ...] = ()
    names: tuple[str, ...] = ()
    length: int = 0

    def __str__(self) -> str:
        return self.text


def scalar(name: str) -> Shape:
    return Shape(name)


def tuple_of(*items: Shape) -> Shape:
    return Shape(f"({', '.join(map(str, items))})", "tuple", items)


def array_of(element: Shape, length: int) -> Shape:
    return Shape(f"[{element}; {length}]", "array", (element,), (), length)


def struct_of(name: str, fields: dict[str, Shape]) -> Shape:
    return Shape(name, "struct", tuple(fields.values()), tuple(fields))


@dataclass(eq=False)
class Local:
    """A name in scope. `loop_depth` is the number of loops around its declaration."""

    name: str
    shape: Shape
    mutable: bool
    loop_depth: int
    scope_depth: int
    alive: bool = True


@dataclass
class FunctionShape:
    """What a call needs to know."""

    name: str
    parameters: tuple[Shape, ...]
    result: Shape | None
    effectful: bool
    total: bool
    names: tuple[str, ...] = field(default=())
