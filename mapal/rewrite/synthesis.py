"""Bodies of collections that no function of the old graph is, built from parts of those."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from mapal.ir import ops
from mapal.ir.graph import FunctionKind, Graph, Key
from mapal.ir.ops import FunctionId, MorphismId, ObjectId
from mapal.ir.types import Array, Tuple, Type
from mapal.rewrite.entries import Fusion

if TYPE_CHECKING:
    from mapal.rewrite.replay import Replay, Scope, Walk


class Synthesis(Protocol):
    """A body to build: its head, and how."""

    @property
    def kind(self) -> FunctionKind: ...

    @property
    def name(self) -> str: ...

    @property
    def key(self) -> Key: ...

    def signature(self, graph: Graph) -> tuple[Type, Type]:
        """The types of input and result."""

    def build(self, replay: Replay, into: FunctionId) -> Walk:
        """Builds the open function."""


def product_of(types: tuple[Type, ...]) -> Type:
    """What a body takes: its only argument, or the tuple of all."""
    return types[0] if len(types) == 1 else Tuple(types)


@dataclass(frozen=True)
class FusedBody:
    """The body of a map after the body of another, on one element. The captures of both are
    united; `inner_slots` and `outer_slots` say which of them each body takes. `key` is that of
    what belongs to neither body: a single range, since it stands in no group of theirs."""

    fusion: Fusion
    path: tuple[int, ...]
    captures: tuple[Type, ...]
    inner_slots: tuple[int, ...]
    outer_slots: tuple[int, ...]
    key: Key
    kind: FunctionKind = FunctionKind.MAP_BODY
    name: str = "fused"

    def signature(self, graph: Graph) -> tuple[Type, Type]:
        array = graph.ty(graph.operands(graph.morphisms[self.fusion.inner])[-1])
        result = graph.ty(graph.morphisms[self.fusion.outer].target)
        assert isinstance(array, Array)
        assert isinstance(result, Array)
        return product_of((*self.captures, array.element)), result.element

    def build(self, replay: Replay, into: FunctionId) -> Walk:
        f = replay.f
        parts = [f.input]
        if self.captures:
            parts = [f.proj(f.input, slot, self.key) for slot in range(len(self.captures) + 1)]
        captures, element = parts[:-1], parts[-1]
        inner = self._scope(replay, into, self.fusion.inner, 0, is_inlined=True)
        yield self._applied(replay, inner, [captures[slot] for slot in self.inner_slots], element)
        f.enter(f.root)
        middle = replay.returned(inner, replay.graph.ty(inner.record.output), inner.prefix)
        outer = self._scope(replay, into, self.fusion.outer, 1, is_inlined=False)
        yield self._applied(replay, outer, [captures[slot] for slot in self.outer_slots], middle)

    def _scope(
        self, replay: Replay, into: FunctionId, place: MorphismId, side: int, *, is_inlined: bool
    ) -> Scope:
        morphism = replay.graph.morphisms[place]
        assert isinstance(morphism.op, ops.Map), "fusion is of maps"
        path = (*self.path, self.fusion.outer, side)
        return replay.scope(morphism.op.body, into, path, morphism.key, is_inlined=is_inlined)

    def _applied(
        self, replay: Replay, scope: Scope, captures: list[ObjectId], element: ObjectId
    ) -> Walk:
        """Repeats a body on an element."""
        f = replay.f
        argument = f.pack((*captures, element), scope.prefix) if captures else element
        scope.values[scope.record.input] = argument
        yield replay.region(scope, scope.record.body, f.root, scope.prefix)
