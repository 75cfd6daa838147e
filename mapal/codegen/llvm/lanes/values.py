"""What a value is in lanes.

* equal in all lanes: the text of a scalar, or an array as `codegen.llvm.values` knows it;
* `Varying`: a vector with one scalar for each lane;
* `Linear`: integers that rise by a constant from lane to lane, which makes reads contiguous;
* `Pattern`: integers that differ by known constants, which makes reads a load and a shuffle;
* a tuple or struct is a tuple of the values of its components;
* arrays that differ between lanes: `Rows` of memory, `Interleaved` results, or laws.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from mapal.codegen.llvm.values import Broadcast, Enumerated, Memory, Range, Zipped


@dataclass(frozen=True, slots=True)
class Exact:
    """What a `Linear` would be if no integer on the way to it wrapped: from `least` to `greatest`
    in all lanes, counting or not, and `base`, a scalar of 64 bits, in the first."""

    least: int
    greatest: int
    base: str


@dataclass(frozen=True, slots=True)
class Varying:
    """A vector register or constant with one element a lane."""

    register: str


@dataclass(frozen=True, slots=True)
class Split:
    """Quotient and remainder of a `Linear` by `divisor`: the quotient is the same in all lanes,
    the remainder of the first lane rises with the number."""

    divisor: int
    quotient: str
    remainder: str
    exact: Exact


@dataclass(frozen=True, slots=True)
class Linear:
    """`base` is the integer of lane 0, a scalar; each further lane has `stride` more, wrapping."""

    base: str
    stride: int
    split: Split | None = None
    exact: Exact | None = None


@dataclass(frozen=True, slots=True)
class Pattern:
    """`base`, a scalar, plus the offset of each lane, wrapping."""

    base: str
    offsets: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Rows:
    """One array for each lane, at `pointer` plus the bytes of its lane in the vector `offsets`."""

    pointer: str
    offsets: str


@dataclass(frozen=True, slots=True)
class Interleaved:
    """Arrays that lanes computed: for each scalar of an element, memory with the elements of all
    lanes side by side. `places` are addresses, in the structure of the element."""

    places: Any


@dataclass(frozen=True, slots=True)
class Counting:
    """0, 1, 2, …"""


@dataclass(frozen=True, slots=True)
class Filled:
    """The same element everywhere, which may differ between lanes."""

    element: Any


@dataclass(frozen=True, slots=True)
class Paired:
    """Pairs of the elements of two arrays."""

    left: Any
    right: Any


@dataclass(frozen=True, slots=True)
class Numbered:
    """Pairs of index and element."""

    array: Any


LaneValue = Any
"""One of the above, a scalar's text, a tuple, or None for what has no representation."""


def is_uniform(value: LaneValue) -> bool:
    """Whether a value is the same in all lanes."""
    match value:
        case None | str() | Counting() | Memory() | Range():
            return True
        case tuple():
            return all(map(is_uniform, value))
        case Filled(element=inner) | Broadcast(element=inner):
            return is_uniform(inner)
        case Paired(left=left, right=right) | Zipped(left=left, right=right):
            return is_uniform(left) and is_uniform(right)
        case Numbered(array=inner) | Enumerated(array=inner):
            return is_uniform(inner)
        case _:
            return False
