"""Maps that are not carried out where they stand, because their readers may as well compute the
elements: what comes between never goes to memory.

A map qualifies if its body is a few scalar operations that cannot trap, and each reader goes once
over its elements in the same region. A map with one such reader, a reduction, costs nothing that
way; with several readers, only what is cheaper to compute again than to load.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from mapal.analysis.tile_safety import is_tile_safe
from mapal.analysis.work import work_of
from mapal.codegen.layout import leaves
from mapal.codegen.llvm.emitter import Emitter
from mapal.codegen.llvm.values import Memory, Range, Value
from mapal.ir import ops
from mapal.ir.graph import Graph, Morphism
from mapal.ir.ops import ObjectId, RegionId
from mapal.ir.types import Array, Scalar, Type

_MOST_READERS = 3
_LEAST_WORK_STORED = 4
"""Operations of a body from which on several readers load its results."""


def is_deferred(e: Emitter, morphism: Morphism, array: Value) -> bool:
    """Whether the readers of a Map compute its elements; `array` is what it maps."""
    op, graph = morphism.op, e.graph
    assert isinstance(op, ops.Map)
    if not (e.uses_kernels and e.module.has_kernels) or op.body in e.module.outlined:
        return False
    ty = graph.ty(morphism.target)
    assert isinstance(ty, Array)
    if not _is_flat(ty.element) or not is_tile_safe(graph, op.body):
        return False
    readers = list(_readers(graph, morphism.target, morphism.region))
    if None in readers or not 1 <= len(readers) <= _MOST_READERS:
        return False
    if len(readers) == 1:
        return isinstance(_op_of(readers), ops.Reduce)
    is_light = work_of(graph, op.body) < _LEAST_WORK_STORED
    return is_light and isinstance(array, Memory | Range)


def _op_of(readers: Sequence[Morphism | None]) -> ops.Op:
    (reader,) = readers
    assert reader is not None
    return reader.op


def _is_flat(ty: Type) -> bool:
    """Whether a value consists of numbers only, and has some."""
    parts = leaves(ty)
    return bool(parts) and all(isinstance(part, Scalar) for part in parts)


def _readers(graph: Graph, array: ObjectId, region: RegionId) -> Iterator[Morphism | None]:
    """The bulk operations of a region that go over the elements of an array, also through
    pairs; None for a reader of another kind."""
    for edge in graph.out_edges[array]:
        reader = _reader(graph, graph.morphisms[edge])
        if reader is None or reader.region != region:
            yield None
            return
        match reader.op:
            case ops.Map() | ops.Reduce() if graph.operands(reader)[-1] == array:
                is_captured = array in graph.operands(reader)[:-1]
                yield None if is_captured else reader
            case ops.Zip() | ops.Enumerate():
                yield from _readers(graph, reader.target, region)
            case _:
                yield None


def _reader(graph: Graph, edge: Morphism) -> Morphism | None:
    """The operation that an edge leads to; the pack before it is looked through."""
    if not isinstance(edge.op, ops.Pair):
        return edge
    if not graph.is_internal_pack(edge.target):
        return None
    return graph.morphisms[graph.out_edges[edge.target][0]]
