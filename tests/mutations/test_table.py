"""The table of mutations fits the sources: every text occurs once, and every change compiles."""

from __future__ import annotations

import ast
from collections import Counter
from pathlib import Path

import pytest

from tests.mutations.mutation import EVERYTHING, Mutation
from tests.mutations.table import MUTATIONS

ROOT = Path(__file__).parents[2]
KINDS = {
    *("NaN and -0.0", "trap", "value", "divergence", "plan law", "type", "cross-region", "effect"),
    *("sharing", "capture", "order", "termination", "policy", "token"),
}


@pytest.mark.parametrize("mutation", MUTATIONS, ids=lambda mutation: mutation.name)
def test_the_text_is_there_once(mutation: Mutation) -> None:
    source = (ROOT / "mapal" / mutation.file).read_text(encoding="utf-8")
    assert source.count(mutation.old) == 1
    assert mutation.old != mutation.new
    ast.parse(source.replace(mutation.old, mutation.new))
    for name in (*mutation.tests, *EVERYTHING):
        assert (ROOT / name).exists(), name


def test_the_table_covers_every_kind_and_every_pass() -> None:
    names = Counter(mutation.name for mutation in MUTATIONS)
    assert max(names.values()) == 1
    assert len(names) >= 25
    assert {mutation.kind for mutation in MUTATIONS} == KINDS
    passes = {path.name for path in (ROOT / "mapal" / "rewrite" / "passes").glob("[a-z]*.py")}
    mutated = {Path(mutation.file).name for mutation in MUTATIONS}
    assert passes <= mutated
