"""Computes what is known, and looks through structure.

Operations on constants become constants, by the functions that the interpreters call; neutral
and absorbing operands go away (integers and `bool` only: `-0.0 + 0.0` and `NaN * 0.0` refute
the same laws for floats); a component read from a pack, or an element from an array literal or
an update, is what was put there; a guard whose condition is known leaves only the arm that
runs, and a loop that ends at once only its body and exit.

Each function is walked once, in evaluation order, and every step sees the entries before it:
chains of any length fold in one round.
"""

from __future__ import annotations

from collections.abc import Iterator

from mapal.analysis.definitions import definition, live_functions
from mapal.ir import ops, scalars
from mapal.ir.graph import ObjectKind, Value
from mapal.ir.ops import BinaryCode, FunctionId, ObjectId, RegionId, UnaryCode
from mapal.ir.order import GuardItem, Item, LoopItem, OperationItem, PackItem, schedule
from mapal.ir.types import BOOL, Array, Scalar, is_integer
from mapal.rewrite.plan import PlanMaker


def analyse(maker: PlanMaker) -> None:
    """Plans all folding, in every live function."""
    for function in live_functions(maker.graph):
        _Folding(maker, function).run()


class _Folding:
    """One function. `known` holds values that the plan makes constants, and those that it may
    not, like conditions of loops."""

    def __init__(self, maker: PlanMaker, function: FunctionId) -> None:
        self.maker = maker
        self.graph = maker.graph
        self.known: dict[ObjectId, Value] = {}
        self.function = function

    def run(self) -> None:
        work = [self._region(self.graph.functions[self.function].body)]
        while work:
            for region in work[-1]:
                work.append(self._region(region))
                break
            else:
                work.pop()

    def _region(self, region: RegionId) -> Iterator[RegionId]:
        """Folds the items of a region; yields the regions inside that it comes to."""
        for item in schedule(self.graph, region):
            match item:
                case OperationItem():
                    self._operation(item)
                case GuardItem(guard=guard):
                    chosen = self._value(guard.cond)
                    if chosen is None:
                        yield guard.arm_true
                        yield guard.arm_false
                        continue
                    yield guard.arm_true if chosen else guard.arm_false
                    self.maker.resolve_guard(guard.id, bool(chosen))
                    result = self._value(item.when_true if chosen else item.when_false)
                    if result is not None:
                        self.known[item.target] = result
                case LoopItem(loop=loop):
                    yield loop.body
                    if self._value(loop.cond) is False:
                        yield loop.exit
                        self.maker.resolve_loop(loop.id)
                    else:
                        yield loop.exit
                        yield loop.jump
                case _:
                    pass

    # What is known ------------------------------------------------------------------

    def _value(self, obj: ObjectId) -> Value | None:
        found = self.maker.resolved(obj)
        record = self.graph.objects[found]
        return record.value if record.kind is ObjectKind.CONSTANT else self.known.get(found)

    def _definition(self, obj: ObjectId) -> Item | None:
        return definition(self.graph, self.maker.resolved(obj))

    def _scalar(self, obj: ObjectId) -> Scalar:
        ty = self.graph.ty(obj)
        assert isinstance(ty, Scalar)
        return ty

    # Entries ------------------------------------------------------------------------

    def _becomes(self, obj: ObjectId, value: Value) -> None:
        self.known[obj] = value
        if self.maker.may_replace(obj):
            self.maker.constify(obj, value)

    def _is(self, obj: ObjectId, other: ObjectId) -> None:
        """`obj` equals another value."""
        found = self.maker.resolved(other)
        value = self._value(found)
        if value is not None:
            self._becomes(obj, value)
        elif self.maker.may_alias(obj, found):
            self.maker.alias(obj, found)

    def _operation(self, item: OperationItem) -> None:
        operands = item.operands
        match item.morphism.op:
            case ops.Binary(code=code):
                left, right = map(self._value, operands)
                if left is None or right is None:
                    self._identity(item, code, left, right)
                    return
                compute = scalars.BINARY[code, self._scalar(operands[0])]
                try:
                    self._becomes(item.target, compute(left, right))
                except scalars.DivisionByZero:
                    return
            case ops.Unary(code=code):
                self._unary(item, code)
            case ops.Widen() | ops.Convert():
                value = self._value(operands[0])
                if value is not None:
                    pair = self._scalar(operands[0]), self._scalar(item.target)
                    self._becomes(item.target, scalars.CONVERT[pair](value))
            case ops.Fma(negate_product=product, negate_addend=addend):
                values = [self._value(operand) for operand in operands]
                if None not in values:
                    compute_fma = scalars.FMA[self._scalar(item.target), product, addend]
                    self._becomes(item.target, compute_fma(*values))
            case ops.Proj(index=index):
                pack = self._definition(operands[0])
                if isinstance(pack, PackItem):
                    self._is(item.target, pack.feeders[index])
            case ops.Index():
                self._index(item)
            case ops.Update():
                self._update(item)

    def _unary(self, item: OperationItem, code: UnaryCode) -> None:
        (operand,) = item.operands
        value = self._value(operand)
        if value is not None:
            compute = scalars.UNARY[code, self._scalar(item.target)]
            self._becomes(item.target, compute(value))
        elif code is UnaryCode.NOT:
            inner = self._definition(operand)
            if isinstance(inner, OperationItem) and inner.morphism.op == ops.Unary(UnaryCode.NOT):
                self._is(item.target, inner.operands[0])

    # Neutral and absorbing operands -------------------------------------------------

    def _identity(
        self, item: OperationItem, code: BinaryCode, left: Value | None, right: Value | None
    ) -> None:
        ty = self._scalar(item.operands[0])
        if not is_integer(ty) and ty != BOOL:
            return
        for value, other, is_right in ((right, 0, True), (left, 1, False)):
            if value is None:
                continue
            if (code, value, is_right) in NEUTRAL[ty == BOOL]:
                self._is(item.target, item.operands[other])
            elif (code, value, is_right) in ABSORBING[ty == BOOL]:
                self._becomes(item.target, ABSORBING[ty == BOOL][code, value, is_right])

    # Arrays -------------------------------------------------------------------------

    def _index(self, item: OperationItem) -> None:
        """An element of a literal, or of an array after updates elsewhere."""
        array, place = self.maker.resolved(item.operands[0]), self._value(item.operands[1])
        if not self._is_inside(array, place):
            return
        base = array
        while True:
            found = self._definition(base)
            if not isinstance(found, OperationItem) or found.morphism.op != ops.Update():
                break
            updated = self._value(found.operands[1])
            if not self._is_inside(base, updated):
                break
            if updated == place:
                self._is(item.target, found.operands[2])
                return
            base = self.maker.resolved(found.operands[0])
        if isinstance(found, PackItem):
            assert isinstance(place, int)
            self._is(item.target, found.feeders[place])
        elif base != array:
            self.maker.reoperand(item.morphism.id, 0, base)

    def _update(self, item: OperationItem) -> None:
        """What an update overwrites need not be written before."""
        array, place = self.maker.resolved(item.operands[0]), self._value(item.operands[1])
        base = array
        while self._is_inside(base, place):
            found = self._definition(base)
            if not isinstance(found, OperationItem) or found.morphism.op != ops.Update():
                break
            if self._value(found.operands[1]) != place:
                break
            base = self.maker.resolved(found.operands[0])
        if base != array:
            self.maker.reoperand(item.morphism.id, 0, base)

    def _is_inside(self, array: ObjectId, place: Value | None) -> bool:
        ty = self.graph.ty(array)
        return isinstance(ty, Array) and isinstance(place, int) and 0 <= place < ty.length


