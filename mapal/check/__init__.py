"""The checks of a lowered program: one rule per file, each with its kind and its logic."""

from __future__ import annotations

from mapal.check import effect_in_fanout, single_writer
from mapal.diagnostics import Diagnostic
from mapal.ir.graph import Graph
from mapal.lower.signatures import declare
from mapal.syntax import ast

KINDS = (single_writer.KIND, effect_in_fanout.KIND)


def check(program: ast.Program, graph: Graph) -> tuple[Diagnostic, ...]:
    """All violations: T0101 in function order, then T0201 in source order. Empty means that the
    program is accepted."""
    declarations = declare(program).declarations
    return (
        *single_writer.several_returns(graph),
        *effect_in_fanout.effects_in_fanouts(declarations),
    )
