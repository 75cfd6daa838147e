"""A second interpreter for tests: walks the graph item by item over a dictionary.

It shares scalars, formatting and order with the real one and nothing else: no slots, no
translation, no lazy arrays, no updates in place. Slow, recursive, without a budget.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from mapal.interpreter import Outcome, Trap
from mapal.ir import ops, scalars
from mapal.ir.formatting import format_value
from mapal.ir.graph import Graph, Key, ObjectKind
from mapal.ir.ops import FunctionId, ObjectId, RegionId
from mapal.ir.order import (
    GuardItem,
    LoopItem,
    OperationItem,
    PackItem,
    ReturnSlotItem,
    schedule,
)
from mapal.ir.reduction import reduce_sequence
from mapal.ir.types import Array, Scalar

Values = dict[ObjectId, Any]


@dataclass
class Walk:
    """One run; `time` reads 0."""

    graph: Graph
    output: bytearray = field(default_factory=bytearray)

    def run(self, argument: Any) -> Outcome:
        """`argument` is the entry's whole input, the token included."""
        try:
            value = self.call(self.graph.entry, argument)
        except _Trapped as trapped:
            return Outcome("trapped", bytes(self.output), trap=trapped.trap)
        return Outcome("done", bytes(self.output), value)

    def call(self, function: FunctionId, argument: Any) -> Any:
        record = self.graph.functions[function]
        values: Values = {record.input: argument}
        for obj in record.objects:
            if self.graph.objects[obj].kind is ObjectKind.CONSTANT:
                values[obj] = self.graph.objects[obj].value
        self.region(record.body, values)
        result = values.get(record.output)
        if isinstance(result, dict):
            parts = [result[slot] for slot in range(len(result))]
            return parts if isinstance(self.graph.ty(record.output), Array) else tuple(parts)
        return result

    def region(self, region: RegionId, values: Values) -> None:
        for item in schedule(self.graph, region):
            match item:
                case OperationItem():
                    operands = [values[operand] for operand in item.operands]
                    values[item.target] = self.operation(item, operands)
                case PackItem(target=target, feeders=feeders):
                    parts = [values[feeder] for feeder in feeders]
                    is_array = isinstance(self.graph.ty(target), Array)
                    values[target] = parts if is_array else tuple(parts)
                case ReturnSlotItem(slot=slot, source=source, target=target):
                    values.setdefault(target, {})[slot] = values[source]
                case GuardItem(guard=guard):
                    taken = values[guard.cond]
                    self.region(guard.arm_true if taken else guard.arm_false, values)
                    values[item.target] = values[item.when_true if taken else item.when_false]
                case LoopItem():
                    self.loop(item, values)

    def loop(self, item: LoopItem, values: Values) -> None:
        values[item.loop.merge] = values[item.init]
        while True:
            self.region(item.loop.body, values)
            if not values[item.loop.cond]:
                break
            self.region(item.loop.jump, values)
            values[item.loop.merge] = values[item.next_state]
        self.region(item.loop.exit, values)
        values[item.target] = values[item.payload]

    def operation(self, item: OperationItem, operands: list[Any]) -> Any:
        morphism = item.morphism
        match morphism.op:
            case ops.Proj(index=index):
                return operands[0][index]
            case ops.Output():
                return operands[0]
            case ops.Binary(code=code):
                try:
                    return scalars.BINARY[code, self.scalar(item.operands[0])](*operands)
                except scalars.DivisionByZero:
                    raise _Trapped("div_zero", morphism.key) from None
            case ops.Unary(code=code):
                return scalars.UNARY[code, self.scalar(item.target)](*operands)
            case ops.Widen() | ops.Convert():
                pair = self.scalar(item.operands[0]), self.scalar(item.target)
                return scalars.CONVERT[pair](*operands)
            case ops.Fma(negate_product=product, negate_addend=addend):
                return scalars.FMA[self.scalar(item.target), product, addend](*operands)
            case ops.Call(function=function):
                return self.call(function, operands[0])
            case ops.Print(newline=newline):
                text = format_value(operands[1], self.graph.ty(item.operands[1]))
                self.output.extend((text + "\n" * newline).encode())
                return None
            case ops.TimeMs():
                return (None, 0.0)
            case _:
                return self.array_operation(item, operands)

    def array_operation(self, item: OperationItem, operands: list[Any]) -> Any:
        match item.morphism.op:
            case ops.Index():
                array, index = operands
                self.check(array, index, item.morphism.key)
                return array[index]
            case ops.Update():
                array, index, value = operands
                self.check(array, index, item.morphism.key)
                return [*array[:index], value, *array[index + 1 :]]
            case ops.Zip():
                return list(zip(*operands, strict=True))
            case ops.Enumerate():
                return list(enumerate(operands[0]))
            case ops.Iota():
                return list(range(operands[0]))
            case ops.Fill():
                return [operands[0]] * operands[1]
            case ops.Map(body=body, captures=count):
                return [self.body(body, operands[:count], x) for x in operands[-1]]
            case ops.Reduce(body=body, captures=count):
                captures = operands[:count]
                return reduce_sequence(operands[-1], lambda a, b: self.body(body, captures, a, b))
            case ops.Fold(body=body, captures=count):
                *captures, value, array = operands if count else operands[0]
                for x in array:
                    value = self.body(body, captures, value, x)
                return value
            case other:
                raise AssertionError(other)

    def body(self, body: FunctionId, captures: list[Any], *arguments: Any) -> Any:
        parts = (*captures, *arguments)
        return self.call(body, parts[0] if len(parts) == 1 else parts)

    def check(self, array: list[Any], index: int, key: Key) -> None:
        if not 0 <= index < len(array):
            raise _Trapped("index_oob", key)

    def scalar(self, obj: ObjectId) -> Scalar:
        ty = self.graph.ty(obj)
        assert isinstance(ty, Scalar)
        return ty


class _Trapped(Exception):  # noqa: N818  # an outcome, not an error
    def __init__(self, kind: Any, key: Key) -> None:
        super().__init__(kind)
        self.trap = Trap(kind, key[-1][0], key)
