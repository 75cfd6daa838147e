"""Operations that become the body of a map, applied once, in their place."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from mapal.ir import ops
from mapal.ir.graph import Key, Morphism
from mapal.ir.ops import MorphismId, ObjectId, RegionId
from mapal.ir.order import OperationItem
from mapal.ir.types import I32, Array
from mapal.rewrite.copies import Copy

if TYPE_CHECKING:
    from mapal.rewrite.replay import Replay, Scope, Walk


@dataclass(frozen=True, slots=True)
class FillOfBody:
    """A map whose body does not read its element is a fill of what the body gives."""

    law: ClassVar[str] = "fill of a body"


@dataclass(frozen=True, slots=True)
class FillOfPair:
    """A zip of the fills of two values is a fill of their pair."""

    law: ClassVar[str] = "zip of fills"

    left: ObjectId
    right: ObjectId


@dataclass(frozen=True, slots=True)
class BodyAtPlace:
    """An element of a map is what the body makes of that element. The map is not made."""

    law: ClassVar[str] = "element of a map"

    map: MorphismId


Application = FillOfBody | FillOfPair | BodyAtPlace


def apply(
    replay: Replay,
    scope: Scope,
    item: OperationItem,
    application: Application,
    into: RegionId,
    prefix: Key,
) -> Walk:
    """What takes the place of an operation."""
    graph, f, morphism = replay.graph, replay.f, item.morphism
    key = prefix + morphism.key
    match application:
        case FillOfBody():
            value = yield from _result(replay, scope, morphism, morphism, None, into, key)
        case FillOfPair(left=left, right=right):
            value = f.pack([replay.read(scope, left), replay.read(scope, right)], key)
        case BodyAtPlace(map=identity):
            inner = graph.morphisms[identity]
            array = replay.read(scope, graph.operands(inner)[-1])
            element = f.index(array, replay.read(scope, item.operands[1]), key)
            scope.copy.morphisms[morphism.id] = replay.builder.morphisms[-1].id
            value = yield from _result(replay, scope, morphism, inner, element, into, key)
            replay.define(scope, item.target, value, key)
            return
    ty = graph.ty(item.target)
    assert isinstance(ty, Array)
    length = f.constant(ty.length, I32, key)
    made = f.fill(value, length, key, replay.destination(scope, item.target))
    replay.settle(scope, item.target, made, morphism.id)


def _result(
    replay: Replay,
    scope: Scope,
    place: Morphism,
    applied: Morphism,
    element: ObjectId | None,
    into: RegionId,
    key: Key,
) -> Generator[Walk, None, ObjectId]:
    """What the body of the map `applied` gives, at the place of another operation."""
    assert isinstance(applied.op, ops.Map), "only bodies of maps are applied"
    graph, f = replay.graph, replay.f
    record = graph.functions[applied.op.body]
    copy = Copy(record.id, (record.body,), scope.copy.into, (*scope.copy.path, place.id))
    if element is None:
        scope.copy.inlined[place.id] = copy
    else:
        scope.copy.beside.append(copy)
    inside = replay.inside(copy, record, key)
    captures = [replay.read(scope, obj) for obj in graph.operands(applied)[:-1]]
    if element is not None:
        argument = f.pack((*captures, element), key) if captures else element
        inside.values[record.input] = argument
    else:
        views = [graph.morphisms[edge] for edge in graph.out_edges[record.input]]
        for view in views:
            assert isinstance(view.op, ops.Proj), "the element is not read"
            if view.op.index < len(captures):
                inside.values[view.target] = captures[view.op.index]
        inside.given = frozenset(view.target for view in views)
    yield replay.region(inside, record.body, into, key)
    f.enter(into)
    return replay.returned(inside, graph.ty(record.output), key)
