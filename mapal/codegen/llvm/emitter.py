"""What the emission of one LLVM function shares: its writer, its memory, its traps.

Arrays that need memory get a slot of the activation. All slots are allocated once, in the
prologue, and released before the return: a body that runs a million times uses the same slot
each time. That is sound because nothing that an iteration leaves behind lies in a slot of that
iteration: loops copy the state they carry into buffers of their own (`carried`), and
collections store the results of their bodies before the next element.
"""

from __future__ import annotations

from mapal.analysis.path_plan import Section, path_plan
from mapal.codegen.layout import Layout, register_type
from mapal.codegen.llvm.floats import Floats
from mapal.codegen.llvm.module import ModuleBuilder
from mapal.codegen.llvm.scalars import SUFFIXES
from mapal.codegen.llvm.scope import Temporary
from mapal.codegen.llvm.values import Buffer, Memory, is_constant
from mapal.codegen.llvm.writer import FunctionWriter
from mapal.ir.graph import Graph, Key
from mapal.ir.ops import RegionId
from mapal.ir.types import Scalar

LARGE_SLOT_BYTES = 4096
"""A slot from this size on is an allocation of its own, which aligns it for vectors and pages
and tells LLVM that it overlaps nothing; smaller ones share one allocation."""


class Emitter:
    """Emits one LLVM function. The functions of the sibling modules take it first.
    `inlines_calls` tells whether a call is emitted as the callee's body, `cuts_slices` whether
    a loop may become a task for several threads, `uses_kernels` whether a loop of a known shape
    becomes a kernel."""

    inlines_calls = False
    cuts_slices = True
    uses_kernels = True

    def __init__(self, module: ModuleBuilder) -> None:
        self.module = module
        self.graph: Graph = module.graph
        self.layouts = module.layouts
        self.w = FunctionWriter()
        self.prologue = self.w.reserve()
        self._slots: list[tuple[str, Layout]] = []
        self._stack_arrays = 0
        self.temporaries: list[Temporary] = []
        self._traps: dict[tuple[int, int], str] = {}
        self._aliases: dict[str, str] = {}
        self.floats = Floats()
        self._opaque_zeros: dict[str, str] = {}
        self.remainders: dict[tuple[str, int], str] = {}
        """Literals that are the remainders of registers by divisors."""

    # Scalars: the context that `scalars` writes to ------------------------------------

    def value(self, instruction: str) -> str:
        return self.w.value(instruction)

    def intrinsic(self, name: str, result: str, parameters: str) -> str:
        return self.module.intrinsic(name, result, parameters)

    def fused(self, ty: Scalar) -> str:
        """A multiply-add rounded once: the instruction, or the runtime's routine where the
        profile's machine has none."""
        if not self.module.profile.fused_multiply_add:
            self.module.note("fused multiply-adds are calls of a slow software routine")
            return self.module.runtime(f"mapal_fma_{ty.name}")
        register = register_type(ty)
        parameters = ", ".join([register] * 3)
        return self.module.intrinsic(f"llvm.fma.{ty.name}", register, parameters)

    @property
    def selects_numbers(self) -> bool:
        return self._is_for_arm

    @property
    def saturates(self) -> bool:
        return self._is_for_arm

    @property
    def _is_for_arm(self) -> bool:
        return self.module.triple.startswith(("aarch64", "arm64"))

    def opaque_zero(self, base: str) -> str:
        if base not in self._opaque_zeros:
            name = self._opaque_zeros[base] = f"%zero.{base}"
            word, bits = ("i32", 32) if base == "float" else ("i64", 64)
            kind = "l" if self.module.triple.startswith("nvptx") and bits == 64 else "r"
            hidden = f'call {word} asm "", "={kind},0"({word} {-(1 << (bits - 1))})'
            self.prologue.lines += [
                f"  {name}.bits = {hidden}",
                f"  {name} = bitcast {word} {name}.bits to {base}",
            ]
        return self._opaque_zeros[base]

    def float_remainder(self, ty: Scalar, a: str, b: str) -> str:
        """`frem` is a call of the C library's exact `fmod` on processors."""
        return self.w.value(f"frem {register_type(ty)} {a}, {b}")

    def known_remainder(self, number: str, divisor: int) -> str | None:
        return self.remainders.get((number, divisor))

    def sections(self, region: RegionId) -> tuple[Section, ...]:
        """The sections of a region that become parallel runs."""
        if not self.cuts_slices:
            return ()
        return path_plan(self.graph, region, self.module.known, self.module.costs)

    def lanes(self, base: str) -> str:
        return base

    def suffix(self, base: str) -> str:
        return SUFFIXES[base]

    def constant(self, base: str, text: str) -> str:
        return text

    def literal_of(self, operand: str) -> str | None:
        return operand if is_constant(operand) else None

    def check_size(self) -> None:
        """Called before each body that is emitted in place."""

    # Memory -------------------------------------------------------------------------

    def slot(self, layout: Layout) -> str:
        """The address of a block of this activation, for one site."""
        name = f"%slot{len(self._slots)}"
        self._slots.append((name, layout))
        return name

    def stack_array(self, element: str, count: int) -> str:
        """The address of an array of this activation that is to become registers: small, and
        read and written by scalars at places that LLVM comes to know."""
        self._stack_arrays += 1
        name = f"%array{self._stack_arrays}"
        self.prologue.lines.append(f"  {name} = alloca [{count} x {element}], align 64")
        return name

    def fresh_memory(self, layout: Layout) -> Memory:
        """A slot as the memory of an array that nobody else holds."""
        return Memory(self.slot(layout), (Buffer(writable=True),))

    def alias(self, pointer: str, original: str) -> None:
        """Records that two addresses are always equal."""
        self._aliases[pointer] = self.canonical(original)

    def canonical(self, pointer: str) -> str:
        """The one name of an address that has several."""
        while pointer in self._aliases:
            pointer = self._aliases[pointer]
        return pointer

    # Traps --------------------------------------------------------------------------

    def require(self, condition: str, kind: int, key: Key) -> None:
        """Goes on if the condition holds; otherwise the operation with this key traps."""
        token = key[-1][0]
        label = self._traps.get((kind, token))
        if label is None:
            label = self._traps[kind, token] = self.w.new_label("trap")
        passed = self.w.new_label("checked")
        self.w.branch_if(condition, passed, label)
        self.w.start(passed)

    def emit_trap(self, kind: int, token: int) -> None:
        """What a trapping operation does, to the end of its block."""
        trap = self.module.runtime("mapal_trap")
        self.w.line(f"call void {trap}(i32 {kind}, i32 {token})")
        self.w.line("unreachable")

    # The whole ----------------------------------------------------------------------

    def finish(self, head: str, returned: str) -> None:
        """Ends the function with `ret RETURNED` and adds it to the module. `head` is the
        text before the opening brace."""
        self._write_prologue()
        if self._slots:
            release = self.module.runtime("mapal_arena_release")
            self.w.line(f"call void {release}(ptr %mark)")
        self.w.line(f"ret {returned}")
        for (kind, token), label in self._traps.items():
            self.w.start(label)
            self.emit_trap(kind, token)
        self.module.add_function(f"{head} {{\n{self.w.text()}\n}}")

    def _write_prologue(self) -> None:
        if not self._slots:
            return
        mark = self.module.runtime("mapal_arena_mark")
        allocate = self.module.runtime("mapal_arena_allocate")
        small: list[tuple[str, int]] = []
        end = 0
        lines = [f"  %mark = call ptr {mark}()"]
        for name, layout in self._slots:
            if layout.size >= LARGE_SLOT_BYTES:
                lines.append(f"  {name} = call ptr {allocate}(i64 {layout.size}, i64 64)")
                continue
            start = -(-end // layout.alignment) * layout.alignment
            small.append((name, start))
            end = start + layout.size
        if small:
            lines.append(f"  %frame = call ptr {allocate}(i64 {end}, i64 64)")
            lines += [
                f"  {name} = getelementptr inbounds i8, ptr %frame, i64 {start}"
                for name, start in small
            ]
        self.prologue.lines.extend(lines)
