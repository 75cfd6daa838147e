"""The body of the fold or map that a loop becomes."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from mapal.ir.graph import FunctionKind, Graph, Key
from mapal.ir.ops import BinaryCode, FunctionId, ObjectId
from mapal.ir.types import I32, I64, Array, Scalar, Tuple, Type
from mapal.rewrite.copies import Copy
from mapal.rewrite.entries import Lifting
from mapal.rewrite.synthesis import product_of

if TYPE_CHECKING:
    from mapal.rewrite.replay import Replay, Scope, Walk


@dataclass(frozen=True)
class LiftedBody:
    """One pass of a loop: from the captures, the values (of a fold) and the number of the pass
    to the next values, or to the element that the pass writes."""

    lifting: Lifting
    path: tuple[int, ...]
    key: Key

    @property
    def kind(self) -> FunctionKind:
        return FunctionKind.MAP_BODY if self.lifting.is_map else FunctionKind.FOLD_BODY

    @property
    def name(self) -> str:
        return "pass"

    def signature(self, graph: Graph) -> tuple[Type, Type]:
        state = graph.ty(graph.loops[self.lifting.loop].merge)
        assert isinstance(state, Tuple), "only loops with several components are lifted"
        captures = tuple(map(graph.ty, self.lifting.captures))
        values = tuple(state.items[slot] for slot in self.lifting.values)
        if self.lifting.is_map:
            array = values[0]
            assert isinstance(array, Array)
            return product_of((*captures, I32)), array.element
        accumulator = product_of(values)
        return product_of((*captures, accumulator, I32)), accumulator

    def build(self, replay: Replay, into: FunctionId) -> Walk:
        lifting, f = self.lifting, replay.f
        loop = replay.graph.loops[lifting.loop]
        scope = replay.scope(
            loop.function, into, (*self.path, loop.enter), regions=(loop.body, loop.jump)
        )
        self._bind(replay, scope)
        cloning = replace(scope, copy=self._beside(scope.copy))
        for clone in lifting.clones:
            yield replay.repeat(cloning, clone)
        root = lifting.results[0]
        writes_result = len(lifting.results) == 1 and self._is_last(replay.graph, root)
        scope = replace(scope, only=lifting.inside, output=root if writes_result else scope.output)
        yield replay.region(scope, loop.body, f.root, ())
        yield replay.region(scope, loop.jump, f.root, ())
        f.enter(f.root)
        if not writes_result:
            results = [replay.read(scope, result) for result in lifting.results]
            result = results[0] if len(results) == 1 else f.pack(results, self.key)
            f.output(result, self.key)

    def _beside(self, copy: Copy) -> Copy:
        """A copy for what is cloned from outside the loop: same values, no trace."""
        return Copy(copy.function, copy.regions, copy.into, copy.path, copy.objects)

    def _is_last(self, graph: Graph, root: ObjectId) -> bool:
        """Whether the result is what an operation of the body computes, for nobody else."""
        loop = graph.loops[self.lifting.loop]
        (edge, *others) = graph.in_edges[root] or (None,)
        if edge is None or others or root not in self.lifting.inside:
            return False
        if graph.morphisms[edge].region not in (loop.body, loop.jump):
            return False
        return len(graph.out_edges[root]) == 1

    def _bind(self, replay: Replay, scope: Scope) -> None:
        """Takes the input apart: captures, values, and the counter of the pass."""
        lifting, f = self.lifting, replay.f
        count = len(lifting.captures) + (1 if lifting.is_map else 2)
        parts = [f.input]
        if count > 1:
            parts = [f.proj(f.input, slot, self.key) for slot in range(count)]
        for capture, part in zip(lifting.captures, parts, strict=False):
            scope.values[capture] = part
        if lifting.first is not None:
            for view in lifting.views[lifting.values[0]]:
                scope.values[view] = scope.values[lifting.first]
        if not lifting.is_map:
            accumulator = parts[-2]
            values = [accumulator]
            if len(lifting.values) > 1:
                values = [f.proj(accumulator, at, self.key) for at in range(len(lifting.values))]
            for slot, value in zip(lifting.values, values, strict=True):
                for view in lifting.views[slot]:
                    scope.values[view] = value
        counter = self._counter(replay, parts[-1])
        for view in lifting.views[lifting.counter]:
            scope.values[view] = counter

    def _counter(self, replay: Replay, number: ObjectId) -> ObjectId:
        """The counter on pass `number`: `start + step * number`, in its own type."""
        lifting, f = self.lifting, replay.f
        state = replay.graph.ty(replay.graph.loops[lifting.loop].merge)
        assert isinstance(state, Tuple), "only loops with values have a body"
        ty = state.items[lifting.counter]
        assert isinstance(ty, Scalar)
        if ty == I64:
            number = f.widen(number, ty, self.key)
        elif ty != I32:
            number = f.convert(number, ty, self.key)
        if lifting.step != 1:
            step = f.constant(_wrapped(ty, lifting.step), ty, self.key)
            number = f.binary(BinaryCode.MUL, number, step, self.key)
        if lifting.start != 0:
            start = f.constant(lifting.start, ty, self.key)
            number = f.binary(BinaryCode.ADD, number, start, self.key)
        return number


def _wrapped(ty: Scalar, value: int) -> int:
    """The value of an integer type that is equal to another modulo the size of the type."""
    low = -(1 << (ty.bits - 1)) if ty.is_signed else 0
    return (value - low) % (1 << ty.bits) + low
