"""Random programs with paths end natively as in the interpreter, and without what the host waits
for or leaves alone they do not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

import pytest

from mapal.analysis import path_plan
from mapal.codegen.llvm.scope import Holder
from tests.codegen.random_paths import BATCH, faults


def test_paths_end_as_in_the_interpreter() -> None:
    counts: Counter[str] = Counter()
    assert list(faults(5, 0, BATCH, counts)) == []
    assert counts["sections"] >= BATCH
    assert counts["ended: trapped"] > 0
    assert counts["ended: done"] > 0


@pytest.mark.parametrize(
    ("owner", "name", "careless", "first"),
    [
        (Holder, "is_read_elsewhere", lambda _: False, 300),
        (path_plan._Search, "_has_unguarded", lambda *_: False, 100),
    ],
)
def test_a_careless_host_is_found(
    owner: type,
    name: str,
    careless: Callable[..., object],
    first: int,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """One thread, whose tosses are always the same, ends wrongly in the first programs; what more
    threads do is chance."""
    monkeypatch.setattr(owner, name, careless)
    assert any(faults(1, first, 5 * BATCH, Counter()))
