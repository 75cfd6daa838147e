"""Arrays that are not stored element by element.

Every array value is a sequence whose elements never change: a list, a tuple, a `range` for
`iota`, or one of these. Lengths come from types; `len` serves callers outside.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import repeat
from typing import Any, overload


class _Computed(Sequence[Any]):
    """A sequence whose elements are computed on demand."""

    __slots__ = ("_length",)

    def __init__(self, length: int) -> None:
        self._length = length

    def __len__(self) -> int:
        return self._length

    @overload
    def __getitem__(self, index: int) -> Any: ...
    @overload
    def __getitem__(self, index: slice) -> list[Any]: ...
    def __getitem__(self, index: int | slice) -> Any:
        if isinstance(index, slice):
            return [self._element(i) for i in range(*index.indices(self._length))]
        if index < 0:
            index += self._length
        if not 0 <= index < self._length:
            raise IndexError(index)
        return self._element(index)

    def _element(self, index: int) -> Any:
        raise NotImplementedError

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and list(self) == list(other)

    def __hash__(self) -> int:
        raise TypeError("arrays are compared, never hashed")


class Repeated(_Computed):
    """The array of `fill`."""

    __slots__ = ("_value",)

    def __init__(self, value: Any, length: int) -> None:
        super().__init__(length)
        self._value = value

    def _element(self, index: int) -> Any:
        return self._value

    def __iter__(self) -> Iterator[Any]:
        return repeat(self._value, self._length)


class Zipped(_Computed):
    """The array of `zip`."""

    __slots__ = ("_left", "_right")

    def __init__(self, left: Sequence[Any], right: Sequence[Any], length: int) -> None:
        super().__init__(length)
        self._left, self._right = left, right

    def _element(self, index: int) -> Any:
        return self._left[index], self._right[index]

    def __iter__(self) -> Iterator[Any]:
        return zip(self._left, self._right, strict=True)


class Numbered(_Computed):
    """The array of `enumerate`."""

    __slots__ = ("_elements",)

    def __init__(self, elements: Sequence[Any], length: int) -> None:
        super().__init__(length)
        self._elements = elements

    def _element(self, index: int) -> Any:
        return index, self._elements[index]

    def __iter__(self) -> Iterator[Any]:
        return enumerate(self._elements)


class Updated(_Computed):
    """The array of an element update.

    A chain of updates changes one list in place: the newest version owns it, and an older one
    keeps the element that differs and the way to the newer version (the shallow binding of
    Baker, "Shallow binding makes functional arrays fast", 1991). So a loop that updates an
    array element by element takes constant time per pass, while every version stays readable:
    one that is read after it was superseded gets a list of its own.
    """

    __slots__ = ("_elements", "_index", "_newer", "_old")

    def __init__(self, elements: list[Any], length: int) -> None:
        """Takes the list over."""
        super().__init__(length)
        self._elements: list[Any] | None = elements
        self._newer: Updated | None = None
        self._index = 0
        self._old: Any = None

    def updated(self, index: int, value: Any) -> Updated:
        """The version with one element replaced."""
        elements = self._own()
        newer = Updated(elements, self._length)
        self._elements, self._newer = None, newer
        self._index, self._old = index, elements[index]
        elements[index] = value
        return newer

    def _own(self) -> list[Any]:
        """The list of this version."""
        if self._elements is not None:
            return self._elements
        superseded: list[Updated] = []
        at = self
        while at._elements is None:
            superseded.append(at)
            assert at._newer is not None, "an older version knows a newer one"
            at = at._newer
        elements = at._elements.copy()
        for version in reversed(superseded):
            elements[version._index] = version._old
        self._elements, self._newer, self._old = elements, None, None
        return elements

    def __getitem__(self, index: int | slice) -> Any:
        return (self._elements or self._own())[index]

    def __iter__(self) -> Iterator[Any]:
        """Over a copy: who consumes the elements may update the array meanwhile."""
        return iter(self._own().copy())


def updated(array: Sequence[Any], index: int, value: Any, length: int) -> Updated:
    """An array with one element replaced; the array itself stays as it is."""
    if isinstance(array, Updated):
        return array.updated(index, value)
    elements = list(array)
    elements[index] = value
    return Updated(elements, length)
