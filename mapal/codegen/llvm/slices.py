"""Bulk work: independent units that fill an array, in one loop or cut into slices for threads.

What fills a range of units is emitted where it stands, or becomes a function of the range. Then
what it reads from around it crosses as leaves, scalars in registers and arrays by address,
through a frame that the host fills: the task of the runtime is a function of the frame that hands
them on. Whether threads are worth it is decided by an estimate of the work, here, before anything
is emitted.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from mapal.analysis.totality import may_run_forever, may_trap
from mapal.analysis.work import MOST_WORK
from mapal.codegen.layout import Layout, register_type
from mapal.codegen.llvm import memory
from mapal.codegen.llvm.calls import array_attributes
from mapal.codegen.llvm.emitter import Emitter
from mapal.codegen.llvm.scope import Scope
from mapal.codegen.llvm.values import (
    Broadcast,
    Buffer,
    Enumerated,
    Law,
    Memory,
    Range,
    Value,
    Zipped,
    is_constant,
)
from mapal.diagnostics import CompilerBug
from mapal.ir.ops import FunctionId
from mapal.ir.types import Array, Scalar, Struct, Tuple, Type, has_no_representation

WORK_OF_A_PIECE = 1 << 15
"""Operations of the smallest slice worth taking: some 10 microseconds."""

MOST_PIECES = 1 << 20

RangeBody = Callable[[Emitter, Scope, Sequence[Value], Memory, str, str], None]
"""Emits what happens for a range of units, which is not empty: captured values, where results are
stored, the first unit and the one behind the last, as numbers or registers of i64."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Bulk:
    """Independent units of work, 0 up to `units`, that fill the array `made` of type `ty`. A unit
    stores only in its own part of the array, and reads nothing of the rest. `captured` is
    everything else that `body` uses. `operations` estimates the work of one unit; slices start at
    multiples of `quantum`."""

    units: int
    operations: int
    captured: Sequence[tuple[Type, Value]]
    made: Memory
    ty: Array
    body: RangeBody
    quantum: int = 1


class SliceEmitter(Emitter):
    """Emits the function of a slice. Loops in it are not cut again: the outer one feeds all
    threads."""

    cuts_slices = False


@dataclass(frozen=True, slots=True)
class Cut:
    """Into how many pieces a loop is cut at most, and why."""

    pieces: int
    reason: str


