"""Questions about one Map: its slices, its output, its threads, the memory that it goes over."""

from __future__ import annotations

from dataclasses import replace

from mapal.affine import (
    Affine,
    Dynamic,
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


def _tile(program: Program, store: AccessRecord) -> Verdict:
    """A Map over rows and columns with a reduction inside, all of whose reads are linear."""
    obstacle, shape = _obstacle_to_tiles(program, store)
    return Verdict(Question.TILE, obstacle is None, obstacle or shape, never)


def _obstacle_to_tiles(program: Program, store: AccessRecord) -> tuple[str | None, str]:
    table, frame = program.table, store.loops[-1]
    leaves = table.symbols.leaves(frame.symbol)
    if len(leaves) < 2 or not table.symbols.is_even(frame.symbol):
        return "its range has no rows and columns", ""
    inner = [
        record
        for record in program.by_frame[frame]
        if record.loops[-1].kind is LoopKind.FOLD and not record.rmw
    ]
    if not inner:
        return "there is no reduction inside", ""
    for record in inner:
        if record.whole or any(isinstance(i, Dynamic) for i in table.access(record).map):
            return "a read inside depends on data", ""
    if tie(table, store, store, frame) is not None or program.fills(store, (frame,)) is not None:
        return "its cells are not shown to be its own", ""
    lengths = [high + 1 for _, high in (table.symbols.bases[leaf] for leaf in leaves)]
    return None, " x ".join(map(str, lengths)) + ", any tile"


def _move(program: Program, store: AccessRecord) -> Verdict:
    graph, table = program.graph, program.table
    frame = store.loops[-1]
    op = graph.morphisms[store.site].op
    assert isinstance(op, ops.Map)
    output = graph.definer(graph.functions[op.body].output)
    moved = output if output is None else graph.definer(output.source) or output
    if moved is None or not isinstance(moved.op, ops.Index):
        return Verdict(Question.MOVE, False, "it computes its elements", never)
    reads = [
        record for record in program.by_frame[frame] if not record.write and record.site == moved.id
    ]
    if len(reads) != 1 or reads[0].loops != store.loops:
        return Verdict(Question.MOVE, False, "its elements come from laws", never)
    read = reads[0]
    components = tuple((pair,) for pair in program.domain((frame,)))
    lhs = table.access(read).map
    projection = Projection(components, lhs, program.dims(read))
    if any(isinstance(component, Dynamic) for component in lhs):
        return Verdict(Question.MOVE, False, "data decide where it reads", never)
    is_permutation = is_injective(projection) and is_surjective(projection)
    reason = "every element once" if is_permutation else "not every element once"
    return Verdict(Question.MOVE, is_permutation, reason, never)
