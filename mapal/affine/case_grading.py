"""Is an answer at least as strong as expected and no stronger than the truth?"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, TypeAlias

Grade: TypeAlias = Literal["pass", "weak", "unsound", "wrong"]
"""`weak`: less than expected. `unsound`: stronger than the truth. `wrong`: neither equal nor in
the order of strength."""

_STRENGTHS = {
    "pair_conflict": ("Cross_thread", "Same_thread", "Disjoint"),
    "read_covered_before": ("Unknown", "Covered"),
    "may_touch_same_cell": (True, False),
} | dict.fromkeys(
    (
        "infeasible",
        "injective_map",
        "separates",
        "within_box",
        "covers_box",
        "is_surjective",
        "is_injective",
        "ap_subset",
        "vec_runs_disjoint",
    ),
    (False, True),
)


def grade(query: str, answer: Any, expect: Any, truth: Any) -> Grade:
    """The grade of an answer to a query, all three as case files write them."""
    if query in _STRENGTHS:
        return _ordered(_STRENGTHS[query], answer, expect, truth)
    special = _SPECIAL.get(query)
    if special is not None:
        return special(answer, expect, truth)
    return "pass" if _same(answer, expect) else "wrong"


def _same(one: Any, other: Any) -> bool:
    """Equality that tells true from 1."""
    return bool(one == other) and isinstance(one, bool) == isinstance(other, bool)


def _ordered(strengths: tuple[Any, ...], answer: Any, expect: Any, truth: Any) -> Grade:
    places = [strengths.index(each) if each in strengths else None for each in (expect, truth)]
    least, most = places
    if least is None or most is None:
        return "wrong"
    place = strengths.index(answer)
    return "unsound" if place > most else "weak" if place < least else "pass"


def _pairs(answer: Any, expect: Any, truth: Any) -> Grade:
    found, least, most = ({tuple(pair) for pair in pairs} for pairs in (answer, expect, truth))
    return "unsound" if not found <= most else "pass" if found >= least else "weak"


def _counts(answer: Any, expect: Any, truth: Any) -> Grade:
    kind, count = answer
    least, most = truth["min"], truth["max"]
    sound = {
        "exact": count == least == most,
        "at_least": count <= least,
        "at_most": count >= most,
    }[kind]
    if not sound:
        return "unsound"
    if answer == expect or kind == "exact":
        return "pass"
    stronger = count >= expect[1] if kind == "at_least" else count <= expect[1]
    return "pass" if kind == expect[0] and stronger else "weak"


def _progressions(answer: Any, expect: Any, truth: Any) -> Grade:
    if answer == expect:
        return "pass"
    if answer is None:
        return "weak"
    low, high, step = answer["lo"], answer["hi"], answer["step"] or 1
    # No list of the cells: there may be more than memory holds.
    are_all = (high - low) // step + 1 == len(truth)
    cells = range(low, high + 1, step)
    return "pass" if expect is None and are_all and sorted(truth) == list(cells) else "unsound"


def _chunks(answer: Any, expect: Any, truth: Any) -> Grade:
    if answer == expect:
        return "pass"
    if answer is None:
        return "weak"
    low, high = answer
    if high - low >= len(truth) or not set(range(low, high + 1)) <= set(truth):
        return "unsound"
    is_enough = expect is None or expect[1] < expect[0] or (low <= expect[0] and expect[1] <= high)
    return "pass" if is_enough else "weak"


_SPECIAL: dict[str, Callable[[Any, Any, Any], Grade]] = {
    "forced_pairs": _pairs,
    "fiber_cardinality": _counts,
    "fiber_cardinality_ub": _counts,
    "ap_of_form": _progressions,
    "ap_covered_chunk": _chunks,
}
