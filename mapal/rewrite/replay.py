"""Carries out a plan: builds a new graph from an old one through the public builder.

Every function that the new entry reaches is walked in evaluation order, region by region, and
each item is repeated with the operands that the plan leaves it. Constants are made where they
are first read, functions are declared where they are first used, so that nothing unused is
left. An inlined call, a resolved guard or loop puts its key before the keys of what takes its
place, which makes them one group of the order.

The walk is made of generators that yield the walks of what is nested; `_run` keeps the stack,
so that depth of nesting is no depth of recursion.
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass, field

from mapal.analysis.definitions import definition
from mapal.diagnostics import CompilerBug
from mapal.ir import ops
from mapal.ir.builder import GraphBuilder
from mapal.ir.function_builder import Destination, Fresh, FunctionBuilder, Ret
from mapal.ir.graph import Function, Graph, Key
from mapal.ir.ops import FunctionId, MorphismId, ObjectId, RegionId
from mapal.ir.order import (
    GuardItem,
    LoopItem,
    OperationItem,
    PackItem,
    ReturnSlotItem,
    schedule,
)
from mapal.ir.types import Type
from mapal.rewrite.applications import BodyAtPlace, apply
from mapal.rewrite.copies import Copy, Replayed
from mapal.rewrite.emission import emit, emit_product
from mapal.rewrite.entries import EMPTY, RewritePlan
from mapal.rewrite.replacements import fuse, lift
from mapal.rewrite.streaming import stream
from mapal.rewrite.synthesis import Synthesis

Walk = Generator["Walk", None, None]


def replay(graph: Graph, plan: RewritePlan = EMPTY) -> Replayed:
    """The graph that the plan makes of another."""
    return Replay(graph, plan).run()


@dataclass(slots=True)
class Scope:
    """A copy being made: where old values are, and what the copied function returned so far.
    `output` is the old object that the result is: the Return object, or a value of its own.
    `is_inlined` tells that the result goes to a call's readers and not to the Return object;
    `only`, where it is given, are the values to compute, all others being there already or of
    no use; `given` are not computed, since they are there. `regions` leads from the old
    regions entered so far to the new ones."""

    copy: Copy
    record: Function
    output: ObjectId
    prefix: Key
    is_inlined: bool
    only: frozenset[ObjectId] | None = None
    given: frozenset[ObjectId] = frozenset()
    regions: dict[RegionId, RegionId] = field(default_factory=dict)
    whole: ObjectId | None = None
    slots: dict[int, ObjectId] = field(default_factory=dict)

    @property
    def values(self) -> dict[ObjectId, ObjectId]:
        return self.copy.objects


class Replay:
    """One replay: the graph being built, and what of it is still to build."""

    def __init__(self, graph: Graph, plan: RewritePlan) -> None:
        self.graph = graph
        self.plan = plan
        self.builder = GraphBuilder()
        self.functions: dict[FunctionId, FunctionId] = {}
        self.copies: list[Copy] = []
        self.pending: list[tuple[FunctionId, FunctionId | Synthesis]] = []
        self.fused_away = frozenset(fusion.inner for fusion in plan.fuse.values()) | frozenset(
            entry.map for entry in plan.apply.values() if isinstance(entry, BodyAtPlace)
        )
        self.absorbed = frozenset(
            obj for streaming in plan.stream.values() for obj in streaming.absorbed
        )
        self._f: FunctionBuilder | None = None

    @property
    def f(self) -> FunctionBuilder:
        assert self._f is not None, "a function is being built"
        return self._f

    def run(self) -> Replayed:
        entry = self.function_of(self.graph.entry)
        for identity, source in self.pending:
            self._f = self.builder.build(identity)
            if isinstance(source, int):
                scope = self.scope(source, identity)
                scope.values[scope.record.input] = self.f.input
                _run(self.region(scope, scope.record.body, self.f.root, ()))
            else:
                _run(source.build(self, identity))
            self.f.finish()
        return Replayed(self.builder.seal(entry), tuple(self.copies), self.functions)

    # Functions ----------------------------------------------------------------------

    def function_of(self, old: FunctionId) -> FunctionId:
        """The new function for an old one, declared when it is first asked for."""
        if old not in self.functions:
            record = self.graph.functions[old]
            self.functions[old] = self.builder.declare(
                record.kind,
                record.name,
                self.graph.ty(record.input),
                self.graph.ty(record.output),
                record.key,
                record.parameters,
            )
            self.pending.append((self.functions[old], old))
        return self.functions[old]

    def synthesise(self, synthesis: Synthesis) -> FunctionId:
        """Declares a body that no old function is."""
        taken, given = synthesis.signature(self.graph)
        made = self.builder.declare(synthesis.kind, synthesis.name, taken, given, synthesis.key)
        self.pending.append((made, synthesis))
        return made

    def scope(
        self,
        function: FunctionId,
        into: FunctionId,
        path: tuple[int, ...] = (),
        prefix: Key = (),
        *,
        is_inlined: bool = False,
        regions: tuple[RegionId, ...] = (),
    ) -> Scope:
        """A new copy of a function, or of some of its regions, that is part of no other."""
        record = self.graph.functions[function]
        copy = Copy(function, regions or (record.body,), into, path)
        self.copies.append(copy)
        return Scope(copy, record, record.output, prefix, is_inlined)

    # Values -------------------------------------------------------------------------

    def resolved(self, obj: ObjectId) -> ObjectId:
        while True:
            following = self.plan.alias.get(obj, self.plan.share.get(obj))
            if following is None:
                return obj
            obj = following

    def read(self, scope: Scope, obj: ObjectId) -> ObjectId:
        """The new object that an old one's readers read."""
        found = self.resolved(obj)
        new = scope.values.get(found)
        if new is not None:
            return new
        record = self.graph.objects[found]
        value = self.plan.constify.get(found, record.value)
        if value is None:
            raise CompilerBug(f"object {obj} of {scope.record.name} is read but was not replayed")
        made = self.f.constant(value, record.ty, scope.prefix + record.key)
        scope.values[found] = made
        return made

    def skips(self, obj: ObjectId) -> bool:
        plan = self.plan
        return obj in plan.alias or obj in plan.constify or obj in plan.drop or obj in self.absorbed

    def define(self, scope: Scope, obj: ObjectId, value: ObjectId, key: Key) -> None:
        """An old object's value is known; the result is handed on."""
        if obj != scope.output:
            scope.values[obj] = value
        elif scope.is_inlined:
            scope.whole = value
        else:
            self.f.output(value, key)

    def destination(self, scope: Scope, obj: ObjectId) -> Destination:
        if obj == scope.output and not scope.is_inlined:
            return Ret()
        return Fresh(self.graph.objects[obj].name)

    def settle(self, scope: Scope, obj: ObjectId, value: ObjectId, old: MorphismId) -> None:
        """Notes what an operation became: the last morphism that was built."""
        if obj != scope.output:
            scope.values[obj] = value
        elif scope.is_inlined:
            scope.whole = value
        scope.copy.morphisms[old] = self.builder.morphisms[-1].id

    # Items --------------------------------------------------------------------------

    def region(self, scope: Scope, region: RegionId, into: RegionId, prefix: Key) -> Walk:
        """Repeats the items of a region, in another region, `prefix` before their keys."""
        scope.regions[region] = into
        for item in schedule(self.graph, region):
            if self.skips(item.target):
                continue
            if scope.only is not None and item.target not in scope.only:
                continue
            if item.target in scope.given:
                continue
            moved = self.plan.move.get(item.target)
            self.f.enter(into if moved is None else scope.regions[moved])
            match item:
                case OperationItem():
                    yield from self._operation(scope, item, into, prefix)
                case PackItem():
                    self._pack(scope, item, prefix)
                case ReturnSlotItem():
                    self._return_slot(scope, item, prefix)
                case GuardItem():
                    yield self._guard(scope, item, into, prefix)
                case LoopItem():
                    yield self._loop(scope, item, into, prefix)

    def _operation(self, scope: Scope, item: OperationItem, into: RegionId, prefix: Key) -> Walk:
        morphism = item.morphism
        if morphism.id in self.plan.inline:
            yield self._inlined(scope, item, into, prefix)
            return
        if morphism.id in self.fused_away:
            return
        fusion = self.plan.fuse.get(morphism.id)
        if fusion is not None:
            fuse(self, scope, item, fusion, prefix)
            return
        application = self.plan.apply.get(morphism.id)
        if application is not None:
            yield from apply(self, scope, item, application, into, prefix)
            return
        streaming = self.plan.stream.get(morphism.id)
        if streaming is not None:
            stream(self, scope, item, streaming, prefix)
            return
        operands = [self.read(scope, operand) for operand in self._operands(item)]
        if scope.is_inlined and isinstance(morphism.op, ops.Output):
            scope.whole = operands[0]
            return
        key = prefix + morphism.key
        ty = self.graph.ty(item.target)
        dest = self.destination(scope, item.target)
        made = emit(
            self.f, morphism.op, operands, ty, key, dest, self.function_of, late=morphism.late
        )
        if isinstance(dest, Ret) and made != self.f.result:
            scope.copy.morphisms[morphism.id] = self.builder.morphisms[-1].id
            self.f.output(made, key)
        else:
            self.settle(scope, item.target, made, morphism.id)

    def _operands(self, item: OperationItem) -> tuple[ObjectId, ...]:
        morphism = item.morphism.id
        if morphism not in self.plan.reoperanded:
            return item.operands
        changed = self.plan.reoperand
        return tuple(
            changed.get((morphism, slot), operand) for slot, operand in enumerate(item.operands)
        )

    def _return_slot(self, scope: Scope, item: ReturnSlotItem, prefix: Key) -> None:
        value = self.read(scope, item.source)
        if scope.is_inlined:
            scope.slots[item.slot] = value
        else:
            self.f.output(value, prefix + item.key, item.slot)

    def _pack(self, scope: Scope, item: PackItem, prefix: Key) -> None:
        parts = [self.read(scope, feeder) for feeder in item.feeders]
        record = self.graph.objects[item.target]
        made = emit_product(self.f, parts, record.ty, prefix + item.key, record.name)
        scope.values[item.target] = made

    def _guard(self, scope: Scope, item: GuardItem, into: RegionId, prefix: Key) -> Walk:
        guard = item.guard
        key = prefix + guard.key
        if guard.id in self.plan.resolve_guards:
            yield self._resolved_guard(scope, item, into, key)
            return
        draft = self.f.begin_guard(self.read(scope, guard.cond), key, self._keeps_rest(item))
        yield self.region(scope, guard.arm_true, draft.arm_true, prefix)
        yield self.region(scope, guard.arm_false, draft.arm_false, prefix)
        self.f.enter(into)
        when_true, when_false = self.read(scope, item.when_true), self.read(scope, item.when_false)
        made = self.f.phi(draft, when_true, when_false, self.destination(scope, item.target))
        self.settle(scope, item.target, made, guard.phi)

    def _resolved_guard(self, scope: Scope, item: GuardItem, into: RegionId, key: Key) -> Walk:
        """The arm of a guard that runs. Of an integer match that is an arm of a later guard:
        the guards between hold nothing else, and the first one's key stands for all."""
        chain = [item]
        while True:
            chosen = self.plan.resolve_guards[chain[-1].guard.id]
            following = None if chosen else self._sole_guard(chain[-1])
            if following is None or following.guard.id not in self.plan.resolve_guards:
                break
            chain.append(following)
        last = chain[-1]
        yield self.region(scope, last.guard.arm_true if chosen else last.guard.arm_false, into, key)
        self.f.enter(into)
        value = self.read(scope, last.when_true if chosen else last.when_false)
        for inner in reversed(chain[1:]):
            scope.values[inner.target] = value
        self.define(scope, item.target, value, key)

    def _sole_guard(self, item: GuardItem) -> GuardItem | None:
        """The next guard of an integer match, where it is all that the false arm holds and the
        arm's value."""
        if not item.guard.rest:
            return None
        items = schedule(self.graph, item.guard.arm_false)
        if len(items) != 1 or not isinstance(items[0], GuardItem):
            return None
        found = items[0]
        return found if found.target == item.when_false and not self.skips(found.target) else None

    def _keeps_rest(self, item: GuardItem) -> bool:
        """Whether a false arm that is the remainder of a match still holds one guard only."""
        following = self._sole_guard(item)
        return following is not None and following.guard.id not in self.plan.resolve_guards

    def _loop(self, scope: Scope, item: LoopItem, into: RegionId, prefix: Key) -> Walk:
        loop = item.loop
        key = prefix + loop.key
        lifting = self.plan.lift.get(loop.id)
        if lifting is not None:
            yield lift(self, scope, item, lifting, into, prefix)
            return
        if loop.id in self.plan.resolve_loops:
            scope.values[loop.merge] = self.read(scope, item.init)
            yield self.region(scope, loop.body, into, key)
            yield self.region(scope, loop.exit, into, key)
            self.f.enter(into)
            self.define(scope, item.target, self.read(scope, item.payload), key)
            return
        draft = self.f.begin_loop(self.read(scope, item.init), key)
        scope.values[loop.merge] = draft.merge
        scope.copy.morphisms[loop.enter] = draft.enter
        yield self.region(scope, loop.body, draft.body, prefix)
        yield self.region(scope, loop.jump, draft.jump, prefix)
        self.f.enter(draft.body)
        cond = self.read(scope, loop.cond)
        self.f.loop_back(draft, self.read(scope, item.next_state), cond)
        yield self.region(scope, loop.exit, draft.exit, prefix)
        self.f.enter(into)
        payload = self.read(scope, item.payload)
        made = self.f.loop_exit(draft, payload, cond, self.destination(scope, item.target))
        self.settle(scope, item.target, made, loop.leave)
        self.f.end_loop(draft)
        if draft.back is not None:
            scope.copy.morphisms[loop.back] = draft.back

    # What takes another's place ------------------------------------------------------

    def _inlined(self, scope: Scope, item: OperationItem, into: RegionId, prefix: Key) -> Walk:
        """The callee's body in place of a call."""
        call = item.morphism
        assert isinstance(call.op, ops.Call), "only calls are inlined"
        record = self.graph.functions[call.op.function]
        key = prefix + call.key
        copy = Copy(record.id, (record.body,), scope.copy.into, (*scope.copy.path, call.id))
        scope.copy.inlined[call.id] = copy
        inside = self.inside(copy, record, key)
        inside.values[record.input] = self.read(scope, item.operands[0])
        yield self.region(inside, record.body, into, key)
        self.f.enter(into)
        value = self.returned(inside, self.graph.ty(record.output), key)
        self.define(scope, item.target, value, key)

    def inside(self, copy: Copy, record: Function, key: Key) -> Scope:
        """The scope of a function whose body takes the place of an operation."""
        return Scope(copy, record, record.output, key, True)

    def returned(self, scope: Scope, ty: Type, key: Key) -> ObjectId:
        """What an inlined function returned."""
        if scope.whole is not None:
            return scope.whole
        parts = [scope.slots[slot] for slot in range(len(scope.slots))]
        return emit_product(self.f, parts, ty, key)

    def repeat(self, scope: Scope, obj: ObjectId) -> Walk:
        """Repeats what defines a value, in the region that is entered."""
        item = definition(self.graph, obj)
        if isinstance(item, PackItem):
            self._pack(scope, item, ())
        elif isinstance(item, OperationItem):
            yield from self._operation(scope, item, self.f.region, ())
        else:
            raise CompilerBug(f"object {obj} is no operation that can be repeated by itself")


def _run(walk: Walk) -> None:
    """Runs a walk with those that it yields, each to its end."""
    stack = [walk]
    while stack:
        try:
            stack.append(next(stack[-1]))
        except StopIteration:
            stack.pop()
