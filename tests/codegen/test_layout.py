"""Sizes, offsets and widths follow the C rules and never expand a type."""

from __future__ import annotations

import pytest

from mapal.codegen.layout import WIDEST_VALUE, Layout, Layouts, leaves, memory_type, register_type
from mapal.diagnostics import Unsupported
from mapal.ir.types import BOOL, F32, F64, I32, I64, IO, U8, UNIT, Array, Struct, Tuple, Type


@pytest.mark.parametrize(
    ("ty", "size", "alignment"),
    [
        (I32, 4, 4),
        (BOOL, 1, 1),
        (UNIT, 0, 1),
        (Array(F64, 3), 24, 8),
        (Array(UNIT, 1000), 0, 1),
        (Tuple((U8, I32)), 8, 4),
        (Tuple((I32, U8)), 8, 4),
        (Tuple((U8, U8, U8)), 3, 1),
        (Tuple((U8, UNIT, I64, BOOL)), 24, 8),
        (Struct("S", (("a", F32), ("b", Array(U8, 5)), ("c", F32))), 16, 4),
        (Array(Tuple((U8, I32)), 10), 80, 4),
    ],
)
def test_size_and_alignment(ty: Type, size: int, alignment: int) -> None:
    assert Layouts().of(ty) == Layout(size, alignment)


def test_offsets_pad_and_skip_what_has_no_representation() -> None:
    assert Layouts().offsets(Tuple((U8, UNIT, I32, BOOL, I64))) == (0, 1, 4, 8, 16)
    assert Layouts().offsets(Tuple((UNIT, IO))) == (0, 0)


def test_equal_scalars_leave_no_gaps() -> None:
    assert Layouts().of(Array(Tuple((U8, U8, U8)), 7)).size == 21


def _doubled(levels: int) -> Type:
    ty: Type = I32
    for _ in range(levels):
        ty = Tuple((ty, ty))
    return ty


def test_exponential_types_are_measured_not_walked() -> None:
    layouts = Layouts()
    assert layouts.of(_doubled(40)).size == 4 << 40
    assert layouts.width(_doubled(60)) == 1 << 60


def test_width_counts_an_array_once() -> None:
    assert Layouts().width(Tuple((Array(_doubled(50), 3), I32, UNIT))) == 2


def test_too_wide_and_too_large_are_refused() -> None:
    layouts = Layouts()
    layouts.require_narrow(_doubled(12))
    with pytest.raises(Unsupported, match=str(WIDEST_VALUE)):
        layouts.require_narrow(_doubled(13))
    with pytest.raises(Unsupported, match="address space"):
        layouts.of(Array(I64, 2**63))


def test_leaves_are_scalars_and_arrays_in_order() -> None:
    ty = Tuple((IO, Tuple((I32, Array(F32, 2))), UNIT, BOOL, Array(UNIT, 2)))
    assert leaves(ty) == (I32, Array(F32, 2), BOOL)


def test_a_truth_value_is_a_bit_in_registers_and_a_byte_in_memory() -> None:
    assert (register_type(BOOL), memory_type(BOOL)) == ("i1", "i8")
    assert (register_type(Array(I32, 2)), register_type(F64)) == ("ptr", "double")
