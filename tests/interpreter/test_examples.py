"""Every example program in both arithmetic modes: output, kind of end, place of a trap."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import pytest

from mapal.interpreter import Outcome, run
from mapal.lower import lower
from mapal.syntax import parse

EXAMPLES = Path(__file__).parent.parent / "examples"
NAMES = sorted(path.stem for path in EXAMPLES.glob("*.mapal"))
ENOUGH_TO_DIVERGE = 200_000
AMPLE = 10**7


def place_of(source: bytes, offset: int) -> str:
    before = source[:offset].decode()
    return f"{before.count(chr(10)) + 1}:{len(before) - before.rfind(chr(10))}"


def expected_output(name: str, arithmetic: str) -> bytes:
    path = EXAMPLES / f"{name}.out"
    if not path.exists():
        path = EXAMPLES / f"{name}.{arithmetic}.out"
    return path.read_bytes()


@pytest.mark.parametrize("arithmetic", ["exact", "fused"])
@pytest.mark.parametrize("name", NAMES)
def test_example(name: str, arithmetic: Literal["exact", "fused"]) -> None:
    source = (EXAMPLES / f"{name}.mapal").read_bytes()
    parsed = parse(source.decode())
    lowered = lower(parsed.program, arithmetic)
    assert not parsed.diagnostics
    assert not lowered.diagnostics
    assert lowered.graph is not None
    if (EXAMPLES / f"{name}.diverged").exists():
        assert run(lowered.graph, {}, budget=ENOUGH_TO_DIVERGE).kind == "diverged"
        return
    outcome: Outcome = run(lowered.graph, {}, budget=AMPLE)
    assert outcome.output == expected_output(name, arithmetic)
    trap = EXAMPLES / f"{name}.trap"
    if not trap.exists():
        assert outcome.kind == "done"
        return
    assert outcome.trap is not None
    start, _ = parsed.locations.spans[outcome.trap.token]
    assert f"{outcome.trap.kind} {place_of(source, start)}" == trap.read_text().strip()


def test_there_are_examples() -> None:
    assert len(NAMES) >= 40
