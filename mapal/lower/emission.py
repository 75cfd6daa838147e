"""Turns placed drafts into a graph, through the builder.

Functions are declared first, then built. Within a region units come in order of creation;
whatever moved into an arm comes before what is written there, since it is older.
"""

from __future__ import annotations

from mapal.ir import ops
from mapal.ir.builder import GraphBuilder
from mapal.ir.drafts import GuardDraft
from mapal.ir.function_builder import FRESH, Destination, Fresh, FunctionBuilder, Ret
from mapal.ir.graph import Graph
from mapal.ir.ops import FunctionId, ObjectId
from mapal.ir.types import UNIT, Tuple
from mapal.lower.draft import (
    CallNamed,
    Collect,
    DraftFunction,
    DraftGuard,
    DraftLoop,
    DraftRegion,
    DraftValue,
    MakeArray,
    MakeStruct,
    MakeTuple,
    Operation,
    Unit,
)


def emit(functions: list[DraftFunction], entry: str) -> Graph:
    """The sealed graph of all functions and bodies; `entry` names the entry function."""
    builder = GraphBuilder()
    declared: dict[DraftFunction, FunctionId] = {}
    by_name: dict[str, FunctionId] = {}
    for function in functions:
        identity = builder.declare(
            function.kind,
            function.name,
            UNIT if function.input is None else function.input,
            function.output,
            function.key,
            function.parameters,
        )
        declared[function] = identity
        if function.name:
            by_name[function.name] = identity
    for function in functions:
        _Emitter(builder.build(declared[function]), function, declared, by_name).run()
    return builder.seal(by_name[entry])


