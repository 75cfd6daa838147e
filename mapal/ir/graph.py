"""The sealed graph: objects, morphisms, functions and the stored region tree.

A graph is made by `mapal.ir.builder` (or read by `mapal.ir.text`) and never changes. Ids are
dense, issued in creation order, and valid for one graph only. Everything that can influence
output iterates in id order.

Facts derived from a graph are memoised in `Graph.memo`, keyed by the query that owns them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum
from typing import TypeVar

from mapal.ir import ops
from mapal.ir.ops import (
    FunctionId,
    GuardId,
    LoopId,
    MorphismId,
    ObjectId,
    Op,
    RegionId,
)
from mapal.ir.types import Type, contains_token

Key = tuple[tuple[int, int], ...]
"""Order key: (first token, last token) of the source construct, the outermost call site first.
Keys compare lexicographically; ties go to the lower id."""

Value = int | float | bool | str
"""A literal; its object's type tells the width. An `f32` is a float already rounded."""

Fact = TypeVar("Fact")


class ObjectKind(Enum):
    PARAMETER = "parameter"
    CONSTANT = "constant"
    TEMPORARY = "temporary"
    RETURN = "return"
    LOOP_MERGE = "merge"


class FunctionKind(Enum):
    NAMED = "named"
    MAP_BODY = "map-body"
    FOLD_BODY = "fold-body"
    REDUCE_BODY = "reduce-body"


class RegionKind(Enum):
    BODY = "body"
    ARM_TRUE = "arm-true"
    ARM_FALSE = "arm-false"
    LOOP_BODY = "loop-body"
    JUMP = "jump"
    EXIT = "exit"


@dataclass(frozen=True, slots=True, kw_only=True)
class Object:
    """One value. `value` is present exactly for a constant; `name` is for pictures only."""

    id: ObjectId
    function: FunctionId
    ty: Type
    kind: ObjectKind
    value: Value | None
    name: str | None
    key: Key


@dataclass(frozen=True, slots=True, kw_only=True)
class Morphism:
    """One application of an operation, from one object to one object. `late` marks one that
    replaced a loop and, like a loop, runs when nothing else is ready."""

    id: MorphismId
    function: FunctionId
    op: Op
    source: ObjectId
    target: ObjectId
    region: RegionId
    key: Key
    late: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Region:
    """A node of a function's region tree. `owner` is the guard or loop; the root has none."""

    id: RegionId
    function: FunctionId
    kind: RegionKind
    parent: RegionId | None
    owner: GuardId | LoopId | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Guard:
    """A choice of one arm by `cond`. `rest` marks a guard whose false arm is the remainder of an
    integer match: that arm holds nothing but the next guard of the chain."""

    id: GuardId
    function: FunctionId
    region: RegionId
    cond: ObjectId
    phi: MorphismId
    arm_true: RegionId
    arm_false: RegionId
    rest: bool
    key: Key


@dataclass(frozen=True, slots=True, kw_only=True)
class Loop:
    """A loop: `merge` carries the state; `body` runs on every pass, `jump` on passes that
    continue (`cond` true), `exit` once. `enter`, `back`, `leave` are its three morphisms."""

    id: LoopId
    function: FunctionId
    region: RegionId
    merge: ObjectId
    cond: ObjectId
    body: RegionId
    jump: RegionId
    exit: RegionId
    enter: MorphismId
    back: MorphismId
    leave: MorphismId
    key: Key


@dataclass(frozen=True, slots=True, kw_only=True)
class Function:
    """`parameters` are the surface names of the components of the input (without the token),
    empty for bodies. `objects`, `morphisms` and the rest are in id order; `regions[0]` is the
    Body region."""

    id: FunctionId
    name: str
    kind: FunctionKind
    parameters: tuple[str, ...]
    input: ObjectId
    output: ObjectId
    objects: tuple[ObjectId, ...]
    morphisms: tuple[MorphismId, ...]
    regions: tuple[RegionId, ...]
    guards: tuple[GuardId, ...]
    loops: tuple[LoopId, ...]
    key: Key

    @property
    def body(self) -> RegionId:
        return self.regions[0]


