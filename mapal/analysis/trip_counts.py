"""How often a loop passes, where a counter tells.

A counter is a component of the state that each pass moves by a constant and that the condition
compares with a constant. What is no literal counts as a constant if it is `known`
(`mapal.analysis.known_integers`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from mapal.ir import ops
from mapal.ir.graph import Graph, Loop, ObjectKind
from mapal.ir.ops import BinaryCode, LoopId, ObjectId, RegionId, UnaryCode
from mapal.ir.order import loop_item
from mapal.ir.types import Scalar, Struct, Tuple, is_integer

STATE = "the state is no counter beside values"
STATE_READ_WHOLE = "the state is read as a whole"
START = "the counter does not start at a constant"
BOUND = "the condition does not compare the counter with a constant"
STEP = "the counter does not move by a constant"
ENDLESS = "the counter never ends the loop, or wraps"


@dataclass(frozen=True, slots=True)
class Counter:
    """Component `slot` of the state (0 where the counter is all of it) runs from `start` by
    `step`. The loop passes `passes` times, and the counter's values, the last one included,
    all fit its type."""

    slot: int
    ty: Scalar
    start: int
    step: int
    passes: int


class Uncounted(Exception):  # noqa: N818  (a decision, not an error)
    """The loop has no counter; the message is one of the reasons above."""


NOTHING: Mapping[ObjectId, int] = {}


def counter_of(graph: Graph, loop: LoopId, known: Mapping[ObjectId, int] = NOTHING) -> Counter:
    """The counter that alone decides when a loop ends. Raises `Uncounted`."""
    record = graph.loops[loop]
    return _Counting(graph, record, known).counter(record.cond, False)


def is_bounded(graph: Graph, loop: LoopId) -> bool:
    """Whether a loop surely ends, if each of its passes does: a counter ends it, or would end
    it if nothing else did before."""
    return graph.remembered(("bounded", loop), lambda: _is_bounded(graph, graph.loops[loop]))


def views_of(graph: Graph, loop: Loop) -> dict[ObjectId, int]:
    """What reads the components of a state, by slot. Raises `Uncounted` if something reads the
    state as a whole."""
    if is_integer(graph.ty(loop.merge)):
        return {loop.merge: 0}
    found: dict[ObjectId, int] = {}
    for edge in graph.out_edges[loop.merge]:
        reader = graph.morphisms[edge]
        if not isinstance(reader.op, ops.Proj):
            raise Uncounted(STATE_READ_WHOLE)
        found[reader.target] = reader.op.index
    return found


def _is_bounded(graph: Graph, loop: Loop) -> bool:
    try:
        counting = _Counting(graph, loop, NOTHING)
    except Uncounted:
        return False
    for cond, is_negated in _demands(graph, loop.cond):
        try:
            counting.counter(cond, is_negated)
        except Uncounted:
            if counting.reaches_bound(cond, is_negated):
                return True
            continue
        return True
    return False


def _demands(graph: Graph, cond: ObjectId) -> Iterator[tuple[ObjectId, bool]]:
    """The conditions all of which must hold for a loop to go on, each with whether it is
    negated."""
    work = [(cond, False)]
    while work:
        obj, is_negated = work.pop()
        definer = graph.definer(obj)
        match definer.op if definer is not None else None:
            case ops.Unary(code=UnaryCode.NOT):
                assert definer is not None
                work.append((graph.operands(definer)[0], not is_negated))
            case ops.Binary(code=code) if code is (BinaryCode.OR if is_negated else BinaryCode.AND):
                assert definer is not None
                work += [(operand, is_negated) for operand in graph.operands(definer)]
            case _:
                yield obj, is_negated


class _Counting:
    """One loop. Raises `Uncounted` where its frame has not the shape."""

    def __init__(self, graph: Graph, loop: Loop, known: Mapping[ObjectId, int]) -> None:
        self._graph = graph
        self._known = known
        self._item = loop_item(graph, loop.id)
        self._views = views_of(graph, loop)
        self._firsts = self._components(self._item.init, START)
        self._nexts = self._components(self._item.next_state, STATE)
        state = graph.ty(loop.merge)
        self._types = state.items if isinstance(state, Tuple | Struct) else (state,)

    def _components(self, state: ObjectId, reason: str) -> tuple[ObjectId, ...]:
        if is_integer(self._graph.ty(state)):
            return (state,)
        if not self._graph.is_pack(state):
            raise Uncounted(reason)
        return self._graph.feeders(state)

    def counter(self, cond: ObjectId, is_negated: bool) -> Counter:
        """The counter that a condition compares."""
        slot, code, bound = self._comparison(cond, is_negated)
        ty = self._types[slot]
        assert isinstance(ty, Scalar)
        start = self._constant(self._firsts[slot])
        if start is None:
            raise Uncounted(START)
        step = self._step(slot, self._nexts[slot])
        count = passes(start, step, code, bound)
        if count is None or not _fits(ty, start + count * step):
            raise Uncounted(ENDLESS)
        return Counter(slot, ty, start, step, count)

    def reaches_bound(self, cond: ObjectId, is_negated: bool) -> bool:
        """Whether a condition compares a component strictly with a bound that no pass changes,
        and each pass moves the component by one towards it, so that it cannot wrap before."""
        for code, moved, bound in self._comparisons(cond, is_negated):
            slot = self._views.get(moved)
            if slot is None or not self._is_constant_inside(bound):
                continue
            try:
                step = self._step(slot, self._nexts[slot])
            except Uncounted:
                continue
            if (code, step) in ((BinaryCode.LT, 1), (BinaryCode.GT, -1)):
                return True
        return False

    def _comparisons(
        self, cond: ObjectId, is_negated: bool
    ) -> Iterator[tuple[BinaryCode, ObjectId, ObjectId]]:
        """A condition as both ways to write it as a comparison, if it is one."""
        test = self._graph.definer(cond)
        if test is not None and isinstance(test.op, ops.Binary) and test.op.code in MIRRORED:
            code = NEGATED[test.op.code] if is_negated else test.op.code
            left, right = self._graph.operands(test)
            yield code, left, right
            yield MIRRORED[code], right, left

    def _is_constant_inside(self, obj: ObjectId) -> bool:
        """Whether every pass sees the same value."""
        slot = self._views.get(obj)
        if slot is not None:
            return self._nexts[slot] == obj
        region: RegionId | None = self._graph.region_of(obj)
        while region is not None and region != self._item.loop.body:
            region = self._graph.regions[region].parent
        return region is None

    def _comparison(self, cond: ObjectId, is_negated: bool) -> tuple[int, BinaryCode, int]:
        """The condition as "component compared with a constant"."""
        test = self._graph.definer(cond)
        while test is not None and test.op == ops.Unary(UnaryCode.NOT):
            is_negated = not is_negated
            test = self._graph.definer(self._graph.operands(test)[0])
        if test is None or not isinstance(test.op, ops.Binary):
            raise Uncounted(BOUND)
        code, (left, right) = test.op.code, self._graph.operands(test)
        if code not in MIRRORED:
            raise Uncounted(BOUND)
        if self._views.get(left) is None or self._constant(right) is None:
            left, right, code = right, left, MIRRORED[code]
        slot, bound = self._views.get(left), self._constant(right)
        if slot is None or bound is None:
            raise Uncounted(BOUND)
        return slot, NEGATED[code] if is_negated else code, bound

    def _step(self, slot: int, following: ObjectId) -> int:
        """By how much the counter moves on each pass."""
        found = self._graph.definer(following)
        if found is not None and isinstance(found.op, ops.Binary):
            code, (left, right) = found.op.code, self._graph.operands(found)
            if code is BinaryCode.ADD and self._views.get(left) != slot:
                left, right = right, left
            step = self._constant(right)
            if self._views.get(left) == slot and step is not None and step != 0:
                if code is BinaryCode.ADD:
                    return step
                if code is BinaryCode.SUB:
                    return -step
        raise Uncounted(STEP)

    def _constant(self, obj: ObjectId) -> int | None:
        """The value of an integer that is a literal or known."""
        record = self._graph.objects[obj]
        if not is_integer(record.ty):
            return None
        if record.kind is ObjectKind.CONSTANT and isinstance(record.value, int):
            return record.value
        return self._known.get(obj)


def passes(start: int, step: int, code: BinaryCode, bound: int) -> int | None:
    """How many of start, start + step, … a comparison holds of until it first does not; None
    for all of them."""
    match code:
        case BinaryCode.EQ:
            return 1 if start == bound else 0
        case BinaryCode.NEQ:
            count, rest = divmod(bound - start, step)
            return count if rest == 0 and count >= 0 else None
        case BinaryCode.GT | BinaryCode.GE:
            start, step, bound = -start, -step, -bound
        case _:
            pass
    if code in (BinaryCode.LE, BinaryCode.GE):
        bound += 1
    if start >= bound:
        return 0
    return -(-(bound - start) // step) if step > 0 else None


def _fits(ty: Scalar, value: int) -> bool:
    low = -(1 << (ty.bits - 1)) if ty.is_signed else 0
    return low <= value < low + (1 << ty.bits)


MIRRORED = {
    BinaryCode.LT: BinaryCode.GT,
    BinaryCode.GT: BinaryCode.LT,
    BinaryCode.LE: BinaryCode.GE,
    BinaryCode.GE: BinaryCode.LE,
    BinaryCode.EQ: BinaryCode.EQ,
    BinaryCode.NEQ: BinaryCode.NEQ,
}
"""The comparison with its operands swapped."""

NEGATED = {
    BinaryCode.LT: BinaryCode.GE,
    BinaryCode.GE: BinaryCode.LT,
    BinaryCode.GT: BinaryCode.LE,
    BinaryCode.LE: BinaryCode.GT,
    BinaryCode.EQ: BinaryCode.NEQ,
    BinaryCode.NEQ: BinaryCode.EQ,
}
"""The comparison that holds where another does not."""
