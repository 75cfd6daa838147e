"""Random programs for kernels end as the interpreter says, and their command survives what does
not."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from mapal.codegen import emit
from mapal.target import load_profile
from tests.codegen import kernel_endings
from tests.codegen.kernel_endings import findings
from tests.codegen.kernel_runs import Case
from tests.codegen.random_command import CHUNK, Gate, faults_of, kernel_names, run
from tests.codegen.random_kernels import draw
from tests.codegen.random_kernels import gate as gate_of_kernels
from tests.codegen.test_window_kernels import numbers

GOOD = Case(
    source="fn main(x: [i32; 9]) -> [i32; 9] { x -> map { v -> v * 3 } -> ret; }",
    inputs={"x": numbers(9, "i32")},
)
BAD = Case(
    source="fn main(x: [i32; 7]) -> [i32; 7] { x -> map { v -> v + 5 } -> ret; }",
    inputs={"x": numbers(7, "i32")},
)
TRAPPING = Case(
    source="fn main(x: [i32; 70]) -> [i32; 70] { x -> map { v -> 9 / (v - 255) } -> ret; }",
    inputs={"x": numbers(70, "i32") * 0 + 255},
)


def test_random_kernels_end_as_the_interpreter_says() -> None:
    counts: Counter[str] = Counter()
    assert list(faults_of("kernels", draw, batch=4)(1, 0, 12, counts)) == []
    assert counts["held to the plain interpreter"] > 6
    assert sum(number for what, number in counts.items() if what in kernel_names()) > 3


def test_a_trap_is_compared() -> None:
    counts: Counter[str] = Counter()
    assert findings([TRAPPING], load_profile("native"), counts) == [None]
    assert counts["ended trapped"] == 1


def test_what_the_front_end_refuses_is_one_finding() -> None:
    refused = dataclasses.replace(BAD, source="fn main() { 1 -> ; }")
    found = findings([refused, GOOD], load_profile("native"), Counter())
    assert found[0] is not None
    assert found[0].startswith("before compilation: AssertionError")
    assert found[1] is None


_FIRST_LINE = "ptr %outputs) nounwind {\n"


def _crashing(text: str) -> str:
    body = "  call void @llvm.trap()\n  unreachable\n"
    return text.replace(_FIRST_LINE, _FIRST_LINE + body) + "\ndeclare void @llvm.trap()\n"


def _endless(text: str) -> str:
    body = "  %place = alloca i32\n  br label %again\nagain:\n"
    body += "  store volatile i32 1, ptr %place\n  br label %again\n"
    return text.replace(_FIRST_LINE, _FIRST_LINE + body)


def _wrong(text: str) -> str:
    assert ", 5" in text
    return text.replace(", 5", ", 6")


@pytest.mark.parametrize(
    ("damage", "expected"),
    [
        (lambda text: f"{text}\n%", "in compilation: CompilerBug"),
        (_crashing, "plain, aligned: crashed printed b'signal SIG"),
        (_endless, "plain, aligned: crashed printed b'signal SIGALRM"),
        (_wrong, "plain, aligned: result 0 differs from byte 0 of 28 on"),
    ],
)
def test_what_goes_wrong_is_a_finding_of_one_program(
    damage: Callable[[str], str], expected: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def damaged(graph: Any, *arguments: Any, **options: Any) -> Any:
        emission = emit(graph, *arguments, **options)
        is_bad = "[7 x i32]" in emission.ll or "dereferenceable(28)" in emission.ll
        return dataclasses.replace(emission, ll=damage(emission.ll)) if is_bad else emission

    monkeypatch.setattr(kernel_endings, "emit", damaged)
    monkeypatch.setattr(kernel_endings, "_RUN_SECONDS", 1)
    found = findings([GOOD, BAD, GOOD], load_profile("native"), Counter())
    assert (found[0], found[2]) == (None, None)
    assert found[1] is not None
    assert found[1].startswith(expected)


def test_a_run_goes_on_after_an_error_and_prints_its_counts(
    capsys: pytest.CaptureFixture[str],
) -> None:
    def failing(seed: int, first: int, count: int, counts: Counter[str]) -> Iterator[str]:
        counts["programs"] += count
        yield f"one of {seed}"
        if first == 0:
            raise LookupError("lost")

    assert run("m", 1, ["--count", str(CHUNK + 1), "--seed", "7"], failing) == 1
    printed = capsys.readouterr().out
    assert printed.count("one of 7") == 2
    assert f"seed 7, programs 0 to {CHUNK - 1}: Traceback" in printed
    assert f"{CHUNK + 1:7,} programs\n3 differences" in printed


def test_a_large_run_fails_where_something_never_occurred(
    capsys: pytest.CaptureFixture[str],
) -> None:
    def counting(_: int, __: int, count: int, counts: Counter[str]) -> Iterator[str]:
        counts.update({"programs": count, "kernel a": 1, "kernel b": 0})
        return iter(())

    gate = Gate(("kernel a", "kernel b"), 5)
    assert run("m", 1, ["--count", "4"], counting, gate) == 0
    assert run("m", 1, ["--count", "5"], counting, gate) == 1
    assert capsys.readouterr().out.endswith("never: kernel b\n0 differences\n")
    assert "kernel side_by_side" in gate_of_kernels().names
