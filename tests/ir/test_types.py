"""Types: equality, depth, and the facts kept with each."""

from __future__ import annotations

import copy
import pickle

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mapal.ir.types import (
    BOOL,
    F32,
    F64,
    I32,
    I64,
    IO,
    LONGEST_SPELLING,
    STR,
    U8,
    UNIT,
    Array,
    Io,
    Scalar,
    Str,
    Struct,
    Tuple,
    Type,
    component,
    contains_str,
    contains_token,
    depth,
    has_no_representation,
    is_float,
    is_integer,
    is_numeric,
    is_printable,
    product_arity,
    spelled_length,
)
from tests.strategies import types


def parts(ty: Type) -> tuple[Type, ...]:
    match ty:
        case Tuple(items=items) | Struct(items=items):
            return items
        case Array(element=element):
            return (element,)
        case _:
            return ()


def leaves(ty: Type) -> list[Type]:
    inside = parts(ty)
    return [leaf for part in inside for leaf in leaves(part)] if inside else [ty]


@settings(deadline=None)
@given(types(tokens=True))
def test_the_facts_are_those_of_a_walk(ty: Type) -> None:
    found = leaves(ty)
    assert contains_token(ty) == any(isinstance(leaf, Io) for leaf in found)
    assert contains_str(ty) == any(isinstance(leaf, Str) for leaf in found)
    assert has_no_representation(ty) == (not any(isinstance(leaf, Scalar) for leaf in found))
    assert depth(ty) == 1 + max(map(depth, parts(ty)), default=0)
    if spelled_length(ty) <= LONGEST_SPELLING:
        assert spelled_length(ty) == len(str(ty))


@settings(deadline=None)
@given(types(tokens=True), types(tokens=True))
def test_equality_is_that_of_structure(left: Type, right: Type) -> None:
    assert (left == right) == (shape(left) == shape(right))
    again = copy.deepcopy(left)
    assert again == left
    assert hash(again) == hash(left)
    assert pickle.loads(pickle.dumps(left)) == left


def shape(ty: Type) -> object:
    """A nested tuple that says everything about a type."""
    inside = tuple(shape(part) for part in parts(ty))
    match ty:
        case Struct(name=name, fields=fields):
            return ("struct", name, tuple(field for field, _ in fields), inside)
        case Array(length=length):
            return ("array", length, inside)
        case Tuple():
            return ("tuple", inside)
        case _:
            return ty


@pytest.mark.parametrize(
    ("left", "right"),
    [
        (Tuple((I32, F32)), Tuple((F32, I32))),
        (Tuple((I32, I32)), Array(I32, 2)),
        (Tuple((I32, I32)), Tuple((I32, I32, I32))),
        (Tuple((I32, Tuple((I32, I32)))), Tuple((Tuple((I32, I32)), I32))),
        (Array(I32, 2), Array(I32, 3)),
        (Array(I32, 2), Array(U8, 2)),
        (Struct("A", (("x", I32),)), Struct("B", (("x", I32),))),
        (Struct("A", (("x", I32),)), Struct("A", (("y", I32),))),
        (Struct("A", (("x", I32),)), Struct("A", (("x", I64),))),
        (Struct("A", (("x', 'y", I32),)), Struct("A", (("x", I32), ("y", I32)))),
        (Array(UNIT, 2), Array(STR, 2)),
        (Array(UNIT, 2), Array(IO, 2)),
        (Array(Scalar("i32", 32), 2), Array(Scalar("i32", 31), 2)),
    ],
)
def test_types_that_differ(left: Type, right: Type) -> None:
    assert left != right
    assert len({left, right}) == 2


def test_a_type_is_no_other_thing() -> None:
    assert Tuple((I32, I32)) != "(i32, i32)"


@given(st.integers(1, 200))
def test_doubling_costs_one_step_a_level(levels: int) -> None:
    def doubled() -> Type:
        ty: Type = F64
        for _ in range(levels):
            ty = Tuple((ty, ty))
        return ty

    first, second = doubled(), doubled()
    assert first == second
    assert depth(first) == levels + 1
    assert len(str(first)) <= LONGEST_SPELLING
    assert len(repr(first)) <= LONGEST_SPELLING + 10


def test_texts() -> None:
    point = Struct("Point", (("x", F32),))
    assert str(Tuple((I32, point, UNIT))) == "(i32, Point, ())"
    assert str(Array(Array(U8, 3), 2)) == "[[u8; 3]; 2]"
    assert str(Tuple((IO, STR))) == "(io, str)"
    assert str(Tuple((I32,) * 300)) == "(a tuple of 300 components)"
    assert str(Array(Tuple((I32,) * 300), 7)) == "[…; 7]"


def test_scalars() -> None:
    assert [ty.bytes for ty in (BOOL, U8, I32, F32, I64, F64)] == [1, 1, 4, 4, 8, 8]
    assert [ty.is_signed for ty in (BOOL, U8, I32, F32)] == [False, False, True, True]
    assert (is_numeric(BOOL), is_numeric(U8), is_numeric(UNIT)) == (False, True, False)
    assert (is_integer(F32), is_integer(I64), is_integer(STR)) == (False, True, False)
    assert (is_float(F32), is_float(I64), is_float(IO)) == (True, False, False)
    assert (is_printable(STR), is_printable(BOOL), is_printable(UNIT)) == (True, True, False)


def test_components() -> None:
    point = Struct("Point", (("x", F32), ("n", I32)))
    assert [product_arity(ty) for ty in (Tuple((I32, F32)), point, Array(I32, 9), I32)] == [
        2,
        2,
        9,
        None,
    ]
    assert component(point, 1) == I32
    assert component(Array(F64, 3), 2) == F64
