"""Map and Fold: element loops with the body emitted in place.

The body of a collection has no function of its own: its regions are emitted inside the loop,
with the captures as they are and the element bound to its input. A Map stores each result into
the array that it makes; a Fold carries its accumulator strictly from left to right.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from mapal.analysis.liveness import WHOLE, Read
from mapal.codegen.llvm import memory
from mapal.codegen.llvm.arrays import destination, from_elements, record
from mapal.codegen.llvm.calls import invoke
from mapal.codegen.llvm.carried import Carried
from mapal.codegen.llvm.checked_blocks import CheckedBlocks, hoistable
from mapal.codegen.llvm.deferral import is_deferred
from mapal.codegen.llvm.emitter import Emitter
from mapal.codegen.llvm.interleaving import elements_in_turns
from mapal.codegen.llvm.kernels.choice import kernel_of_map, work_with_kernels
from mapal.codegen.llvm.kernels.site import MapSite
from mapal.codegen.llvm.kernels.vectors import guarded_loop
from mapal.codegen.llvm.moves import moves_of, perform
from mapal.codegen.llvm.periods import Periods, period_of
from mapal.codegen.llvm.scope import Destination, Scope, Wish
from mapal.codegen.llvm.slices import Bulk, cut_of, execute, keeps_order
from mapal.codegen.llvm.streamed_loop import StreamedLoop, outgrows_caches
from mapal.codegen.llvm.values import Buffer, Mapped, Memory, Value
from mapal.codegen.llvm.wishes import offer
from mapal.ir import ops
from mapal.ir.graph import Function
from mapal.ir.ops import FunctionId
from mapal.ir.order import OperationItem
from mapal.ir.types import (
    Array,
    Product,
    Scalar,
    Struct,
    Tuple,
    Type,
    component,
    has_no_representation,
)

RunFunction = Callable[[Emitter, Scope], Value]
"""Emits the body of a scope's function and gives its result."""

RunInTurns = Callable[[Emitter, Sequence[Scope]], list[Value]]
"""The same for several applications of one body."""


def apply_body(
    e: Emitter,
    outer: Scope,
    body: FunctionId,
    arguments: tuple[Value, ...],
    consumed: frozenset[int],
    wish: Wish,
    run: RunFunction,
) -> Value:
    """Emits a body in place, or a call of one that became a function. `consumed` are the
    arguments that no later application reads again; all others stay needed."""
    e.check_size()
    function = e.graph.functions[body]
    if body in e.module.outlined and not e.inlines_calls:
        value = arguments if len(arguments) > 1 else arguments[0]
        return invoke(e, outer, body, value, wish)
    scope = _application(e, outer, function, arguments, consumed, wish)
    result = run(e, scope)
    scope.is_finished = True
    return result


def _application(
    e: Emitter,
    outer: Scope,
    function: Function,
    arguments: tuple[Value, ...],
    consumed: frozenset[int],
    wish: Wish,
) -> Scope:
    """The scope of a body on its arguments."""
    scope = Scope(function, outer.name, _pinned(function, len(arguments), consumed))
    value = arguments if len(arguments) > 1 else arguments[0]
    if has_no_representation(e.graph.ty(function.input)):
        value = None
    scope.bind(function.input, value)
    offer(e.graph, scope, function.output, wish)
    return scope


def _pinned(function: Function, count: int, consumed: frozenset[int]) -> frozenset[Read]:
    if count == 1:
        return frozenset() if consumed else frozenset({(function.input, WHOLE)})
    return frozenset((function.input, slot) for slot in range(count) if slot not in consumed)


def map_elements(
    e: Emitter, scope: Scope, item: OperationItem, run: RunFunction, in_turns: RunInTurns
) -> Value:
    """The array of the body's results."""
    op = item.morphism.op
    assert isinstance(op, ops.Map)
    ty = e.graph.ty(item.target)
    source = e.graph.ty(item.operands[-1])
    assert isinstance(ty, Array)
    assert isinstance(source, Array)
    values = [scope.values.get(obj) for obj in item.operands]
    if not has_no_representation(ty) and is_deferred(e, item.morphism, values[-1]):
        return _deferred(e, scope, item, values, run)
    made = None if has_no_representation(ty) else destination(e, scope, item.target, ty)
    if made is not None and item.morphism.id not in e.module.covered:
        memory.clear(e, ty, made.pointer)
        reason = "not every cell is shown to be written"
        record(e, scope, "output", item.morphism.key, ty.length, "zeroed", reason)
    one = _OneElement(op.body, source, ty.element, run, in_turns)
    scope.frames[-1].position -= 1
    if made is None:
        record(e, scope, "map", item.morphism.key, ty.length, "loop", _ONE_PASS)
        with memory.counted_loop(e, ty.length, "map") as loop:
            one.emit(e, scope, values, None, loop.index)
    else:
        operands = [
            (e.graph.ty(obj), value) for obj, value in zip(item.operands, values, strict=True)
        ]
        site = MapSite(
            graph=e.graph,
            scope=scope,
            morphism=item.morphism,
            operands=operands,
            made=made,
            ty=ty,
        )
        _fill(e, site, one)
    scope.frames[-1].position += 1
    return made


