"""Loops in lanes.

A loop whose condition is the same in all lanes is a plain loop. Otherwise it goes on until the
last lane has left: a mask says which lanes still run, and the state of the others stays as it was
when they left. With that state, the loop's body and its exit are computed once more for all lanes
together; so what the exit reads is what each lane had on its last pass.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mapal.codegen.layout import register_type
from mapal.codegen.llvm.lanes.context import ALL
from mapal.codegen.llvm.lanes.values import LaneValue, Varying, is_uniform
from mapal.ir import ops
from mapal.ir.graph import Graph, Loop
from mapal.ir.ops import ObjectId
from mapal.ir.order import LoopItem
from mapal.ir.types import BOOL, Scalar, Struct, Tuple, Type

if TYPE_CHECKING:
    from mapal.codegen.llvm.lanes.walk import Activation, Walker


def loop(walker: Walker, activation: Activation, item: LoopItem) -> LaneValue:
    """The exit value of a loop."""
    varying = _varying_slots(walker.graph, activation, item)
    if varying is None:
        return _masked_loop(walker, activation, item)
    return _plain_loop(walker, activation, item, varying)


# What differs between lanes -----------------------------------------------------------


def _varying_slots(graph: Graph, activation: Activation, item: LoopItem) -> frozenset[int] | None:
    """The components of the loop's state that may differ between lanes; None if the condition
    may."""
    ty = graph.ty(item.loop.merge)
    init = activation.values.get(item.init)
    following: list[ObjectId]
    if isinstance(ty, Tuple | Struct) and isinstance(init, tuple):
        starts = list(init)
        is_packed = graph.is_pack(item.next_state)
        following = (
            list(graph.feeders(item.next_state)) if is_packed else [item.next_state] * len(starts)
        )
    else:
        starts, following = [init], [item.next_state]
    varying = {slot for slot, start in enumerate(starts) if not is_uniform(start)}
    dependence = _Dependence(graph, activation, item.loop, varying)
    while True:
        found = {
            slot
            for slot, obj in enumerate(following)
            if slot not in varying and dependence.differs(obj)
        }
        if not found:
            break
        varying |= found
    return None if dependence.differs(item.loop.cond) else frozenset(varying)


class _Dependence:
    """Whether an object may differ between lanes, by what it is computed from. `varying` are the
    components of the loop's state that may; the set may grow."""

    def __init__(self, graph: Graph, activation: Activation, loop: Loop, varying: set[int]) -> None:
        self.graph = graph
        self.activation = activation
        self.merge = loop.merge
        self.regions = {loop.body, loop.jump, loop.exit}
        self.varying = varying

    def differs(self, obj: ObjectId) -> bool:
        """Whether the object may differ."""
        seen: set[ObjectId] = set()
        work = [obj]
        while work:
            at = work.pop()
            if at in seen:
                continue
            seen.add(at)
            if at == self.merge:
                if self.varying:
                    return True
                continue
            if at in self.activation.values and not self._is_inside(at):
                if not is_uniform(self.activation.values[at]):
                    return True
                continue
            for edge in self.graph.in_edges[at]:
                morphism = self.graph.morphisms[edge]
                if isinstance(morphism.op, ops.Proj) and morphism.source == self.merge:
                    if morphism.op.index in self.varying:
                        return True
                    continue
                work.append(morphism.source)
        return False

    def _is_inside(self, obj: ObjectId) -> bool:
        """Whether an object belongs to the loop, so that a value that it has is an old one."""
        region = self.graph.region_of(obj)
        return any(self.graph.encloses(outer, region) for outer in self.regions)


# Plain loops --------------------------------------------------------------------------


