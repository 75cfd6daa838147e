"""What a mutation is."""

from __future__ import annotations

from dataclasses import dataclass


def tests_of(*names: str) -> tuple[str, ...]:
    return tuple(f"tests/rewrite/test_{name}.py" for name in names)


EVERYTHING = (
    *tests_of("common_subexpressions", "constant_folding", "dead_code", "driver", "hoisting"),
    *tests_of("inlining", "loop_lifting", "loop_lifting_counters", "loop_lifting_declined"),
    *tests_of("map_fusion", "naturality", "naturality_random", "order", "plan_laws", "regions"),
    *tests_of("proofs_of_place", "source_cases", "streams"),
    *(f"tests/analysis/test_{name}.py" for name in ("known_integers", "totality", "trip_counts")),
    "tests/sweep/test_found.py",
)
"""What a mutant must survive to count as a survivor: no random programs that differ from run to
run, so that verdicts stay."""


@dataclass(frozen=True, slots=True)
class Mutation:
    """`file` is below the package directory; `kind` names the exclusion."""

    name: str
    kind: str
    file: str
    old: str
    new: str
    tests: tuple[str, ...]
    explained: str | None = None
