"""Sections of a region as parallel runs: heavy items as tasks, the rest on the spine.

Each path becomes a function of its own, emitted as the region would be: first the light items that
it needs, computed again, then its item. It reads what the host knows and what paths before it
made; its scalars go into the frame, its arrays into memory of the host. The host starts all
paths at once and goes on with the items between them. It waits for a path before it reads what
the path made, and before an effect, or another item that needs it, for all that stands before it.

While the run goes on, no array that a path or a light item touches is free: nothing is updated in
place there, and no other array takes its memory.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from mapal.analysis.liveness import WHOLE, contains_array, region_reads
from mapal.analysis.path_plan import Path, Section
from mapal.analysis.path_units import Unit, region_units
from mapal.codegen.layout import leaves, register_type
from mapal.codegen.llvm import calls
from mapal.codegen.llvm.arrays import record
from mapal.codegen.llvm.crossing import TASK, Crossing, Frame
from mapal.codegen.llvm.emitter import Emitter
from mapal.codegen.llvm.scalar_context import literal
from mapal.codegen.llvm.scope import Destination, Scope
from mapal.codegen.llvm.scope import Frame as ReadFrame
from mapal.codegen.llvm.values import Buffer, Memory, Value
from mapal.codegen.llvm.wishes import offer
from mapal.codegen.plan import rounded
from mapal.ir.graph import Graph, ObjectKind
from mapal.ir.ops import ObjectId, RegionId
from mapal.ir.order import Item, item_key
from mapal.ir.types import Array, Scalar

RunItem = Callable[[Emitter, Scope, Item], None]
"""Emits an item of a region and binds its value."""

_TOTAL, _WHOLE = 1, 2
"""Flags of a task (`mapal_runtime.h`)."""


class PathEmitter(Emitter):
    """Emits the function of a path. What is large in it is cut for threads again."""


def bind_constants(graph: Graph, scope: Scope) -> None:
    """Gives the scalar literals of a scope's function their values."""
    for obj in scope.function.objects:
        found = graph.objects[obj]
        if found.kind is ObjectKind.CONSTANT and isinstance(found.ty, Scalar):
            assert found.value is not None
            scope.values[obj] = literal(found.value, found.ty)


def emit_section(
    e: Emitter, scope: Scope, region: RegionId, section: Section, run: RunItem
) -> None:
    """Emits the items of a section. The frame of the region is the innermost of the scope."""
    _Host(e, scope, region, section, run).emit()


