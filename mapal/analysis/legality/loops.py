"""Questions about the loops of a program and its folds: what ties one iteration to the next."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum

from mapal.affine import SideRanges, crosscheck, separates
from mapal.affine.index import Linear
from mapal.analysis.accesses import AccessRecord, LoopFrame
from mapal.analysis.legality.answers import Question, Verdict, never
from mapal.analysis.legality.pairs import tie
from mapal.analysis.legality.program import Program
from mapal.ir import ops
from mapal.ir.graph import Function, Graph, Morphism
from mapal.ir.ops import BinaryCode, LoopId, MorphismId, ObjectId
from mapal.ir.types import Scalar, Tuple

_ASSOCIATIVE = {
    BinaryCode.ADD,
    BinaryCode.MUL,
    BinaryCode.MIN,
    BinaryCode.MAX,
    BinaryCode.AND,
    BinaryCode.OR,
}
"""Associative on integers, which wrap, and on truth values; not on floats, which round."""


def fold_verdict(program: Program, store: AccessRecord) -> Verdict:
    """The answer about the fold whose accumulator a record stores: a reduction if its one cell
    does not tell iterations apart and only one associative operation combines them."""
    frame = store.loops[-1]
    symbols = program.table.symbols
    leaves = symbols.leaves(frame.symbol)
    apart = separates(
        program.table.access(store).map,
        concurrent=leaves,
        syms=leaves,
        ranges=SideRanges(symbols.bases),
    )
    op = program.graph.morphisms[store.site].op
    if not isinstance(op, ops.Fold):
        return Verdict(Question.REGROUPED, False, "the order of a reduce is its own", never)
    found = combining_operation(program.graph, program.graph.functions[op.body])
    if apart:
        return Verdict(Question.REGROUPED, True, "at most one iteration", never)
    if found is None:
        reason = "the accumulator ties each iteration to the one before"
        return Verdict(Question.REGROUPED, False, reason, never)
    return Verdict(Question.REGROUPED, True, f"{found.value} is associative here", never)


def combining_operation(graph: Graph, body: Function) -> BinaryCode | None:
    """The associative operation on the accumulator that a fold's body is, beside what it makes of
    the element and the captures."""
    ty = graph.ty(body.input)
    if not isinstance(ty, Tuple) or len(body.regions) > 1:
        return None
    last = graph.definer(body.output)
    if last is not None and isinstance(last.op, ops.Output):
        last = graph.definer(last.source)
    if last is None or not isinstance(last.op, ops.Binary) or last.op.code not in _ASSOCIATIVE:
        return None
    left, right = graph.operands(last)
    result = graph.ty(last.target)
    if not isinstance(result, Scalar) or result.is_float:
        return None
    slot = len(ty.items) - 2
    using = _readers(graph, body, slot)
    if using != [last] or (_is_slot(graph, body, left, slot) == _is_slot(graph, body, right, slot)):
        return None
    return last.op.code


def _is_slot(graph: Graph, body: Function, obj: ObjectId, slot: int) -> bool:
    definer = graph.definer(obj)
    return definer is not None and definer.op == ops.Proj(slot) and definer.source == body.input


def _readers(graph: Graph, body: Function, slot: int) -> list[Morphism]:
    """The operations that read the accumulator."""
    found: list[Morphism] = []
    for edge in graph.out_edges[body.input]:
        morphism = graph.morphisms[edge]
        if morphism.op != ops.Proj(slot):
            if not isinstance(morphism.op, ops.Proj):
                found.append(morphism)
            continue
        for reader in graph.out_edges[morphism.target]:
            record = graph.morphisms[reader]
            if isinstance(record.op, ops.Pair):
                consumers = graph.out_edges[record.target]
                found += [graph.morphisms[consumer] for consumer in consumers]
            else:
                found.append(record)
    return found


# Loops ------------------------------------------------------------------------------


def loop_verdicts(program: Program, frame: LoopFrame) -> list[Verdict]:
    """The answers about a loop of the program, as its jump sees it."""
    verdicts = [_parallel(program, frame)]
    for slot, storage in program.state_arrays(frame).items():
        obstacle = _obstacle_to_overwriting(program, frame, storage)
        reason = obstacle or "every cell is written before the loop ends"
        part = component_of_state(slot)
        verdicts.append(Verdict(Question.OVERWRITTEN, obstacle is None, reason, never, part))
    return verdicts


def component_of_state(slot: int) -> str:
    """How answers name an array of a loop's state."""
    return f"component {slot} of the state"