def _plain_loop(
    walker: Walker, activation: Activation, item: LoopItem, varying: frozenset[int]
) -> LaneValue:
    lanes, w = walker.lanes, walker.w
    record = item.loop
    ty = walker.graph.ty(record.merge)
    kept = _shared_leaves(walker, ty, varying)
    head, step, leave = (w.new_label(purpose) for purpose in ("loop", "step", "leave"))
    starts = _state(walker, ty, activation.values.get(item.init), kept)
    before = w.label
    w.branch(head)
    w.start(head)
    phis = w.reserve()
    names = [w.fresh() for _ in starts]
    leaves = [name if shared else Varying(name) for name, shared in zip(names, kept, strict=True)]
    activation.values[record.merge] = lanes.rebuilt(ty, iter(leaves))
    walker.region(activation, record.body)
    condition = activation.values[record.cond]
    assert isinstance(condition, str)
    w.branch_if(condition, step, leave)
    w.start(step)
    walker.region(activation, record.jump)
    following = _state(walker, ty, activation.values.get(item.next_state), kept)
    for name, (register, start), (_, last) in zip(names, starts, following, strict=True):
        incoming = f"[ {start}, %{before} ], [ {last}, %{w.label} ]"
        phis.lines.append(f"  {name} = phi {register} {incoming}")
    w.branch(head)
    w.start(leave)
    walker.region(activation, record.exit)
    return activation.values.get(item.payload)


def _shared_leaves(walker: Walker, ty: Type, varying: frozenset[int]) -> list[bool]:
    """For each scalar of the state whether it is the same in all lanes."""
    lanes = walker.lanes
    if not isinstance(ty, Tuple | Struct):
        return [0 not in varying] * len(lanes.leaves(ty, _form(ty)))
    return [
        slot not in varying
        for slot, part in enumerate(ty.items)
        for _ in lanes.leaves(part, _form(part))
    ]


def _form(ty: Type) -> LaneValue:
    """Any value of a type, to take it apart."""
    return tuple(map(_form, ty.items)) if isinstance(ty, Tuple | Struct) else "0"


def _state(walker: Walker, ty: Type, value: LaneValue, kept: list[bool]) -> list[tuple[str, str]]:
    """Type and register of each scalar of the state."""
    lanes = walker.lanes
    result: list[tuple[str, str]] = []
    for (leaf, part), shared in zip(lanes.leaves(ty, value), kept, strict=True):
        if shared:
            assert isinstance(part, str)
            result.append((register_type(leaf), part))
        else:
            result.append((lanes.type_of(leaf), lanes.vector(leaf, part)))
    return result


# Masked loops -------------------------------------------------------------------------


def _masked_loop(walker: Walker, activation: Activation, item: LoopItem) -> LaneValue:
    lanes, w = walker.lanes, walker.w
    record = item.loop
    ty = walker.graph.ty(record.merge)
    head, step, leave = (w.new_label(purpose) for purpose in ("loop", "step", "leave"))
    first = lanes.leaves(ty, activation.values.get(item.init))
    starts = [lanes.vector(leaf, part) for leaf, part in first]
    types: list[Scalar] = [leaf for leaf, _ in first]
    entered = lanes.mask
    mask_type = lanes.lanes("i1")
    before = w.label
    w.branch(head)
    w.start(head)
    phis = w.reserve()
    running = w.fresh()
    names = [w.fresh() for _ in types]
    state = lanes.rebuilt(ty, iter([Varying(name) for name in names]))
    activation.values[record.merge] = state
    with lanes.under(running):
        walker.region(activation, record.body)
        condition = lanes.vector(BOOL, activation.values[record.cond])
        going = lanes.both(running, condition)
    w.branch_if(lanes.any(going), step, leave)
    w.start(step)
    with lanes.under(going):
        walker.region(activation, record.jump)
        following = lanes.leaves(ty, activation.values.get(item.next_state))
        moved = [lanes.vector(leaf, part) for leaf, part in following]
    kept = [
        lanes.select(leaf, going, new, old)
        for leaf, new, old in zip(types, moved, names, strict=True)
    ]
    edge = f"[ {entered or ALL}, %{before} ], [ {going}, %{w.label} ]"
    phis.lines.append(f"  {running} = phi {mask_type} {edge}")
    for name, leaf, start, last in zip(names, types, starts, kept, strict=True):
        incoming = f"[ {start}, %{before} ], [ {last}, %{w.label} ]"
        phis.lines.append(f"  {name} = phi {lanes.type_of(leaf)} {incoming}")
    w.branch(head)
    w.start(leave)
    activation.values[record.merge] = state
    walker.region(activation, record.body)
    walker.region(activation, record.exit)
    return activation.values.get(item.payload)