def _deferred(
    e: Emitter, scope: Scope, item: OperationItem, values: Sequence[Value], run: RunFunction
) -> Mapped:
    """A Map as a law: its readers compute the elements."""
    op, source = item.morphism.op, e.graph.ty(item.operands[-1])
    ty = e.graph.ty(item.target)
    assert isinstance(op, ops.Map)
    assert isinstance(source, Array)
    assert isinstance(ty, Array)
    body, function, name = op.body, scope.function, scope.name

    def compute(e: Emitter, values: Sequence[Value], index: str) -> Value:
        *captures, array = values
        arguments = (*captures, memory.element(e, array, source, index))
        around = Scope(function, name, frozenset())
        return apply_body(e, around, body, arguments, frozenset(), None, run)

    reason = "its readers compute the elements"
    site = e.module.plan.add(name, "map", item.morphism.key[-1][0], ty.length, "lazy", reason)
    place = memory.law_place(e)
    operands = tuple(zip(map(e.graph.ty, item.operands), values, strict=True))
    return Mapped(place, site, body=body, operands=operands, compute=compute)


def _fill(e: Emitter, site: MapSite, one: _OneElement) -> None:
    """Stores the elements of a Map, by the kernel of its shape or one after the other."""
    key, scope = site.morphism.key, site.scope
    kernel = kernel_of_map(e, site)
    if kernel is not None:
        entry = record(e, scope, "map", key, site.ty.length, kernel.shape, kernel.reason)
        cut = kernel.emit(e, scope)
        if cut is not None:
            entry.reason += f"; {cut.reason}"
        return
    range_body, streamed = one.emit_range, ""
    if e.module.has_kernels and outgrows_caches(e, site.operands, site.ty):
        assert isinstance(one.element, Scalar)
        range_body = StreamedLoop(one.element, one.emit_at).emit_range
        streamed = "; results go past the caches, which cannot hold them"
    elif accesses := hoistable(e, site):
        assert isinstance(one.element, Scalar)
        range_body = CheckedBlocks(
            one.body, one.source, one.element, accesses, one.value, one.emit_range
        ).emit_range
        streamed = "; the indices of a block are checked before"
    count = elements_in_turns(e, one.body, site.operands, site.ty.length)
    together = 1
    if count > 1:
        range_body = partial(one.emit_range_in_turns, count)
    elif not streamed and (period := period_of(e, site)) is not None:
        together = period
        range_body = Periods(period, one.element, one.emit_applied).emit_range
        streamed = f"; {period} neighbouring elements at once, which choose by their remainder"
    bulk = Bulk(
        units=site.ty.length // together,
        operations=work_with_kernels(e, one.body) * together,
        captured=site.operands,
        made=site.made,
        ty=site.ty,
        body=range_body,
    )
    may_cut = site.morphism.id in e.module.independent and keeps_order(e, one.body)
    cut = cut_of(e, bulk) if may_cut else None
    shape, reason = ("loop", _ONE_PASS) if cut is None else ("slices", cut.reason)
    record(e, scope, "map", key, site.ty.length, shape, reason + streamed)
    execute(e, scope, bulk, cut)


_ONE_PASS = "one pass, the body in place"


