"""Builds the graphs of cases, one line of a case per call, keys in the order of the lines."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from mapal.ir.builder import GraphBuilder
from mapal.ir.drafts import LoopDraft
from mapal.ir.function_builder import FRESH, Destination, FunctionBuilder, Ret
from mapal.ir.graph import FunctionKind, Graph, Key, Value
from mapal.ir.ops import BinaryCode, FunctionId, ObjectId, UnaryCode
from mapal.ir.types import I32, IO, UNIT, Tuple, Type

ADD, SUB, MUL = BinaryCode.ADD, BinaryCode.SUB, BinaryCode.MUL
DIV, MOD = BinaryCode.DIV, BinaryCode.MOD
LT, GT, EQ, NEQ = BinaryCode.LT, BinaryCode.GT, BinaryCode.EQ, BinaryCode.NEQ

Arm = Callable[[], ObjectId]
"""Builds an arm; its value."""


class Program:
    """A graph in the making. Functions are declared with the types of their components."""

    def __init__(self) -> None:
        self._builder = GraphBuilder()
        self._line = 0

    def key(self) -> Key:
        self._line += 1
        return ((self._line, self._line),)

    def declare(
        self,
        name: str,
        inputs: Sequence[Type],
        result: Type = I32,
        kind: FunctionKind = FunctionKind.NAMED,
    ) -> FunctionId:
        taken = inputs[0] if len(inputs) == 1 else Tuple(tuple(inputs)) if inputs else UNIT
        names: tuple[str, ...] = ()
        if kind is FunctionKind.NAMED and name == "main":
            named = [ty for ty in inputs if ty != IO]
            names = tuple(f"p{place}" for place in range(len(named)))
        return self._builder.declare(kind, name, taken, result, self.key(), names)

    def define(self, function: FunctionId, body: Callable[[Lines], ObjectId | None]) -> None:
        """Builds a function; what `body` returns becomes the result."""
        lines = Lines(self, self._builder.build(function))
        result = body(lines)
        if result is not None:
            lines.f.output(result, self.key())
        lines.f.finish()

    def helper(
        self,
        body: Callable[[Lines], ObjectId | None],
        inputs: Sequence[Type] = (I32,),
        result: Type = I32,
        kind: FunctionKind = FunctionKind.NAMED,
        name: str = "h",
    ) -> FunctionId:
        """Declares and builds a function at once."""
        function = self.declare(name, inputs, result, kind)
        self.define(function, body)
        return function

    def main(
        self,
        body: Callable[[Lines], ObjectId | None],
        inputs: Sequence[Type] = (),
        result: Type = I32,
    ) -> Graph:
        """Builds the entry and seals."""
        entry = self.declare("main", inputs, result)
        self.define(entry, body)
        return self._builder.seal(entry)


class Lines:
    """The lines of one function."""

    def __init__(self, program: Program, f: FunctionBuilder) -> None:
        self._program = program
        self.f = f

    def key(self) -> Key:
        return self._program.key()

    def arg(self, slot: int) -> ObjectId:
        return self.f.proj(self.f.input, slot, self.key())

    def c(self, value: Value, ty: Type = I32) -> ObjectId:
        return self.f.constant(value, ty, self.key())

    def op(self, code: BinaryCode, a: ObjectId, b: ObjectId, dest: Destination = FRESH) -> ObjectId:
        return self.f.binary(code, a, b, self.key(), dest)

    def un(self, code: UnaryCode, x: ObjectId) -> ObjectId:
        return self.f.unary(code, x, self.key())

    def ret(self, code: BinaryCode, a: ObjectId, b: ObjectId) -> None:
        self.op(code, a, b, Ret())

    def pack(self, *parts: ObjectId) -> ObjectId:
        return self.f.pack(parts, self.key())

    def array(self, *parts: ObjectId) -> ObjectId:
        return self.f.pack_array(parts, self.key())

    def proj(self, x: ObjectId, slot: int) -> ObjectId:
        return self.f.proj(x, slot, self.key())

    def index(self, array: ObjectId, place: ObjectId) -> ObjectId:
        return self.f.index(array, place, self.key())

    def update(self, array: ObjectId, place: ObjectId, value: ObjectId) -> ObjectId:
        return self.f.update(array, place, value, self.key())

    def iota(self, count: int) -> ObjectId:
        return self.f.iota(self.c(count), self.key())

    def call(self, function: FunctionId, *parts: ObjectId) -> ObjectId:
        argument = parts[0] if len(parts) == 1 else self.pack(*parts)
        return self.f.call(function, argument, self.key())

    def map(self, body: FunctionId, array: ObjectId, *captures: ObjectId) -> ObjectId:
        return self.f.map(body, captures, array, self.key())

    def fold(
        self, body: FunctionId, seed: ObjectId, array: ObjectId, *captures: ObjectId
    ) -> ObjectId:
        return self.f.fold(body, captures, seed, array, self.key())

    def println(self, token: ObjectId, value: ObjectId) -> ObjectId:
        return self.f.print(token, value, True, self.key())

    def phi(
        self, cond: ObjectId, when_true: Arm, when_false: Arm, *, rest: bool = False
    ) -> ObjectId:
        """A guard whose arms are built by functions."""
        guard = self.f.begin_guard(cond, self.key(), rest)
        with self.f.in_region(guard.arm_true):
            first = when_true()
        with self.f.in_region(guard.arm_false):
            second = when_false()
        return self.f.phi(guard, first, second)

    def loop(
        self,
        init: ObjectId,
        cond: Callable[[ObjectId], ObjectId],
        following: Callable[[ObjectId], ObjectId],
        payload: Callable[[ObjectId], ObjectId] | None = None,
    ) -> ObjectId:
        """A loop: its condition, next state and exit value from the state. Without `payload`
        the state is the exit value."""
        loop: LoopDraft = self.f.begin_loop(init, self.key())
        with self.f.in_region(loop.body):
            test = cond(loop.merge)
        with self.f.in_region(loop.jump):
            state = following(loop.merge)
        self.f.loop_back(loop, state, test)
        with self.f.in_region(loop.exit):
            value = loop.merge if payload is None else payload(loop.merge)
        left = self.f.loop_exit(loop, value, test)
        self.f.end_loop(loop)
        return left

    def endless(self) -> ObjectId:
        """The value of a loop that never ends."""
        return self.loop(
            self.c(1), lambda s: self.op(GT, s, self.c(0)), lambda s: self.op(MUL, s, self.c(1))
        )
