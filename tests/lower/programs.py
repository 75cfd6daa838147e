"""Source texts for the tests of lowering, and what lowering makes of them."""

from __future__ import annotations

from mapal.diagnostics import Diagnostic
from mapal.ir.graph import Graph
from mapal.ir.verify import verify
from mapal.lower import Arithmetic, lower
from mapal.syntax import ast, parse

LOOP = "loop {{ {body} ({condition}) -> {{ -true-> {{ {jump} -> loop; }} -false-> {leave} }} }}"


def program(source: str) -> ast.Program:
    """The tree of a text that parses."""
    parsed = parse(source)
    assert parsed.diagnostics == (), parsed.diagnostics
    return parsed.program


def diagnostics_of(source: str) -> tuple[Diagnostic, ...]:
    """The reports of lowering."""
    lowered = lower(program(source), "exact")
    assert (lowered.graph is None) == bool(lowered.diagnostics)
    return lowered.diagnostics


def codes_of(source: str) -> list[str]:
    """The codes of the reports of lowering, in order."""
    return [found.code for found in diagnostics_of(source)]


def places_of(source: str) -> list[tuple[str, str]]:
    """The codes with the text that they are about."""
    parsed = parse(source)
    data = source.encode()
    found: list[tuple[str, str]] = []
    for diagnostic in diagnostics_of(source):
        assert diagnostic.tokens is not None
        start, end = parsed.locations.span_of(diagnostic.tokens)
        found.append((diagnostic.code, data[start:end].decode()))
    return found


def graph_of(source: str, arithmetic: Arithmetic = "exact") -> Graph:
    """The graph of a text that lowers; it verifies."""
    lowered = lower(program(source), arithmetic)
    assert lowered.graph is not None, lowered.diagnostics
    assert verify(lowered.graph) == []
    return lowered.graph


def counting(
    *, body: str = "", condition: str = "i < 3", jump: str = "i + 1 -> i;", leave: str = "i -> e;"
) -> str:
    """A loop over `i`, which is to be declared before it."""
    return LOOP.format(body=body, condition=condition, jump=jump, leave=leave)
