"""The batch runner: what programs print and give, how they trap, and that one which crashes or
does not end harms no other."""

from __future__ import annotations

import math
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from mapal.codegen import emit as right
from mapal.ir.entry import entry_ports
from mapal.sweep import native
from mapal.sweep.endings import Ending, canonical_bytes
from mapal.sweep.native import LEVELS, Case, run_natively
from mapal.target import TargetProfile, load_profile
from tests.codegen.native_runs import graph_of


@pytest.fixture(scope="module")
def profile() -> TargetProfile:
    return load_profile("native")


def case_of(text: str, *inputs: dict[str, object]) -> Case:
    return Case(graph_of(text), inputs or ({},))


def alone(case: Case, profile: TargetProfile) -> list[Ending]:
    """The endings of a case, the same at every level."""
    (found,) = run_natively([case], profile)
    assert isinstance(found, dict)
    assert list(found) == list(LEVELS)
    first, *others = found.values()
    assert all(endings == first for endings in others)
    return first


def test_no_programs(profile: TargetProfile) -> None:
    assert run_natively([], profile) == []


def test_output_and_results(profile: TargetProfile) -> None:
    case = case_of('fn main() -> i32 { "seven" -> println; 7 -> ret; }')
    assert alone(case, profile) == [Ending("done", b"seven\n", None, (b"\x07\0\0\0",))]


def test_each_run_starts_afresh(profile: TargetProfile) -> None:
    text = """fn main(n: i32) -> f64 {
        () -> time -> t;
        n -> println;
        t -> println;
        10 / n -> println;
        t -> ret;
    }"""
    found = alone(case_of(text, {"n": 2}, {"n": 0}, {"n": 5}), profile)
    zero = np.float64(0).tobytes()
    assert found[0] == Ending("done", b"2\n0\n5\n", None, (zero,))
    assert (found[1].kind, found[1].output) == ("trapped", b"0\n0\n")
    assert found[1].trap is not None
    assert found[1].trap[0] == "div_zero"
    assert found[2] == Ending("done", b"5\n0\n2\n", None, (zero,))


def test_arrays_go_in_and_come_out(profile: TargetProfile) -> None:
    text = """fn main(a: [u8; 3]) -> ([i64; 3], bool) {
        a -> map { x -> x -> to_i64 } -> w;
        (w, true) -> ret;
    }"""
    wanted = (np.array([1, 2, 255], dtype="<i8").tobytes(), b"\x01")
    assert alone(case_of(text, {"a": [1, 2, 255]}), profile) == [Ending("done", b"", None, wanted)]


def test_there_is_one_nan() -> None:
    odd = np.array([0x7FF8_0000_0000_0001, 0xFFF8_0000_0000_0000], dtype="<u8").view("<f8")
    assert canonical_bytes(odd) == np.array([math.nan, math.nan]).tobytes()
    assert canonical_bytes(np.array([-0.0], dtype="<f4")) == b"\0\0\0\x80"


HEAD = """
@mapal_program_descriptor = constant { i32, ptr, i32, ptr, i32, ptr, ptr }
  { i32 1, ptr null, i32 0, ptr null, i32 0, ptr null, ptr @entry }
"""
CRASHES = """
define internal void @entry(ptr %inputs, ptr %outputs) {
  store volatile i32 1, ptr null
  ret void
}
"""
NEVER_ENDS = """
define internal void @entry(ptr %inputs, ptr %outputs) {
  br label %again
again:
  store volatile i32 1, ptr %inputs
  br label %again
}
"""


def test_programs_that_crash_or_do_not_end(
    monkeypatch: pytest.MonkeyPatch, profile: TargetProfile
) -> None:
    fine = case_of("fn main() { 1 -> println; }")
    bad = [case_of("fn main() { 2 -> println; }"), case_of("fn main() { 3 -> println; }")]
    texts = {id(bad[0].graph): HEAD + CRASHES, id(bad[1].graph): HEAD + NEVER_ENDS}

    def emit(graph: Any, profile: Any, *, name: str, cuts_from: int) -> Any:
        text = texts.get(id(graph))
        return (
            SimpleNamespace(ll=text)
            if text
            else right(graph, profile, name=name, cuts_from=cuts_from)
        )

    monkeypatch.setattr(native, "emit", emit)
    monkeypatch.setattr(native, "_LIMIT_SECONDS", 1)
    found = run_natively([fine, bad[0], fine, bad[1], fine], profile)
    for number, ending in enumerate(
        [
            Ending("done", b"1\n"),
            Ending("crashed", b"signal SIGSEGV"),
            Ending("done", b"1\n"),
            Ending("crashed", b"signal SIGALRM"),
            Ending("done", b"1\n"),
        ]
    ):
        assert found[number] == {level: [ending] for level in LEVELS}


WRITES = """
define internal void @entry(ptr %inputs, ptr %outputs) {
  %table = getelementptr ptr, ptr %TABLE, i64 0
  %buffer = load ptr, ptr %table
  %place = getelementptr i8, ptr %buffer, i64 OFFSET
  store volatile i8 1, ptr %place
  ret void
}
"""


@pytest.mark.parametrize(
    ("table", "offset", "message"),
    [
        ("inputs", 0, b"wrote to an input"),
        ("inputs", 4, b"wrote to an input"),
        ("outputs", 4, b"wrote beyond an output"),
    ],
)
def test_programs_that_write_where_they_must_not(
    monkeypatch: pytest.MonkeyPatch,
    profile: TargetProfile,
    table: str,
    offset: int,
    message: bytes,
) -> None:
    case = case_of("fn main(n: i32) -> i32 { n -> ret; }", {"n": 5})
    text = HEAD + WRITES.replace("TABLE", table).replace("OFFSET", str(offset))
    monkeypatch.setattr(native, "emit", lambda *_, **__: SimpleNamespace(ll=text))
    assert len(entry_ports(case.graph).inputs) == 1
    assert alone(case, profile) == [Ending("crashed", message)]


FAR_AWAY = """
@array = private constant [3 x i8] c"abc"
define internal void @entry(ptr %inputs, ptr %outputs) {
  %far = getelementptr i8, ptr @array, i64 2147483646
  %byte = load volatile i8, ptr %far
  ret void
}
"""


def test_a_program_that_does_not_link_harms_no_other(
    monkeypatch: pytest.MonkeyPatch, profile: TargetProfile
) -> None:
    cases = [case_of(f"fn main() {{ {number} -> println; }}") for number in range(5)]

    def emit(graph: Any, profile: Any, *, name: str, cuts_from: int) -> Any:
        if graph is cases[3].graph:
            return SimpleNamespace(ll=HEAD + FAR_AWAY)
        return right(graph, profile, name=name, cuts_from=cuts_from)

    monkeypatch.setattr(native, "emit", emit)
    found = run_natively(cases, profile)
    assert isinstance(found[3], str)
    assert "UserError" in found[3]
    for number in (0, 1, 2, 4):
        ending = Ending("done", f"{number}\n".encode())
        assert found[number] == {level: [ending] for level in LEVELS}
