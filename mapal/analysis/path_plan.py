"""Sections of a region whose heavy items run at the same time, as paths of one parallel run.

A path is one pure item that is worth a thread of its own, or a small one that a later path needs
and that may trap. It may start before its turn: what is reported of traps is the first one in
the order of the region, and before an effect the spine waits for the paths that stand before it.
So it does before an item that may never end, which would hide their traps, and before one whose
accesses are in range only because those paths did not trap. Light total items between paths are
computed again in each path that needs them. Everything else stays on the spine, in its order.

No section reaches across a clock read, so what stands between two reads runs between them, and
none has a path that needs what an effect of the section made. An item that may never end begins
a section of its own if anything before it could trap or has an effect, so that it hides neither.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum

from mapal.analysis.liveness import contains_array
from mapal.analysis.path_units import Unit, region_units
from mapal.analysis.totality import (
    Summary,
    callees_first,
    is_total_morphism,
    item_summary,
    may_run_forever,
    may_trap,
    referenced,
)
from mapal.analysis.trip_counts import is_bounded
from mapal.analysis.work import work_of_item
from mapal.ir import ops
from mapal.ir.graph import Graph
from mapal.ir.ops import FunctionId, MorphismId, RegionId
from mapal.ir.order import GuardItem, Item, LoopItem, OperationItem, PackItem, schedule
from mapal.ir.types import Array

MOST_COPIED = 32
"""Cost of the largest guard, and elements of the largest array literal, that paths repeat."""

MOST_PATHS = 64
"""Of one section: the runtime looks through all that are ready."""

RANK_UNIT = 1024
"""Operations that one step of a rank stands for."""


@dataclass(frozen=True, slots=True)
class Costs:
    """Numbers of operations: of the lightest item that is worth a path, of what must be saved at
    two threads (None: nothing), of what starting a run and a path costs, and from which on an
    item that may be split runs on all threads by itself."""

    heavy: int
    least_gain: int | None
    run: int
    path: int
    split: int


@dataclass(frozen=True, slots=True)
class Known:
    """What is proved about a graph: operations that cannot trap, operations that may be split
    into independent parts, and accesses without a guard. Those are in range where the program
    gets to them, perhaps only because something before them would have trapped."""

    total: frozenset[MorphismId]
    splits: frozenset[MorphismId]
    unguarded: frozenset[MorphismId] = frozenset()


@dataclass(frozen=True, slots=True)
class Path:
    """The item at `position` of the schedule. `copies` are the positions of items that are
    computed again first, `after` the numbers of paths whose results it needs, `rank` the weight
    of the heaviest way from here to the end of the section."""

    position: int
    copies: tuple[int, ...]
    after: tuple[int, ...]
    rank: int
    is_total: bool


@dataclass(frozen=True, slots=True)
class Section:
    """Positions `first` to `last`, and the paths among them, in order. `settled` are the positions
    of the items before which the spine waits for all that stands before them; `light` those of
    items that may be computed at any time after what they read. `work` estimates the operations
    of all paths, `longest` of the longest way through them."""

    first: int
    last: int
    paths: tuple[Path, ...]
    settled: frozenset[int]
    light: frozenset[int]
    work: int
    longest: int


class _Kind(Enum):
    COPY = "light, total and pure"
    HEAVY = "pure and worth a path"
    PURE = "pure, and on the spine unless a path needs it"
    EFFECT = "has an effect"
    CLOCK = "reads the clock"


def path_plan(graph: Graph, region: RegionId, known: Known, costs: Costs) -> tuple[Section, ...]:
    """The sections of a region for which running paths at once pays."""
    query = ("path plan", region, known, costs)
    return graph.remembered(query, lambda: tuple(_sections(graph, region, known, costs)))


def _sections(graph: Graph, region: RegionId, known: Known, costs: Costs) -> Iterator[Section]:
    items = schedule(graph, region)
    if sum(work_of_item(graph, item) >= costs.heavy for item in items) < 2:
        return
    yield from _Search(graph, region_units(graph, region), known, costs).run()


@dataclass(frozen=True, slots=True)
class _Needs:
    """What a path needs from before it in its section: positions of copies and of paths."""

    copies: frozenset[int]
    paths: frozenset[int]


class _Search:
    def __init__(self, graph: Graph, found: tuple[Unit, ...], known: Known, costs: Costs) -> None:
        self.graph = graph
        self.units = found
        self.known = known
        self.costs = costs
        self.summaries = [item_summary(graph, unit.item, known.total) for unit in found]
        self.weights = [work_of_item(graph, unit.item) for unit in found]
        self.kinds = [
            self._kind(unit, summary, weight)
            for unit, summary, weight in zip(found, self.summaries, self.weights, strict=True)
        ]
        self.made_at = {obj: at for at, unit in enumerate(found) for obj in unit.defines}

    def run(self) -> Iterator[Section]:
        start = 0
        chosen: set[int] = set()
        for position, kind in enumerate(self.kinds):
            if kind is _Kind.CLOCK:
                yield from self._closed(start, chosen)
                start, chosen = position + 1, set()
            elif kind is _Kind.HEAVY:
                joined = self._joined(position, start, chosen)
                if joined is None:
                    yield from self._closed(start, chosen)
                    start, chosen = position, {position}
                else:
                    chosen = joined
        yield from self._closed(start, chosen)

    # Kinds --------------------------------------------------------------------------

    def _kind(self, unit: Unit, summary: Summary, weight: int) -> _Kind:
        graph, item = self.graph, unit.item
        inside = [each.morphism for _, each in unit.inside if isinstance(each, OperationItem)]
        for morphism in inside:
            if isinstance(morphism.op, ops.TimeMs) or (
                isinstance(morphism.op, ops.Call) and _reads_clock(graph, morphism.op.function)
            ):
                return _Kind.CLOCK
        if any(
            isinstance(morphism.op, ops.Print)
            or (isinstance(morphism.op, ops.Call) and graph.is_token_bearing(morphism.target))
            for morphism in inside
        ):
            return _Kind.EFFECT
        if summary.is_total and _is_copied(graph, item, summary):
            return _Kind.COPY
        bears = graph.is_token_bearing(item.target)
        return _Kind.HEAVY if weight >= self.costs.heavy and not bears else _Kind.PURE

    @functools.cached_property
    def trapping(self) -> list[bool]:
        """Of each item, whether it may trap."""
        return [self._may_trap(position) for position in range(len(self.units))]

    @functools.cached_property
    def visible(self) -> list[bool]:
        """Of each item, whether it has an effect or may trap: an item after it that never ends
        must not keep that from being seen."""
        return [
            kind is _Kind.EFFECT or traps
            for kind, traps in zip(self.kinds, self.trapping, strict=True)
        ]

    def _may_run_forever(self, position: int) -> bool:
        if self.summaries[position].is_total:
            return False
        return any(
            isinstance(item, LoopItem) and not is_bounded(self.graph, item.loop.id)
            for _, item in self.units[position].inside
        ) or any(may_run_forever(self.graph, used) for used in self._used(position))

    def _may_trap(self, position: int) -> bool:
        if self.summaries[position].is_total:
            return False
        return any(
            isinstance(item, OperationItem)
            and isinstance(item.morphism.op, ops.Index | ops.Update | ops.Binary)
            and not is_total_morphism(self.graph, item.morphism.id, self.known.total)
            for _, item in self.units[position].inside
        ) or any(may_trap(self.graph, used, self.known.total) for used in self._used(position))

    def _used(self, position: int) -> Iterator[FunctionId]:
        """The functions that an item calls or has as bodies."""
        for _, item in self.units[position].inside:
            if isinstance(item, OperationItem):
                match item.morphism.op:
                    case ops.Call(function=used):
                        yield used
                    case ops.Map(body=used) | ops.Fold(body=used) | ops.Reduce(body=used):
                        yield used

    # Paths --------------------------------------------------------------------------

    def _joined(self, position: int, start: int, chosen: set[int]) -> set[int] | None:
        """The paths of a section from `start` on with one more, and with what it needs; None if
        it has to be in another section."""
        if self._may_run_forever(position) and any(self.visible[start:position]):
            return None
        joined = set(chosen)
        work = [position]
        while work:
            at = work.pop()
            if at in joined:
                continue
            joined.add(at)
            needs = self._needs(at, start)
            if needs is None or not all(
                self._may_run_early(each, start) for each in (at, *needs.copies)
            ):
                return None
            work.extend(needs.paths)
        return None if len(joined) > MOST_PATHS else joined

    def _may_run_early(self, position: int, start: int) -> bool:
        """Whether an item may run before what stands before it from `start` on: not if it has
        accesses without a guard, and something before it may trap."""
        return not self._has_unguarded(position) or not any(self.trapping[start:position])

    def _has_unguarded(self, position: int) -> bool:
        """Whether an item has accesses without a guard."""
        return any(
            isinstance(item, OperationItem) and item.morphism.id in self.known.unguarded
            for _, item in self.units[position].inside
        ) or any(
            function in _with_unguarded(self.graph, self.known.unguarded)
            for function in self._used(position)
        )

    def _needs(self, position: int, start: int) -> _Needs | None:
        """What the item at a position needs from `start` on; None if only the spine has it."""
        copies: set[int] = set()
        paths: set[int] = set()
        work = list(self.units[position].reads)
        while work:
            at = self.made_at.get(work.pop(), -1)
            if at < start or at in copies or at in paths:
                continue
            match self.kinds[at]:
                case _Kind.COPY:
                    copies.add(at)
                    work.extend(self.units[at].reads)
                case _Kind.HEAVY:
                    paths.add(at)
                case _Kind.PURE if self._may_be_path(at):
                    paths.add(at)
                case _:
                    return None
        return _Needs(frozenset(copies), frozenset(paths))

    def _may_be_path(self, position: int) -> bool:
        """An array that the spine could update in place is not worth a copy."""
        target = self.units[position].item.target
        is_small = not contains_array(self.graph, self.graph.ty(target))
        return is_small and not self._may_run_forever(position)

    # Sections -----------------------------------------------------------------------

    def _closed(self, start: int, chosen: set[int]) -> Iterator[Section]:
        """The section of these paths, if it pays."""
        if sum(self.kinds[at] is _Kind.HEAVY for at in chosen) < 2:
            return
        positions = sorted(chosen)
        first, last = positions[0], positions[-1]
        needs = [self._needs(position, first) for position in positions]
        number_of = {position: number for number, position in enumerate(positions)}
        times = [self._time(position) for position in positions]
        ranks = list(times)
        for number in reversed(range(len(positions))):
            found = needs[number]
            assert found is not None
            for dep in found.paths:
                ranks[number_of[dep]] = max(
                    ranks[number_of[dep]], times[number_of[dep]] + ranks[number]
                )
        work = sum(self.weights[position] for position in positions)
        if not self._pays(work, times, max(ranks)):
            return
        paths = tuple(
            Path(
                position,
                tuple(sorted(found.copies)),
                tuple(sorted(number_of[dep] for dep in found.paths)),
                min(rank // RANK_UNIT + 1, 2**32 - 1),
                self.summaries[position].is_total,
            )
            for position, found, rank in zip(positions, needs, ranks, strict=True)
            if found is not None
        )
        spine = [at for at in range(first, last + 1) if at not in chosen]
        settled = frozenset(at for at in spine if self._must_settle(at, positions))
        light = frozenset(at for at in spine if self.kinds[at] is _Kind.COPY) - settled
        yield Section(first, last, paths, settled, light, work, max(ranks))

    def _must_settle(self, position: int, paths: list[int]) -> bool:
        """Whether the spine waits before an item for all paths that stand before it."""
        if self.kinds[position] is _Kind.EFFECT:
            return True
        if not any(path < position and self.trapping[path] for path in paths):
            return False
        return self._may_run_forever(position) or self._has_unguarded(position)

    def _time(self, position: int) -> int:
        """Of an item by itself, at two threads."""
        weight = self.weights[position]
        item = self.units[position].item
        is_split = isinstance(item, OperationItem) and (
            item.morphism.id in self.known.splits or isinstance(item.morphism.op, ops.Reduce)
        )
        return weight // 2 if is_split and weight >= self.costs.split else weight

    def _pays(self, work: int, times: list[int], longest: int) -> bool:
        if self.costs.least_gain is None:
            return True
        together = max(longest, work // 2) + self.costs.run + self.costs.path * len(times)
        return sum(times) - together >= self.costs.least_gain


def _is_copied(graph: Graph, item: Item, summary: Summary) -> bool:
    """Whether a total item without an effect is cheap enough to be computed again."""
    match item:
        case OperationItem(morphism=morphism):
            return isinstance(morphism.op, _LIGHT)
        case PackItem(feeders=feeders):
            is_array = isinstance(graph.ty(item.target), Array)
            return not is_array or len(feeders) <= MOST_COPIED
        case GuardItem():
            has_array = contains_array(graph, graph.ty(item.target))
            return not summary.is_heavy and summary.cost <= MOST_COPIED and not has_array
        case LoopItem():
            return False
        case _:
            return True


_LIGHT = (
    ops.Proj,
    ops.Output,
    ops.Binary,
    ops.Unary,
    ops.Fma,
    ops.Widen,
    ops.Convert,
    ops.Index,
    ops.Iota,
    ops.Fill,
    ops.Zip,
    ops.Enumerate,
)


def _with_unguarded(graph: Graph, unguarded: frozenset[MorphismId]) -> frozenset[FunctionId]:
    """The functions that have accesses without a guard, or use one that has."""
    query = ("functions with unguarded accesses", unguarded)
    return graph.remembered(query, lambda: _find_with_unguarded(graph, unguarded))


def _find_with_unguarded(graph: Graph, unguarded: frozenset[MorphismId]) -> frozenset[FunctionId]:
    found: set[FunctionId] = set()
    for function in callees_first(graph):
        has_own = not unguarded.isdisjoint(graph.functions[function].morphisms)
        if has_own or not found.isdisjoint(referenced(graph, function)):
            found.add(function)
    return frozenset(found)


def _reads_clock(graph: Graph, function: FunctionId) -> bool:
    """Whether a function, or one that it calls, reads the clock."""
    return function in graph.remembered("clock readers", lambda: _clock_readers(graph))


def _clock_readers(graph: Graph) -> frozenset[FunctionId]:
    found: set[FunctionId] = set()
    for function in callees_first(graph):
        operations = graph.functions[function].morphisms
        reads = any(isinstance(graph.morphisms[at].op, ops.TimeMs) for at in operations)
        if reads or not found.isdisjoint(referenced(graph, function)):
            found.add(function)
    return frozenset(found)
