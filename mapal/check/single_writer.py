"""T0101: a function returns its whole result once.

A second `-> ret` would leave open which of the two values the function has, since returning
does not transfer control. Reported at each return after the first.
"""

from __future__ import annotations

from mapal.diagnostics import Diagnostic, DiagnosticKind
from mapal.ir import ops
from mapal.ir.graph import FunctionKind, Graph

KIND = DiagnosticKind(
    code="T0101",
    title="Several returns",
    explanation=(
        "`-> ret` names the result of a function; it does not leave the function. A second"
        " whole return, a tail included, would give the function two results. Select one value"
        " with a guard and return that."
    ),
    example="fn size(n: i32) -> i32 { n -> ret; -n -> ret; }\nfn main() { }",
    correction=(
        "fn size(n: i32) -> i32 { (n < 0) -> { -true-> -n; -false-> n; } -> ret; }\nfn main() { }"
    ),
)


def several_returns(graph: Graph) -> list[Diagnostic]:
    """The violations in function order."""
    found: list[Diagnostic] = []
    for function in graph.functions:
        if function.kind is not FunctionKind.NAMED:
            continue
        writers = [
            graph.morphisms[edge]
            for edge in graph.in_edges[function.output]
            if not isinstance(graph.morphisms[edge].op, ops.Pair)
        ]
        for writer in sorted(writers, key=lambda morphism: (morphism.key, morphism.id))[1:]:
            found.append(
                Diagnostic(
                    code=KIND.code,
                    message=f"`{function.name}` returns its result a second time here",
                    tokens=writer.key[-1],
                    span=None,
                    hint="select one value with a guard and return that",
                )
            )
    return found
