"""Transposition of a square tile in vector registers.

A tile of `lanes` rows of `lanes` elements becomes its transpose in log2(lanes) rounds: round `s`
exchanges, between each two registers whose numbers differ in the bit `s`, the elements that
stand on the wrong side of it (Eklundh, "A fast computer method for matrix transposing", 1972).
"""

from __future__ import annotations

from collections.abc import Sequence

from mapal.codegen.llvm.kernels.vectors import Vectors, vector_type


def transposed(v: Vectors, rows: Sequence[str], lanes: int, *, unit: int = 1) -> list[str]:
    """The columns of a tile whose rows are given. What changes places are `unit` neighbouring
    elements at a time, of which a row has `lanes`."""
    found = list(rows)
    half = 1
    while half < lanes:
        following = list(found)
        for at in range(lanes):
            if at & half:
                continue
            a, b = found[at], found[at + half]
            following[at] = _shuffle(v, a, b, _merged(lanes, half, unit, upper=False))
            following[at + half] = _shuffle(v, a, b, _merged(lanes, half, unit, upper=True))
        found = following
        half *= 2
    return found


def _merged(lanes: int, half: int, unit: int, *, upper: bool) -> list[int]:
    """Which elements of a pair of registers one of the new pair holds: of every group of
    2 * `half` units, the lower or the upper halves of both."""
    offset = half if upper else 0
    places = [(at - half + offset + lanes) if at & half else at + offset for at in range(lanes)]
    return [place * unit + element for place in places for element in range(unit)]


def _shuffle(v: Vectors, a: str, b: str, elements: Sequence[int]) -> str:
    lanes = len(elements)
    ty = vector_type(v.ty, lanes)
    mask = ", ".join(f"i32 {element}" for element in elements)
    return v.w.value(f"shufflevector {ty} {a}, {ty} {b}, <{lanes} x i32> <{mask}>")
