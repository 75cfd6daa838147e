"""One LLVM module under construction: declarations, constants, functions.

Declarations appear exactly for what the emitted text calls. Constants are private globals, one
for each distinct content.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Protocol

from mapal.analysis.bounds import needless_guards, total_accesses
from mapal.analysis.expansion import outlined_bodies
from mapal.analysis.legality import Question, proved_operations
from mapal.analysis.path_plan import Costs, Known
from mapal.codegen.layout import Layouts
from mapal.codegen.plan import Plan
from mapal.ir.graph import Function, Graph
from mapal.ir.ops import MorphismId

RUNTIME: dict[str, str] = {
    "mapal_print_i32": "void @mapal_print_i32(i32, i1 zeroext)",
    "mapal_print_i64": "void @mapal_print_i64(i64, i1 zeroext)",
    "mapal_print_u8": "void @mapal_print_u8(i8 zeroext, i1 zeroext)",
    "mapal_print_bool": "void @mapal_print_bool(i1 zeroext, i1 zeroext)",
    "mapal_print_f32": "void @mapal_print_f32(float, i1 zeroext)",
    "mapal_print_f64": "void @mapal_print_f64(double, i1 zeroext)",
    "mapal_print_str": "void @mapal_print_str(ptr, i64, i1 zeroext)",
    "mapal_trap": "void @mapal_trap(i32, i32) cold noreturn",
    "mapal_time_ms": "double @mapal_time_ms()",
    "mapal_arena_allocate": "noalias noundef nonnull align 64 ptr @mapal_arena_allocate(i64, i64)",
    "mapal_arena_mark": "ptr @mapal_arena_mark()",
    "mapal_arena_release": "void @mapal_arena_release(ptr)",
    "mapal_run_plan": "void @mapal_run_plan(ptr, ptr)",
    "mapal_run_start": "ptr @mapal_run_start(ptr, ptr)",
    "mapal_run_at": "void @mapal_run_at(ptr, i32)",
    "mapal_run_await": "void @mapal_run_await(ptr, i32)",
    "mapal_run_settle": "void @mapal_run_settle(ptr)",
    "mapal_run_finish": "void @mapal_run_finish(ptr)",
    "mapal_fma_f32": "float @mapal_fma_f32(float, float, float)",
    "mapal_fma_f64": "double @mapal_fma_f64(double, double, double)",
}
"""The runtime's functions as LLVM declares them, in the order in which modules list them.
Parameters narrower than 32 bits are extended by the caller: some calling conventions leave the
upper bits to chance otherwise. None of them throws."""


class Cache(Protocol):
    """What the generator reads of a cache."""

    @property
    def bytes(self) -> int: ...


class CacheSets(Cache, Protocol):
    """And of one whose sets are known."""

    @property
    def line_bytes(self) -> int: ...
    @property
    def sets(self) -> int: ...
    @property
    def ways(self) -> int: ...


class Tiles(Protocol):
    """Numbers of kernels that are fixed instead of left to formulas."""

    def get(self, kernel: str) -> Mapping[str, int]: ...


class ThreadPolicy(Protocol):
    """The numbers of operations by which work is cut for threads (`mapal.target.Policy`)."""

    @property
    def parallel_operations(self) -> int: ...
    @property
    def slice_operations(self) -> int: ...
    @property
    def thread_operations(self) -> int: ...


class Processor(Protocol):
    """What the generator reads from a target profile."""

    @property
    def name(self) -> str: ...
    @property
    def triple(self) -> str: ...
    @property
    def fused_multiply_add(self) -> bool: ...
    @property
    def vector_bytes(self) -> int: ...
    @property
    def vector_registers(self) -> int: ...
    @property
    def l1d(self) -> CacheSets | None: ...
    @property
    def l2(self) -> Cache | None: ...
    @property
    def l3(self) -> Cache | None: ...
    @property
    def features(self) -> tuple[str, ...]: ...
    @property
    def tiles(self) -> Tiles: ...
    @property
    def policy(self) -> ThreadPolicy: ...


class ModuleBuilder:
    """Collects the parts of a module. `notes` go into the plan. A loop whose iterations are
    independent is cut into slices from `cuts_from` operations on; without `has_kernels`, every
    collection is a plain loop."""

    def __init__(
        self,
        graph: Graph,
        profile: Processor,
        name: str,
        cuts_from: int | None = None,
        has_kernels: bool = True,
    ) -> None:
        self.graph = graph
        self.profile = profile
        self.name = name
        self.triple = profile.triple
        self.layouts = Layouts()
        # First of all: everything after this takes values apart.
        for obj in graph.objects:
            if not graph.is_internal_pack(obj.id):
                self.layouts.require_narrow(obj.ty)
        self.plan = Plan()
        self.outlined = outlined_bodies(graph)
        self.in_range = needless_guards(graph)
        self.total = total_accesses(graph)
        self.hoisted: frozenset[MorphismId] = frozenset()
        """Accesses of what is being emitted whose indices are checked before, by blocks."""
        self.assumes_hoisted = False
        """Whether what is being emitted comes after that check."""
        self.independent = proved_operations(graph, Question.SLICES)
        """Maps whose iterations are proved to store in different places."""
        self.covered = proved_operations(graph, Question.COVERED)
        """Maps that are proved to write every cell: memory as it comes will do."""
        self.regrouped = proved_operations(graph, Question.REGROUPED)
        """Folds that give the same in any grouping."""
        policy = profile.policy
        self.cuts_from = policy.parallel_operations if cuts_from is None else cuts_from
        self.known = Known(self.total, self.independent | self.regrouped, self.in_range)
        self.costs = Costs(
            heavy=self.cuts_from >> 4,
            least_gain=self.cuts_from >> 2 if self.cuts_from else None,
            run=policy.slice_operations >> 2,
            path=policy.slice_operations >> 3,
            split=self.cuts_from,
        )
        self.has_kernels = has_kernels
        self.notes: list[str] = []
        self.constant_contents: dict[str, tuple[str, str]] = {}
        """Symbols of constant arrays: their LLVM type and content, for constants made of them."""
        self._runtime: set[str] = set()
        self._intrinsics: dict[str, str] = {}
        self._globals: dict[str, str] = {}
        self._functions: list[str] = []
        self._metadata: list[str] = []
        self._nontemporal: str | None = None
        self._tasks = 0
        self._kernels = 0

    def new_task(self) -> int:
        """The number of a new task of this module."""
        self._tasks += 1
        return self._tasks - 1

    def new_kernel(self) -> int:
        """The number of a new kernel of this module."""
        self._kernels += 1
        return self._kernels - 1

    def runtime(self, name: str) -> str:
        """The symbol of a runtime function, which is declared from now on."""
        self._runtime.add(name)
        return f"@{name}"

    def intrinsic(self, name: str, result: str, parameters: str) -> str:
        """The symbol of an LLVM intrinsic."""
        self._intrinsics[name] = f"declare {result} @{name}({parameters})"
        return f"@{name}"

    def constant(self, ty: str, content: str, alignment: int) -> str:
        """The symbol of a private constant."""
        definition = f"private unnamed_addr constant {ty} {content}, align {alignment}"
        if definition not in self._globals:
            self._globals[definition] = f"@constant.{len(self._globals)}"
        return self._globals[definition]

    def text_constant(self, text: bytes) -> str:
        """The symbol of a private byte string without a terminator."""
        return self.constant(f"[{len(text)} x i8]", quoted_bytes(text), 1)

    def not_unrolled(self) -> str:
        """What follows the branch of a loop that LLVM shall leave as it is."""
        loop, hint = len(self._metadata), len(self._metadata) + 1
        self._metadata.append(f"!{loop} = distinct !{{!{loop}, !{hint}}}")
        self._metadata.append(f'!{hint} = !{{!"llvm.loop.unroll.disable"}}')
        return f", !llvm.loop !{loop}"

    def nontemporal(self) -> str:
        """The metadata of a store that goes past the caches."""
        if self._nontemporal is None:
            self._nontemporal = f"!{len(self._metadata)}"
            self._metadata.append(f"{self._nontemporal} = !{{i32 1}}")
        return self._nontemporal

    def add_function(self, text: str) -> None:
        self._functions.append(text)

    def note(self, text: str) -> None:
        """A remark for the plan, once."""
        if text not in self.notes:
            self.notes.append(text)

    def state(self) -> tuple[int, int, int]:
        """How much the module holds, for `restore`."""
        return len(self._intrinsics), len(self._globals), len(self._functions)

    def restore(self, state: tuple[int, int, int]) -> None:
        """Forgets what was added since `state`: an attempt that was given up."""
        for table, size in zip((self._intrinsics, self._globals), state, strict=False):
            for key in list(table)[size:]:
                del table[key]
        del self._functions[state[2] :]

    def text(self) -> str:
        """The complete module."""
        runtime = [
            f"declare {signature} nounwind"
            for name, signature in RUNTIME.items()
            if name in self._runtime
        ]
        intrinsics = [self._intrinsics[name] for name in sorted(self._intrinsics)]
        constants = [f"{symbol} = {text}" for text, symbol in self._globals.items()]
        head = [
            f"; Mapal program {printable(self.name)} for {self.profile.name}",
            f'target triple = "{self.triple}"',
        ]
        functions = ([text] for text in self._functions)
        groups = [head, runtime, intrinsics, constants, *functions, self._metadata]
        return "\n\n".join("\n".join(group) for group in groups if group) + "\n"


def quoted_bytes(data: bytes) -> str:
    """An LLVM string constant: printable ASCII except quote and backslash verbatim."""
    return 'c"' + "".join(map(_quoted_byte, data)) + '"'


def _quoted_byte(byte: int) -> str:
    if 0x20 <= byte < 0x7F and byte not in (0x22, 0x5C):
        return chr(byte)
    return f"\\{byte:02X}"


def printable(text: str) -> str:
    """Text for a comment or symbol: anything unusual becomes an underscore."""
    return re.sub(r"[^A-Za-z0-9_.-]", "_", text)


def function_symbol(graph: Graph, function: Function) -> str:
    """The symbol of a named function."""
    if function.id == graph.entry:
        return "@mapal_main"
    return f"@fn{function.id}.{printable(function.name)}"
