"""What stands in the place of two maps, or of a loop."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from mapal.ir.graph import Key
from mapal.ir.ops import RegionId
from mapal.ir.order import LoopItem, OperationItem
from mapal.ir.types import I32, Tuple
from mapal.rewrite.entries import Fusion, Lifting
from mapal.rewrite.lifted_body import LiftedBody
from mapal.rewrite.synthesis import FusedBody

if TYPE_CHECKING:
    from mapal.rewrite.replay import Replay, Scope, Walk


def fuse(replay: Replay, scope: Scope, item: OperationItem, fusion: Fusion, prefix: Key) -> None:
    """One map in place of two."""
    graph = replay.graph
    outer, inner = item.morphism, graph.morphisms[fusion.inner]
    place = inner if fusion.at_inner else outer
    *inner_captures, array = (replay.read(scope, obj) for obj in graph.operands(inner))
    outer_captures = [replay.read(scope, obj) for obj in graph.operands(outer)[:-1]]
    captures = list(dict.fromkeys((*inner_captures, *outer_captures)))
    body = FusedBody(
        fusion=fusion,
        path=scope.copy.path,
        captures=tuple(replay.f.ty(capture) for capture in captures),
        inner_slots=tuple(captures.index(capture) for capture in inner_captures),
        outer_slots=tuple(captures.index(capture) for capture in outer_captures),
        key=place.key[-1:],
    )
    made = replay.f.map(
        replay.synthesise(body),
        captures,
        array,
        prefix + place.key,
        replay.destination(scope, item.target),
        late=place.late,
    )
    replay.settle(scope, item.target, made, outer.id)
    scope.copy.morphisms[inner.id] = scope.copy.morphisms[outer.id]


def lift(
    replay: Replay, scope: Scope, item: LoopItem, lifting: Lifting, into: RegionId, prefix: Key
) -> Walk:
    """A fold or map over a range in place of a loop, then the loop's exit."""
    f, key = replay.f, prefix + item.loop.key
    if lifting.values:
        _pass_all(replay, scope, item, lifting, key)
    ty = replay.graph.ty(item.loop.merge)
    counter = ty.items[lifting.counter] if isinstance(ty, Tuple) else ty
    counted = f.constant(lifting.last, counter, key)
    for view in lifting.views[lifting.counter]:
        scope.values[view] = counted
    after = replace(scope, only=lifting.after)
    yield replay.region(after, item.loop.body, into, key)
    yield replay.region(after, item.loop.exit, into, key)
    f.enter(into)
    replay.define(scope, item.target, replay.read(scope, item.payload), key)


def _pass_all(replay: Replay, scope: Scope, item: LoopItem, lifting: Lifting, key: Key) -> None:
    """The fold or map over the passes; the last values are known after it."""
    f = replay.f
    init = replay.read(scope, item.init)
    captures = [replay.read(scope, capture) for capture in lifting.captures]
    body = replay.synthesise(LiftedBody(lifting, scope.copy.path, item.loop.key[-1:]))
    numbers = f.iota(f.constant(lifting.count, I32, key), key)
    if lifting.is_map:
        made = f.map(body, captures, numbers, key, late=True)
    else:
        firsts = [f.proj(init, slot, key) for slot in lifting.values]
        seed = firsts[0] if len(firsts) == 1 else f.pack(firsts, key)
        made = f.fold(body, captures, seed, numbers, key, late=True)
    scope.copy.morphisms[item.loop.enter] = replay.builder.morphisms[-1].id
    lasts = [made]
    if len(lifting.values) > 1:
        lasts = [f.proj(made, slot, key) for slot in range(len(lifting.values))]
    for slot, last in zip(lifting.values, lasts, strict=True):
        for view in lifting.views[slot]:
            scope.values[view] = last