class _Emitter:
    def __init__(
        self,
        builder: FunctionBuilder,
        function: DraftFunction,
        declared: dict[DraftFunction, FunctionId],
        by_name: dict[str, FunctionId],
    ) -> None:
        self._builder = builder
        self._function = function
        self._declared = declared
        self._by_name = by_name
        self._objects: dict[DraftValue, ObjectId] = {}
        self._members: dict[DraftRegion, list[Unit]] = {}
        for unit in sorted(function.units, key=lambda unit: unit.index):
            self._members.setdefault(unit.region, []).append(unit)
        self._direct = self._directly_returned()

    def run(self) -> None:
        function = self._function
        self._region(function.root)
        for value, key in function.returns:
            if value is not self._direct:
                self._builder.output(self._object(value), key)
        for slot, value, key in function.slots:
            self._builder.output(self._object(value), key, slot)
        self._builder.finish()

    def _directly_returned(self) -> DraftValue | None:
        """The one returned value, if the unit that defines it can write the result itself."""
        function = self._function
        if len(function.returns) != 1 or function.slots:
            return None
        value = function.returns[0][0]
        unit = value.unit
        if unit is None or unit.region is not function.root:
            return None
        if isinstance(unit, Operation) and isinstance(unit.op, ops.Print | ops.TimeMs):
            return None
        return value if function.use_counts()[value] == 1 else None

    def _object(self, value: DraftValue) -> ObjectId:
        """The object of a value; literals and arguments are made where first used, and belong
        to the Body region."""
        found = self._objects.get(value)
        if found is not None:
            return found
        if value.literal is not None:
            made = self._builder.constant(value.literal, value.ty, value.key)
        else:
            assert value.argument is not None, "a value is used before its unit is emitted"
            made = self._argument(value)
        self._objects[value] = made
        return made

    def _argument(self, value: DraftValue) -> ObjectId:
        function = self._function
        assert value.argument is not None
        if len(function.arguments) == 1:
            return self._builder.input
        with self._builder.in_region(self._builder.root):
            return self._builder.proj(
                self._builder.input, value.argument, value.key, Fresh(value.name)
            )

    def _destination(self, value: DraftValue) -> Destination:
        if value is self._direct:
            return Ret()
        return Fresh(value.name) if value.name is not None else FRESH

    def _region(self, region: DraftRegion) -> None:
        for unit in self._members.get(region, ()):
            match unit:
                case Operation():
                    self._objects[unit.result] = self._operation(unit)
                case DraftGuard():
                    self._guards(unit)
                case DraftLoop():
                    self._loop(unit)

    def _guards(self, first: DraftGuard) -> None:
        """A guard, or a whole integer match: the chain is walked with a list, since a match may
        have thousands of arms."""
        chain: list[tuple[DraftGuard, GuardDraft]] = []
        guard = first
        while True:
            record = self._builder.begin_guard(
                self._object(guard.cond), guard.key, guard.arm_false.rest
            )
            chain.append((guard, record))
            with self._builder.in_region(record.arm_true):
                self._region(guard.arm_true)
            if not guard.arm_false.rest:
                break
            (following,) = self._members[guard.arm_false]
            assert isinstance(following, DraftGuard)
            guard = following
            self._builder.enter(record.arm_false)
        last, record = chain[-1]
        with self._builder.in_region(record.arm_false):
            self._region(last.arm_false)
        for guard, record in reversed(chain):
            assert guard.when_true is not None
            assert guard.when_false is not None
            self._builder.enter(record.region)
            self._objects[guard.result] = self._builder.phi(
                record,
                self._object(guard.when_true),
                self._object(guard.when_false),
                self._destination(guard.result),
            )

    def _loop(self, loop: DraftLoop) -> None:
        assert loop.cond is not None
        assert loop.next_state is not None
        assert loop.payload is not None
        builder = self._builder
        record = builder.begin_loop(self._object(loop.init), loop.key)
        self._objects[loop.state] = record.merge
        with builder.in_region(record.body):
            self._region(loop.body)
        with builder.in_region(record.jump):
            self._region(loop.jump)
        cond = self._object(loop.cond)
        builder.loop_back(record, self._object(loop.next_state), cond)
        with builder.in_region(record.exit):
            self._region(loop.exit)
        self._objects[loop.result] = builder.loop_exit(
            record, self._object(loop.payload), cond, self._destination(loop.result)
        )
        builder.end_loop(record)

    def _operation(self, unit: Operation) -> ObjectId:
        builder, key = self._builder, unit.key
        operands = [self._object(operand) for operand in unit.operands]
        dest = self._destination(unit.result)
        match unit.op:
            case MakeTuple():
                return builder.pack(operands, key, dest)
            case MakeStruct(ty=ty):
                return builder.pack_struct(ty, operands, key, dest)
            case MakeArray():
                return builder.pack_array(operands, key, dest)
            case CallNamed(name=name):
                return builder.call(self._by_name[name], operands[0], key, dest)
            case Collect():
                return self._collect(unit.op, operands, unit, dest)
            case ops.Proj(index=index):
                return builder.proj(operands[0], index, key, dest)
            case ops.Binary(code=code):
                return builder.binary(code, operands[0], operands[1], key, dest)
            case ops.Unary(code=unary):
                return builder.unary(unary, operands[0], key, dest)
            case ops.Fma(negate_product=product, negate_addend=addend):
                return builder.fma(
                    *operands, negate_product=product, negate_addend=addend, key=key, dest=dest
                )
            case ops.Widen():
                return builder.widen(operands[0], unit.result.ty, key, dest)
            case ops.Convert():
                return builder.convert(operands[0], unit.result.ty, key, dest)
            case ops.Index():
                return builder.index(operands[0], operands[1], key, dest)
            case ops.Update():
                return builder.update(operands[0], operands[1], operands[2], key, dest)
            case ops.Zip():
                return builder.zip(operands[0], operands[1], key, dest)
            case ops.Enumerate():
                return builder.enumerate(operands[0], key, dest)
            case ops.Iota():
                return builder.iota(operands[0], key, dest)
            case ops.Fill():
                return builder.fill(operands[0], operands[1], key, dest)
            case ops.Print(newline=newline):
                return builder.print(operands[0], operands[1], newline, key)
            case ops.TimeMs():
                return builder.time_ms(operands[0], key)
            case other:
                raise AssertionError(f"lowering makes no {other}")

    def _collect(
        self, op: Collect, operands: list[ObjectId], unit: Operation, dest: Destination
    ) -> ObjectId:
        builder, body = self._builder, self._declared[op.body]
        captures = operands[: op.captures]
        match op.operator:
            case "map":
                return builder.map(body, captures, operands[-1], unit.key, dest)
            case "fold":
                return builder.fold(body, captures, operands[-2], operands[-1], unit.key, dest)
            case _:
                return builder.reduce(body, captures, operands[-1], unit.key, dest)


def body_input(function: DraftFunction) -> None:
    """Settles the input type of a body once all its captures are known."""
    types = tuple(argument.ty for argument in function.arguments)
    function.input = types[0] if len(types) == 1 else Tuple(types)
