"""Random loops over arrays end natively as in the interpreter, and with careless proofs they do
not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from types import ModuleType

import pytest

from mapal.analysis.legality import loops, updates
from mapal.codegen.llvm import loops as loops_of_code
from tests.codegen.random_loops import BATCH, faults


def test_loops_end_natively_as_in_the_interpreter() -> None:
    counts: Counter[str] = Counter()
    assert list(faults(4, 0, BATCH, counts)) == []
    # What is asked for happens.
    assert counts["maps beyond the rule"] > 0
    assert counts["first values left out"] > 0
    assert counts["updates in-place: what is still read of the old array are other cells"] > 0


@pytest.mark.parametrize(
    ("module", "name", "careless"),
    [
        (loops, "_reads_own_cells", lambda *_: True),
        (updates, "_reads_afterwards", lambda *_: None),
        (loops_of_code, "overwritten_components", lambda *_: frozenset({0, 1, 2})),
    ],
)
def test_a_careless_proof_is_found(
    module: ModuleType,
    name: str,
    careless: Callable[..., object],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, name, careless)
    assert any(faults(4, 0, BATCH, Counter()))
