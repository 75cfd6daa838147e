"""A short text of a graph for people: the region tree with the names of operations.

Products and their components are left out, except those that the source makes. Loops and guards
stand where they are; an operation that defines a named value shows the name.
"""

from __future__ import annotations

from mapal.ir import ops
from mapal.ir.graph import Function, Graph, Morphism
from mapal.ir.ops import RegionId


def outline(graph: Graph) -> str:
    """One line per operation, functions in the order of the graph."""
    return "".join(_function(graph, function) for function in graph.functions)


def _function(graph: Graph, function: Function) -> str:
    name = function.name or f"{function.kind.value} {_number(graph, function)}"
    taken, given = graph.ty(function.input), graph.ty(function.output)
    lines = [f"{name}: {taken} -> {given}"]
    lines += [f"  {line}" for line in _region(graph, function, function.body)]
    return "\n".join(lines) + "\n"


def _number(graph: Graph, function: Function) -> int:
    bodies = [other.id for other in graph.functions if not other.name]
    return bodies.index(function.id)


def _region(graph: Graph, function: Function, region: RegionId) -> list[str]:
    lines: list[str] = []
    for edge in function.morphisms:
        morphism = graph.morphisms[edge]
        if morphism.region == region:
            lines += _item(graph, function, morphism)
    return lines


def _item(graph: Graph, function: Function, morphism: Morphism) -> list[str]:
    name = graph.objects[morphism.target].name
    shown = "" if name is None else f" {name}"
    match morphism.op:
        case ops.Pair(slot=slot):
            is_made = not graph.is_internal_pack(morphism.target)
            return [f"pack{shown}"] if slot == 0 and is_made and name is not None else []
        case ops.Proj() | ops.LoopBack() | ops.LoopExit():
            return []
        case ops.Phi(guard=guard):
            record = graph.guards[guard]
            arms = [
                ("true", record.arm_true),
                ("rest" if record.rest else "false", record.arm_false),
            ]
            return [f"guard{shown}", *_parts(graph, function, arms)]
        case ops.LoopEnter(loop=loop):
            found = graph.loops[loop]
            exit_name = graph.objects[graph.morphisms[found.leave].target].name
            shown = "" if exit_name is None else f" {exit_name}"
            body = [("body", found.body), ("jump", found.jump), ("exit", found.exit)]
            return [f"loop{shown}", *_parts(graph, function, body)]
        case op:
            return [f"{_name(graph, op)}{shown}"]


def _parts(graph: Graph, function: Function, parts: list[tuple[str, RegionId]]) -> list[str]:
    lines: list[str] = []
    for name, region in parts:
        inside = _region(graph, function, region)
        lines.append(f"  {name}:" if inside else f"  {name}: nothing")
        lines += [f"    {line}" for line in inside]
    return lines


def _name(graph: Graph, op: ops.Op) -> str:
    match op:
        case ops.Binary(code=code):
            return code.value
        case ops.Unary(code=unary):
            return unary.value
        case ops.Call(function=function):
            return f"Call {graph.functions[function].name}"
        case ops.Map(body=body) | ops.Fold(body=body) | ops.Reduce(body=body):
            captures = f" with {op.captures} captures" if op.captures else ""
            return f"{type(op).__name__} {_number(graph, graph.functions[body])}{captures}"
        case ops.Print(newline=newline):
            return "Println" if newline else "Print"
        case ops.Fma(negate_product=product, negate_addend=addend):
            return f"Fma {'-' if product else '+'}{'-' if addend else '+'}"
        case _:
            return type(op).__name__
