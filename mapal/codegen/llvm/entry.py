"""The program's door: the descriptor that the runtime reads and the function that it calls.

The runtime's `main` gives one contiguous buffer for each port. Arrays are used where they lie;
inputs are never written.
"""

from __future__ import annotations

from mapal.codegen.layout import leaves, memory_type, register_type
from mapal.codegen.llvm import calls
from mapal.codegen.llvm.module import ModuleBuilder, function_symbol
from mapal.codegen.llvm.writer import FunctionWriter
from mapal.diagnostics import CompilerBug
from mapal.ir.entry import Port, Ports, entry_ports
from mapal.ir.types import Array, Scalar

ABI = 2
"""The version of the runtime's interface."""

_SCALAR_NUMBERS = {"i32": 0, "i64": 1, "u8": 2, "f32": 3, "f64": 4, "bool": 5}

_PORT = "{ ptr, i32, i32, i64, ptr }"
_PROGRAM = "{ i32, ptr, i32, ptr, i32, ptr, ptr }"


def emit_entry(module: ModuleBuilder) -> None:
    """Adds the entry wrapper and `mapal_program_descriptor`."""
    ports = entry_ports(module.graph)
    _emit_wrapper(module, ports)
    name = _c_string(module, module.name)
    inputs, outputs = _port_table(module, ports.inputs), _port_table(module, ports.outputs)
    fields = [
        f"i32 {ABI}",
        f"ptr {name}",
        f"i32 {len(ports.inputs)}",
        f"ptr {inputs}",
        f"i32 {len(ports.outputs)}",
        f"ptr {outputs}",
        "ptr @mapal_entry",
    ]
    module.add_function(
        f"@mapal_program_descriptor = constant {_PROGRAM} {{ {', '.join(fields)} }}, align 8"
    )


def _port_table(module: ModuleBuilder, ports: tuple[Port, ...]) -> str:
    if not ports:
        return "null"
    rows = [f"{_PORT} {{ {_port_fields(module, port)} }}" for port in ports]
    return module.constant(f"[{len(rows)} x {_PORT}]", "[" + ", ".join(rows) + "]", 8)


def _port_fields(module: ModuleBuilder, port: Port) -> str:
    shape = "null"
    if port.shape:
        extents = ", ".join(f"i64 {extent}" for extent in port.shape)
        shape = module.constant(f"[{len(port.shape)} x i64]", f"[{extents}]", 8)
    scalar = _SCALAR_NUMBERS[port.scalar.name]
    name = _c_string(module, port.name)
    return f"ptr {name}, i32 {scalar}, i32 {len(port.shape)}, i64 {port.count}, ptr {shape}"


def _c_string(module: ModuleBuilder, text: str) -> str:
    return module.text_constant(text.encode("utf-8") + b"\0")


def _emit_wrapper(module: ModuleBuilder, ports: Ports) -> None:
    """`mapal_entry(inputs, outputs)`: loads scalars, calls the program, stores scalars. Each
    port is one leaf of the entry's parameter or result."""
    graph = module.graph
    entry = graph.functions[graph.entry]
    taken, given = graph.ty(entry.input), graph.ty(entry.output)
    found = calls.signature(taken, given)
    if len(ports.inputs) != len(found.parameters) or len(ports.outputs) != len(leaves(given)):
        raise CompilerBug("an entry whose ports are not the leaves of its types")
    w = FunctionWriter()
    arrays: list[str] = []
    scalar_places: list[tuple[Scalar, str]] = []
    for number, leaf in enumerate(leaves(given)):
        place = _buffer(w, "%outputs", number)
        if isinstance(leaf, Array):
            arrays.append(f"ptr {place}")
        else:
            scalar_places.append((leaf, place))
    arguments = list(arrays)
    for number, leaf in enumerate(found.parameters):
        arguments.append(calls.typed(leaf, _argument(w, leaf, _buffer(w, "%inputs", number))))
    text = f"call {found.returned} {function_symbol(graph, entry)}({', '.join(arguments)})"
    if not scalar_places:
        w.line(text)
    else:
        returned = w.value(text)
        for number, (ty, place) in enumerate(scalar_places):
            part = returned
            if len(scalar_places) > 1:
                part = w.value(f"extractvalue {found.returned} {returned}, {number}")
            _store(w, ty, part, place)
    w.line("ret void")
    head = "define internal void @mapal_entry(ptr %inputs, ptr %outputs) nounwind"
    module.add_function(f"{head} {{\n{w.text()}\n}}")


def _buffer(w: FunctionWriter, table: str, number: int) -> str:
    address = w.value(f"getelementptr inbounds ptr, ptr {table}, i64 {number}")
    return w.value(f"load ptr, ptr {address}, align 8")


def _argument(w: FunctionWriter, leaf: Scalar | Array, buffer: str) -> str:
    if isinstance(leaf, Array):
        return buffer
    loaded = w.value(f"load {memory_type(leaf)}, ptr {buffer}, align {leaf.bytes}")
    return w.value(f"icmp ne i8 {loaded}, 0") if register_type(leaf) == "i1" else loaded


def _store(w: FunctionWriter, ty: Scalar, value: str, place: str) -> None:
    if register_type(ty) == "i1":
        value = w.value(f"zext i1 {value} to i8")
    w.line(f"store {memory_type(ty)} {value}, ptr {place}, align {ty.bytes}")
