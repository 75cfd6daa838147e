"""Named functions: one LLVM function each."""

from __future__ import annotations

from mapal.codegen.llvm import calls
from mapal.codegen.llvm.emitter import Emitter
from mapal.codegen.llvm.module import ModuleBuilder, function_symbol
from mapal.codegen.llvm.regions import run_function
from mapal.codegen.llvm.scope import Scope
from mapal.codegen.llvm.wishes import offer
from mapal.ir.graph import Function


def emit_function(module: ModuleBuilder, function: Function) -> None:
    """Adds a named function to the module."""
    graph = module.graph
    given = graph.ty(function.output)
    found = calls.signature(graph.ty(function.input), given)
    e = Emitter(module)
    scope = Scope(function, function.name, frozenset())
    parameters, argument = calls.parameters(e, graph.ty(function.input))
    places, wish = calls.destinations(e, given)
    scope.bind(function.input, argument)
    offer(graph, scope, function.output, wish)
    result = run_function(e, scope)
    registers = calls.give_back(e, given, result, wish)
    returned = calls.returned_text(e, found, registers)
    texts = places + parameters
    symbol = function_symbol(graph, function)
    e.finish(f"define internal {found.returned} {symbol}({', '.join(texts)}) nounwind", returned)
