"""The types of values in a graph.

Types are immutable values compared by structure; a struct's name and fields are part of it.
Depth, identity and the answers that every layer asks for are computed once, from the
components, when a type is made: a struct that names another twice, and so on for many levels,
has an exponential expansion that must never be walked. Two composite types are equal exactly
when their 128-bit BLAKE2b digests are, which is as good as exact and takes constant time.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from hashlib import blake2b

MAXIMUM_DEPTH = 64
"""Types nest at most this deep; a scalar has depth 1."""

MAXIMUM_SLOTS = 2**32 - 1
"""A product with more components cannot be assembled slot by slot."""

LONGEST_SPELLING = 1000
"""`str` of a type that is longer in full abbreviates it."""


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


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class _Composite:
    """Facts of a composite type that its components determine. `spelled_length` is the number
    of characters of the type written out in full, which may be astronomical."""

    depth: int = field(init=False)
    contains_token: bool = field(init=False)
    contains_str: bool = field(init=False)
    has_no_representation: bool = field(init=False)
    spelled_length: int = field(init=False)
    digest: bytes = field(init=False)

    def _settle(self, components: tuple[Type, ...], head: str, spelled_length: int) -> None:
        """`head` and the components tell this type from every other one."""
        settle = object.__setattr__
        deepest, token, string, empty = 0, False, False, True
        identity = blake2b(head.encode("utf-8", "surrogatepass"), digest_size=16)
        for part in components:
            deepest = max(deepest, depth(part))
            token = token or contains_token(part)
            string = string or contains_str(part)
            empty = empty and has_no_representation(part)
            identity.update(_identity(part))
        settle(self, "depth", 1 + deepest)
        settle(self, "contains_token", token)
        settle(self, "contains_str", string)
        settle(self, "has_no_representation", empty)
        settle(self, "spelled_length", spelled_length)
        settle(self, "digest", identity.digest())

    def __eq__(self, other: object) -> bool:
        return self is other or (isinstance(other, _Composite) and self.digest == other.digest)

    def __hash__(self) -> int:
        return hash(self.digest)

    def __repr__(self) -> str:
        return f"<type {self}>"


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Tuple(_Composite):
    """Two or more components, by position."""

    items: tuple[Type, ...]

    def __post_init__(self) -> None:
        length = sum(map(spelled_length, self.items)) + 2 * max(1, len(self.items))
        self._settle(self.items, f"tuple {len(self.items)}", length)

    def __str__(self) -> str:
        if self.spelled_length > LONGEST_SPELLING:
            return f"(a tuple of {len(self.items)} components)"
        return "(" + ", ".join(map(str, self.items)) + ")"


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Struct(_Composite):
    """A named product; `fields` are (name, type) in declaration order."""

    name: str
    fields: tuple[tuple[str, Type], ...]
    items: tuple[Type, ...] = field(init=False)

    def __post_init__(self) -> None:
        items = tuple(ty for _, ty in self.fields)
        object.__setattr__(self, "items", items)
        names = (self.name, *(name for name, _ in self.fields))
        self._settle(items, f"struct {names!r}", len(self.name))

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Array(_Composite):
    """`length` elements of one type, at least one."""

    element: Type
    length: int

    def __post_init__(self) -> None:
        length = spelled_length(self.element) + len(f"[; {self.length}]")
        self._settle((self.element,), f"array {self.length}", length)

    def __str__(self) -> str:
        if self.spelled_length > LONGEST_SPELLING:
            return f"[…; {self.length}]"
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


def _identity(ty: Type) -> bytes:
    """Sixteen bytes that no other type has."""
    return ty.digest if isinstance(ty, _Composite) else _identity_of_leaf(ty)


@cache
def _identity_of_leaf(ty: Scalar | Unit | Str | Io) -> bytes:
    bits = ty.bits if isinstance(ty, Scalar) else 0
    return blake2b(f"{ty} {bits}".encode(), digest_size=16).digest()


def spelled_length(ty: Type) -> int:
    """Number of characters of the type written out in full."""
    return ty.spelled_length if isinstance(ty, _Composite) else len(str(ty))


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
