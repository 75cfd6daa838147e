"""Vectors over neighbouring columns: how long they are, and what is left at the end of a row."""

from __future__ import annotations

from mapal.codegen.llvm.module import Processor
from mapal.ir.types import Scalar


def machine_lanes(profile: Processor, ty: Scalar) -> int:
    """Elements of a full vector register."""
    return max(1, profile.vector_bytes // ty.bytes)


def rounded_up(number: int, step: int) -> int:
    """The smallest multiple of a step that is at least a number."""
    return -(-number // step) * step


def power_below(number: int) -> int:
    """The largest power of two that is at most a positive number."""
    return 1 << (number.bit_length() - 1)


def cover(columns: int, lanes: int) -> tuple[int, tuple[int, ...]]:
    """Vectors that cover exactly `columns` columns, at least one: their length, at most `lanes`,
    and where they begin. The last one overlaps the one before where lengths do not divide;
    whoever uses them stores the same values twice there."""
    lanes = min(lanes, power_below(columns))
    starts = list(range(0, columns - lanes + 1, lanes))
    if columns % lanes:
        starts.append(columns - lanes)
    return lanes, tuple(starts)
