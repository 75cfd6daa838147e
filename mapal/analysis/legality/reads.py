"""How often each element of an array is read: what fusing its maker with its readers repeats."""

from __future__ import annotations

from functools import partial

from mapal.affine import AtMost, Exact, fiber_cardinality_ub
from mapal.analysis.accesses import AccessRecord
from mapal.analysis.legality.answers import Question, Verdict
from mapal.analysis.legality.program import Program
from mapal.ir import ops
from mapal.ir.graph import Graph, ObjectKind
from mapal.ir.ops import MorphismId


def reads_verdict(program: Program, store: AccessRecord) -> Verdict:
    """The answer about the array that a Map makes."""
    count, reason = recompute_count(program, store)
    return Verdict(
        Question.ONCE,
        count is not None and count <= 1,
        reason,
        partial(is_read_in_step, program.graph, store.site),
    )


def is_read_once(graph: Graph, site: MorphismId) -> bool:
    """Whether each element of the array that a Map makes is read at most once, wherever the Map
    stands."""
    program = Program.of(graph)
    stores = program.made_by[site]
    placed = [
        reads_verdict(program, store).placed(
            graph.functions[store.function].name, graph.morphisms[site].key[-1][0]
        )
        for store in stores
    ]
    return all(answer.is_proved for answer in placed)


def recompute_count(program: Program, store: AccessRecord) -> tuple[int | None, str]:
    """How often an element of the array that a Map makes is computed if its readers compute it
    themselves, at most; None if they cannot. With the reason."""
    table, total = program.table, 0
    if program.graph.objects[table.arrays[store.array].obj].kind is ObjectKind.RETURN:
        return None, "the array is a result"
    # The one reader has the element at hand, whatever its body does with parts of it.
    stepping = _reader_in_step(program.graph, store.site)
    if store.storage in table.escaped and stepping is None:
        return None, "the array has other names"
    for record in program.by_storage[store.storage]:
        if record.write:
            if record.site != store.site:
                return None, "the array is updated"
            continue
        if stepping is not None and (record.site != stepping or _is_of_row(record)):
            continue
        if record.whole:
            return None, "the array is needed as a whole"
        frames = table.loops_since_birth(record)
        access = table.access(record)
        if access.dynamic:
            return None, "data decide which element is read"
        # To read a cell of a row is to compute the row.
        found = fiber_cardinality_ub(access.map[:1], program.domain(frames))
        assert isinstance(found, Exact | AtMost)
        total += found.count
    times = {0: "no element is read", 1: "each element is read at most once"}
    return total, times.get(total, f"an element is read up to {total} times")


def _is_of_row(record: AccessRecord) -> bool:
    """Whether a read takes all of an element that is an array: the one at hand, in a reader that
    goes over the array."""
    return record.whole and bool(record.index)


def is_read_in_step(graph: Graph, site: MorphismId) -> bool:
    """The simple rule: one operation reads the array, it goes over it, and it stands in the same
    region."""
    return _reader_in_step(graph, site) is not None


def _reader_in_step(graph: Graph, site: MorphismId) -> MorphismId | None:
    morphism = graph.morphisms[site]
    readers = graph.out_edges[morphism.target]
    if len(readers) != 1:
        return None
    reader = graph.morphisms[readers[0]]
    if isinstance(reader.op, ops.Pair) and graph.is_internal_pack(reader.target):
        reader = graph.morphisms[graph.out_edges[reader.target][0]]
    if not isinstance(reader.op, ops.Map | ops.Reduce) or reader.region != morphism.region:
        return None
    return reader.id if graph.operands(reader)[-1] == morphism.target else None
