"""The entries of a plan: plain immutable data about one graph."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from functools import cached_property

from mapal.ir.graph import Value
from mapal.ir.ops import GuardId, LoopId, MorphismId, ObjectId, RegionId
from mapal.rewrite.applications import Application
from mapal.rewrite.terms import Element, Number, Term


@dataclass(frozen=True, slots=True)
class Fusion:
    """The map `outer` reads the map `inner`, and nothing else does. `at_inner` tells whether
    the fused map takes the place of the inner one."""

    outer: MorphismId
    inner: MorphismId
    at_inner: bool


@dataclass(frozen=True, slots=True)
class Lifting:
    """A loop that is a fold or a map over a range of `count` numbers.

    The state's component `counter` is `start` for the first number, moves by `step` and is `last`
    after the loop; `values` are the others, and `views` leads from each component to the
    projections that read it. The body computes `results`: the next values in their order, or the
    element that a map writes. For that it repeats the items `inside`, and `clones`, which stand
    outside the loop; `captures` it takes from there. Where a map reads the array that it makes, it
    reads the captured array `first`. After the loop the items `after` are repeated on the last
    state."""

    loop: LoopId
    is_map: bool
    count: int
    counter: int
    start: int
    step: int
    last: int
    values: tuple[int, ...]
    views: tuple[tuple[ObjectId, ...], ...]
    results: tuple[ObjectId, ...]
    inside: frozenset[ObjectId]
    clones: tuple[ObjectId, ...]
    captures: tuple[ObjectId, ...]
    after: frozenset[ObjectId]
    first: ObjectId | None = None


@dataclass(frozen=True, slots=True)
class Streaming:
    """The map, fold or zip `consumer` goes over other arrays, at the place of `place`.

    `sources` are the arrays it will go over, side by side; none for the numbers from 0 to
    `count` - 1. `element` is what its body took as element before, in terms of those; None if
    the body will not read it. `reads` are accesses in the body, each with the array whose
    element at this number it gives; `steady` are accesses made once, before, each with array
    and place. `captures` it takes from outside, `unread` are the slots of captures that its
    body does not read; `kept` is the seed of a fold. `absorbed` values are not made any more.
    `is_numbered`: the body gave its number beside another value; now it gives that alone, and
    the map's result is enumerated."""

    consumer: MorphismId
    place: MorphismId
    sources: tuple[ObjectId, ...]
    count: int
    element: Term | None
    captures: tuple[ObjectId, ...]
    absorbed: tuple[ObjectId, ...]
    kept: tuple[ObjectId, ...] = ()
    reads: tuple[tuple[ObjectId, ObjectId], ...] = ()
    steady: tuple[tuple[ObjectId, ObjectId, ObjectId], ...] = ()
    unread: frozenset[int] = frozenset()
    is_numbered: bool = False

    @property
    def law(self) -> str:
        """The law that the entry stands for, or the strongest of several."""
        if self.absorbed:
            return "absorbed map"
        if self.is_numbered:
            return "enumerated map"
        if self.reads:
            return "elements by number"
        if self.steady:
            return "steady access"
        if self.element is not None and not isinstance(self.element, Number | Element):
            return "element of zip, enumerate or fill"
        return "captures"


@dataclass(frozen=True)
class RewritePlan:
    """What is to change. Ids are those of the graph that the plan was made for.

    `alias`: readers of the key read the value. `constify`: the key becomes a constant. `drop`:
    the value is left out with what computes it; of a guard or loop that is all of it. `share`:
    one constant stands for another. `reoperand`: an operand of an operation that stays, by
    slot. `fuse` is keyed by the outer map, `stream` by the consumer. `apply`: an operation
    becomes the body of a map. `resolve_guards` keeps one arm, `resolve_loops` the first pass
    of a loop that ends at once. `move`: a value is computed in a region around its own.
    """

    alias: Mapping[ObjectId, ObjectId] = field(default_factory=dict)
    constify: Mapping[ObjectId, Value] = field(default_factory=dict)
    drop: frozenset[ObjectId] = frozenset()
    share: Mapping[ObjectId, ObjectId] = field(default_factory=dict)
    reoperand: Mapping[tuple[MorphismId, int], ObjectId] = field(default_factory=dict)
    fuse: Mapping[MorphismId, Fusion] = field(default_factory=dict)
    stream: Mapping[MorphismId, Streaming] = field(default_factory=dict)
    apply: Mapping[MorphismId, Application] = field(default_factory=dict)
    inline: frozenset[MorphismId] = frozenset()
    lift: Mapping[LoopId, Lifting] = field(default_factory=dict)
    resolve_guards: Mapping[GuardId, bool] = field(default_factory=dict)
    resolve_loops: frozenset[LoopId] = frozenset()
    move: Mapping[ObjectId, RegionId] = field(default_factory=dict)

    @property
    def counts(self) -> dict[str, int]:
        """The number of entries of each channel."""
        return {channel.name: len(getattr(self, channel.name)) for channel in fields(self)}

    @property
    def count(self) -> int:
        """The number of entries."""
        return sum(self.counts.values())

    @cached_property
    def reoperanded(self) -> frozenset[MorphismId]:
        """The operations with a new operand."""
        return frozenset(morphism for morphism, _ in self.reoperand)


EMPTY = RewritePlan()
