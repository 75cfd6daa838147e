"""Random problems put to the engine and to isl: no answer is stronger than the truth.

`./dev python -m tests.affine.exact_check --count N --seed S` prints, for each query, how many
problems have a yes and which share the engine declines, by its reason. Some problems have loops of
hundreds of thousands of iterations, which nobody visits.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random

from mapal.affine import (
    AxisIndex,
    CrossThread,
    Disjoint,
    Interval,
    SideRanges,
    Sym,
    covers_box,
    injective_map,
    pair_conflict,
    separates,
    within_box,
)
from mapal.affine.index import Linear, linear, linear_parts
from tests.affine import exact_sets, problems


@dataclass(frozen=True, slots=True)
class Comparison:
    """One problem. `truth` and `answer` are strengths, 0 for a no; `reason` is why the engine said
    less than the truth."""

    query: str
    truth: int
    answer: int
    reason: str
    problem: str


def _interval(random: Random) -> Interval:
    """A range that may be far too large to visit."""
    if random.random() < 0.5:
        return problems.interval(random)
    low = random.choice((0, 0, 0, 1, -5, 1000))
    return low, low + random.choice((7, 63, 99, 1023, 123456))


def _vector(random: Random, ranges: dict[Sym, Interval], rank: int | None) -> tuple[AxisIndex, ...]:
    """Sums of few terms, or positional notation over all symbols."""
    if random.random() < 0.5:
        return problems.vector(random, sorted(ranges), 0.04, rank)
    names = sorted(ranges)
    widths = [max(1, high - low + 1) for low, high in ranges.values()]
    cell = problems.digits(random, names, widths)
    more = () if rank is None else problems.vector(random, names, 0.04, rank - 1)
    return (cell, *more)


def compare_conflict(random: Random) -> Comparison:
    left_ranges = {s: _interval(random) for s in "pq"}
    right_ranges = left_ranges if random.random() < 0.8 else {s: _interval(random) for s in "pq"}
    shared = {"n": _interval(random)}
    rank = random.choice((1, 1, 2, 2, 3))
    left = _vector(random, {**left_ranges, **shared}, rank)
    right = left if random.random() < 0.5 else _vector(random, {**right_ranges, **shared}, rank)
    pairs = random.choice(([("p", "p")], [("p", "p"), ("q", "q")], []))
    truth = exact_sets.conflict(left, right, left_ranges, right_ranges, shared, pairs)
    verdict = pair_conflict(
        left,
        right,
        dup_left="pq",
        dup_right="pq",
        pairs=pairs,
        ranges=SideRanges(shared, left_ranges, right_ranges),
    )
    if isinstance(verdict, CrossThread):
        answer, reason = exact_sets.CROSS_THREAD, verdict.reason.partition(":")[0]
    elif isinstance(verdict, Disjoint):
        answer, reason = exact_sets.DISJOINT, "none"
    else:
        answer, reason = exact_sets.SAME_THREAD, "less than disjoint"
    problem = f"{left} {right} {left_ranges} {right_ranges} {shared} {pairs}"
    return Comparison("pair_conflict", truth, answer, reason, problem)


def compare_separates(random: Random) -> Comparison:
    ranges = {s: _interval(random) for s in "pqr"}
    cell = _vector(random, ranges, random.choice((1, 1, 2)))
    syms = random.sample("pqr", random.choice((1, 2)))
    pairs = [(s, s) for s in syms]
    truth = exact_sets.conflict(cell, cell, ranges, ranges, {}, pairs) > 0
    answer = separates(cell, concurrent="pqr", syms=syms, ranges=SideRanges(ranges))
    return Comparison("separates", truth, answer, "no rule", f"{cell} {syms} {ranges}")


def compare_within(random: Random, *, with_premises: bool) -> Comparison:
    ranges = {s: _interval(random) for s in "abc"}
    rank = random.choice((1, 2))
    cell = problems.vector(random, "abc", 0.03, rank)
    premises = []
    for _ in range(random.choice((1, 2, 2, 3)) if with_premises else 0):
        form = linear(problems.component(random, "abc", 0.0))
        assert form is not None
        premises.append(form)
    dims = [_size(random, form, ranges) for form in map(linear, cell)]
    truth = exact_sets.inside(cell, dims, ranges, premises)
    told: list[str] = []
    answer = within_box(
        cell, dims, ranges=ranges, premises=premises, why=lambda _, code: told.append(code)
    )
    name = "within_box, premises" if with_premises else "within_box"
    problem = f"{cell} {dims} {ranges} {premises}"
    return Comparison(name, truth, answer, told[0] if told else "none", problem)


def _size(random: Random, form: Linear | None, ranges: dict[Sym, Interval]) -> int:
    """A length near what the form reaches."""
    if form is None:
        return 5
    high = form.offset + sum(max(c * x for x in ranges[s]) for s, c in form.terms.items())
    return max(1, high + random.choice((1, 1, 0, -1, 4)))


def compare_covers(random: Random) -> Comparison:
    ranges = {s: _interval(random) for s in "ab"}
    cell = _vector(random, ranges, random.choice((1, 1, 2)))
    forms = linear_parts(cell)
    used = {s: ranges[s] for form in forms for s in form.terms}
    dims = [_size(random, form, ranges) for form in map(linear, cell)]
    truth = len(forms) == len(cell) and exact_sets.covers(forms, dims, used)
    told: list[str] = []
    answer = covers_box(cell, dims, ranges=ranges, why=lambda _, code: told.append(code))
    reason = told[0] if told else "none"
    return Comparison("covers_box", truth, answer, reason, f"{cell} {dims} {ranges}")


def compare_injective(random: Random) -> Comparison:
    widths = {s: random.choice((1, 2, 3, 8, 64, 1000)) for s in "abc"}
    ranges = {s: (0, width - 1) for s, width in widths.items()}
    cell = _vector(random, ranges, random.choice((1, 2)))
    forms = linear_parts(cell)
    used = {s: ranges[s] for form in forms for s in form.terms}
    truth = bool(forms) and exact_sets.is_injective(forms, used)
    answer = injective_map(forms_only(cell), width=lambda s: widths[s])
    return Comparison("injective_map", truth or not used, answer, "no rule", f"{cell} {widths}")


def forms_only(cell: Sequence[AxisIndex]) -> list[AxisIndex]:
    """The linear components of a cell."""
    return [index for index in cell if linear(index) is not None]


COMPARISONS: tuple[Callable[[Random], Comparison], ...] = (
    compare_conflict,
    compare_separates,
    lambda random: compare_within(random, with_premises=False),
    lambda random: compare_within(random, with_premises=True),
    compare_covers,
    compare_injective,
)


def compare(number: int, seed: int) -> Comparison:
    """Problem `number` of a seed."""
    random = Random(f"{seed}/{number}")
    return COMPARISONS[number % len(COMPARISONS)](random)


def main(arguments: list[str]) -> int:
    """0 if no answer was stronger than the truth."""
    parser = argparse.ArgumentParser(prog="python -m tests.affine.exact_check")
    parser.add_argument("--count", type=int, default=600)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args(arguments)
    true: Counter[str] = Counter()
    declined: dict[str, Counter[str]] = defaultdict(Counter)
    unsound = 0
    for number in range(options.count):
        found = compare(number, options.seed)
        if found.answer > found.truth:
            unsound += 1
            print(f"UNSOUND {found}")
        true[found.query] += found.truth > 0
        if found.answer < found.truth:
            declined[found.query][found.reason] += 1
    for query, count in true.items():
        reasons = ", ".join(f"{r} {n}" for r, n in declined[query].most_common())
        share = 100 * declined[query].total() / max(1, count)
        print(f"{query}: {count:,} true, {share:.1f} % declined: {reasons or 'none'}")
    print(f"{options.count:,} problems, {unsound} unsound answers")
    return 1 if unsound else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
