"""Guards: choosing between two computed values, or branching around their computation.

A guard whose arms are total, scalar and cheap becomes selects: a branch would cost more than
the work it saves and would keep LLVM from vectorising the loop around it. Every other guard
branches, so that only the selected arm runs. A chain of guards from one integer match becomes
one switch with one join, however long it is.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from mapal.analysis.liveness import contains_array
from mapal.analysis.totality import region_summary
from mapal.codegen.layout import register_type
from mapal.codegen.llvm import memory
from mapal.codegen.llvm.emitter import Emitter
from mapal.codegen.llvm.scope import Scope
from mapal.codegen.llvm.values import Memory, Value
from mapal.ir import ops
from mapal.ir.graph import ObjectKind
from mapal.ir.ops import BinaryCode, ObjectId, RegionId
from mapal.ir.order import GuardItem, schedule
from mapal.ir.types import Array, Scalar, Struct, Tuple, Type, has_no_representation

SELECTED_COST = 32
"""Arms that cost more than this together are branched around."""

SHORTEST_SWITCH = 3

RunRegion = Callable[[Emitter, Scope, RegionId], None]


@dataclass(frozen=True, slots=True)
class _Chain:
    """Guards of which each stands alone in the false arm of the one before: the condition, arm
    and value of each, then the last false arm."""

    guards: tuple[GuardItem, ...]

    @property
    def arms(self) -> list[tuple[RegionId, ObjectId]]:
        last = self.guards[-1]
        arms = [(item.guard.arm_true, item.when_true) for item in self.guards]
        return [*arms, (last.guard.arm_false, last.when_false)]


def guard(e: Emitter, scope: Scope, item: GuardItem, run: RunRegion) -> Value:
    """The value of a guard. `run` emits the items of a region."""
    chain = _chain_from(e, item)
    if _is_selectable(e, chain):
        return _select(e, scope, chain, run)
    return _branch(e, scope, chain, run)


def _chain_from(e: Emitter, item: GuardItem) -> _Chain:
    guards = [item]
    while guards[-1].guard.rest:
        last = guards[-1]
        items = schedule(e.graph, last.guard.arm_false)
        if len(items) != 1 or not isinstance(items[0], GuardItem):
            break
        if items[0].target != last.when_false:
            break
        guards.append(items[0])
    return _Chain(tuple(guards))


def _is_selectable(e: Emitter, chain: _Chain) -> bool:
    if contains_array(e.graph, e.graph.ty(chain.guards[0].target)):
        return False
    cost = 0
    for region, _ in chain.arms:
        summary = region_summary(e.graph, region, e.module.total)
        if not summary.is_total or summary.is_heavy:
            return False
        cost += summary.cost + 1
        if cost > SELECTED_COST:
            return False
    return True


def _select(e: Emitter, scope: Scope, chain: _Chain, run: RunRegion) -> Value:
    for region, _ in chain.arms:
        run(e, scope, region)
        scope.frames.pop()
    ty = e.graph.ty(chain.guards[0].target)
    result = scope.values.get(chain.arms[-1][1])
    for item in reversed(chain.guards):
        condition = scope.values[item.guard.cond]
        assert isinstance(condition, str)
        result = _selected(e, ty, condition, scope.values.get(item.when_true), result)
    return result


def _selected(e: Emitter, ty: Type, condition: str, yes: Value, no: Value) -> Value:
    if has_no_representation(ty) or yes == no:
        return yes
    if isinstance(ty, Scalar):
        register = register_type(ty)
        return e.w.value(f"select i1 {condition}, {register} {yes}, {register} {no}")
    assert isinstance(ty, Tuple | Struct)
    assert isinstance(yes, tuple)
    assert isinstance(no, tuple)
    return tuple(
        _selected(e, item, condition, a, b) for item, a, b in zip(ty.items, yes, no, strict=True)
    )


def _branch(e: Emitter, scope: Scope, chain: _Chain, run: RunRegion) -> Value:
    labels = [e.w.new_label("arm") for _ in chain.arms]
    join = e.w.new_label("join")
    _dispatch(e, scope, chain, labels)
    values: list[Value] = []
    ends: list[str] = []
    for label, (region, value) in zip(labels, chain.arms, strict=True):
        e.w.start(label)
        run(e, scope, region)
        scope.frames.pop()
        values.append(scope.values.get(value))
        ends.append(e.w.label)
        e.w.branch(join)
    e.w.start(join)
    return _merged(e, e.graph.ty(chain.guards[0].target), values, ends)


def _dispatch(e: Emitter, scope: Scope, chain: _Chain, labels: list[str]) -> None:
    """Branches to the label of the selected arm."""
    match = _integer_match(e, chain)
    # A path of a section gets the conditions, and perhaps not what they were made of.
    if match is not None and match[0] in scope.values and len(chain.guards) >= SHORTEST_SWITCH:
        subject, numbers = match
        ty = e.graph.ty(subject)
        assert isinstance(ty, Scalar)
        register = register_type(ty)
        # Of equal numbers the first one counts; LLVM refuses the others.
        first: dict[int, str] = {}
        for number, label in zip(numbers, labels, strict=False):
            first.setdefault(number, label)
        cases = " ".join(f"{register} {number}, label %{label}" for number, label in first.items())
        e.w.line(f"switch {register} {scope.values[subject]}, label %{labels[-1]} [ {cases} ]")
        return
    for item, label in zip(chain.guards, labels, strict=False):
        is_last = item is chain.guards[-1]
        otherwise = labels[-1] if is_last else e.w.new_label("otherwise")
        condition = scope.values[item.guard.cond]
        assert isinstance(condition, str)
        e.w.branch_if(condition, label, otherwise)
        if not is_last:
            e.w.start(otherwise)


def _integer_match(e: Emitter, chain: _Chain) -> tuple[ObjectId, list[int]] | None:
    """Subject and numbers of a chain whose conditions all compare one integer with a
    literal."""
    subjects: set[ObjectId] = set()
    numbers: list[int] = []
    for item in chain.guards:
        definer = e.graph.definer(item.guard.cond)
        if definer is None or definer.op != ops.Binary(BinaryCode.EQ):
            return None
        left, right = e.graph.operands(definer)
        number = e.graph.objects[right]
        if number.kind is not ObjectKind.CONSTANT or type(number.value) is not int:
            return None
        subjects.add(left)
        numbers.append(number.value)
    return (subjects.pop(), numbers) if len(subjects) == 1 else None


def _merged(e: Emitter, ty: Type, values: list[Value], ends: list[str]) -> Value:
    """The value after a join: of several that arrive from the blocks `ends`."""
    if has_no_representation(ty):
        return None
    if isinstance(ty, Tuple | Struct):
        columns: list[list[Value]] = [[] for _ in ty.items]
        for value in values:
            assert isinstance(value, tuple)
            for column, part in zip(columns, value, strict=True):
                column.append(part)
        pairs = zip(ty.items, columns, strict=True)
        return tuple(_merged(e, item, column, ends) for item, column in pairs)
    first = values[0]
    if all(value is first or (isinstance(first, str) and value == first) for value in values):
        return first
    if isinstance(ty, Scalar):
        incoming = [(str(value), end) for value, end in zip(values, ends, strict=True)]
        return e.w.phi(register_type(ty), incoming)
    assert isinstance(ty, Array)
    memories = [memory.addressed(e, ty, value, "an arm of a guard selects it") for value in values]
    buffers = tuple(dict.fromkeys(buffer for found in memories for buffer in found.buffers))
    pointers = [e.canonical(found.pointer) for found in memories]
    if all(pointer == pointers[0] for pointer in pointers):
        return Memory(pointers[0], buffers)
    return Memory(e.w.phi("ptr", zip(pointers, ends, strict=True)), buffers)
