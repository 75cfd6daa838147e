"""Arrays that are not stored element by element.

Every array value is a sequence that nobody changes once it is shared: a list, a tuple, a
`range` for `iota`, or one of these. Lengths come from types; `len` serves callers outside.
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