def _parallel(program: Program, frame: LoopFrame) -> Verdict:
    obstacle = _obstacle_to_parallel(program, frame)
    reason = obstacle or "no iteration reads or writes what another writes"
    return Verdict(Question.PARALLEL, obstacle is None, reason, never)


def _obstacle_to_parallel(program: Program, frame: LoopFrame) -> str | None:
    if frame not in program.exact:
        return "how often it runs is not known beforehand"
    if not program.table.counting.get(LoopId(frame.site), False):
        return "its state is more than counters and arrays"
    inside = program.by_frame[frame]
    for store in inside:
        if not store.write or program.is_made_in_pass(store.storage, frame):
            continue
        if (store.storage, frame) in program.table.escapes:
            return "an array has other names"
        for other in inside:
            if other.storage != store.storage:
                continue
            found = tie(program.table, store, other, frame)
            if found is not None:
                return found
    return None


def _obstacle_to_overwriting(program: Program, frame: LoopFrame, storage: int) -> str | None:
    """Why what an array holds at first may be seen."""
    table = program.table
    if (storage, frame) in table.escapes:
        return "the array has other names"
    if frame not in program.exact:
        return "how often the loop runs is not known beforehand"
    inside = program.inside(storage, frame)
    stores = [record for record in inside if record.write]
    if len(stores) != len(inside):
        return "the loop reads the array"
    if len(stores) != 1 or stores[0].whole:
        return "not one update writes the array"
    store = stores[0]
    if storage in table.handed_on or store.loops[-1] != frame:
        return "the next pass does not begin with what the update makes"
    if store.arms > table.arrays[storage].arms:
        return "the update is in an arm"
    return program.fills(store, store.loops[store.loops.index(frame) :])


# Loops as maps ----------------------------------------------------------------------


class WritingOrder(Enum):
    """In which order the passes of a loop write the cells of an array, each pass one."""

    FORWARDS = "forwards"
    BACKWARDS = "backwards"


@dataclass(frozen=True, slots=True)
class Writing:
    """What passes of a loop do with component `slot` of its state: the next pass begins with what
    `update` makes of it, and `reads` are the accesses to it, before that, that matter."""

    loop: LoopId
    slot: int
    update: MorphismId
    reads: frozenset[MorphismId]


def writing_order(
    graph: Graph, writing: Writing, *, rule: Callable[[], bool]
) -> WritingOrder | None:
    """The order in which a loop writes all cells of an array, if no pass reads what another one
    writes: a pass then reads what the array held before the loop. None if that is not proved, or
    nothing ever gets there. `rule` is the simple rule, for forwards and no reads."""
    program = Program.of(graph)
    orders = {_order(program, frame, writing) for frame in program.by_loop[writing.loop]}
    if not orders:
        return None
    found = orders.pop() if len(orders) == 1 else None
    record = graph.loops[writing.loop]
    context = f"{graph.functions[record.function].name}, token {record.key[-1][0]}"
    crosscheck("loop as map", context, rule, found is not None, "each pass has a cell of its own")
    return found


def _order(program: Program, frame: LoopFrame, writing: Writing) -> WritingOrder | None:
    storage = program.state_arrays(frame).get(writing.slot)
    if storage is None or frame not in program.exact:
        return None
    stores = [record for record in program.made_by[writing.update] if frame in record.loops]
    if len(stores) != 1 or stores[0].loops[-1] != frame or stores[0].array != storage:
        return None
    (store,) = stores
    if not _reads_own_cells(program, store, frame, writing.reads):
        return None
    last = program.table.arrays[storage].dims[0] - 1
    if program.table.range_of(store, frame.symbol) != (0, last):
        return None
    if store.index == (Linear({frame.symbol: 1}, 0),):
        return WritingOrder.FORWARDS
    return WritingOrder.BACKWARDS if store.index == (Linear({frame.symbol: -1}, last),) else None


def _reads_own_cells(
    program: Program, store: AccessRecord, frame: LoopFrame, sites: frozenset[MorphismId]
) -> bool:
    """Whether each of some accesses reads, on every pass, no cell that another pass stores."""
    inside = program.inside(store.storage, frame)
    reads = [record for record in inside if record.site in sites and not record.write]
    if {record.site for record in reads} != sites:
        # A row is no cell.
        return False
    return all(tie(program.table, store, read, frame) is None for read in reads)
