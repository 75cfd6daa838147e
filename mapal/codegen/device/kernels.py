"""Kernels: a Map whose body needs nothing but registers, as one thread for each element.

A kernel takes what the body captures, the arrays it reads and the array it writes, computes
its element as the processor's code does, and stores it. What the body calls is emitted in
place. Bodies that need memory of their own, print or read the clock stay on the host; the plan
says so for each.

A thread that traps records element, kind and operation in one 64-bit word by an atomic minimum
and ends: when the kernel is done, the word holds the trap of the lowest element, which is the
one that the program reports. A word of all ones means that no thread trapped.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Protocol

from mapal.analysis.legality.maps import is_race_free
from mapal.analysis.totality import reachable_functions
from mapal.codegen.device.remainder import remainder_function, remainder_name
from mapal.codegen.layout import Layout, leaves, memory_type, register_type
from mapal.codegen.llvm import memory
from mapal.codegen.llvm.arrays import constant_array
from mapal.codegen.llvm.collections import apply_body
from mapal.codegen.llvm.emitter import Emitter
from mapal.codegen.llvm.module import ModuleBuilder, Processor
from mapal.codegen.llvm.regions import run_function
from mapal.codegen.llvm.scalar_context import literal
from mapal.codegen.llvm.scope import Scope
from mapal.codegen.llvm.values import (
    Broadcast,
    Buffer,
    Enumerated,
    Memory,
    Range,
    Value,
    Zipped,
)
from mapal.diagnostics import Unsupported
from mapal.ir import ops
from mapal.ir.graph import Function, Graph, Key, Morphism, ObjectKind
from mapal.ir.ops import ObjectId
from mapal.ir.types import (
    Array,
    Scalar,
    Struct,
    Tuple,
    Type,
    contains_token,
    has_no_representation,
)

THREADS_PER_BLOCK = 256
MOST_THREADS = 2**32 - 1
"""The element number of a trap has 32 bits."""

MOST_LINES = 20_000
"""A kernel longer than this, with all its calls in place, stays on the host."""


class Accelerator(Protocol):
    """What the generator reads from the device of a GPU profile."""

    @property
    def triple(self) -> str: ...
    @property
    def threads_per_block(self) -> int: ...


def block_size(device: Accelerator) -> int:
    """Threads of a block."""
    return min(THREADS_PER_BLOCK, device.threads_per_block)


class _HostOnly(Exception):  # noqa: N818  (a decision, not an error)
    """This site has no kernel; the message says why."""


class DeviceModule(ModuleBuilder):
    """The module of all kernels of a program."""

    def __init__(self, graph: Graph, profile: Processor, device: Accelerator, name: str) -> None:
        super().__init__(graph, profile, name)
        self.device = device
        self.triple = device.triple
        self.sites: list[dict[str, Any]] = []
        self._remainders: dict[str, str] = {}

    def runtime(self, name: str) -> str:
        raise _HostOnly(f"it calls {name}")

    def constant(self, ty: str, content: str, alignment: int) -> str:
        """A constant lies in the global memory of the device."""
        definition = f"private addrspace(1) constant {ty} {content}, align {alignment}"
        symbol = self._globals.setdefault(definition, f"@mapal_constant_{len(self._globals)}")
        return f"addrspacecast (ptr addrspace(1) {symbol} to ptr)"

    def remainder(self, ty: Scalar) -> str:
        """The symbol of the exact remainder."""
        integer = f"i{ty.bits}"
        self.intrinsic(f"llvm.ctlz.{integer}", integer, f"{integer}, i1 immarg")
        self._remainders.setdefault(ty.name, remainder_function(ty))
        return f"@{remainder_name(ty)}"

    def text(self) -> str:
        for text in self._remainders.values():
            self.add_function(text)
        self._remainders.clear()
        return super().text()


class _KernelEmitter(Emitter):
    """Emits one kernel."""

    inlines_calls = True
    cuts_slices = False
    uses_kernels = False

    def __init__(self, module: DeviceModule) -> None:
        super().__init__(module)
        self.device = module
        self.index = ""
        self.can_trap = False

    def slot(self, layout: Layout) -> str:
        raise _HostOnly(f"its body needs {layout.size} bytes of memory of its own")

    def require(self, condition: str, kind: int, key: Key) -> None:
        self.can_trap = True
        super().require(condition, kind, key)

    def fused(self, ty: Scalar) -> str:
        register = register_type(ty)
        return self.intrinsic(f"llvm.fma.{ty.name}", register, ", ".join([register] * 3))

    @property
    def selects_numbers(self) -> bool:
        return True

    @property
    def saturates(self) -> bool:
        return True

    def float_remainder(self, ty: Scalar, a: str, b: str) -> str:
        register = register_type(ty)
        symbol = self.device.remainder(ty)
        return self.w.value(f"call {register} {symbol}({register} {a}, {register} {b})")

    def check_size(self) -> None:
        if self.w.size > MOST_LINES:
            raise _HostOnly(f"it takes more than {MOST_LINES} instructions")

    def emit_trap(self, kind: int, token: int) -> None:
        code = self.w.value(f"shl nuw i64 {self.index}, 32")
        code = self.w.value(f"or i64 {code}, {token << 1 | kind}")
        self.w.line(f"atomicrmw umin ptr addrspace(1) %trap, i64 {code} monotonic, align 8")
        self.w.line("ret void")


def emit_device(
    graph: Graph, profile: Processor, device: Accelerator, name: str
) -> tuple[str, list[dict[str, Any]]]:
    """The device module of a program as LLVM text, and for each Map what became of it."""
    module = DeviceModule(graph, profile, device, name)
    for function in reachable_functions(graph):
        for identity in graph.functions[function].morphisms:
            morphism = graph.morphisms[identity]
            if isinstance(morphism.op, ops.Map):
                _site(module, graph.functions[function], morphism)
    return module.text(), module.sites


def _site(module: DeviceModule, function: Function, morphism: Morphism) -> None:
    """Emits the kernel of one Map, or records why there is none."""
    ty = module.graph.ty(morphism.target)
    assert isinstance(ty, Array)
    record: dict[str, Any] = {
        "function": function.name,
        "token": morphism.key[-1][0],
        "elements": ty.length,
    }
    before = module.state()
    try:
        kernel = _Kernel(module, function, morphism, ty)
        record |= kernel.emit(f"mapal_map_{sum('kernel' in site for site in module.sites)}")
    except (_HostOnly, Unsupported) as refusal:
        module.restore(before)
        record["host"] = str(refusal)
    module.sites.append(record)


@dataclass(slots=True)
class _Kernel:
    """One kernel under construction. `parameters` are (declaration, description)."""

    module: DeviceModule
    function: Function
    morphism: Morphism
    ty: Array
    parameters: list[tuple[str, dict[str, str]]] = field(default_factory=list)
    bound: dict[ObjectId, Value] = field(default_factory=dict)

    def emit(self, name: str) -> dict[str, Any]:
        """Adds the kernel to the module; its description for the plan."""
        graph, ty = self.module.graph, self.ty
        if ty.length > MOST_THREADS:
            raise _HostOnly(f"it has more than {MOST_THREADS} elements")
        if has_no_representation(ty.element) or any(
            isinstance(leaf, Array) for leaf in leaves(ty.element)
        ):
            raise _HostOnly("its elements are not made of numbers")
        e = _KernelEmitter(self.module)
        operands = graph.operands(self.morphism)
        *captures, array = (self._operand(e, obj) for obj in operands)
        result = self._global(e, "result", "result", ty)
        run, done = e.w.new_label("element"), e.w.new_label("done")
        e.index = self._thread_index(e)
        inside = e.w.value(f"icmp ult i64 {e.index}, {ty.length}")
        e.w.branch_if(inside, run, done)
        e.w.start(run)
        source = graph.ty(operands[-1])
        assert isinstance(source, Array)
        arguments = (*captures, memory.element(e, array, source, e.index))
        scope = Scope(self.function, self.function.name, frozenset())
        op = self.morphism.op
        assert isinstance(op, ops.Map)
        value = apply_body(e, scope, op.body, arguments, frozenset(), None, run_function)
        address = memory.element_pointer(e, result.pointer, ty.element, e.index)
        memory.store(e, ty.element, value, address)
        e.w.branch(done)
        e.w.start(done)
        declarations = [declaration for declaration, _ in self.parameters]
        if e.can_trap:
            declarations.append("ptr addrspace(1) %trap")
        threads = block_size(self.module.device)
        if not is_race_free(ty.length, threads):
            raise _HostOnly("its threads are not shown to write different elements")
        head = f"define ptx_kernel void @{name}({', '.join(declarations)})"
        e.finish(f'{head} nounwind "nvvm.maxntid"="{threads}"', "void")
        return {
            "kernel": name,
            "threads": threads,
            "parameters": [description for _, description in self.parameters],
            "traps": e.can_trap,
        }

    def _thread_index(self, e: _KernelEmitter) -> str:
        """blockIdx * blockDim + threadIdx, in 64 bits."""
        parts = []
        for register in ("ctaid", "ntid", "tid"):
            symbol = e.intrinsic(f"llvm.nvvm.read.ptx.sreg.{register}.x", "i32", "")
            parts.append(e.w.value(f"zext i32 {e.w.value(f'call i32 {symbol}()')} to i64"))
        start = e.w.value(f"mul nuw nsw i64 {parts[0]}, {parts[1]}")
        return e.w.value(f"add nuw nsw i64 {start}, {parts[2]}")

    # Operands -----------------------------------------------------------------------

    def _operand(self, e: _KernelEmitter, obj: ObjectId) -> Value:
        """An operand of the Map: a parameter of the kernel, a literal, or a law over such."""
        if obj not in self.bound:
            self.bound[obj] = self._resolved(e, obj)
        return self.bound[obj]

    def _resolved(self, e: _KernelEmitter, obj: ObjectId) -> Value:
        graph = self.module.graph
        found = graph.objects[obj]
        ty = found.ty
        if contains_token(ty):
            raise _HostOnly("it captures the token")
        if has_no_representation(ty):
            return None
        literal = self._literal(e, obj)
        if literal is not None:
            return literal
        definer = graph.definer(obj)
        if definer is not None and isinstance(ty, Array):
            law = self._law(e, definer)
            if law is not None:
                return law
        return self._parameter(e, ty, found.name or f"object {obj}")

    def _literal(self, e: _KernelEmitter, obj: ObjectId) -> Value:
        """A value made of nothing but literals; None for any other."""
        graph = self.module.graph
        found = graph.objects[obj]
        if found.kind is ObjectKind.CONSTANT and isinstance(found.ty, Scalar):
            assert found.value is not None
            return literal(found.value, found.ty)
        if not graph.is_pack(obj):
            return None
        parts = [self._literal(e, feeder) for feeder in graph.feeders(obj)]
        if any(part is None for part in parts):
            return None
        if isinstance(found.ty, Array):
            return constant_array(e, found.ty, parts)
        return tuple(parts)

    def _law(self, e: _KernelEmitter, definer: Morphism) -> Value:
        place = e.prologue
        operands = self.module.graph.operands(definer)
        match definer.op:
            case ops.Iota():
                return Range(place, None)
            case ops.Fill():
                return Broadcast(place, None, element=self._operand(e, operands[0]))
            case ops.Zip():
                left, right = (self._operand(e, operand) for operand in operands)
                return Zipped(place, None, left=left, right=right)
            case ops.Enumerate():
                return Enumerated(place, None, array=self._operand(e, operands[0]))
            case _:
                return None

    def _parameter(self, e: _KernelEmitter, ty: Type, path: str) -> Value:
        if has_no_representation(ty):
            return None
        if isinstance(ty, Tuple | Struct):
            return tuple(
                self._parameter(e, item, f"{path}.{slot}") for slot, item in enumerate(ty.items)
            )
        if isinstance(ty, Array):
            return self._global(e, f"p{len(self.parameters)}", path, ty)
        assert isinstance(ty, Scalar)
        name = f"%p{len(self.parameters)}"
        passed = memory_type(ty)
        self.parameters.append((f"{passed} {name}", {"value": path, "type": str(ty)}))
        return e.w.value(f"icmp ne i8 {name}, 0") if ty.name == "bool" else name

    def _global(self, e: _KernelEmitter, name: str, path: str, ty: Array) -> Memory:
        """An array in the global memory of the device, as a parameter."""
        attributes = " noalias" if name == "result" else ""
        self.parameters.append(
            (f"ptr addrspace(1){attributes} %{name}", {"value": path, "type": str(ty)})
        )
        address = e.w.value(f"addrspacecast ptr addrspace(1) %{name} to ptr")
        return Memory(address, (Buffer(writable=False),))
