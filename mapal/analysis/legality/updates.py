"""Whether an update may write the memory of the array that it changes.

It may if the array is its own, is made anew wherever the update runs, and is not read afterwards
in the cells that the update writes.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from mapal.affine import crosscheck, path_before
from mapal.analysis.accesses import AccessRecord, LoopKind
from mapal.analysis.legality.answers import Question, Verdict
from mapal.analysis.legality.maps import is_made_here
from mapal.analysis.legality.pairs import meet
from mapal.analysis.legality.program import Program
from mapal.analysis.liveness import WHOLE, Read, contains_array, region_reads
from mapal.ir import ops
from mapal.ir.graph import Graph, Morphism, ObjectKind
from mapal.ir.ops import LoopId, MorphismId, ObjectId, RegionId
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


def may_write(graph: Graph, update: MorphismId, needed: Sequence[Read]) -> bool:
    """Whether an update may write memory in which objects, or components of them, lie that are
    still to be read: wherever it stands, other cells of them are. The simple rule wants none to be
    needed."""
    is_safe = all(_leaves_alone(graph, update, obj, part) for obj, part in needed)
    morphism = graph.morphisms[update]
    function = graph.functions[graph.regions[morphism.region].function]
    context = f"{function.name}, token {morphism.key[-1][0]}"
    crosscheck(
        "update in place", context, lambda: not needed, is_safe, "other cells are read later"
    )
    return is_safe


def _leaves_alone(graph: Graph, update: MorphismId, obj: ObjectId, part: int) -> bool:
    program = Program.of(graph)
    table = program.table
    names, stores = table.names[obj, part], program.made_by[update]
    born = {store.loops: store for store in stores}
    if not names or not stores or len(born) < len(stores):
        return False
    if graph.objects[obj].kind is ObjectKind.RETURN:
        return False
    for place in names:
        if place is None:
            return False
        storage, array = place
        store = born.get(table.arrays[array].loops)
        if store is None or store.storage != storage or array in table.escaped_values:
            return False
        if array in table.handed_on or _reads_afterwards(program, array, store) is not None:
            return False
    return True


def _reads_afterwards(program: Program, array: int, store: AccessRecord) -> str | None:
    """What reads the cell of a store in an array value, after the store."""
    loops = program.table.arrays[array].loops
    for other in program.by_array[array]:
        if other is store or (other.write and not _is_update(program.graph, other)):
            continue
        if loops != other.loops[: len(loops)] and _is_in_jump(program.graph, store):
            # Read at the loop's exit, on the pass that does not go on to the update.
            continue
        if path_before(other.path, store.path):
            # An update among these has left the old array alone, because this one needs it.
            continue
        if other.write:
            return "the old array is updated in another way, too"
        if meet(program.table, other, store, loops):
            return "the old array is read afterwards"
    return None


def _obstacle(program: Program, store: AccessRecord) -> str | None:
    table = program.table
    array = table.arrays[store.array]
    if store.array in table.escaped_values:
        return "the old array has other names"
    if not is_made_here(program.graph, array.obj):
        return "the old array belongs to somebody else"
    if store.array in table.handed_on:
        return "the next pass begins with the old array"
    if array.loops != store.loops:
        return "the old array is needed by the next iteration"
    return _reads_afterwards(program, store.array, store)


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
    """The simple rule: an operation of the same region made the old array, it has no other name,
    and the update is the last to read it."""
    morphism = graph.morphisms[update]
    old = graph.operands(morphism)[0]
    definer = graph.definer(old)
    if definer is None or definer.region != morphism.region or _is_named_again(graph, old):
        return False
    if not isinstance(definer.op, ops.Map | ops.Update):
        return False
    items = schedule(graph, morphism.region)
    position = next(at for at, item in enumerate(items) if item.target == morphism.target)
    return region_reads(graph, morphism.region).last.get((old, WHOLE)) == position


def _is_named_again(graph: Graph, obj: ObjectId) -> bool:
    """Whether an array becomes part of another value, or that value itself."""
    work = list(graph.out_edges[obj])
    while work:
        reader = graph.morphisms[work.pop()]
        if isinstance(reader.op, ops.Pair) and graph.is_internal_pack(reader.target):
            work += graph.out_edges[reader.target]
        elif not isinstance(reader.op, _READERS) or _is_row(graph, reader):
            return True
    return False


def _is_row(graph: Graph, reader: Morphism) -> bool:
    """Whether an operation gives an element that has arrays in it: they lie where they lay."""
    return isinstance(reader.op, ops.Index) and contains_array(graph, graph.ty(reader.target))


_READERS = (ops.Index, ops.Update, ops.Map, ops.Fold, ops.Reduce, ops.Call)
"""Operations whose results lie in memory of their own, or in no memory."""