class _Host:
    """The emission of one section: `made_by` leads from what a path defines to its number, `at`
    from what any item of the section defines to its position, `names` to the cells of a path's
    scalars."""

    def __init__(
        self, e: Emitter, scope: Scope, region: RegionId, section: Section, run: RunItem
    ) -> None:
        self.e = e
        self.scope = scope
        self.region = region
        self.section = section
        self.run_item = run
        self.units: Sequence[Unit] = region_units(e.graph, region)
        self.positions = range(section.first, section.last + 1)
        self.at = {obj: at for at in self.positions for obj in self.units[at].defines}
        self.path_at = {path.position: number for number, path in enumerate(section.paths)}
        self.values = Frame()
        self.names: list[list[str]] = []
        self.arrays: list[list[Memory]] = []
        self.tasks: list[int] = []
        self.frame = self.mark = self.run = ""
        self.passed = 0
        self.told = 0
        self.awaited: set[int] = set()
        self.waiting: set[int] = set()

    def emit(self) -> None:
        reads = self.scope.frames[-1]
        pins = ReadFrame(is_concurrent=True, always=self._touched())
        # Below the frame of the region, which stays the innermost.
        self.scope.frames.insert(-1, pins)
        reads.position = self.section.first
        self._start()
        for position in self.positions:
            self._step(position)
        self._finish()
        self.scope.frames.remove(pins)
        reads.position = self.section.last

    def _touched(self) -> frozenset[tuple[ObjectId, int]]:
        """The arrays that paths and light items read or make."""
        graph = self.e.graph
        return frozenset(
            (obj, WHOLE)
            for at in (*self.path_at, *self.section.light)
            for obj in (*self.units[at].reads, self.units[at].item.target)
            if contains_array(graph, graph.ty(obj))
        )

    # Starting -----------------------------------------------------------------------

    def _start(self) -> None:
        e, first = self.e, self.units[self.section.paths[0].position].item
        reason = (
            f"about {rounded(self.section.work)} operations, "
            f"{rounded(self.section.longest)} on the longest way"
        )
        key = item_key(first)
        record(e, self.scope, "section", key, len(self.section.paths), "paths", reason)
        for path in self.section.paths:
            self._place(path)
        for number, path in enumerate(self.section.paths):
            self.tasks.append(self._emit_path(number, path))
        self.frame = self.values.fill(e)
        self.mark = e.w.value(f"call ptr {e.module.runtime('mapal_arena_mark')}()")
        start = e.module.runtime("mapal_run_start")
        self.run = e.w.value(f"call ptr {start}(ptr {self._plan()}, ptr {self.frame})")

    def _place(self, path: Path) -> None:
        """Gives the result of a path memory and cells."""
        e, target = self.e, self.units[path.position].item.target
        ty = e.graph.ty(target)
        found = leaves(ty)
        offered = calls.offers(ty, self.scope.wishes.get(target))
        arrays = [leaf for leaf in found if isinstance(leaf, Array)]
        self.arrays.append(calls.result_memories(e, self.scope, arrays, offered))
        self.names.append(
            [self.values.reserve(register_type(leaf)) for leaf in found if isinstance(leaf, Scalar)]
        )
        self.scope.bind(target, self._result(len(self.arrays) - 1, self.names[-1]))

    def _result(self, number: int, scalars: Sequence[str]) -> Value:
        target = self.units[self.section.paths[number].position].item.target
        ty = self.e.graph.ty(target)
        return calls.assembled(ty, iter(scalars), iter(self.arrays[number]))

    def _plan(self) -> str:
        """The constant that describes the run."""
        e, paths = self.e, self.section.paths
        successors: list[int] = []
        rows: list[str] = []
        for number, path in enumerate(paths):
            after = [other for other, found in enumerate(paths) if number in found.after]
            flags = _WHOLE | (_TOTAL if path.is_total else 0)
            rows.append(
                f"{TASK} {{ ptr @task.{self.tasks[number]}, i64 1, i64 1, i32 1, i32 {flags}, "
                f"i32 {path.rank}, i32 {len(path.after)}, i32 {len(after)}, "
                f"i32 {len(successors)}, i32 1 }}"
            )
            successors += after
        tasks = e.module.constant(f"[{len(rows)} x {TASK}]", f"[{', '.join(rows)}]", 8)
        edges = "null"
        if successors:
            numbers = ", ".join(f"i32 {number}" for number in successors)
            edges = e.module.constant(f"[{len(successors)} x i32]", f"[{numbers}]", 8)
        content = f"{{ i32 {len(rows)}, ptr {tasks}, ptr {edges} }}"
        return e.module.constant("{ i32, ptr, ptr }", content, 8)

    def _emit_path(self, number: int, path: Path) -> int:
        """The function of a path; the number of its task."""
        e = PathEmitter(self.e.module)
        graph, item = e.graph, self.units[path.position].item
        crossing = Crossing(self.e, self.values)
        scope = Scope(self.scope.function, self.scope.name, frozenset())
        bind_constants(graph, scope)
        scope.frames.append(ReadFrame(is_region=True, last=region_reads(graph, self.region).last))
        steps = (*path.copies, path.position)
        own = {obj for at in steps for obj in self.units[at].defines}
        for at in steps:
            for obj in self.units[at].reads:
                if obj not in own and obj not in scope.values:
                    scope.bind(obj, crossing.take(graph.ty(obj), self.scope.values.get(obj)))
        crossing.place_laws(e)
        ty = graph.ty(item.target)
        outputs = [
            crossing.output(made, leaf)
            for made, leaf in zip(
                self.arrays[number],
                (leaf for leaf in leaves(ty) if isinstance(leaf, Array)),
                strict=True,
            )
        ]
        places = [Destination(output.pointer, Buffer(writable=True)) for output in outputs]
        wish = calls.wish_of(ty, iter(places))
        offer(graph, scope, item.target, wish)
        for at in steps:
            scope.frames[-1].position = at
            self.run_item(e, scope, self.units[at].item)
        made = scope.values.get(item.target)
        registers = calls.give_back(e, ty, made, wish)
        for name, register in zip(self.names[number], registers, strict=True):
            self.values.store(e, "%cells", name, register)
        task = e.module.new_task()
        parameters = ", ".join(["ptr nonnull %cells", *crossing.parameters])
        e.finish(f"define internal void @path.{task}({parameters}) nounwind", "void")
        crossing.emit_task(f"@task.{task}", "ptr nonnull %frame", f"@path.{task}")
        return task

    # The spine ----------------------------------------------------------------------

    def _step(self, position: int) -> None:
        """What the host does when it comes to an item."""
        if position in self.path_at:
            self.passed += 1
            return
        reads = self.units[position].reads
        if position in self.section.light:
            if any(self._is_open(obj) for obj in reads):
                self.waiting.add(position)
            else:
                self._run(position)
            return
        for obj in reads:
            self._ensure(obj)
        self._tell()
        if position in self.section.settled:
            settle = self.e.module.runtime("mapal_run_settle")
            self.e.w.line(f"call void {settle}(ptr {self.run})")
        self._run(position)

    def _is_open(self, obj: ObjectId) -> bool:
        """Whether an object has no value on the host yet."""
        at = self.at.get(obj, -1)
        return at in self.waiting or self.path_at.get(at, -1) not in {-1, *self.awaited}

    def _ensure(self, obj: ObjectId) -> None:
        """Gives an object its value on the host."""
        at = self.at.get(obj, -1)
        if at in self.path_at:
            self._await(self.path_at[at])
        elif at in self.waiting:
            self.waiting.discard(at)
            for read in self.units[at].reads:
                self._ensure(read)
            self._run(at)

    def _run(self, position: int) -> None:
        self.scope.frames[-1].position = position
        self.run_item(self.e, self.scope, self.units[position].item)

    def _tell(self) -> None:
        """Says how far the spine is, if it went on."""
        if self.told < self.passed:
            at = self.e.module.runtime("mapal_run_at")
            self.e.w.line(f"call void {at}(ptr {self.run}, i32 {self.passed})")
            self.told = self.passed

    def _await(self, number: int) -> None:
        if number in self.awaited:
            return
        self._tell()
        wait = self.e.module.runtime("mapal_run_await")
        self.e.w.line(f"call void {wait}(ptr {self.run}, i32 {number})")
        self._load(number)

    def _load(self, number: int) -> None:
        """Takes what a completed path made."""
        self.awaited.add(number)
        loaded = [self.values.load(self.e, self.frame, name) for name in self.names[number]]
        target = self.units[self.section.paths[number].position].item.target
        self.scope.values[target] = self._result(number, loaded)

    def _finish(self) -> None:
        e = self.e
        e.w.line(f"call void {e.module.runtime('mapal_run_finish')}(ptr {self.run})")
        e.w.line(f"call void {e.module.runtime('mapal_arena_release')}(ptr {self.mark})")
        for number in range(len(self.section.paths)):
            if number not in self.awaited:
                self._load(number)
        for position in sorted(self.waiting):
            self._run(position)
