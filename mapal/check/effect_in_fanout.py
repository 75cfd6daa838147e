"""T0201: the branches of a fanout have no effects.

Branches may run in parallel, so an effect in one would have no place in the order of effects.
Reported at each site, in source order.
"""

from __future__ import annotations

from mapal.diagnostics import Diagnostic, DiagnosticKind
from mapal.lower.signatures import Declarations

KIND = DiagnosticKind(
    code="T0201",
    title="Effect in a parallel branch",
    explanation=(
        "The branches of a fanout are independent and may run at the same time. A print, a"
        " clock read or a call of a function that has one has no order there; a `seq` inside"
        " the branch does not give it one. Bind the values in the branches and print after the"
        " block, or use `seq` in place of the fanout."
    ),
    example="fn main() { 9 -> { -> * 2 -> println; -> - 1 -> less; } }",
    correction="fn main() { 9 -> { -> * 2 -> more; -> - 1 -> less; } more -> println; }",
)


def effects_in_fanouts(declarations: Declarations) -> list[Diagnostic]:
    """The violations in source order."""
    sites = [
        site
        for signature in declarations.functions.values()
        for site in signature.resolution.effects
        if site.in_fanout and (not site.is_call or declarations.functions[site.name].effectful)
    ]
    return [
        Diagnostic(
            code=KIND.code,
            message=f"`{site.name}` has an effect, and stands in a branch of a fanout",
            tokens=site.tokens,
            span=None,
            hint="bind the value in the branch and print after the block, or use `seq`",
        )
        for site in sorted(sites, key=lambda site: site.tokens)
    ]
