"""Questions about one Map: its slices, its output, its threads, the memory that it goes over."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from mapal.affine import (
    Affine,
    Projection,
    SideRanges,
    is_injective,
    is_surjective,
    path_before,
    separates,
)
from mapal.analysis.accesses import AccessRecord, LoopKind
from mapal.analysis.legality.answers import Question, Verdict, always, never
from mapal.analysis.legality.pairs import tie
from mapal.analysis.legality.program import Program
from mapal.ir import ops
from mapal.ir.graph import Graph
from mapal.ir.ops import FunctionId, MorphismId


def map_verdicts(program: Program, store: AccessRecord, threads: int | None) -> list[Verdict]:
    """All answers about the Map that a record is the store of. `threads` is the size of a block
    of GPU threads, if there are any."""
    return [
        _slices(program, store),
        _covered(program, store),
        _reuse(program, store),
        *([] if threads is None else [_grid(program, store, threads)]),
        _tile(program, store),
        _move(program, store),
    ]


def _slices(program: Program, store: AccessRecord) -> Verdict:
    frame = store.loops[-1]
    for other in program.inside(store.storage, frame):
        found = tie(program.table, store, other, frame)
        if found is not None:
            return Verdict(Question.SLICES, False, found, always)
    return Verdict(Question.SLICES, True, "each iteration has cells of its own", always)


def _covered(program: Program, store: AccessRecord) -> Verdict:
    """The simple rule compares lengths: a Map has as many elements as what it goes over."""
    found = program.fills(store, store.loops[-1:])
    reason = found or "each cell is written exactly once"
    return Verdict(Question.COVERED, found is None, reason, always)


def _grid(program: Program, store: AccessRecord, threads: int) -> Verdict:
    """Element `threads * block + thread`; threads behind the last element do nothing."""
    length = program.dims(store)[0]
    return Verdict(
        Question.GRID,
        is_race_free(length, threads),
        f"blocks of {threads} threads, an element each",
        always,
    )


def is_race_free(length: int, threads: int) -> bool:
    """Whether the threads of a grid that covers `length` elements store in different cells."""
    blocks = -(-length // threads)
    ranges = {"block": (0, blocks - 1), "thread": (0, threads - 1)}
    return separates(
        [Affine(((threads, "block"), (1, "thread")))],
        concurrent=("block", "thread"),
        syms=("block", "thread"),
        ranges=SideRanges(ranges),
    )


def _reuse(program: Program, store: AccessRecord) -> Verdict:
    """Whether the array that a Map goes over may become its result."""
    obstacle = _obstacle_to_reuse(program, store)
    reason = obstacle or "each iteration reads the cell that it writes"
    return Verdict(Question.REUSE, obstacle is None, reason, never)


def _obstacle_to_reuse(program: Program, store: AccessRecord) -> str | None:
    graph, table = program.graph, program.table
    morphism, frame = graph.morphisms[store.site], store.loops[-1]
    element_reads = [
        record
        for record in program.by_frame[frame]
        if record.site == store.site and not record.write and record.loops == store.loops
    ]
    if len(element_reads) != 1 or len(element_reads[0].index) != 1 or element_reads[0].whole:
        return "it goes over no single array in memory"
    read = element_reads[0]
    source = table.arrays[read.array]
    if graph.ty(graph.operands(morphism)[-1]) != graph.ty(morphism.target):
        return "the elements have another type"
    if read.storage in table.escaped or not is_made_here(graph, source.obj):
        return "the array is not its own"
    if source.loops != store.loops[:-1]:
        return "the array outlives the iteration around"
    store_there = replace(store, storage=read.storage, array=read.array)
    for other in program.by_array[read.array]:
        if other.write:
            if isinstance(graph.morphisms[other.site].op, ops.Update):
                return "the array is updated"
        elif frame in other.loops:
            found = tie(table, store_there, other, frame)
            if found is not None:
                return found
        elif not path_before(other.path, store.path):
            return "the array is read later"
    return None


def is_made_here(graph: Graph, obj: ops.ObjectId) -> bool:
    """Whether an array is the result of an operation or the state of a loop: in memory that no
    caller knows."""
    made = (ops.Map, ops.Update, ops.Call, ops.Fold, ops.Reduce, ops.LoopEnter, ops.Pair)
    return any(isinstance(graph.morphisms[edge].op, made) for edge in graph.in_edges[obj])


# Sites of special loops -------------------------------------------------------------


def is_tile(graph: Graph, site: MorphismId, *, rule: Callable[[], bool]) -> bool:
    """Whether a Map may be cut into tiles wherever it stands; yes where nothing ever gets. `rule`
    is the simple rule."""
    return _everywhere(graph, site, _tile, rule)


def is_move(graph: Graph, site: MorphismId, *, rule: Callable[[], bool]) -> bool:
    """Whether the elements of a Map may be moved in any order wherever it stands; yes where
    nothing ever gets. `rule` is the simple rule."""
    return _everywhere(graph, site, _move, rule)


def _everywhere(
    graph: Graph,
    site: MorphismId,
    question: Callable[[Program, AccessRecord], Verdict],
    rule: Callable[[], bool],
) -> bool:
    program = Program.of(graph)
    verdicts = [replace(question(program, s), rule=rule) for s in program.made_by[site]]
    function, token = graph.functions[_function(graph, site)], graph.morphisms[site].key[-1][0]
    placed = [verdict.placed(function.name, token) for verdict in verdicts]
    return all(answer.is_proved for answer in placed)


def _function(graph: Graph, site: MorphismId) -> FunctionId:
    return graph.regions[graph.morphisms[site].region].function


def _tile(program: Program, store: AccessRecord) -> Verdict:
    """A Map with reductions inside, all of whose reads are linear. A range of one row is one of
    lanes."""
    obstacle, shape = _obstacle_to_tiles(program, store)
    return Verdict(Question.TILE, obstacle is None, obstacle or shape, never)


def _obstacle_to_tiles(program: Program, store: AccessRecord) -> tuple[str | None, str]:
    table, frame = program.table, store.loops[-1]
    leaves = table.symbols.leaves(frame.symbol)
    if not table.symbols.is_even(frame.symbol):
        return "its range has no rows and columns", ""
    inner = [r for r in program.by_frame[frame] if r.loops[-1].kind is LoopKind.FOLD]
    if not any(record.rmw for record in inner):
        return "there is no reduction inside", ""
    if not all(record.rmw or _is_linear(program, record) for record in inner):
        return "a read inside depends on data", ""
    if _obstacle_to_any_order(program, store) is not None:
        return "its cells are not shown to be its own", ""
    lengths = [high + 1 for _, high in (table.symbols.bases[leaf] for leaf in leaves)]
    return None, " x ".join(map(str, lengths)) + ", any tile"


def _is_linear(program: Program, read: AccessRecord) -> bool:
    """Whether a read is of one cell that the counters of its loops decide."""
    return not read.whole and not program.table.access(read).dynamic


def _obstacle_to_any_order(program: Program, store: AccessRecord) -> str | None:
    """Why the elements of a Map's result have to be stored in their order."""
    frame = store.loops[-1]
    return tie(program.table, store, store, frame) or program.fills(store, (frame,))


