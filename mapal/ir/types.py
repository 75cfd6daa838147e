"""The types of values in a graph.

Types are immutable values compared by structure; a struct's name and fields are part of it.
Depth, hash and the answers that every layer asks for are computed once, from the components,
when a type is made: a struct that names another twice, and so on for many levels, has an
exponential expansion that must never be walked.
"""

from __future__ import annotations

from dataclasses import dataclass, field

MAXIMUM_DEPTH = 64
"""Types nest at most this deep; a scalar has depth 1."""

MAXIMUM_SLOTS = 2**32 - 1
"""A product with more components cannot be assembled slot by slot."""


@dataclass(frozen=True, slots=True)
class Scalar:
    """A number or `bool`. `bits` is its width in a register; a `bool` is stored in a byte."""

    name: str
    bits: int

    @property
    def is_float(self) -> bool:
        return self.name in ("f32", "f64")

    @property
    def is_integer(self) -> bool:
        return self.name in ("i32", "i64", "u8")

    @property
    def is_numeric(self) -> bool:
        return self.name != "bool"

    @property
    def is_signed(self) -> bool:
        return self.name != "u8" and self.name != "bool"

    @property
    def bytes(self) -> int:
        """Size in memory."""
        return max(1, self.bits // 8)

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True, slots=True)
class Unit:
    """The type with one value: the input of a function without parameters."""

    def __str__(self) -> str:
        return "()"


@dataclass(frozen=True, slots=True)
class Str:
    """A string literal; it may only be printed."""

    def __str__(self) -> str:
        return "str"


@dataclass(frozen=True, slots=True)
class Io:
    """The world token, which orders effects."""

    def __str__(self) -> str:
        return "io"


@dataclass(frozen=True, slots=True, eq=False)
class _Composite:
    """Facts of a composite type that its components determine."""

    depth: int = field(init=False, repr=False)
    contains_token: bool = field(init=False, repr=False)
    contains_str: bool = field(init=False, repr=False)
    has_no_representation: bool = field(init=False, repr=False)
    _hash: int = field(init=False, repr=False)

    def _settle(self, components: tuple[Type, ...], identity: object) -> None:
        settle = object.__setattr__
        settle(self, "depth", 1 + max((depth(part) for part in components), default=0))
        settle(self, "contains_token", any(contains_token(part) for part in components))
        settle(self, "contains_str", any(contains_str(part) for part in components))
        settle(
            self,
            "has_no_representation",
            all(has_no_representation(part) for part in components),
        )
        settle(self, "_hash", hash(identity))


@dataclass(frozen=True, slots=True, eq=False)
class Tuple(_Composite):
    """Two or more components, by position."""

    items: tuple[Type, ...]

    def __post_init__(self) -> None:
        self._settle(self.items, ("tuple", self.items))

    def __eq__(self, other: object) -> bool:
        return self is other or (
            isinstance(other, Tuple) and self._hash == other._hash and self.items == other.items
        )

    def __hash__(self) -> int:
        return self._hash

    def __str__(self) -> str:
        return "(" + ", ".join(map(str, self.items)) + ")"


@dataclass(frozen=True, slots=True, eq=False)
class Struct(_Composite):
    """A named product; `fields` are (name, type) in declaration order."""

    name: str
    fields: tuple[tuple[str, Type], ...]

    def __post_init__(self) -> None:
        self._settle(self.items, ("struct", self.name, self.fields))

    @property
    def items(self) -> tuple[Type, ...]:
        return tuple(ty for _, ty in self.fields)

    def __eq__(self, other: object) -> bool:
        return self is other or (
            isinstance(other, Struct)
            and self._hash == other._hash
            and self.name == other.name
            and self.fields == other.fields
        )

    def __hash__(self) -> int:
        return self._hash

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True, slots=True, eq=False)
class Array(_Composite):
    """`length` elements of one type, at least one."""

    element: Type
    length: int

    def __post_init__(self) -> None:
        self._settle((self.element,), ("array", self.element, self.length))

    def __eq__(self, other: object) -> bool:
        return self is other or (
            isinstance(other, Array)
            and self._hash == other._hash
            and self.length == other.length
            and self.element == other.element
        )

    def __hash__(self) -> int:
        return self._hash

    def __str__(self) -> str:
        return f"[{self.element}; {self.length}]"


Type = Scalar | Unit | Str | Io | Tuple | Struct | Array
Product = Tuple | Struct | Array

I32 = Scalar("i32", 32)
I64 = Scalar("i64", 64)
U8 = Scalar("u8", 8)
F32 = Scalar("f32", 32)
F64 = Scalar("f64", 64)
BOOL = Scalar("bool", 1)
UNIT = Unit()
STR = Str()
IO = Io()

SCALARS: dict[str, Scalar] = {ty.name: ty for ty in (I32, I64, U8, F32, F64, BOOL)}
NUMERIC: tuple[Scalar, ...] = (I32, I64, U8, F32, F64)

WIDENINGS: frozenset[tuple[Scalar, Scalar]] = frozenset(
    {(I32, I64), (I32, F32), (I32, F64), (F32, F64)}
)
"""The (source, target) pairs that are a `Widen`; every other numeric pair is a `Convert`."""


def depth(ty: Type) -> int:
    """Nesting depth; a scalar, unit, string or token counts 1."""
    return ty.depth if isinstance(ty, _Composite) else 1


def contains_token(ty: Type) -> bool:
    """Whether the world token occurs anywhere in the type."""
    return ty.contains_token if isinstance(ty, _Composite) else isinstance(ty, Io)


def contains_str(ty: Type) -> bool:
    """Whether a string occurs anywhere in the type."""
    return ty.contains_str if isinstance(ty, _Composite) else isinstance(ty, Str)


def has_no_representation(ty: Type) -> bool:
    """Whether no number or `bool` is left anywhere in the type."""
    if isinstance(ty, _Composite):
        return ty.has_no_representation
    return not isinstance(ty, Scalar)


def is_numeric(ty: Type) -> bool:
    return isinstance(ty, Scalar) and ty.is_numeric


def is_integer(ty: Type) -> bool:
    return isinstance(ty, Scalar) and ty.is_integer


def is_float(ty: Type) -> bool:
    return isinstance(ty, Scalar) and ty.is_float


def is_printable(ty: Type) -> bool:
    return isinstance(ty, Scalar | Str)


def product_arity(ty: Type) -> int | None:
    """Number of components of a tuple, struct or array; None for anything else."""
    match ty:
        case Tuple(items=items):
            return len(items)
        case Struct(fields=fields):
            return len(fields)
        case Array(length=length):
            return length
        case _:
            return None


def component(ty: Product, slot: int) -> Type:
    """The type of a component; `slot` is in range."""
    return ty.element if isinstance(ty, Array) else ty.items[slot]