@dataclass(frozen=True, slots=True)
class _OneElement:
    """What a Map does for one element."""

    body: FunctionId
    source: Array
    element: Type
    run: RunFunction
    in_turns: RunInTurns

    def emit_range_in_turns(
        self,
        count: int,
        e: Emitter,
        scope: Scope,
        values: Sequence[Value],
        made: Memory,
        low: str,
        high: str,
    ) -> None:
        """As `emit_range`, `count` elements in turns as far as they go."""
        w = e.w
        length = w.value(f"sub nuw nsw i64 {high}, {low}")
        share = w.value(f"udiv i64 {length}, {count}")
        behind = w.value(f"add nuw nsw i64 {low}, {share}")
        taken = w.value(f"mul nuw nsw i64 {share}, {count}")
        whole = w.value(f"add nuw nsw i64 {low}, {taken}")
        with guarded_loop(w, (low, behind, 1), "turns") as first:
            self._emit_in_turns(count, e, scope, values, made, first, share)
        with guarded_loop(w, (whole, high, 1), "map") as index:
            self.emit(e, scope, values, made, index)

    def _emit_in_turns(
        self,
        count: int,
        e: Emitter,
        scope: Scope,
        values: Sequence[Value],
        made: Memory,
        first: str,
        share: str,
    ) -> None:
        """The element `first`, and those behind it that are one, two, … shares further on."""
        *captures, array = values
        function = e.graph.functions[self.body]
        scopes: list[Scope] = []
        places: list[tuple[str, Wish]] = []
        index = first
        for number in range(count):
            if number:
                index = e.w.value(f"add nuw nsw i64 {index}, {share}")
            address = memory.element_pointer(e, made.pointer, self.element, index)
            wish = _wish_at(e, self.element, address)
            arguments = (*captures, memory.element(e, array, self.source, index))
            scopes.append(_application(e, scope, function, arguments, frozenset(), wish))
            places.append((address, wish))
        results = self.in_turns(e, scopes)
        for application, result, (address, wish) in zip(scopes, results, places, strict=True):
            application.is_finished = True
            perform(e, moves_of(self.element, result, wish))
            memory.store_scalars(e, self.element, result, address)

    def emit_range(
        self,
        e: Emitter,
        scope: Scope,
        values: Sequence[Value],
        made: Memory,
        low: str,
        high: str,
    ) -> None:
        """The elements from `low` up to but not with `high`."""
        with memory.range_loop(e, low, high, "map") as index:
            self.emit(e, scope, values, made, index)

    def emit(
        self, e: Emitter, scope: Scope, values: Sequence[Value], made: Memory | None, index: str
    ) -> None:
        """`values` are the captures and the array, `made` is where results are stored."""
        if made is None:
            *captures, array = values
            arguments = (*captures, memory.element(e, array, self.source, index))
            apply_body(e, scope, self.body, arguments, frozenset(), None, self.run)
            return
        self.emit_at(
            e, scope, values, index, memory.element_pointer(e, made.pointer, self.element, index)
        )

    def value(self, e: Emitter, scope: Scope, values: Sequence[Value], index: str) -> Value:
        """The value of an element that is a scalar."""
        *captures, array = values
        arguments = (*captures, memory.element(e, array, self.source, index))
        return apply_body(e, scope, self.body, arguments, frozenset(), None, self.run)

    def emit_at(
        self, e: Emitter, scope: Scope, values: Sequence[Value], index: str, address: str
    ) -> None:
        """Stores the value of an element at an address."""
        *captures, array = values
        arguments = (*captures, memory.element(e, array, self.source, index))
        self.emit_applied(e, scope, arguments, address)

    def emit_applied(
        self, e: Emitter, scope: Scope, arguments: tuple[Value, ...], address: str
    ) -> None:
        """Stores what the body makes of captures and an element at an address."""
        wish = _wish_at(e, self.element, address)
        result = apply_body(e, scope, self.body, arguments, frozenset(), wish, self.run)
        perform(e, moves_of(self.element, result, wish))
        memory.store_scalars(e, self.element, result, address)


def _wish_at(e: Emitter, ty: Type, address: str) -> Wish:
    """The wish that the arrays of a value lie where they will be stored."""
    if isinstance(ty, Array) and not has_no_representation(ty):
        return Destination(address, Buffer(writable=True))
    if isinstance(ty, Tuple | Struct):
        offsets = e.layouts.offsets(ty)
        return tuple(
            _wish_at(e, item, memory.offset_pointer(e, address, offset))
            if _has_array(item)
            else None
            for item, offset in zip(ty.items, offsets, strict=True)
        )
    return None


def _has_array(ty: Type) -> bool:
    if isinstance(ty, Tuple | Struct):
        return any(map(_has_array, ty.items))
    return isinstance(ty, Array) and not has_no_representation(ty)


def fold_elements(e: Emitter, scope: Scope, item: OperationItem, run: RunFunction) -> Value:
    """The accumulator after the last element."""
    op = item.morphism.op
    assert isinstance(op, ops.Fold)
    types, values = fold_operands(e, scope, item)
    accumulator, source = types[-2:]
    assert isinstance(source, Array)
    *captures, seed, array = values
    reason = "strictly from the left, the body in place"
    record(e, scope, "fold", item.morphism.key, source.length, "loop", reason)
    wish = scope.wishes.get(item.target)
    carried = Carried(e, accumulator, seed, [*captures, array], wish)
    scope.frames[-1].position -= 1
    with memory.counted_loop(e, source.length, "fold") as loop:
        carried.at_head()
        element = memory.element(e, array, source, loop.index)
        arguments = (*captures, carried.value, element)
        consumed = frozenset({len(captures)})
        state = apply_body(e, scope, op.body, arguments, consumed, carried.targets, run)
        result = carried.back(state)
    carried.close()
    scope.frames[-1].position += 1
    return result


def fold_operands(e: Emitter, scope: Scope, item: OperationItem) -> tuple[list[Type], list[Value]]:
    """Types and values of captures, seed and array. Without captures, a Fold's one operand is
    a pair that the program built."""
    if len(item.operands) > 1:
        return (
            [e.graph.ty(obj) for obj in item.operands],
            [scope.values.get(obj) for obj in item.operands],
        )
    pair_ty = e.graph.ty(item.operands[0])
    pair = scope.values.get(item.operands[0])
    assert isinstance(pair_ty, Tuple)
    return list(pair_ty.items), list(pair) if isinstance(pair, tuple) else [None, None]


def returned(e: Emitter, scope: Scope) -> Value:
    """The result of a function whose body has been emitted."""
    function = scope.function
    if not scope.returned:
        return scope.values.get(function.output)
    ty = e.graph.ty(function.output)
    assert isinstance(ty, Product)
    parts = [scope.returned[slot] for slot in sorted(scope.returned)]
    if isinstance(ty, Array):
        return from_elements(e, scope, function.output, ty, parts, function.key)
    assert all(component(ty, slot) is not None for slot in scope.returned)
    return tuple(parts)