def cut_of(e: Emitter, bulk: Bulk) -> Cut | None:
    """How bulk work is cut into slices; None if one thread is best."""
    return cut_of_units(e, -(-bulk.units // bulk.quantum), bulk.units * bulk.operations)


def cut_of_units(e: Emitter, units: int, operations: int) -> Cut | None:
    """How many slices are made of units that take so many operations together; None if one
    thread is best."""
    if not e.cuts_slices or units < 2:
        return None
    work = min(operations, MOST_WORK)
    if work < e.module.cuts_from:
        return None
    pieces = max(2, min(units, work // WORK_OF_A_PIECE, MOST_PIECES))
    return Cut(pieces, f"cut into slices for threads: about {_rounded(work)} operations")


def keeps_order(e: Emitter, body: FunctionId) -> bool:
    """Whether slices end as one loop over a body does. Where a unit may run forever, it could
    keep the trap of a unit before it from being seen."""
    return not may_run_forever(e.graph, body) or not may_trap(e.graph, body, e.module.total)


def _rounded(number: int) -> str:
    """Two digits: a plan should not change with every operation."""
    text = str(number)
    return text if len(text) <= 2 else text[:2] + "0" * (len(text) - 2)


def execute(e: Emitter, scope: Scope, bulk: Bulk, cut: Cut | None) -> None:
    """Emits bulk work: here, or with a cut as a task, and its execution to the end."""
    if cut is None:
        values = [value for _, value in bulk.captured]
        bulk.body(e, scope, values, bulk.made, "0", memory.unsigned(bulk.units))
        return
    number = e.module.new_task()
    crossing = _Crossing(e)
    values = [crossing.take(ty, value) for ty, value in bulk.captured]
    output = crossing.output(bulk.made, bulk.ty)
    _emit_slice(e, scope, number, crossing, values, output, bulk.body)
    _emit_task(e, number, crossing)
    _emit_run(e, number, bulk, cut, crossing)


@dataclass(frozen=True, slots=True)
class _Leaf:
    """One register that crosses: its type and attributes as a parameter, its name there, and
    the register of the host."""

    register: str
    attributes: str
    name: str
    given: str


class _Crossing:
    """What a slice takes from the host. Constants are not taken, they are known in both."""

    def __init__(self, host: Emitter) -> None:
        self._host = host
        self.leaves: list[_Leaf] = []
        self._laws: list[Callable[[Emitter], None]] = []

    def take(self, ty: Type, value: Value) -> Value:
        """The value as the slice sees it. Laws get their place with `place_laws`."""
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
        raise CompilerBug(f"{value!r} cannot cross into a slice")

    def output(self, written: Memory, ty: Array) -> Memory:
        """The array that slices write: nothing else that they see overlaps it."""
        if not written.pointer.startswith("%"):
            raise CompilerBug("a slice writes a constant")
        attributes = f" noalias {array_attributes(self._host, ty)}"
        name = self._leaf("ptr", attributes, written.pointer)
        return Memory(name, (Buffer(writable=True),))

    def place_laws(self, slice_emitter: Emitter) -> None:
        """Gives each law that crossed its place at the start of the slice."""
        for place in self._laws:
            place(slice_emitter)

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
            case _:
                raise CompilerBug(f"no law {value!r}")

        def put(slice_emitter: Emitter) -> None:
            crossed.place = memory.law_place(slice_emitter)

        self._laws.append(put)
        return crossed

    def _pointer(self, ty: Array, pointer: str) -> str:
        if not pointer.startswith("%"):
            return pointer
        attributes = f" noalias readonly {array_attributes(self._host, ty)}"
        return self._leaf("ptr", attributes, self._host.canonical(pointer))

    def _leaf(self, register: str, attributes: str, given: str) -> str:
        for leaf in self.leaves:
            if leaf.given == given and leaf.attributes == attributes:
                return leaf.name
        name = f"%c{len(self.leaves)}"
        self.leaves.append(_Leaf(register, attributes, name, given))
        return name


def _emit_slice(
    host: Emitter,
    outer: Scope,
    number: int,
    crossing: _Crossing,
    values: Sequence[Value],
    made: Memory,
    body: RangeBody,
) -> None:
    """The function of a range of units, `%low` up to but not with `%high`, not empty."""
    e = SliceEmitter(host.module)
    crossing.place_laws(e)
    scope = Scope(outer.function, outer.name, frozenset())
    body(e, scope, values, made, "%low", "%high")
    parameters = [f"{leaf.register}{leaf.attributes} {leaf.name}" for leaf in crossing.leaves]
    head = ", ".join(["i64 %low", "i64 %high", *parameters])
    e.finish(f"define internal void @slice.{number}({head}) nounwind", "void")


def _emit_task(host: Emitter, number: int, crossing: _Crossing) -> None:
    """What the runtime calls: takes the leaves out of the frame."""
    lines = []
    arguments = ["i64 %low", "i64 %high"]
    for at, leaf in enumerate(crossing.leaves):
        lines.append(f"  %f{at} = getelementptr inbounds i8, ptr %frame, i64 {8 * at}")
        lines.append(f"  {leaf.name} = load {leaf.register}, ptr %f{at}, align 8")
        arguments.append(f"{leaf.register} {leaf.name}")
    lines.append(f"  call void @slice.{number}({', '.join(arguments)})")
    lines.append("  ret void")
    text = "\n".join(lines)
    host.module.add_function(
        f"define internal void @task.{number}(i64 %low, i64 %high, ptr readonly %frame) "
        f"nounwind {{\n{text}\n}}"
    )


def _emit_run(e: Emitter, number: int, bulk: Bulk, cut: Cut, crossing: _Crossing) -> None:
    """Fills the frame and executes the plan of this one task."""
    frame = e.slot(Layout(8 * max(1, len(crossing.leaves)), 8))
    for at, leaf in enumerate(crossing.leaves):
        address = memory.offset_pointer(e, frame, 8 * at)
        e.w.line(f"store {leaf.register} {leaf.given}, ptr {address}, align 8")
    cuts = f"i64 {bulk.units}, i64 {bulk.quantum}, i32 {cut.pieces}"
    task = e.module.constant(
        "{ ptr, i64, i64, i32, i32, i32, i32, i32, i32 }",
        f"{{ ptr @task.{number}, {cuts}, i32 0, i32 0, i32 0, i32 0, i32 0 }}",
        8,
    )
    plan = e.module.constant("{ i32, ptr, ptr }", f"{{ i32 1, ptr {task}, ptr null }}", 8)
    execute = e.module.runtime("mapal_run_plan")
    e.w.line(f"call void {execute}(ptr {plan}, ptr {frame})")
