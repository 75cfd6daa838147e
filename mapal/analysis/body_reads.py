"""What the body of a map or fold reads of its input: the facts behind giving it another one."""

from __future__ import annotations

from dataclasses import dataclass

from mapal.analysis.definitions import definition
from mapal.analysis.totality import is_total_morphism
from mapal.ir import ops
from mapal.ir.graph import Function, FunctionKind, Graph, Morphism, ObjectKind
from mapal.ir.ops import MorphismId, ObjectId
from mapal.ir.order import OperationItem, PackItem
from mapal.ir.types import Array, Tuple


@dataclass(frozen=True, slots=True)
class SteadyAccess:
    """`target` is an element of the captured array `array` (a slot) at a place that is the same
    for all applications: the capture `place`, or the literal `literal`."""

    target: ObjectId
    array: int
    place: int | None
    literal: ObjectId | None


@dataclass(frozen=True, slots=True)
class BodyReads:
    """`unread` are the slots of captures that nothing reads, `apart` of those that are only
    taken apart. `accesses` are the elements of captured arrays at the number that the body is
    given as its element: each with the slot of its array. `needs_number` tells whether that
    number has any other use. `steady` are accesses that every application makes and that give
    the same each time. All in the order of the body."""

    unread: frozenset[int]
    apart: frozenset[int]
    accesses: tuple[tuple[ObjectId, int], ...]
    needs_number: bool
    steady: tuple[SteadyAccess, ...]


NOTHING_KNOWN = BodyReads(frozenset(), frozenset(), (), True, ())


def body_reads(
    graph: Graph, body: Function, captures: int, length: int, proved: frozenset[MorphismId]
) -> BodyReads:
    """What the body of a map or fold reads of its input: first `captures` captures, last the
    element. Accesses by number count where the array has the length of what the body is
    applied to; steady ones where they are total, given what is `proved`."""
    if not captures:
        return NOTHING_KNOWN
    views: dict[int, list[ObjectId]] = {}
    for edge in graph.out_edges[body.input]:
        view = graph.morphisms[edge]
        if not isinstance(view.op, ops.Proj) or _is_result(graph, view.target):
            return NOTHING_KNOWN
        views.setdefault(view.op.index, []).append(view.target)
    readers = {
        slot: [graph.morphisms[edge] for view in found for edge in graph.out_edges[view]]
        for slot, found in views.items()
    }
    slots = {view: slot for slot, found in views.items() if slot < captures for view in found}
    element = captures + (1 if body.kind is FunctionKind.FOLD_BODY else 0)
    accesses, needs_number = _by_number(graph, readers.get(element, []), slots, length)
    return BodyReads(
        unread=frozenset(slot for slot in range(captures) if not readers.get(slot)),
        apart=frozenset(
            slot
            for slot in range(captures)
            if all(isinstance(reader.op, ops.Proj) for reader in readers.get(slot, ()))
        ),
        accesses=accesses,
        needs_number=needs_number,
        steady=_steady(graph, body, slots, proved),
    )


def reads_element(graph: Graph, body: Function, captures: int) -> bool:
    """Whether the body of a map reads its element, or its input as a whole."""
    if not captures:
        return bool(graph.out_edges[body.input])
    for edge in graph.out_edges[body.input]:
        view = graph.morphisms[edge]
        if not isinstance(view.op, ops.Proj) or _is_result(graph, view.target):
            return True
        if view.op.index == captures and graph.out_edges[view.target]:
            return True
    return False


def gives_number(graph: Graph, body: Function, captures: int) -> bool:
    """Whether the body of a map gives pairs of the number that it is given and something
    else."""
    if body.kind is not FunctionKind.MAP_BODY or not isinstance(graph.ty(body.output), Tuple):
        return False
    parts = graph.feeders(body.output)
    if not parts:
        made = definition(graph, body.output)
        if not isinstance(made, OperationItem) or not isinstance(made.morphism.op, ops.Output):
            return False
        pack = definition(graph, made.operands[0])
        parts = pack.feeders if isinstance(pack, PackItem) else ()
    if len(parts) != 2:
        return False
    if not captures:
        return parts[0] == body.input
    number = definition(graph, parts[0])
    return (
        isinstance(number, OperationItem)
        and number.morphism.op == ops.Proj(captures)
        and number.operands == (body.input,)
    )


def _by_number(
    graph: Graph, readers: list[Morphism], slots: dict[ObjectId, int], length: int
) -> tuple[tuple[tuple[ObjectId, int], ...], bool]:
    found: list[tuple[MorphismId, ObjectId, int]] = []
    needs_number = False
    for edge in readers:
        access = _access_by(graph, edge)
        array = None if access is None else graph.operands(access)[0]
        slot = None if array is None else slots.get(array)
        if access is None or array is None or slot is None or not _has(graph, array, length):
            needs_number = True
        else:
            found.append((access.id, access.target, slot))
    return tuple((target, slot) for _, target, slot in sorted(found)), needs_number


def _steady(
    graph: Graph, body: Function, slots: dict[ObjectId, int], proved: frozenset[MorphismId]
) -> tuple[SteadyAccess, ...]:
    found: list[SteadyAccess] = []
    for identity in body.morphisms:
        morphism = graph.morphisms[identity]
        if not isinstance(morphism.op, ops.Index) or morphism.region != body.body:
            continue
        array, place = graph.operands(morphism)
        is_literal = graph.objects[place].kind is ObjectKind.CONSTANT
        if array not in slots or not (is_literal or place in slots):
            continue
        if is_total_morphism(graph, identity, proved) and not _is_result(graph, morphism.target):
            literal = place if is_literal else None
            found.append(SteadyAccess(morphism.target, slots[array], slots.get(place), literal))
    return tuple(found)


def _is_result(graph: Graph, obj: ObjectId) -> bool:
    return graph.objects[obj].kind is ObjectKind.RETURN


def _has(graph: Graph, array: ObjectId, length: int) -> bool:
    ty = graph.ty(array)
    return isinstance(ty, Array) and ty.length == length


def _access_by(graph: Graph, edge: Morphism) -> Morphism | None:
    """The `Index` whose index an edge is."""
    if edge.op != ops.Pair(1, 2) or not graph.is_internal_pack(edge.target):
        return None
    reader = graph.morphisms[graph.out_edges[edge.target][0]]
    return reader if isinstance(reader.op, ops.Index) else None
