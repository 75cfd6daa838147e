"""Evaluation of one function for many elements at once.

A `Scope` is an activation, an arm or a pass of a loop, for some of the elements; it reads what
it does not hold from the scope around it, reduced to its own elements. Both arms of a guard run,
each for the elements that select it; a loop runs while any element is in it.

When an operation would trap for some element, `LaneTrap` names the lowest such element and
nothing more is evaluated: who asked evaluates the elements below it again, and that element by
itself with the plain interpreter, which defines the trap. Elements are numbered as the caller
sees them, also inside nested collections.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mapal.interpreter.lockstep import collections, numbers
from mapal.interpreter.lockstep.leaves import (
    Lanes,
    Leaf,
    Range,
    fixed_element,
    gathered,
    merged,
    on_leaves,
    spread,
    stored,
    take,
)
from mapal.interpreter.outcome import FuelExhausted
from mapal.ir import ops
from mapal.ir.graph import Graph, ObjectKind
from mapal.ir.ops import BinaryCode, FunctionId, ObjectId, RegionId
from mapal.ir.order import (
    GuardItem,
    Item,
    LoopItem,
    OperationItem,
    PackItem,
    ReturnSlotItem,
    guard_item,
    schedule,
)
from mapal.ir.types import Array, Scalar, Struct, Tuple, Type, is_integer

Numbers = NDArray[Any]
_DIVISIONS = (BinaryCode.DIV, BinaryCode.MOD)


class LaneTrap(Exception):  # noqa: N818  # an outcome, not an error
    """Some element traps; `element` is the lowest one found."""

    def __init__(self, element: int) -> None:
        super().__init__(element)
        self.element = element


@dataclass(slots=True)
class Evaluator:
    """What one run shares: the graph and the step budget (`fuel[0]`)."""

    graph: Graph
    fuel: list[int]

    def apply(self, function: FunctionId, argument: Lanes, roots: Numbers) -> Lanes:
        """The result of a function for `len(roots)` elements; `roots` numbers them."""
        record = self.graph.functions[function]
        scope = Scope(self, None, None, roots)
        scope.values[record.input] = argument
        scope.run(record.body)
        return scope.read(record.output)


class Scope:
    """Values of some elements. `chosen` are their positions in the scope around, or None when
    they are all of it; `roots` are their numbers as the caller sees them."""

    def __init__(
        self, evaluator: Evaluator, around: Scope | None, chosen: Numbers | None, roots: Numbers
    ) -> None:
        self.evaluator = evaluator
        self.around = around
        self.chosen = chosen
        self.roots = roots
        self.values: dict[ObjectId, Lanes] = {}

    @property
    def count(self) -> int:
        return len(self.roots)

    def within(self, chosen: Numbers | None) -> Scope:
        """A scope for some of the elements of this one."""
        roots = self.roots if chosen is None else self.roots[chosen]
        return Scope(self.evaluator, self, chosen, roots)

    def read(self, obj: ObjectId) -> Lanes:
        found = self.values.get(obj)
        if found is not None:
            return found
        if self.around is None:
            value = self._constant(obj)
        else:
            value = self.around.read(obj)
            if self.chosen is not None:
                value = take(value, self.chosen)
        self.values[obj] = value
        return value

    def _constant(self, obj: ObjectId) -> Lanes:
        record = self.evaluator.graph.objects[obj]
        if record.kind is ObjectKind.RETURN:
            return ()
        assert record.kind is ObjectKind.CONSTANT, "an item reads what ran before it"
        assert isinstance(record.ty, Scalar)
        return Leaf(np.asarray(record.value, dtype=numbers.DTYPES[record.ty]), False)

    def leaf(self, obj: ObjectId) -> Leaf:
        """The value of a scalar."""
        value = self.read(obj)
        assert isinstance(value, Leaf)
        return value

    def trap(self, where: Numbers) -> None:
        """Raises for the lowest element of a mask, which may stand for all elements."""
        if where.ndim == 0:
            if where:
                raise LaneTrap(int(self.roots.min()))
        elif where.any():
            raise LaneTrap(int(self.roots[where].min()))

    # Items --------------------------------------------------------------------------

    def run(self, region: RegionId) -> None:
        """Runs the items of a region for the elements of this scope."""
        items = schedule(self.evaluator.graph, region)
        fuel = self.evaluator.fuel
        fuel[0] -= (len(items) + 1) * self.count
        if fuel[0] < 0:
            raise FuelExhausted
        for item in items:
            self._item(item)

    def _item(self, item: Item) -> None:
        match item:
            case OperationItem():
                self.values[item.target] = self._operation(item)
            case PackItem(target=target, feeders=feeders):
                self.values[target] = self._pack(target, feeders)
            case ReturnSlotItem(slot=slot, source=source, target=target):
                self._return_slot(slot, source, target)
            case GuardItem():
                self.values[item.target] = self._guard(item)
            case LoopItem():
                self.values[item.target] = self._loop(item)

    def _pack(self, target: ObjectId, feeders: tuple[ObjectId, ...]) -> Lanes:
        parts = [self.read(feeder) for feeder in feeders]
        if isinstance(self.evaluator.graph.ty(target), Array):
            return collections.stacked(parts, self.count)
        return tuple(parts)

    def _return_slot(self, slot: int, source: ObjectId, target: ObjectId) -> None:
        """Components of the result arrive one by one; an array is put together at the last."""
        ty = self.evaluator.graph.ty(target)
        arity = ty.length if isinstance(ty, Array) else len(_items(ty))
        held = self.values.get(target, ())
        assert isinstance(held, tuple)
        slots: list[Lanes] = [*held, *(() for _ in range(arity - len(held)))]
        slots[slot] = self.read(source)
        self.values[target] = tuple(slots)
        edges = self.evaluator.graph.in_edges[target]
        if isinstance(ty, Array) and all(part != () for part in slots) and len(edges) == arity:
            self.values[target] = collections.stacked(slots, self.count)

    def _operation(self, item: OperationItem) -> Lanes:
        graph, op, operands = self.evaluator.graph, item.morphism.op, item.operands
        match op:
            case ops.Output():
                return self.read(operands[0])
            case ops.Proj(index=index):
                product = self.read(operands[0])
                assert isinstance(product, tuple)
                return product[index]
            case ops.Binary(code=code):
                return self._binary(code, operands)
            case ops.Unary(code=unary):
                ty = graph.ty(operands[0])
                assert isinstance(ty, Scalar)
                return self._elementwise(numbers.unary(unary, ty), operands)
            case ops.Fma(negate_product=product_sign, negate_addend=addend_sign):
                return self._elementwise(numbers.signed_fma(product_sign, addend_sign), operands)
            case ops.Widen() | ops.Convert():
                source, target = graph.ty(operands[0]), graph.ty(item.target)
                assert isinstance(source, Scalar)
                assert isinstance(target, Scalar)
                return self._elementwise(numbers.conversion(source, target), operands)
            case ops.Index():
                return self._index(operands)
            case ops.Update():
                return self._update(operands)
            case ops.Zip():
                return self.read(operands[0]), self.read(operands[1])
            case ops.Enumerate():
                ty = graph.ty(operands[0])
                assert isinstance(ty, Array)
                return Range(ty.length), self.read(operands[0])
            case ops.Iota():
                ty = graph.ty(item.target)
                assert isinstance(ty, Array)
                return Range(ty.length)
            case ops.Fill():
                ty = graph.ty(item.target)
                assert isinstance(ty, Array)
                return collections.filled(self.read(operands[0]), ty.length)
            case ops.Call(function=function):
                return self.evaluator.apply(function, self.read(operands[0]), self.roots)
            case ops.Map() | ops.Fold() | ops.Reduce():
                return self._collection(op, item)
            case _:
                raise AssertionError(f"{op} does not occur in a pure function")

    def _elementwise(self, function: Any, operands: tuple[ObjectId, ...]) -> Leaf:
        leaves = [self.leaf(operand) for operand in operands]
        return Leaf(
            np.asarray(function(*(leaf.data for leaf in leaves))),
            any(leaf.varying for leaf in leaves),
        )

    def _binary(self, code: BinaryCode, operands: tuple[ObjectId, ...]) -> Leaf:
        ty = self.evaluator.graph.ty(operands[0])
        assert isinstance(ty, Scalar)
        if code in _DIVISIONS and is_integer(ty):
            self.trap(self.leaf(operands[1]).data == 0)
        return self._elementwise(numbers.binary(code, ty), operands)

    def _checked_index(self, array: ObjectId, index: ObjectId) -> Leaf:
        ty = self.evaluator.graph.ty(array)
        assert isinstance(ty, Array)
        leaf = self.leaf(index)
        self.trap(np.asarray((leaf.data < 0) | (leaf.data > ty.length - 1)))
        return leaf

    def _index(self, operands: tuple[ObjectId, ...]) -> Lanes:
        index = self._checked_index(operands[0], operands[1])
        return gathered(self.read(operands[0]), index, np.arange(self.count))

    def _update(self, operands: tuple[ObjectId, ...]) -> Lanes:
        index = self._checked_index(operands[0], operands[1])
        array, value = self.read(operands[0]), self.read(operands[2])
        return collections.updated(array, index, value, self.count)

    def _collection(self, op: ops.Collection, item: OperationItem) -> Lanes:
        operands = [self.read(operand) for operand in item.operands]
        if isinstance(op, ops.Fold) and not op.captures:
            (pair,) = operands
            assert isinstance(pair, tuple)
            operands = list(pair)
        return collections.collection(self, op, operands, self._length_of(op, item))

    def _length_of(self, op: ops.Collection, item: OperationItem) -> int:
        ty = self.evaluator.graph.ty(item.operands[-1])
        if isinstance(op, ops.Fold) and not op.captures:
            ty = _items(ty)[-1]
        assert isinstance(ty, Array)
        return ty.length

    # Guards -------------------------------------------------------------------------

    def _guard(self, item: GuardItem) -> Lanes:
        """The value of a guard; the chain of an integer match is walked with a list."""
        graph = self.evaluator.graph
        parts: list[tuple[Numbers, Lanes]] = []
        scope, positions = self, np.arange(self.count)
        at = item
        while True:
            guard = at.guard
            cond = self.leaf(guard.cond)
            mask = np.broadcast_to(cond.data, (self.count,))[positions]
            selected = np.flatnonzero(mask)
            if selected.size:
                arm = scope.within(None if selected.size == positions.size else selected)
                arm.run(guard.arm_true)
                parts.append((positions[selected], arm.read(at.when_true)))
            others = np.flatnonzero(~mask)
            if not others.size:
                break
            rest = scope.within(None if others.size == positions.size else others)
            positions = positions[others]
            if not guard.rest:
                rest.run(guard.arm_false)
                parts.append((positions, rest.read(at.when_false)))
                break
            scope = rest
            (following,) = schedule(graph, guard.arm_false)
            assert isinstance(following, GuardItem)
            at = guard_item(graph, following.guard.id)
        if len(parts) == 1:
            return parts[0][1]
        return merged(self.count, parts)

    # Loops --------------------------------------------------------------------------

    def _loop(self, item: LoopItem) -> Lanes:
        loop = item.loop
        state = self.read(item.init)
        active = np.arange(self.count)
        parts: list[tuple[Numbers, Lanes]] = []
        while True:
            scope = self.within(None if active.size == self.count else active)
            scope.values[loop.merge] = state
            scope.run(loop.body)
            cond = scope.leaf(loop.cond)
            mask = np.broadcast_to(cond.data, (scope.count,))
            leaving = np.flatnonzero(~mask)
            if leaving.size:
                way_out = scope.within(None if leaving.size == scope.count else leaving)
                way_out.run(loop.exit)
                parts.append((active[leaving], way_out.read(item.payload)))
            staying = np.flatnonzero(mask)
            if not staying.size:
                break
            onward = scope.within(None if staying.size == scope.count else staying)
            onward.run(loop.jump)
            state = onward.read(item.next_state)
            active = active[staying]
        if len(parts) == 1:
            return parts[0][1]
        return merged(self.count, parts)


def _items(ty: Type) -> tuple[Type, ...]:
    assert isinstance(ty, Tuple | Struct)
    return ty.items


__all__ = [
    "Evaluator",
    "LaneTrap",
    "Scope",
    "fixed_element",
    "on_leaves",
    "spread",
    "stored",
]
