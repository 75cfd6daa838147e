"""Hypothesis strategies: types, literals, and random programs as scripts and as graphs."""

from __future__ import annotations

import struct

from hypothesis import strategies as st

from mapal.ir.graph import FunctionKind, Graph, Value
from mapal.ir.types import BOOL, F32, F64, I32, I64, IO, STR, U8, UNIT, Array, Scalar, Struct, Tuple
from mapal.ir.types import Type as MapalType
from tests.graph_scripts import COMMON_STEPS, PLAIN_STEPS, FunctionScript, Script, Step, build_graph

SCALAR_TYPES = (I32, I64, U8, F32, F64, BOOL)
_RANGES = {I32: (-(2**31), 2**31 - 1), I64: (-(2**63), 2**63 - 1), U8: (0, 255)}

scalar_types: st.SearchStrategy[Scalar] = st.sampled_from(SCALAR_TYPES)


def values(ty: Scalar) -> st.SearchStrategy[Value]:
    """Literals of a type, small and extreme ones often."""
    if ty == BOOL:
        return st.booleans()
    if ty.is_float:
        floats = st.floats(width=32 if ty == F32 else 64, allow_nan=False)
        special = [0.0, -0.0, 0.5, 1.0, -1.0, 2.5, float("inf"), float("nan"), 16777217.0]
        rounded = [x if ty == F64 else _to_single(x) for x in special]
        return st.sampled_from(rounded) | floats
    low, high = _RANGES[ty]
    special_integers = [x for x in (0, 1, 2, 3, -1, -2, low, high) if low <= x <= high]
    return st.sampled_from(special_integers) | st.integers(low, high)


def _to_single(x: float) -> float:
    (single,) = struct.unpack("<f", struct.pack("<f", x))
    assert isinstance(single, float)
    return single


def types(*, tokens: bool = False) -> st.SearchStrategy[MapalType]:
    """Well-formed types; struct names tell their fields, so that any two fit in one graph."""
    leaves: tuple[MapalType, ...] = (*SCALAR_TYPES, UNIT)
    if tokens:
        leaves = (*leaves, IO, STR)
    return st.recursive(
        st.sampled_from(leaves),
        lambda inner: st.one_of(
            st.lists(inner, min_size=2, max_size=4).map(lambda parts: Tuple(tuple(parts))),
            st.lists(inner, min_size=1, max_size=3).map(_struct_of),
            st.tuples(inner, st.integers(1, 9)).map(lambda pair: Array(*pair)),
        ),
        max_leaves=8,
    )


def _struct_of(parts: list[MapalType]) -> Struct:
    fields = tuple((f"f{place}", part) for place, part in enumerate(parts))
    name = "S" + Tuple(tuple(parts)).digest.hex()
    return Struct(name, fields)


_picks = st.tuples(*[st.integers(0, 30)] * 3)
_constants = scalar_types.flatmap(lambda ty: st.tuples(st.just(ty), values(ty)))


def steps(depth: int, most: int = 6) -> st.SearchStrategy[tuple[Step, ...]]:
    """Lists of steps with guards and loops nested up to a depth."""
    constant = st.builds(Step, st.just("constant"), _picks, _constants)
    plain = st.builds(Step, st.sampled_from(PLAIN_STEPS), _picks)
    common = st.builds(Step, st.sampled_from(COMMON_STEPS), _picks)
    kinds = [constant, plain, plain, common, common]
    if depth > 0:
        inner = steps(depth - 1, max(2, most - 2))
        guard = st.builds(Step, st.just("guard"), _picks, st.none(), st.tuples(inner, inner))
        loop = st.builds(Step, st.just("loop"), _picks, st.none(), st.tuples(inner, inner, inner))
        kinds += [guard, loop]
    return st.lists(st.one_of(kinds), max_size=most).map(tuple)


_number_types = st.sampled_from((I32, I64, F32, F64))
_functions = st.builds(
    FunctionScript,
    st.sampled_from((FunctionKind.MAP_BODY, FunctionKind.FOLD_BODY, FunctionKind.REDUCE_BODY)),
    st.lists(scalar_types, max_size=2).map(tuple),
    _number_types,
    _number_types,
    steps(1, 4),
)
_helpers = st.builds(
    FunctionScript,
    st.just(FunctionKind.NAMED),
    st.lists(scalar_types, min_size=1, max_size=2).map(tuple),
    _number_types,
    _number_types,
    steps(1, 4),
    st.booleans(),
)


def scripts(*, traps: bool = True) -> st.SearchStrategy[Script]:
    """Programs: open or closed, pure or effectful."""
    inputs = st.lists(
        st.sampled_from((I32, F64, BOOL, Array(I32, 3), Array(F32, 2))), max_size=3
    ).map(tuple)
    return st.builds(
        Script,
        inputs,
        st.sampled_from((I32, F64, BOOL, Array(I32, 3), Tuple((I32, Array(F32, 2))))),
        steps(2, 10),
        st.lists(_functions | _functions | _helpers, max_size=4).map(tuple),
        st.booleans(),
        st.just(traps),
    )


def graphs(*, traps: bool = True) -> st.SearchStrategy[Graph]:
    """Sealed graphs of random programs."""
    return scripts(traps=traps).map(build_graph)
