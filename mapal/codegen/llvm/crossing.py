"""What crosses from a host into its tasks: scalars in registers, arrays by address, laws as rules.

A task of the runtime is a function of a frame. The host fills the frame before the tasks start; the
function that the runtime calls takes out what its task needs and hands it on as parameters, so that
LLVM sees a plain function whose arrays overlap nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from mapal.codegen.layout import Layout, register_type
from mapal.codegen.llvm import memory
from mapal.codegen.llvm.calls import array_attributes
from mapal.codegen.llvm.emitter import Emitter
from mapal.codegen.llvm.values import (
    Broadcast,
    Buffer,
    Enumerated,
    Law,
    Mapped,
    Memory,
    Range,
    Value,
    Zipped,
    is_constant,
)
from mapal.diagnostics import CompilerBug
from mapal.ir.types import Array, Scalar, Struct, Tuple, Type, has_no_representation

TASK = "{ ptr, i64, i64, i32, i32, i32, i32, i32, i32, i32 }"
"""A task as the runtime declares it: function, count, quantum, pieces, flags, rank, predecessors,
successors, first successor, width."""

CELL_BYTES = 8
"""Each register of a frame has so many, whatever it needs."""


@dataclass(frozen=True, slots=True)
class _Cell:
    number: int
    register: str
    is_known: bool


class Frame:
    """Memory through which tasks get what their host knows, and hand on what they make. A cell
    holds a register of the host from before the tasks start, or one that a task stores."""

    def __init__(self) -> None:
        self._cells: dict[str, _Cell] = {}

    def cell(self, register: str, given: str) -> int:
        """The number of the cell of a value of the host, or of one that `reserve` named."""
        if given not in self._cells:
            self._cells[given] = _Cell(len(self._cells), register, is_known=True)
        return self._cells[given].number

    def reserve(self, register: str) -> str:
        """A name for what a task will store in a cell of its own."""
        name = f"%cell.{len(self._cells)}"
        self._cells[name] = _Cell(len(self._cells), register, is_known=False)
        return name

    def fill(self, e: Emitter) -> str:
        """Allocates the frame in the host and stores what is known; its address."""
        frame = e.slot(Layout(CELL_BYTES * max(1, len(self._cells)), CELL_BYTES))
        for given, cell in self._cells.items():
            if cell.is_known:
                self.store(e, frame, given, given)
        return frame

    def store(self, e: Emitter, frame: str, name: str, value: str) -> None:
        """Stores a register in the cell with this name."""
        address = memory.offset_pointer(e, frame, CELL_BYTES * self._cells[name].number)
        e.w.line(f"store {self._cells[name].register} {value}, ptr {address}, align {CELL_BYTES}")

    def load(self, e: Emitter, frame: str, name: str) -> str:
        """What a task has stored in the cell with this name."""
        address = memory.offset_pointer(e, frame, CELL_BYTES * self._cells[name].number)
        return e.w.value(f"load {self._cells[name].register}, ptr {address}, align {CELL_BYTES}")


@dataclass(frozen=True, slots=True)
class _Leaf:
    """One register that crosses: its type and attributes as a parameter, its name there, the
    register of the host, and its cell in the frame."""

    register: str
    attributes: str
    name: str
    given: str
    cell: int


class Crossing:
    """What one task takes from the host. Constants are not taken, they are known in both."""

    def __init__(self, host: Emitter, frame: Frame) -> None:
        self._host = host
        self._frame = frame
        self._leaves: list[_Leaf] = []
        self._laws: list[Callable[[Emitter], None]] = []

    @property
    def parameters(self) -> list[str]:
        """What crosses, as parameters of the function that a task calls."""
        return [f"{leaf.register}{leaf.attributes} {leaf.name}" for leaf in self._leaves]

    def take(self, ty: Type, value: Value) -> Value:
        """The value as the task sees it. Laws get their place with `place_laws`."""
        if has_no_representation(ty):
            return None
        match ty, value:
            case Scalar(), str():
                return value if is_constant(value) else self._leaf(register_type(ty), "", value)
            case ((Tuple() | Struct()), tuple()):
                pairs = zip(ty.items, value, strict=True)
                return tuple(self.take(item, part) for item, part in pairs)
            case Array(), Memory(pointer=pointer):
                return Memory(self._pointer(ty, pointer), (Buffer(writable=False),))
            case Array(), Law():
                if value.stored is not None:
                    return self.take(ty, value.stored)
                return self._law(ty, value)
        raise CompilerBug(f"{value!r} cannot cross into a task")

    def output(self, written: Memory, ty: Array) -> Memory:
        """An array that the task writes: nothing else that it sees overlaps it."""
        if not written.pointer.startswith("%"):
            raise CompilerBug("a task writes a constant")
        attributes = f" noalias {array_attributes(self._host, ty)}"
        name = self._leaf("ptr", attributes, written.pointer)
        return Memory(name, (Buffer(writable=True),))

    def place_laws(self, e: Emitter) -> None:
        """Gives each law that crossed its place at the start of the task's function."""
        for place in self._laws:
            place(e)

    def emit_task(self, task: str, first: str, function: str) -> None:
        """What the runtime calls: takes the leaves out of the frame and hands them on, after the
        arguments `first`."""
        lines = []
        arguments = [first]
        for at, leaf in enumerate(self._leaves):
            offset = CELL_BYTES * leaf.cell
            lines.append(f"  %f{at} = getelementptr inbounds i8, ptr %frame, i64 {offset}")
            lines.append(f"  {leaf.name} = load {leaf.register}, ptr %f{at}, align {CELL_BYTES}")
            arguments.append(f"{leaf.register} {leaf.name}")
        lines.append(f"  call void {function}({', '.join(arguments)})")
        lines.append("  ret void")
        text = "\n".join(lines)
        self._host.module.add_function(
            f"define internal void {task}(i64 %low, i64 %high, ptr %frame) nounwind {{\n{text}\n}}"
        )

    def _law(self, ty: Array, value: Law) -> Value:
        crossed: Law
        match value, ty.element:
            case Range(place=place), _:
                crossed = Range(place, None)
            case Broadcast(place=place, element=element), element_ty:
                crossed = Broadcast(place, None, element=self.take(element_ty, element))
            case Zipped(place=place, left=left, right=right), Tuple(items=(first, second)):
                crossed = Zipped(
                    place,
                    None,
                    left=self.take(Array(first, ty.length), left),
                    right=self.take(Array(second, ty.length), right),
                )
            case Enumerated(place=place, array=inner), Tuple(items=(_, second)):
                array = self.take(Array(second, ty.length), inner)
                crossed = Enumerated(place, None, array=array)
            case Mapped(place=place, body=body, operands=operands, compute=compute), _:
                taken = tuple((of, self.take(of, operand)) for of, operand in operands)
                crossed = Mapped(place, None, body=body, operands=taken, compute=compute)
            case _:
                raise CompilerBug(f"no law {value!r}")

        def put(e: Emitter) -> None:
            crossed.place = memory.law_place(e)

        self._laws.append(put)
        return crossed

    def _pointer(self, ty: Array, pointer: str) -> str:
        if not pointer.startswith("%"):
            return pointer
        attributes = f" noalias readonly {array_attributes(self._host, ty)}"
        return self._leaf("ptr", attributes, self._host.canonical(pointer))

    def _leaf(self, register: str, attributes: str, given: str) -> str:
        for leaf in self._leaves:
            if leaf.given == given and leaf.attributes == attributes:
                return leaf.name
        name = f"%c{len(self._leaves)}"
        cell = self._frame.cell(register, given)
        self._leaves.append(_Leaf(register, attributes, name, given, cell))
        return name
