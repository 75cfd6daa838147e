"""Access records of a graph: which cells an operation reads or writes, under which loops, where."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum

from mapal.affine import Access, Affine, AxisIndex, Dynamic, Interval, Sym
from mapal.affine.index import Linear
from mapal.affine.paths import PathComponent
from mapal.analysis.accesses.symbols import Symbols
from mapal.ir.ops import FunctionId, LoopId, MorphismId, ObjectId


class LoopKind(Enum):
    MAP = "map"
    FOLD = "fold"
    REDUCE = "reduce"
    LOOP = "loop"


@dataclass(frozen=True, slots=True)
class LoopFrame:
    """A loop around an access: a collection, at each of its sites, or a loop of the program.

    `symbol` counts its iterations. `exact` tells that each value in the symbol's range is an
    iteration whenever the loop runs; otherwise the range only contains them, or the symbol
    counts for nothing.
    """

    kind: LoopKind
    symbol: Sym
    exact: bool = field(compare=False)
    site: MorphismId | LoopId


@dataclass(frozen=True, slots=True)
class ArrayValue:
    """An array that accesses refer to. `dims` are the lengths of its nested axes, outermost
    first; a scalar that a fold accumulates has none. `loops` are those that it is made in anew
    on each iteration, `arms` counts those of guards around."""

    number: int
    obj: ObjectId
    dims: tuple[int, ...]
    loops: tuple[LoopFrame, ...]
    arms: int


Trace = tuple["Trace", PathComponent] | None
"""A program position, the innermost component last: positions share their beginnings."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AccessRecord:
    """One read or write. `array` is the value that is accessed and `storage` the first one of
    the chain of updates that made it. `index` names the cell of the outer axes; None in it is an
    index that nothing is known of. `ranges` are those of all symbols at this place."""

    site: MorphismId
    function: FunctionId
    storage: int
    array: int
    index: tuple[Linear | None, ...]
    write: bool
    whole: bool
    arms: int
    rmw: bool
    loops: tuple[LoopFrame, ...]
    ranges: Mapping[Sym, Interval]
    trace: Trace

    @property
    def path(self) -> tuple[PathComponent, ...]:
        components: list[PathComponent] = []
        at = self.trace
        while at is not None:
            components.append(at[1])
            at = at[0]
        return tuple(reversed(components))

    @property
    def is_exact(self) -> bool:
        """Whether the loops around it run through their ranges."""
        return all(frame.exact for frame in self.loops)


@dataclass(slots=True)
class Table:
    """The records of a graph while they are found, and how to ask the engine about them."""

    symbols: Symbols
    records: list[AccessRecord] = field(default_factory=list)
    arrays: list[ArrayValue] = field(default_factory=list)
    escaped: set[int] = field(default_factory=set)
    """Storages that are also read under names that the records do not know."""
    escaped_values: set[int] = field(default_factory=set)
    """The array values among them that got such names."""
    escapes: set[tuple[int, LoopFrame]] = field(default_factory=set)
    """In which loops storages got such names."""
    handed_on: set[int] = field(default_factory=set)
    """Array values that the next pass of a loop begins with, where they lie."""
    counting: dict[LoopId, bool] = field(default_factory=dict)
    """For each loop whether, besides arrays, its state only counts passes."""

    def array(
        self, obj: ObjectId, dims: tuple[int, ...], loops: tuple[LoopFrame, ...], arms: int
    ) -> int:
        """A new array value; its number."""
        self.arrays.append(ArrayValue(len(self.arrays), obj, dims, loops, arms))
        return len(self.arrays) - 1

    names: dict[tuple[ObjectId, int], set[tuple[int, int] | None]] = field(
        default_factory=lambda: defaultdict(set)
    )
    """Which arrays an object, or a component of it, is at its places: storage and array value, or
    None for one whose memory is not known. The component of an array itself is `WHOLE`."""

    def escape(self, storage: int, array: int) -> None:
        """An array gets a name that the records do not know."""
        self.escaped.add(storage)
        self.escaped_values.add(array)

    def access(self, record: AccessRecord) -> Access:
        """The record in the engine's vocabulary. Loops whose symbols were taken apart are loops
        over the digits. An index out of data is a dynamic component."""
        symbols = self.symbols
        bound = {leaf for frame in record.loops for leaf in symbols.leaves(frame.symbol)}
        components = tuple(self._component(form, bound) for form in record.index)
        dynamic = any(isinstance(component, Dynamic) for component in components)
        return Access(
            map=components,
            write=record.write,
            array=record.storage,
            dynamic=dynamic,
            whole=record.whole,
            guarded=record.arms > 0,
            rmw=record.rmw,
            loops=tuple(self.loops(record)),
            path=record.path,
        )

    def loops(self, record: AccessRecord) -> list[tuple[Sym, int, int]]:
        """The loops around a record over symbols that are whole."""
        return [
            (leaf, *self.range_of(record, leaf))
            for frame in record.loops
            for leaf in self.symbols.leaves(frame.symbol)
        ]

    def range_of(self, record: AccessRecord, symbol: Sym) -> Interval:
        return record.ranges.get(symbol, self.symbols.bases[symbol])

    def loops_since_birth(self, record: AccessRecord) -> tuple[LoopFrame, ...]:
        """The loops around a record that the accessed array lives through."""
        return record.loops[len(self.arrays[record.array].loops) :]

    def _component(self, form: Linear | None, bound: set[Sym]) -> AxisIndex:
        if form is None:
            return Dynamic()
        form = self.symbols.expanded(form)
        if all(symbol in bound or symbol in self.symbols.parameters for symbol in form.terms):
            return Affine(tuple((c, s) for s, c in form.terms.items()), form.offset)
        return Dynamic()
