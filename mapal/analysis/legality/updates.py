"""Whether an update may write the memory of the array that it changes.

It may if the array is its own, is made anew wherever the update runs, and is not read afterwards
in the cells that the update writes.
"""

from __future__ import annotations

from functools import partial

from mapal.affine import path_before
from mapal.analysis.accesses import AccessRecord, LoopKind
from mapal.analysis.legality.answers import Question, Verdict
from mapal.analysis.legality.maps import is_made_here
from mapal.analysis.legality.pairs import meet
from mapal.analysis.legality.program import Program
from mapal.analysis.liveness import WHOLE, region_reads
from mapal.ir import ops
from mapal.ir.graph import Graph
from mapal.ir.ops import LoopId, MorphismId, RegionId
from mapal.ir.order import schedule


def update_verdict(program: Program, store: AccessRecord) -> Verdict:
    """The answer about the update that a record is the store of."""
    obstacle = _obstacle(program, store)
    return Verdict(
        Question.IN_PLACE,
        obstacle is None,
        obstacle or "nobody reads the cell of the old array afterwards",
        partial(is_dead_afterwards, program.graph, store.site),
    )


def _obstacle(program: Program, store: AccessRecord) -> str | None:
    table = program.table
    array = table.arrays[store.array]
    if store.storage in table.escaped:
        return "the old array has other names"
    if not is_made_here(program.graph, array.obj):
        return "the old array belongs to somebody else"
    if store.array in table.handed_on:
        return "the next pass begins with the old array"
    if array.loops != store.loops:
        return "the old array is needed by the next iteration"
    for other in program.by_array[store.array]:
        if other is store or (other.write and not _is_update(program.graph, other)):
            continue
        if array.loops != other.loops[: len(array.loops)] and _is_in_jump(program.graph, store):
            # Read at the loop's exit, on the pass that does not go on to the update.
            continue
        if path_before(other.path, store.path):
            # An update among these has left the old array alone, because this one needs it.
            continue
        if other.write:
            return "the old array is updated in another way, too"
        if meet(table, other, store, array.loops):
            return "the old array is read afterwards"
    return None


def _is_update(graph: Graph, record: AccessRecord) -> bool:
    """Whether a store is an update's, and not one that makes the array in the first place."""
    return isinstance(graph.morphisms[record.site].op, ops.Update)


def _is_in_jump(graph: Graph, store: AccessRecord) -> bool:
    """Whether an access stands in what only passes of its loop run that go on."""
    frame = store.loops[-1]
    at: RegionId | None = graph.morphisms[store.site].region
    while at is not None and frame.kind is LoopKind.LOOP:
        if at == graph.loops[LoopId(frame.site)].jump:
            return True
        at = graph.regions[at].parent
    return False


def is_dead_afterwards(graph: Graph, update: MorphismId) -> bool:
    """The simple rule: an operation of the same region made the old array, and the update is
    the last to read it."""
    morphism = graph.morphisms[update]
    old = graph.operands(morphism)[0]
    definer = graph.definer(old)
    if definer is None or definer.region != morphism.region:
        return False
    if not isinstance(definer.op, ops.Map | ops.Update):
        return False
    items = schedule(graph, morphism.region)
    position = next(at for at, item in enumerate(items) if item.target == morphism.target)
    return region_reads(graph, morphism.region).last.get((old, WHOLE)) == position