def _move(program: Program, store: AccessRecord) -> Verdict:
    """A Map whose elements are elements of other arrays, at places that their number decides."""
    obstacle = _obstacle_to_moving(program, store)
    reason = obstacle or _moved_elements(program, store)
    return Verdict(Question.MOVE, obstacle is None, reason, never)


def _obstacle_to_moving(program: Program, store: AccessRecord) -> str | None:
    moved = _moving_access(program.graph, store)
    if moved is None:
        return "it computes its elements"
    for read in _moving_reads(program, store, moved):
        if read.loops != store.loops or not _is_linear(program, read):
            return "data decide where it reads"
    return _obstacle_to_any_order(program, store)


def _moving_access(graph: Graph, store: AccessRecord) -> MorphismId | None:
    """The access that gives a Map its elements, if one does."""
    op = graph.morphisms[store.site].op
    assert isinstance(op, ops.Map)
    last = graph.definer(graph.functions[op.body].output)
    if last is not None and isinstance(last.op, ops.Output):
        last = graph.definer(last.source)
    return last.id if last is not None and isinstance(last.op, ops.Index) else None


def _moving_reads(program: Program, store: AccessRecord, moved: MorphismId) -> list[AccessRecord]:
    frame = store.loops[-1]
    return [r for r in program.by_frame[frame] if not r.write and r.site == moved]


def _moved_elements(program: Program, store: AccessRecord) -> str:
    """What of the array that it reads a moving Map takes."""
    frame, moved = store.loops[-1], _moving_access(program.graph, store)
    assert moved is not None
    reads = _moving_reads(program, store, moved)
    if len(reads) != 1:
        return "any order"
    components = tuple((pair,) for pair in program.domain((frame,)))
    lhs = program.table.access(reads[0]).map
    projection = Projection(components, lhs, program.dims(reads[0]))
    is_permutation = is_injective(projection) and is_surjective(projection)
    return "every element once" if is_permutation else "any order, some not at all or again"
