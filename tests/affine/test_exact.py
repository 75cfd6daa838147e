"""The engine beside isl on random problems, and broken engines that isl finds."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

import pytest

from mapal.affine import Iter, boxes, implied, radix
from mapal.affine.elimination import System
from mapal.affine.index import Linear
from tests.affine import exact_check, exact_sets


def test_a_batch_is_sound(capsys: pytest.CaptureFixture[str]) -> None:
    assert exact_check.main(["--count", "300", "--seed", "2"]) == 0
    assert "300 problems, 0 unsound answers" in capsys.readouterr().out


@pytest.mark.slow
def test_many_are_sound() -> None:
    assert exact_check.main(["--count", "20000", "--seed", "1"]) == 0


def test_the_sets_know_what_two_axes_say_together() -> None:
    ranges = {"p": (0, 10**9), "q": (0, 10**9)}
    ahead = (Iter("p"), Iter("q"))
    assert exact_sets.conflict(ahead, ahead, ranges, ranges, {}, [("p", "p")]) == 1
    assert exact_sets.conflict(ahead, ahead, ranges, ranges, {}, []) == 0
    diagonal = (Iter("p"), Iter("p"))
    above = (Iter("p"), Iter("q"))
    beyond = {"p": (0, 5), "q": (6, 9)}
    assert exact_sets.conflict(diagonal, above, ranges, beyond, {}, []) == 2


def _offset(monkeypatch: pytest.MonkeyPatch) -> None:
    """One cell too many is inside."""

    def broken(form: Linear, **rest: Any) -> bool:
        return implied.is_nonnegative(Linear(form.terms, form.offset + 1), **rest)

    monkeypatch.setattr(boxes, "is_nonnegative", broken)


def _added_premises(monkeypatch: pytest.MonkeyPatch) -> None:
    """Premises are added instead of taken away."""
    right = implied._difference

    def broken(form: Linear, scale: int, premise: Linear, times: int) -> Linear:
        return right(form, scale, premise, -times)

    monkeypatch.setattr(implied, "_difference", broken)


def _loose_digits(monkeypatch: pytest.MonkeyPatch) -> None:
    """Any form with different coefficients is a numeral system."""

    def broken(digits: Any) -> bool:
        coefficients = [coefficient for coefficient, _ in digits]
        return len(set(coefficients)) == len(coefficients)

    monkeypatch.setattr(radix, "radix_rule", broken)


def _no_second_axis(monkeypatch: pytest.MonkeyPatch) -> None:
    """Equal threads are concluded from nothing."""
    monkeypatch.setattr(System, "equal", lambda self, x, y: True)


@pytest.mark.parametrize(
    ("break_it", "comparison"),
    [
        (_offset, 2),
        (_added_premises, 3),
        (_loose_digits, 5),
        (_no_second_axis, 1),
    ],
)
def test_a_broken_engine_is_found(
    break_it: Callable[[pytest.MonkeyPatch], None],
    comparison: int,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    break_it(monkeypatch)
    ask = exact_check.COMPARISONS[comparison]
    found = (ask(Random(f"broken/{number}")) for number in range(4000))
    assert any(result.answer > result.truth for result in found)


def test_an_unsound_answer_is_told(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    _offset(monkeypatch)
    assert exact_check.main(["--count", "600"]) == 1
    assert "UNSOUND Comparison(query='within_box" in capsys.readouterr().out
