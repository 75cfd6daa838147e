"""Which computed integers have one value, whatever the input is.

The program is walked once, callers first. A function's argument is what all its calls agree
on, a body's captures what all its sites do; an element or accumulator may be anything. A
component of a loop's state is known if every pass hands it on as it is. Arithmetic follows the
scalars' own rules; what would trap is not known.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from mapal.analysis.positions import expanded
from mapal.analysis.totality import callees_first
from mapal.ir import ops, scalars
from mapal.ir.graph import Graph, Loop, ObjectKind
from mapal.ir.ops import FunctionId, ObjectId
from mapal.ir.order import GuardItem, Item, LoopItem, OperationItem, PackItem, loop_item
from mapal.ir.types import Scalar, Struct, Tuple, is_integer

Known = int | tuple["Known", ...] | None
"""An integer, a product of what is known, or nothing."""


def known_integers(graph: Graph) -> Mapping[ObjectId, int]:
    """The computed integers that have the same value wherever the program computes them."""
    return graph.remembered("known integers", lambda: _Propagation(graph).run())


class _Propagation:
    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self._facts: dict[ObjectId, Known] = {}
        self._arguments: dict[FunctionId, Known] = {}

    def run(self) -> dict[ObjectId, int]:
        graph = self._graph
        for identity in reversed(callees_first(graph)):
            function = graph.functions[identity]
            self._facts[function.input] = self._arguments.get(identity)
            for item in expanded(graph, function.body):
                self._facts[item.target] = self._result(item)
        return {obj: value for obj, value in self._facts.items() if isinstance(value, int)}

    def _fact(self, obj: ObjectId) -> Known:
        record = self._graph.objects[obj]
        if record.kind is ObjectKind.CONSTANT:
            return record.value if is_integer(record.ty) and isinstance(record.value, int) else None
        if record.kind is ObjectKind.LOOP_MERGE and obj not in self._facts:
            self._facts[obj] = self._state(obj)
        return self._facts.get(obj)

    def _state(self, merge: ObjectId) -> Known:
        """What is known of a state on every pass: the components that no pass changes."""
        graph = self._graph
        loop = next(
            graph.loops[op.loop]
            for edge in graph.in_edges[merge]
            if isinstance(op := graph.morphisms[edge].op, ops.LoopEnter)
        )
        item = loop_item(graph, loop.id)
        first = self._fact(item.init)
        if not isinstance(first, tuple) or not graph.is_pack(item.next_state):
            return None
        kept = self._handed_on(loop, graph.feeders(item.next_state))
        return tuple(fact if slot in kept else None for slot, fact in enumerate(first))

    def _handed_on(self, loop: Loop, following: Sequence[ObjectId]) -> set[int]:
        found: set[int] = set()
        for slot, feeder in enumerate(following):
            definer = self._graph.definer(feeder)
            if definer is None or definer.source != loop.merge:
                continue
            if definer.op == ops.Proj(slot):
                found.add(slot)
        return found

    def _result(self, item: Item) -> Known:
        match item:
            case OperationItem():
                return self._operation(item)
            case PackItem(target=target, feeders=feeders):
                if isinstance(self._graph.ty(target), Tuple | Struct):
                    return tuple(map(self._fact, feeders))
            case GuardItem(when_true=when_true, when_false=when_false):
                return _agreed(self._fact(when_true), self._fact(when_false))
            case LoopItem(payload=payload):
                return self._fact(payload)
        return None

    def _operation(self, item: OperationItem) -> Known:
        op, operands = item.morphism.op, item.operands
        facts = [self._fact(operand) for operand in operands]
        match op:
            case ops.Proj(index=index):
                return facts[0][index] if isinstance(facts[0], tuple) else None
            case ops.Output():
                return facts[0]
            case ops.Call(function=callee):
                self._note(callee, facts[0])
            case ops.Map(body=body, captures=count) | ops.Reduce(body=body, captures=count):
                beside = 1 if isinstance(op, ops.Map) else 2
                self._note(body, (*facts[:count], *[None] * beside) if count else None)
            case ops.Fold(body=body, captures=count):
                self._note(body, (*facts[:count], None, None))
            case ops.Binary() | ops.Unary() | ops.Widen() | ops.Convert():
                return self._arithmetic(item, facts)
        return None

    def _arithmetic(self, item: OperationItem, facts: list[Known]) -> Known:
        values = [fact for fact in facts if isinstance(fact, int)]
        ty, result = self._graph.ty(item.operands[0]), self._graph.ty(item.target)
        if len(values) < len(facts) or not isinstance(ty, Scalar) or not isinstance(result, Scalar):
            return None
        if not (ty.is_integer and result.is_integer):
            return None
        match item.morphism.op:
            case ops.Binary(code=code):
                try:
                    return _integer(scalars.BINARY[code, ty](values[0], values[1]))
                except scalars.DivisionByZero:
                    return None
            case ops.Unary(code=unary):
                return _integer(scalars.UNARY[unary, ty](values[0]))
            case _:
                return _integer(scalars.CONVERT[ty, result](values[0]))

    def _note(self, function: FunctionId, argument: Known) -> None:
        """Adds the argument of one call or site to what all of them agree on."""
        if function in self._arguments:
            argument = _agreed(self._arguments[function], argument)
        self._arguments[function] = argument


def _agreed(first: Known, second: Known) -> Known:
    if isinstance(first, tuple) and isinstance(second, tuple):
        return tuple(_agreed(a, b) for a, b in zip(first, second, strict=True))
    return first if first == second else None


def _integer(value: object) -> Known:
    return value if type(value) is int else None
