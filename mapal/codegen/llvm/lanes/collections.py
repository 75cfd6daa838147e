"""Maps and folds inside of lanes: the same number of elements in all of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mapal.codegen.layout import register_type
from mapal.codegen.llvm import memory
from mapal.codegen.llvm.lanes import arrays
from mapal.codegen.llvm.lanes.values import LaneValue, Varying, is_uniform
from mapal.ir.ops import FunctionId
from mapal.ir.types import Array, Scalar, Tuple, Type, has_no_representation

if TYPE_CHECKING:
    from mapal.codegen.llvm.lanes.walk import Walker


def map_elements(
    walker: Walker, body: FunctionId, types: list[Type], found: list[LaneValue], target: Type
) -> LaneValue:
    """The arrays of a Map's results: one that all lanes share, or one for each."""
    assert isinstance(target, Array)
    if has_no_representation(target):
        return None
    *captures, array = found
    source = types[-1]
    assert isinstance(source, Array)
    lanes = walker.lanes
    made: LaneValue
    with memory.counted_loop(lanes.e, source.length, "map") as loop:
        element = arrays.element(lanes, array, source, loop.index)
        result = walker.apply_body(body, (*captures, element))
        if is_uniform(result):
            made = lanes.e.fresh_memory(lanes.e.layouts.of(target))
            arrays.set_shared(lanes, made, target, loop.index, result)
        else:
            made = arrays.new_interleaved(lanes, target)
            arrays.set_interleaved(lanes, made, target, loop.index, result)
    return made


def fold_elements(
    walker: Walker, body: FunctionId, types: list[Type], found: list[LaneValue]
) -> LaneValue:
    """The accumulators after the last element, from left to right in each lane."""
    lanes, w = walker.lanes, walker.w
    if len(found) == 1:
        # Without captures the one operand is a pair of seed and array.
        pair = types[0]
        assert isinstance(pair, Tuple)
        types = list(pair.items)
        found = list(found[0]) if isinstance(found[0], tuple) else [None, None]
    *captures, seed, array = found
    accumulator, source = types[-2:]
    assert isinstance(source, Array)
    shared = all(map(is_uniform, found))
    leaves = lanes.leaves(accumulator, seed)
    starts = [part if shared else lanes.vector(leaf, part) for leaf, part in leaves]
    with memory.counted_loop(lanes.e, source.length, "fold") as loop:
        names = [w.fresh() for _ in leaves]
        carried = lanes.rebuilt(
            accumulator, iter([name if shared else Varying(name) for name in names])
        )
        element = arrays.element(lanes, array, source, loop.index)
        state = walker.apply_body(body, (*captures, carried, element))
        following = [
            part if shared else lanes.vector(leaf, part)
            for leaf, part in lanes.leaves(accumulator, state)
        ]
        for name, (leaf, _), start, last in zip(names, leaves, starts, following, strict=True):
            ty = _carried_type(walker, leaf, shared=shared)
            incoming = f"[ {start}, %{loop.before} ], [ {last}, %{w.label} ]"
            loop.phis.lines.append(f"  {name} = phi {ty} {incoming}")
    return lanes.rebuilt(
        accumulator, iter([last if shared else Varying(last) for last in following])
    )


def _carried_type(walker: Walker, ty: Scalar, *, shared: bool) -> str:
    return register_type(ty) if shared else walker.lanes.type_of(ty)
