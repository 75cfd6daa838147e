"""The engine against enumeration on random problems, and enumeration against broken engines."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mapal.affine import boxes, coverage, coverage_visits, equation, progression, radix
from mapal.affine.index import Interval, Linear
from tests.affine import examination, random_check
from tests.affine.examination import EXAMINATIONS, Finding


@pytest.mark.parametrize("examine", EXAMINATIONS, ids=lambda examine: examine.__name__[8:])
@settings(max_examples=60)
@given(random=st.randoms(use_true_random=False))
def test_no_answer_is_untrue(examine: Callable[[Random], Finding], random: Random) -> None:
    assert examine(random).fault is None


def test_a_batch_of_each_kind_is_sound() -> None:
    faults = [random_check.examine(number, 11).fault for number in range(1300)]
    assert [fault for fault in faults if fault is not None] == []


@pytest.mark.slow
def test_many_problems_are_sound() -> None:
    assert random_check.main(["--count", "200000", "--seed", "3"]) == 0


def _narrow(one: Interval | None, other: Interval | None) -> int | None:
    del other
    return None if one is None else one[1] - one[0] + 1


def _loose_radix(digits: Any) -> bool:
    reach = 0
    for coefficient, width in sorted(digits, key=lambda digit: digit[0]):
        if coefficient < reach:
            return False
        reach += coefficient * ((width or 2) - 1)
    return True


def _hull(terms: Any, offset: int, *, exact: bool) -> Any:
    del exact
    return progression.ap_of_form(terms, offset, exact=False)


def _without_signs(form: Linear, *, ranges: Mapping[str, Interval], premises: Any) -> bool:
    del premises
    ends = [ranges.get(symbol) for symbol in form.terms]
    least = sum(c * end[0] for c, end in zip(form.terms.values(), ends, strict=True) if end)
    return None not in ends and least + form.offset >= 0


def _touching(r: progression.AP, w: progression.AP) -> bool:
    return r.lo >= w.lo and r.hi <= w.hi


BREAKAGES: dict[str, tuple[Any, str, Any, Callable[[Random], Finding]]] = {
    "one side's width for both": (
        equation,
        "joint_width",
        _narrow,
        examination.examine_pair_conflict,
    ),
    "digits that touch": (radix, "radix_rule", _loose_radix, examination.examine_injective_map),
    "a hull for an exact image": (coverage, "ap_of_form", _hull, examination.examine_coverage),
    "steps forgotten": (coverage, "ap_subset", _touching, examination.examine_coverage),
    "signs forgotten": (boxes, "is_nonnegative", _without_signs, examination.examine_within_box),
    "threads of other extent": (
        coverage,
        "thread_mismatch",
        lambda *_: False,
        examination.examine_coverage,
    ),
    "no program order": (coverage, "path_before", lambda *_: True, examination.examine_coverage),
    "fewer loops shared": (coverage, "common_loops", lambda *_: 0, examination.examine_coverage),
    "fewer loops shared by visits": (
        coverage_visits,
        "common_loops",
        lambda *_: 0,
        examination.examine_coverage,
    ),
}


@pytest.mark.parametrize("name", BREAKAGES)
def test_a_broken_engine_is_found(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    module, attribute, broken, examine = BREAKAGES[name]
    monkeypatch.setattr(module, attribute, broken)
    assert any(examine(Random(number)).fault is not None for number in range(20_000))


def test_the_command_counts(capsys: pytest.CaptureFixture[str]) -> None:
    assert random_check.main(["--count", "130", "--seed", "4"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[-1] == "130 problems, 0 unsound"
    assert any(line.startswith("pair_conflict: 10 asked") for line in lines)


def test_the_command_fails_for_an_untrue_answer(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    found = Finding("within_box", True, True, True, "no_rule", "within_box: wrong")
    monkeypatch.setattr(random_check, "examine", lambda number, seed: found)
    assert random_check.main(["--count", "2"]) == 1
    out = capsys.readouterr().out
    assert "problem 1: within_box: wrong" in out
    assert "2 problems, 2 unsound" in out
