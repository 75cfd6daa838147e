"""The records of a program, grouped for questions about one site, one array or one loop."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from math import prod

from mapal.affine import (
    Affine,
    AxisIndex,
    Interval,
    SubAxis,
    Sym,
    covers_box,
    fiber_cardinality,
)
from mapal.affine.counting import Exact
from mapal.analysis.accesses import AccessRecord, LoopFrame, LoopKind, extract
from mapal.analysis.accesses.records import Table
from mapal.ir.graph import Graph
from mapal.ir.ops import LoopId, MorphismId, ObjectId
from mapal.ir.types import Array, Struct, Tuple


@dataclass(slots=True)
class Program:
    """A graph with its access records by storage and by array value."""

    graph: Graph
    table: Table
    by_storage: dict[int, list[AccessRecord]] = field(default_factory=lambda: defaultdict(list))
    by_array: dict[int, list[AccessRecord]] = field(default_factory=lambda: defaultdict(list))
    exact: set[LoopFrame] = field(default_factory=set)
    """Loops whose passes that go on are those of a range."""
    by_frame: dict[LoopFrame, list[AccessRecord]] = field(default_factory=lambda: defaultdict(list))
    made_by: dict[MorphismId, list[AccessRecord]] = field(default_factory=lambda: defaultdict(list))
    """The stores of elements, by the operation that makes the array."""
    by_loop: dict[LoopId, list[LoopFrame]] = field(default_factory=lambda: defaultdict(list))
    """The places of each loop of the program that something is accessed in."""
    states: dict[LoopFrame, list[int]] = field(default_factory=lambda: defaultdict(list))
    """For each place of a loop, the arrays of its state at the head, in the order of the state."""

    @classmethod
    def of(cls, graph: Graph) -> Program:
        """The program of a graph, remembered."""
        return graph.remembered("program of accesses", lambda: cls._of(graph))

    @classmethod
    def _of(cls, graph: Graph) -> Program:
        program = cls(graph, extract(graph).table)
        for array in program.table.arrays:
            frame = array.loops[-1] if array.loops else None
            if frame is not None and array.obj == _merge(graph, frame):
                program.states[frame].append(array.number)
        for record in program.table.records:
            program.by_storage[record.storage].append(record)
            program.by_array[record.array].append(record)
            if record.write and not record.whole:
                program.made_by[MorphismId(record.site)].append(record)
            for frame in record.loops:
                program.by_frame[frame].append(record)
                if frame.exact:
                    program.exact.add(frame)
        for frame in program.by_frame:
            if frame.kind is LoopKind.LOOP:
                program.by_loop[LoopId(frame.site)].append(frame)
        return program

    def state_arrays(self, frame: LoopFrame) -> dict[int, int]:
        """The arrays of a loop's state by component, 0 where the array is all of it."""
        ty = self.graph.ty(self.graph.loops[LoopId(frame.site)].merge)
        items = ty.items if isinstance(ty, Tuple | Struct) else (ty,)
        slots = [slot for slot, item in enumerate(items) if isinstance(item, Array)]
        return dict(zip(slots, self.states[frame], strict=False))

    def is_made_in_pass(self, storage: int, frame: LoopFrame) -> bool:
        """Whether an array is made on each iteration of a loop anew, and is not its state."""
        return frame in self.table.arrays[storage].loops and storage not in self.states[frame]

    def inside(self, storage: int, frame: LoopFrame) -> list[AccessRecord]:
        """The accesses of a storage on iterations of a loop."""
        return [record for record in self.by_storage[storage] if frame in record.loops]

    def dims(self, record: AccessRecord) -> tuple[int, ...]:
        """The lengths of the axes that a record's index names."""
        return self.table.arrays[record.array].dims[: len(record.index)]

    def domain(self, frames: tuple[LoopFrame, ...]) -> list[tuple[Sym, int]]:
        """Loops as symbols with widths."""
        symbols = self.table.symbols
        leaves = [leaf for frame in frames for leaf in symbols.leaves(frame.symbol)]
        return [(leaf, _width(symbols.bases[leaf])) for leaf in leaves]

    def fills(self, store: AccessRecord, frames: tuple[LoopFrame, ...]) -> str | None:
        """Why a store under `frames` is not shown to write each cell of its array exactly once;
        None if it does."""
        if not all(frame.exact for frame in frames):
            return "not every value of a counter is an iteration"
        access, ranges = self._by_counters(store, frames)
        reasons: list[str] = []
        if not covers_box(
            access,
            self.dims(store),
            ranges=ranges,
            why=lambda axis, code: reasons.append(f"axis {axis}: {code}"),
        ):
            return reasons[0] if reasons else "cells are left out"
        once = fiber_cardinality(access, [(s, _width(i)) for s, i in ranges.items()])
        return None if once == Exact(1) else "cells are written more than once"

    def _by_counters(
        self, store: AccessRecord, frames: tuple[LoopFrame, ...]
    ) -> tuple[tuple[AxisIndex, ...], dict[Sym, Interval]]:
        """The cell of a store and the loops `frames`, by the counters as they are if the cell
        mentions nothing else, so that digits that are no box do not matter; else by digits."""
        table = self.table
        counters = {frame.symbol: table.range_of(store, frame.symbol) for frame in frames}
        forms = [form for form in store.index if form is not None]
        plain = all(counters.keys() >= form.terms.keys() for form in forms)
        if plain and len(forms) == len(store.index) and len(counters) == len(frames):
            cell = tuple(Affine(tuple((c, s) for s, c in f.terms.items()), f.offset) for f in forms)
            return cell, counters
        access = table.access(store)
        digits: dict[Sym, Interval] = {}
        for frame in frames:
            own = {leaf: access.bounds[leaf] for leaf in table.symbols.leaves(frame.symbol)}
            # As many choices of digits as values: the digits are a box.
            if prod(map(_width, own.values())) != _width(counters[frame.symbol]):
                return tuple(SubAxis() for _ in access.map), {}
            digits |= own
        return access.map, digits


def _merge(graph: Graph, frame: LoopFrame) -> ObjectId | None:
    """The state at the head of a loop of the program."""
    return graph.loops[LoopId(frame.site)].merge if frame.kind is LoopKind.LOOP else None


def _width(interval: Interval) -> int:
    return max(0, interval[1] - interval[0] + 1)
