"""L1619: the body of a `reduce` is total by its text, whatever stands in it.

Text that counts as risky is remembered while bodies are lowered; what a body calls is judged
when every function is known.
"""

from __future__ import annotations

from mapal.diagnostics import Diagnostic
from mapal.lower.context import ProgramState, TrapFacts
from mapal.lower.reports import problem


def trapping_reductions(state: ProgramState) -> list[tuple[str, Diagnostic]]:
    """The violations with their functions, in source order."""
    risky = _risky_functions(state.facts)
    return [
        (
            site.function,
            problem(
                "L1619",
                "the body of this `reduce` may trap or loop",
                site.tokens,
                "divide by non-zero literals and index with literals in range only, or use `fold`",
            ),
        )
        for site in state.reduces
        if site.facts.risky or not risky.isdisjoint(site.facts.calls)
    ]


def _risky_functions(facts: dict[str, TrapFacts]) -> set[str]:
    """The functions that may trap by their text or by that of a function they call."""
    callers: dict[str, list[str]] = {}
    for name, fact in facts.items():
        for called in fact.calls:
            callers.setdefault(called, []).append(name)
    risky: set[str] = set()
    work = [name for name, fact in facts.items() if fact.risky]
    while work:
        name = work.pop()
        if name not in risky:
            risky.add(name)
            work.extend(callers.get(name, ()))
    return risky
