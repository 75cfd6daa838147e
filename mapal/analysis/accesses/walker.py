"""Where a walk over a program is, and what it records there."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from mapal.affine import Affine, Stmt, within_box
from mapal.affine.index import Linear
from mapal.affine.paths import PathComponent
from mapal.analysis.accesses.facts import Fact, join, unrelated
from mapal.analysis.accesses.records import AccessRecord, LoopFrame, Table, Trace
from mapal.analysis.accesses.symbols import Symbols, constant, minus, plus
from mapal.analysis.expansion import outlined_bodies
from mapal.analysis.intervals import Interval
from mapal.ir.graph import Graph
from mapal.ir.ops import FunctionId, MorphismId


class Walker:
    """One run over a graph. `trusts_guards` tells whether a guard's condition narrows what its
    arms read."""

    def __init__(self, graph: Graph, *, trusts_guards: bool) -> None:
        self.graph = graph
        self.trusts_guards = trusts_guards
        self.symbols = Symbols()
        self.table = Table(self.symbols)
        self.outlined = outlined_bodies(graph)
        self.loops: tuple[LoopFrame, ...] = ()
        self.trace: Trace = None
        self.arms = 0
        self.dead_ends = 0
        self.function = graph.entry
        self.is_guessing = False
        self.outcome: dict[MorphismId, bool] = {}
        self.reached_accesses: set[MorphismId] = set()
        self.arguments: dict[FunctionId, Fact] = {}
        self.is_called: set[FunctionId] = set()

    def note_call(self, function: FunctionId, argument: Fact) -> None:
        """Adds one call's argument to what holds at all calls."""
        if self.is_guessing:
            return
        argument = unrelated(argument)
        if function in self.is_called:
            argument = join(self.arguments[function], argument)
        self.is_called.add(function)
        self.arguments[function] = argument

    # Where the walk is ----------------------------------------------------------------

    @contextmanager
    def guessing(self) -> Iterator[None]:
        """Inside, nothing is recorded: the facts may be wrong."""
        before, self.is_guessing = self.is_guessing, True
        try:
            yield
        finally:
            self.is_guessing = before

    @contextmanager
    def below(self, *components: PathComponent) -> Iterator[None]:
        """Program positions inside begin with these components."""
        before = self.trace
        for component in components:
            self.trace = (self.trace, component)
        try:
            yield
        finally:
            self.trace = before

    @contextmanager
    def arm(self, number: int, is_possible: bool) -> Iterator[None]:
        """Accesses inside may not happen."""
        self.arms += 1
        try:
            with self.below(Stmt(number)), self.reached(is_possible):
                yield
        finally:
            self.arms -= 1

    @contextmanager
    def reached(self, is_possible: bool) -> Iterator[None]:
        """Without `is_possible`, nothing ever gets inside, and all accesses there are safe."""
        self.dead_ends += not is_possible
        try:
            yield
        finally:
            self.dead_ends -= not is_possible

    @contextmanager
    def loop(self, frame: LoopFrame) -> Iterator[None]:
        """Accesses inside happen once for each iteration."""
        before = self.loops
        self.loops = (*before, frame)
        try:
            yield
        finally:
            self.loops = before

    # What is recorded -------------------------------------------------------------------

    def prove(self, access: MorphismId, form: Linear, interval: Interval, length: int) -> bool:
        """Whether an index is in range here. Also notes it."""
        symbols = self.symbols
        form = symbols.expanded(form)
        index = [Affine(tuple((c, s) for s, c in form.terms.items()), form.offset)]
        is_safe = self.dead_ends > 0 or within_box(index, [length], ranges=symbols.ranges)
        if not is_safe:
            about = [plus(form, constant(-interval.low)), minus(constant(interval.high), form)]
            premises = [*about, *symbols.premises_about(form)]
            is_safe = within_box(index, [length], ranges=symbols.ranges, premises=premises)
        if not self.is_guessing:
            self.outcome[access] = self.outcome.get(access, True) and is_safe
            if not self.dead_ends:
                self.reached_accesses.add(access)
        return is_safe

    def record(
        self,
        site: MorphismId,
        part: PathComponent,
        storage: int,
        array: int,
        index: tuple[Linear | None, ...],
        *,
        write: bool = False,
        whole: bool = False,
        rmw: bool = False,
    ) -> None:
        """Adds a read or write that happens here."""
        if self.is_guessing or self.dead_ends:
            return
        symbols = self.symbols
        wanted = {leaf for frame in self.loops for leaf in symbols.leaves(frame.symbol)}
        wanted.update(frame.symbol for frame in self.loops)
        wanted.update(s for form in index if form is not None for s in symbols.expanded(form).terms)
        self.table.records.append(
            AccessRecord(
                site=site,
                function=self.function,
                storage=storage,
                array=array,
                index=index,
                write=write,
                whole=whole,
                arms=self.arms,
                rmw=rmw,
                loops=self.loops,
                ranges={symbol: symbols.ranges[symbol] for symbol in sorted(wanted)},
                trace=(self.trace, part),
            )
        )
