"""Translation of single operations: which step each one becomes, and what it reads."""

from __future__ import annotations

from mapal.diagnostics import CompilerBug
from mapal.interpreter import applications, steps
from mapal.interpreter.applications import Code
from mapal.interpreter.machine import Machine, Step
from mapal.interpreter.places import FunctionPlaces, Place, PlaceKind, parts_of
from mapal.ir import ops, scalars
from mapal.ir.graph import Graph, Morphism
from mapal.ir.ops import BinaryCode, FunctionId, ObjectId
from mapal.ir.order import OperationItem
from mapal.ir.types import Array, Scalar, Tuple

TRAPPING = (BinaryCode.DIV, BinaryCode.MOD)


class OperationTranslation:
    """The operations of one function."""

    def __init__(
        self,
        graph: Graph,
        machine: Machine,
        codes: dict[FunctionId, Code],
        places: FunctionPlaces,
    ) -> None:
        self.graph = graph
        self.machine = machine
        self.codes = codes
        self.places = places

    def read(self, item: OperationItem) -> None:
        """Tells the places what the operation reads. Tokens have no content to read."""
        match item.morphism.op:
            case ops.Proj() | ops.Output() | ops.TimeMs() | ops.Iota():
                pass
            case ops.Print():
                self.places.use(item.operands[1])
            case ops.Fill():
                self.places.use(item.operands[0])
            case ops.Call(function=callee):
                self._read_argument(self.codes[callee], item.operands[0])
            case ops.Fold(captures=0):
                self.places.use(item.operands[0], (0,))
                self.places.use(item.operands[0], (1,))
            case _:
                for operand in item.operands:
                    self.places.use(operand)

    def _read_argument(self, code: Code, argument: ObjectId) -> None:
        if self._is_bound_whole(code, argument):
            self.places.use(argument)
        else:
            for component in code.components:
                self.places.use(argument, (component,))

    def _is_bound_whole(self, code: Code, argument: ObjectId) -> bool:
        return code.reads_whole or self.places.resolve(argument).kind is PlaceKind.STORED

    def translate(self, item: OperationItem, into: list[Step]) -> int:
        """Appends the steps of the operation; how deeply they nest."""
        match item.morphism.op:
            case ops.Proj() | ops.Output():
                return 0
            case ops.Print(newline=newline):
                value = item.operands[1]
                slot, ty = self.places.slot(value), self.graph.ty(value)
                into.append(steps.printing(self.machine, slot, ty, newline))
                return 1
        place = self.places.place(item.target)
        if place.slot < 0:
            place.slot = self.places.add_slot()  # nobody reads it; it is evaluated all the same
        depth = self._translate_to(item, place.slot, into)
        into.extend(self._unpacking(place))
        return depth

    def _translate_to(self, item: OperationItem, target: int, into: list[Step]) -> int:
        match item.morphism.op:
            case ops.Call(function=callee):
                return self._call(self.codes[callee], item.operands[0], target, into)
            case ops.Map(body=body) | ops.Fold(body=body) | ops.Reduce(body=body):
                into.append(self._collection(item, self.codes[body], target))
                return 6 + self.codes[body].depth
            case _:
                into.append(self._simple(item, target))
                return 3

    def _simple(self, item: OperationItem, target: int) -> Step:
        """Everything but applications of functions."""
        morphism, operands = item.morphism, item.operands
        slot = self.places.slot
        match morphism.op:
            case ops.Binary(code=code):
                return self._binary(code, item, target)
            case ops.Unary(code=code):
                ty = self._scalar(operands[0])
                return steps.unary(scalars.RAW_UNARY[code, ty], ty, slot(operands[0]), target)
            case ops.Widen() | ops.Convert():
                source, ty = self._scalar(operands[0]), self._scalar(morphism.target)
                raw = scalars.RAW_CONVERT[source, ty]
                return steps.unary(raw, ty, slot(operands[0]), target)
            case ops.Fma(negate_product=product, negate_addend=addend):
                fused = scalars.FMA[self._scalar(operands[0]), product, addend]
                x, y, z = map(slot, operands)
                return steps.ternary(fused, (x, y, z), target)
            case ops.TimeMs():
                return steps.clock_reading(self.machine, target)
            case _:
                return self._array_operation(morphism, operands, target)

    def _binary(self, code: BinaryCode, item: OperationItem, target: int) -> Step:
        left, right = item.operands
        ty = self._scalar(left)
        a, b = self.places.slot(left), self.places.slot(right)
        raw = scalars.RAW_BINARY[code, ty]
        if code in TRAPPING and ty.is_integer:
            return steps.division(raw, ty, a, b, target, item.morphism.key)
        return steps.binary(raw, ty, a, b, target)

    def _array_operation(
        self, morphism: Morphism, operands: tuple[ObjectId, ...], target: int
    ) -> Step:
        slot, key = self.places.slot, morphism.key
        match morphism.op:
            case ops.Index():
                array, position = operands
                length = self._length(array)
                return steps.index(slot(array), slot(position), target, length, key)
            case ops.Update():
                array, position, value = operands
                length = self._length(array)
                return steps.update(slot(array), slot(position), slot(value), target, length, key)
            case ops.Zip():
                left, right = operands
                return steps.zipped(slot(left), slot(right), target, self._length(left))
            case ops.Enumerate():
                return steps.numbered(slot(operands[0]), target, self._length(operands[0]))
            case ops.Iota():
                return steps.counted(target, self._length(morphism.target))
            case ops.Fill():
                return steps.repeated(slot(operands[0]), target, self._length(morphism.target))
            case _:
                raise CompilerBug(f"{morphism.op} is no operation to evaluate on its own")

    # Applications -------------------------------------------------------------------

    def _call(self, code: Code, argument: ObjectId, target: int, into: list[Step]) -> int:
        if self._is_bound_whole(code, argument):
            slot = self.places.slot(argument)
            into.append(applications.call_with_whole(self.machine, code, slot, target))
        else:
            arguments = tuple(
                (1 + component, self.places.resolve(argument, (component,)).slot)
                for component in code.components
            )
            into.append(applications.call_with_components(self.machine, code, arguments, target))
        return 1 + code.depth

    def _collection(self, item: OperationItem, code: Code, target: int) -> Step:
        op = item.morphism.op
        if isinstance(op, ops.Fold):
            slots, length = self._fold_operands(item, op)
            return applications.folding(self.machine, code, slots, target, length)
        slots = tuple(map(self.places.slot, item.operands))
        length = self._length(item.operands[-1])
        least = self.machine.lockstep_from
        if least is not None and length >= least:
            return self._in_lockstep(item, code, slots, target, length)
        step = applications.mapping if isinstance(op, ops.Map) else applications.reducing
        return step(self.machine, code, slots[:-1], slots[-1], target, length)

    def _in_lockstep(
        self, item: OperationItem, code: Code, slots: tuple[int, ...], target: int, length: int
    ) -> Step:
        """The lockstep step of a `map` or `reduce`."""
        from mapal.interpreter.lockstep import steps as lockstep

        op, fuel = item.morphism.op, self.machine.fuel
        if isinstance(op, ops.Reduce):
            return lockstep.reducing(self.graph, fuel, op, item.operands, slots, target)
        assert isinstance(op, ops.Map)
        last = lockstep.LAST_SLOT
        plain = applications.mapping(self.machine, code, slots[:-1], last, target, length)
        return lockstep.mapping(self.graph, fuel, op, item.operands, slots, target, plain)

    def _fold_operands(self, item: OperationItem, op: ops.Fold) -> tuple[tuple[int, ...], int]:
        """Slots of (captures…, seed, array), and the length. Without captures the source is a
        (seed, array) product of its own, which is seen through."""
        if op.captures:
            slots = tuple(map(self.places.slot, item.operands))
            return slots, self._length(item.operands[-1])
        (source,) = item.operands
        ty = self.graph.ty(source)
        assert isinstance(ty, Tuple)
        assert isinstance(ty.items[1], Array)
        slots = tuple(self.places.resolve(source, (part,)).slot for part in (0, 1))
        return slots, ty.items[1].length

    # Components ---------------------------------------------------------------------

    def _unpacking(self, place: Place) -> list[Step]:
        """Copies the components of a stored value that are read on their own."""
        found: list[Step] = []
        for outer in parts_of(place):
            parts = [(k, part.slot) for k, part in outer.parts.items() if part.used]
            if parts:
                found.append(steps.extraction(outer.slot, parts))
        return found

    def unpacking_of_component(self, index: int) -> tuple[Step, ...]:
        """The same for a component of the input, except for an accumulator."""
        part = self.places.input.parts.get(index)
        if part is None or part.kind is not PlaceKind.STORED:
            return ()
        return tuple(self._unpacking(part))

    # Types --------------------------------------------------------------------------

    def _scalar(self, obj: ObjectId) -> Scalar:
        ty = self.graph.ty(obj)
        assert isinstance(ty, Scalar)
        return ty

    def _length(self, array: ObjectId) -> int:
        ty = self.graph.ty(array)
        assert isinstance(ty, Array)
        return ty.length
