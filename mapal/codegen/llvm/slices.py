"""Bulk work: independent units that fill an array, in one loop or cut into slices for threads.

What fills a range of units is emitted where it stands, or becomes a function of the range that a
task of the runtime calls (`crossing`). Whether threads are worth it is decided by an estimate of
the work, here, before anything is emitted.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from mapal.analysis.totality import may_run_forever, may_trap
from mapal.analysis.work import MOST_WORK
from mapal.codegen.llvm import memory
from mapal.codegen.llvm.crossing import TASK, Crossing, Frame
from mapal.codegen.llvm.emitter import Emitter
from mapal.codegen.llvm.scope import Scope
from mapal.codegen.llvm.values import Memory, Value
from mapal.codegen.plan import rounded
from mapal.ir.ops import FunctionId
from mapal.ir.types import Array, Type

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
    """Into how many pieces a loop is cut at most, how many threads it is worth, and why."""

    pieces: int
    width: int
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
    policy = e.module.profile.policy
    pieces = max(2, min(units, work // policy.slice_operations, MOST_PIECES))
    width = max(2, min(pieces, work // policy.thread_operations))
    return Cut(pieces, width, f"cut into slices for threads: about {rounded(work)} operations")


def keeps_order(e: Emitter, body: FunctionId) -> bool:
    """Whether slices end as one loop over a body does. Where a unit may run forever, it could
    keep the trap of a unit before it from being seen."""
    return not may_run_forever(e.graph, body) or not may_trap(e.graph, body, e.module.total)


def execute(e: Emitter, scope: Scope, bulk: Bulk, cut: Cut | None) -> None:
    """Emits bulk work: here, or with a cut as a task, and its execution to the end."""
    if cut is None:
        values = [value for _, value in bulk.captured]
        bulk.body(e, scope, values, bulk.made, "0", memory.unsigned(bulk.units))
        return
    number = e.module.new_task()
    frame = Frame()
    crossing = Crossing(e, frame)
    values = [crossing.take(ty, value) for ty, value in bulk.captured]
    output = crossing.output(bulk.made, bulk.ty)
    _emit_slice(e, scope, number, crossing, values, output, bulk)
    crossing.emit_task(f"@task.{number}", "i64 %low, i64 %high", f"@slice.{number}")
    _emit_run(e, number, bulk, cut, frame)


def _emit_slice(
    host: Emitter,
    outer: Scope,
    number: int,
    crossing: Crossing,
    values: Sequence[Value],
    made: Memory,
    bulk: Bulk,
) -> None:
    """The function of a range of units, `%low` up to but not with `%high`, not empty."""
    e = SliceEmitter(host.module)
    assume = e.module.intrinsic("llvm.assume", "void", "i1")
    for bound, comparison in (("%low", "ult"), ("%high", "ule")):
        units = memory.unsigned(bulk.units)
        is_inside = e.w.value(f"icmp {comparison} i64 {bound}, {units}")
        e.w.line(f"call void {assume}(i1 {is_inside})")
    crossing.place_laws(e)
    scope = Scope(outer.function, outer.name, frozenset())
    bulk.body(e, scope, values, made, "%low", "%high")
    head = ", ".join(["i64 %low", "i64 %high", *crossing.parameters])
    e.finish(f"define internal void @slice.{number}({head}) nounwind", "void")


def _emit_run(e: Emitter, number: int, bulk: Bulk, cut: Cut, frame: Frame) -> None:
    """Fills the frame and executes the plan of this one task."""
    filled = frame.fill(e)
    cuts = f"i64 {bulk.units}, i64 {bulk.quantum}, i32 {cut.pieces}"
    task = e.module.constant(
        TASK,
        f"{{ ptr @task.{number}, {cuts}, i32 0, i32 0, i32 0, i32 0, i32 0, i32 {cut.width} }}",
        8,
    )
    plan = e.module.constant("{ i32, ptr, ptr }", f"{{ i32 1, ptr {task}, ptr null }}", 8)
    execute = e.module.runtime("mapal_run_plan")
    e.w.line(f"call void {execute}(ptr {plan}, ptr {filled})")
