"""Comparison of results: bits against what ours must be, tolerances for peers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]


class WrongAnswer(Exception):  # noqa: N818  # a finding about a contestant
    """A contestant's result differs from what it must be."""


def same_bits(a: Array, b: Array) -> bool:
    """Whether two arrays have equal elements, where every NaN equals every other."""
    if a.dtype != b.dtype or a.shape != b.shape:
        return False
    if a.dtype.kind != "f":
        return bool(np.array_equal(a, b))
    bits = f"<u{a.dtype.itemsize}"
    a, b = a.reshape(-1), b.reshape(-1)
    same = (a.view(bits) == b.view(bits)) | (np.isnan(a) & np.isnan(b))
    return bool(np.all(same))


def require_bits(name: str, found: Sequence[Array], expected: Sequence[Array]) -> None:
    """Raises `WrongAnswer` unless the results have the expected bits; shapes may differ."""
    require_close(name, found, expected, 0.0)


def require_close(
    name: str,
    found: Sequence[Array],
    expected: Sequence[Array],
    tolerance: float,
    fraction: float = 0.0,
) -> None:
    """Raises `WrongAnswer` if a result is further from what is expected than `tolerance` times
    its largest finite element, or, with a tolerance of 0, has other bits. That fraction of elements
    may be anything: where a last bit decides how long a point stays. Both are from 0 to 1."""
    for stated in (tolerance, fraction):
        if not 0 <= stated <= 1:
            raise WrongAnswer(f"{name} states a tolerance of {stated}, not from 0 to 1")
    if len(found) != len(expected):
        raise WrongAnswer(f"{name} gives {len(found)} arrays, not {len(expected)}")
    for answer, wanted in zip(found, expected, strict=True):
        array = np.asarray(answer)
        if array.size != wanted.size:
            raise WrongAnswer(f"{name} gives {array.size} elements, not {wanted.size}")
        array = array.reshape(wanted.shape)
        if tolerance == 0.0:
            if not same_bits(array, wanted):
                raise WrongAnswer(f"{name} gives another result{_first_difference(array, wanted)}")
            continue
        scale = _largest(wanted) or 1.0
        close = np.isclose(array, wanted, rtol=0.0, atol=tolerance * scale, equal_nan=True)
        if wanted.size - int(np.count_nonzero(close)) > fraction * wanted.size:
            raise WrongAnswer(f"{name} is off by more than {tolerance} of the largest element")


def _largest(array: Array) -> float:
    """The magnitude of the largest element that has one. An infinite tolerance would tolerate
    everything, and one that is no number nothing."""
    magnitudes = np.abs(array if array.dtype.kind == "f" else array.astype("<f8"))
    return float(np.max(magnitudes, initial=0.0, where=np.isfinite(magnitudes)))


def _first_difference(found: Array, wanted: Array) -> str:
    if found.dtype != wanted.dtype:
        return f": {found.dtype} instead of {wanted.dtype}"
    different = (found != wanted).reshape(-1)
    if found.dtype.kind == "f":
        different &= ~(np.isnan(found) & np.isnan(wanted)).reshape(-1)
    places = np.flatnonzero(different)
    if places.size == 0:
        return ": zeros of another sign"
    first = int(places[0])
    return (
        f": {places.size} of {wanted.size} elements, the first at {first}: "
        f"{found.reshape(-1)[first]!r} instead of {wanted.reshape(-1)[first]!r}"
    )
