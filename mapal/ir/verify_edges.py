"""Verifier, second group: who writes what, and where strings and private products occur."""

from __future__ import annotations

from collections.abc import Iterator

from mapal.ir import ops
from mapal.ir.graph import Graph, Morphism, Object, ObjectKind
from mapal.ir.types import Array, Io, Str, Struct, Tuple, Type, Unit, contains_str
from mapal.ir.violation import Violation


def edge_violations(graph: Graph) -> Iterator[Violation]:
    for obj in graph.objects:
        writers = [graph.morphisms[m] for m in graph.in_edges[obj.id]]
        match obj.kind:
            case ObjectKind.PARAMETER | ObjectKind.CONSTANT:
                if writers:
                    message = f"the {obj.kind.value} {obj.id} is written"
                    yield _at("SourceHasInEdges", message, obj, writers)
            case ObjectKind.TEMPORARY:
                if not _is_defined_once(obj, writers):
                    message = f"object {obj.id} is not defined exactly once"
                    yield _at("BadInEdges", message, obj, writers)
            case ObjectKind.LOOP_MERGE:
                kinds = sorted(type(writer.op).__name__ for writer in writers)
                if kinds != ["LoopBack", "LoopEnter"]:
                    message = f"the merge {obj.id} is not written by one enter and one back"
                    yield _at("BadInEdges", message, obj, writers)
            case ObjectKind.RETURN:
                yield from _return_violations(graph, obj, writers)
        if contains_str(obj.ty) and not _is_string_place(graph, obj):
            message = f"object {obj.id} holds a string that is not about to be printed"
            yield _at("StrOutsidePrint", message, obj, [])
    for morphism in graph.morphisms:
        if _reads_private_product(morphism) and not _is_private(graph, morphism.source):
            message = f"{type(morphism.op).__name__} reads a product that others use or made"
            yield Violation("BadInEdges", message, (morphism.source,), (morphism.id,))


def _at(code: str, message: str, obj: Object, edges: list[Morphism]) -> Violation:
    return Violation(code, message, (obj.id,), tuple(edge.id for edge in edges))


def _component_count(ty: Type) -> int | None:
    match ty:
        case Tuple(items=items):
            return len(items)
        case Struct(fields=fields):
            return len(fields)
        case Array(length=length):
            return length
        case _:
            return None


def _slots(writers: list[Morphism]) -> list[int]:
    return sorted(writer.op.slot for writer in writers if isinstance(writer.op, ops.Pair))


def _is_defined_once(obj: Object, writers: list[Morphism]) -> bool:
    slots = _slots(writers)
    if not slots:
        return len(writers) == 1
    return len(slots) == len(writers) and _fills(slots, obj.ty)


def _fills(slots: list[int], ty: Type) -> bool:
    """Whether sorted slots are each component of a product once."""
    return len(slots) == _component_count(ty) and slots == list(range(len(slots)))


def _return_violations(graph: Graph, obj: Object, writers: list[Morphism]) -> Iterator[Violation]:
    slots = _slots(writers)
    if not writers:
        good = isinstance(obj.ty, Unit)
    elif slots:
        good = len(slots) == len(writers) and _fills(slots, obj.ty)
    else:
        good = True
    if not good:
        message = f"the result {obj.id} is not written whole or once per component"
        yield _at("BadReturn", message, obj, writers)
    readers = [graph.morphisms[m] for m in graph.out_edges[obj.id]]
    if readers:
        yield _at("ReturnHasOutEdges", f"the result {obj.id} is read", obj, readers)


def _is_string_place(graph: Graph, obj: Object) -> bool:
    if isinstance(obj.ty, Str):
        return obj.kind is ObjectKind.CONSTANT
    match obj.ty:
        case Tuple(items=(Io(), Str())):
            readers = graph.out_edges[obj.id]
            return obj.kind is ObjectKind.TEMPORARY and all(
                isinstance(graph.morphisms[m].op, ops.Print) for m in readers
            )
        case _:
            return False


def _reads_private_product(morphism: Morphism) -> bool:
    match morphism.op:
        case ops.Map(captures=captures) | ops.Reduce(captures=captures):
            return captures > 0
        case ops.Fold(captures=captures):
            return captures > 0
        case (
            ops.Binary()
            | ops.Fma()
            | ops.Phi()
            | ops.Index()
            | ops.Update()
            | ops.Zip()
            | ops.Fill()
            | ops.Print()
            | ops.LoopBack()
            | ops.LoopExit()
        ):
            return True
        case _:
            return False


def _is_private(graph: Graph, product: int) -> bool:
    """Whether a product is packed for its only reader."""
    writers = graph.in_edges[product]
    return (
        len(graph.out_edges[product]) == 1
        and graph.objects[product].kind is ObjectKind.TEMPORARY
        and bool(writers)
        and all(isinstance(graph.morphisms[m].op, ops.Pair) for m in writers)
    )
