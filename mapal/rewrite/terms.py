"""What the body of a map or fold takes as its element, told from outside the body.

An array made by zips, enumerations, ranges, fills and maps has a closed form for its element
at a number: a term. A consumer that computes the term itself needs none of those arrays.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from mapal.ir.ops import MorphismId, ObjectId


@dataclass(frozen=True, slots=True)
class Number:
    """The number of the element, counted from 0: an i32."""


@dataclass(frozen=True, slots=True)
class Element:
    """The element of an array at this number."""

    array: ObjectId


@dataclass(frozen=True, slots=True)
class Outside:
    """A value that is the same for all elements."""

    value: ObjectId


@dataclass(frozen=True, slots=True)
class Both:
    """A pair."""

    left: Term
    right: Term


@dataclass(frozen=True, slots=True)
class Applied:
    """What the body of a map makes of an element."""

    map: MorphismId
    element: Term


Term = Number | Element | Outside | Both | Applied


def parts(term: Term) -> Iterator[Term]:
    """A term and all terms in it, from left to right, each after what it holds."""
    work: list[tuple[Term, bool]] = [(term, False)]
    while work:
        at, is_open = work.pop()
        if is_open or isinstance(at, Number | Element | Outside):
            yield at
            continue
        work.append((at, True))
        if isinstance(at, Both):
            work += [(at.right, False), (at.left, False)]
        else:
            work.append((at.element, False))


def arrays_of(term: Term) -> tuple[ObjectId, ...]:
    """The arrays whose elements a term reads, each once, from left to right."""
    return tuple(dict.fromkeys(part.array for part in parts(term) if isinstance(part, Element)))


def side_by_side(arrays: tuple[ObjectId, ...]) -> Term:
    """The element of arrays that are zipped, the first with all the rest."""
    *others, last = arrays
    term: Term = Element(last)
    for array in reversed(others):
        term = Both(Element(array), term)
    return term