_Law = tuple[BinaryCode, Value, bool]
"""An operation with a known operand, and whether that is the right one."""

_NEUTRAL_INTEGERS: frozenset[_Law] = frozenset(
    {
        (BinaryCode.ADD, 0, True),
        (BinaryCode.ADD, 0, False),
        (BinaryCode.SUB, 0, True),
        (BinaryCode.MUL, 1, True),
        (BinaryCode.MUL, 1, False),
        (BinaryCode.DIV, 1, True),
    }
)
_NEUTRAL_BOOLEANS: frozenset[_Law] = frozenset(
    {
        (BinaryCode.AND, True, True),
        (BinaryCode.AND, True, False),
        (BinaryCode.OR, False, True),
        (BinaryCode.OR, False, False),
    }
)
NEUTRAL = (_NEUTRAL_INTEGERS, _NEUTRAL_BOOLEANS)
"""The result is the other operand: for integers, for `bool`."""

_ABSORBING_INTEGERS: dict[_Law, Value] = {
    (BinaryCode.MUL, 0, True): 0,
    (BinaryCode.MUL, 0, False): 0,
    (BinaryCode.MOD, 1, True): 0,
}
_ABSORBING_BOOLEANS: dict[_Law, Value] = {
    (BinaryCode.AND, False, True): False,
    (BinaryCode.AND, False, False): False,
    (BinaryCode.OR, True, True): True,
    (BinaryCode.OR, True, False): True,
}
ABSORBING = (_ABSORBING_INTEGERS, _ABSORBING_BOOLEANS)
"""The result is a constant, whatever the other operand is."""