@dataclass(frozen=True, slots=True, kw_only=True)
class Graph:
    """One program. Tables are indexed by id."""

    objects: tuple[Object, ...]
    morphisms: tuple[Morphism, ...]
    functions: tuple[Function, ...]
    regions: tuple[Region, ...]
    guards: tuple[Guard, ...]
    loops: tuple[Loop, ...]
    entry: FunctionId
    in_edges: tuple[tuple[MorphismId, ...], ...] = field(repr=False)
    out_edges: tuple[tuple[MorphismId, ...], ...] = field(repr=False)
    memo: dict[object, object] = field(default_factory=dict, repr=False, compare=False)

    def ty(self, obj: ObjectId) -> Type:
        return self.objects[obj].ty

    def remembered(self, query: object, compute: Callable[[], Fact]) -> Fact:
        """The memoised answer to a pure query about this graph."""
        if query not in self.memo:
            self.memo[query] = compute()
        return self.memo[query]  # type: ignore[return-value]  # one query, one type

    def feeders(self, product: ObjectId) -> tuple[ObjectId, ...]:
        """The components of a pack, in slot order."""
        pairs: list[tuple[int, ObjectId]] = []
        for edge in self.in_edges[product]:
            morphism = self.morphisms[edge]
            if isinstance(morphism.op, ops.Pair):
                pairs.append((morphism.op.slot, morphism.source))
        pairs.sort(key=lambda pair: pair[0])
        return tuple(source for _, source in pairs)

    def slot_feeder(self, product: ObjectId, slot: int) -> ObjectId | None:
        """The source of the edge that writes one slot, if there is one."""
        for edge in self.in_edges[product]:
            morphism = self.morphisms[edge]
            if isinstance(morphism.op, ops.Pair) and morphism.op.slot == slot:
                return morphism.source
        return None

    def definer(self, obj: ObjectId) -> Morphism | None:
        """The in-edge of an object that has exactly one."""
        edges = self.in_edges[obj]
        return self.morphisms[edges[0]] if len(edges) == 1 else None

    def operands(self, morphism: Morphism) -> tuple[ObjectId, ...]:
        """What an operation reads: the feeders of its own pack in slot order, or its source."""
        if ops.takes_minted_pack(morphism.op):
            return self.feeders(morphism.source)
        return (morphism.source,)

    def is_pack(self, obj: ObjectId) -> bool:
        """Whether an object is assembled by `Pair` edges (the Return object excepted)."""
        edges = self.in_edges[obj]
        return (
            bool(edges)
            and self.objects[obj].kind is ObjectKind.TEMPORARY
            and isinstance(self.morphisms[edges[0]].op, ops.Pair)
        )

    def is_internal_pack(self, obj: ObjectId) -> bool:
        """Whether a pack was minted by the one operation that reads it."""
        readers = self.out_edges[obj]
        return (
            len(readers) == 1
            and self.is_pack(obj)
            and ops.takes_minted_pack(self.morphisms[readers[0]].op)
        )

    def encloses(self, outer: RegionId, inner: RegionId) -> bool:
        """Whether `outer` is `inner` or an ancestor of it."""
        at: RegionId | None = inner
        while at is not None:
            if at == outer:
                return True
            at = self.regions[at].parent
        return False

    def region_of(self, obj: ObjectId) -> RegionId:
        """The region in which an object's value exists."""
        found = self.objects[obj]
        function = self.functions[found.function]
        match found.kind:
            case ObjectKind.PARAMETER | ObjectKind.CONSTANT | ObjectKind.RETURN:
                return function.body
            case ObjectKind.LOOP_MERGE:
                for edge in self.in_edges[obj]:
                    op = self.morphisms[edge].op
                    if isinstance(op, ops.LoopEnter):
                        return self.loops[op.loop].body
                return function.body
            case ObjectKind.TEMPORARY:
                return self._region_of_temporary(obj, function.body)

    def _region_of_temporary(self, obj: ObjectId, root: RegionId) -> RegionId:
        edges = self.in_edges[obj]
        if not edges:
            return root
        if self.is_internal_pack(obj):
            reader = self.morphisms[self.out_edges[obj][0]]
            match reader.op:
                case ops.LoopBack(loop=loop) | ops.LoopExit(loop=loop):
                    return self.loops[loop].body
                case _:
                    return reader.region
        return self.morphisms[edges[0]].region

    def is_token_bearing(self, obj: ObjectId) -> bool:
        return contains_token(self.objects[obj].ty)
