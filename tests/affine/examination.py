"""One random problem asked to the engine and to enumeration, and how the answers compare.

The engine is asked twice: by its rules alone, and with visits of small boxes. Both answers are
to be true, and visits may only add proofs.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import product
from math import prod
from random import Random

from mapal.affine import (
    Access,
    Affine,
    AtLeast,
    AtMost,
    AxisIndex,
    Concat,
    CrossThread,
    Disjoint,
    Exact,
    Interval,
    Iter,
    Projection,
    SameThread,
    Unknown,
    Var,
    ap_covered_chunk,
    ap_of_form,
    ap_subset,
    covers_box,
    fiber_cardinality,
    fiber_cardinality_ub,
    forced_pairs,
    infeasible,
    injective_map,
    is_injective,
    is_surjective,
    may_touch_same_cell,
    pair_conflict,
    path_before,
    read_covered_before,
    value_pinned,
    vec_runs_disjoint,
    within_box,
)
from mapal.affine.index import POINTS
from mapal.affine.progression import AP
from tests.affine import enumeration as truth
from tests.affine import problems


@dataclass(frozen=True, slots=True)
class Finding:
    """How one problem went.

    `decidable`: the truth is a yes. `rules`, `visits`: whether the engine proved it, without and
    with visits. `reason`: why the rules declined. `fault`: what is untrue, None if nothing.
    """

    query: str
    decidable: bool
    rules: bool
    visits: bool
    reason: str
    fault: str | None


def _finding(
    query: str,
    problem: object,
    true: int,
    ask: Callable[[int], int],
    reason: str | Callable[[], str] = "no_rule",
) -> Finding:
    """From the strength of the truth and of the answers within a number of points."""
    rules, visits = ask(0), ask(POINTS)
    fault = None
    if max(rules, visits) > true:
        fault = f"{query}: answered {(rules, visits)}, the truth is {true}: {problem!r}"
    elif visits < rules:
        fault = f"{query}: visits weakened {rules} to {visits}: {problem!r}"
    told = reason if isinstance(reason, str) else reason()
    return Finding(query, true > 0, rules == true, visits == true, told, fault)


def examine_infeasible(random: Random) -> Finding:
    names = [Var(side, s) for side in ("L", "R", "S") for s in "pq"]
    bounds = {v: problems.interval(random) for v in names}
    terms = {v: random.choice(problems.COEFFICIENTS) for v in random.sample(names, 3)}
    rhs = random.randint(-6, 9)
    hidden = {v for v in names if random.random() < 0.1}
    solved = any(
        sum(c * x for c, x in zip(terms.values(), point, strict=True)) == rhs
        for point in product(
            *(
                range(bounds[v][0] - 9 * (v in hidden), bounds[v][1] + 1 + 9 * (v in hidden))
                for v in terms
            )
        )
    )
    return _finding(
        "infeasible",
        (terms, rhs, bounds, hidden),
        not solved,
        lambda n: infeasible(
            terms, rhs, ranges=lambda v: None if v in hidden else bounds[v], points=n
        ),
    )


def examine_forced_pairs(random: Random) -> Finding:
    coefficients = [random.choice(problems.COEFFICIENTS) for _ in range(random.randint(1, 2))]
    terms: dict[Var, int] = {}
    for number, c in enumerate(coefficients):
        terms[Var("L", f"p{number}")] = c
        terms[Var("R", f"p{number}")] = -c if random.random() < 0.9 else c
    rhs = random.choice((0, 0, 0, 1))
    bounds = {v: problems.interval(random) for v in terms}
    points = [
        dict(zip(terms, values, strict=True))
        for values in product(*(range(bounds[v][0], bounds[v][1] + 1) for v in terms))
        if sum(c * x for c, x in zip(terms.values(), values, strict=True)) == rhs
    ]
    lefts = [v for v in terms if v.side == "L"]
    rights = [v for v in terms if v.side == "R"]
    forced = {
        (v.symbol, w.symbol)
        for v in lefts
        for w in rights
        if points and all(point[v] == point[w] for point in points)
    }
    hidden = random.random() < 0.1
    answers = {
        n: set(forced_pairs(terms, rhs, ranges=lambda v: None if hidden else bounds[v], points=n))
        for n in (0, POINTS)
    }
    wrong = points and not all(found <= forced for found in answers.values())
    fault = f"forced_pairs: {answers}, {forced}: {terms} = {rhs} in {bounds}" if wrong else None
    return Finding(
        "forced_pairs",
        bool(forced),
        answers[0] >= forced,
        answers[POINTS] >= forced,
        "no_range" if hidden else "no_rule",
        fault,
    )


def examine_injective_map(random: Random) -> Finding:
    widths = {s: random.choice((1, 2, 2, 3, 4)) for s in "abc"}
    indices = problems.vector(random, "abc", 0.05)
    if random.random() < 0.4:
        indices = (problems.digits(random, "abc", list(widths.values())),)
    names = truth.names_of(indices) - _cancelled(indices)
    names |= {s for i in indices if isinstance(i, Concat) for s in i.symbols}
    widths |= {"c": widths["c"], "d": 2}
    # A symbol that nothing mentions stays at one value.
    found = truth.fibers(indices, {s: w if s in names else 1 for s, w in widths.items()})
    return _finding(
        "injective_map",
        (indices, widths),
        found is not None and found[1] == 1,
        lambda n: injective_map(indices, width=lambda s: widths[s], points=n),
    )


def _cancelled(indices: tuple[object, ...]) -> set[str]:
    """Symbols that only cancelled terms name."""
    totals: dict[str, bool] = {}
    for index in indices:
        if isinstance(index, Affine):
            for _, s in index.terms:
                total = sum(c for c, other in index.terms if other == s)
                totals[s] = totals.get(s, False) or total != 0
        elif isinstance(index, Iter):
            totals[index.symbol] = True
    return {s for s, some in totals.items() if not some}


_STRENGTH = {"CrossThread": 0, "SameThread": 1, "Disjoint": 2}


def examine_pair_conflict(random: Random) -> Finding:
    symbols = ["p", "q", "n"]
    rank = random.choice((1, 1, 2, 2, 3))
    left = problems.vector(random, symbols, 0.04, rank)
    kind = random.random()
    right = left if kind < 0.5 else problems.vector(random, symbols, 0.04)
    if kind < 0.2:
        left = right = (problems.digits(random, "pq", (4, 3)), *left[:1])
    dup_left = ["p", "q"] if random.random() < 0.8 else ["p"]
    dup_right = dup_left if random.random() < 0.9 else ["q"]
    pairs = random.choice(([("p", "p")], [("p", "p"), ("q", "q")], [("p", "q")], []))
    shared = problems.ranges(random, symbols)
    both = random.random() < 0.8
    rights = shared if both else problems.ranges(random, symbols)
    lefts = shared
    bounds: dict[Var, Interval] = {}
    for symbol in symbols:
        bounds[Var("S", symbol)] = shared[symbol]
        bounds[Var("L", symbol)] = lefts[symbol]
        bounds[Var("R", symbol)] = rights[symbol]
    hidden = {v for v in bounds if random.random() < 0.07}
    # What the engine does not know is enumerated over a window.
    window = {v: (i[0] - 2, i[1] + 2) if v in hidden else i for v, i in bounds.items()}

    def ask(n: int) -> CrossThread | SameThread | Disjoint:
        return pair_conflict(
            left,
            right,
            dup_left=dup_left,
            dup_right=dup_right,
            pairs=pairs,
            ranges=lambda v: None if v in hidden else bounds[v],
            points=n,
        )

    true = truth.conflict(left, right, dup_left, dup_right, pairs, window)
    dead = any(bounds[Var("L", s)][1] < bounds[Var("L", s)][0] for s in dup_left) or any(
        bounds[Var("R", s)][1] < bounds[Var("R", s)][0] for s in dup_right
    )
    verdict = ask(0)
    code = verdict.reason.split(":")[0] if isinstance(verdict, CrossThread) else "no_rule"
    found = _finding(
        "pair_conflict",
        (left, right, dup_left, dup_right, pairs, bounds, hidden),
        2 if dead else _STRENGTH[true],
        lambda n: _STRENGTH[type(ask(n)).__name__],
        code,
    )
    fault = found.fault or _false_example(ask(POINTS), left, right, pairs)
    return Finding(found.query, found.decidable, found.rules, found.visits, code, fault)


def _false_example(
    verdict: object,
    left: Sequence[AxisIndex],
    right: Sequence[AxisIndex],
    pairs: Sequence[tuple[str, str]],
) -> str | None:
    """What is wrong with the example of a conflict, if the verdict has one."""
    if not isinstance(verdict, CrossThread) or verdict.example is None:
        return None
    # Symbols that cancel are in no example and make no difference.
    one, other = Counter(dict(verdict.example.left)), Counter(dict(verdict.example.right))
    rank = max(len(left), len(right))
    cells = truth.cell(left, one, rank), truth.cell(right, other, rank)
    if cells[0] != cells[1] or all(one[x] == other[y] for x, y in pairs):
        return f"no conflict: {verdict.example} of {left} and {right}, {pairs}"
    return None


def examine_within_box(random: Random) -> Finding:
    indices = problems.vector(random, "pq")
    dims = [random.randint(1, 14) for _ in indices]
    bounds = problems.ranges(random, "pq")
    inside = all(
        n is not None and 0 <= n < d
        for point in truth.points(bounds)
        for n, d in zip(truth.cell(indices, point, len(dims)), dims, strict=True)
    )
    known = bounds if random.random() < 0.9 else {"p": bounds["p"]}
    codes = ["no_rule"]
    within_box(indices, dims, ranges=known, why=lambda _, code: codes.append(code))
    return _finding(
        "within_box",
        (indices, dims, bounds, known),
        inside,
        lambda n: within_box(indices, dims, ranges=known),
        codes[-1],
    )


def examine_covers_box(random: Random) -> Finding:
    bounds = problems.ranges(random, "abc")
    widths = [max(0, high - low + 1) for low, high in bounds.values()]
    indices = problems.vector(random, "abc", 0.03, random.choice((1, 2)))
    dims = [random.randint(1, 6) for _ in indices]
    if random.random() < 0.6:
        indices = (problems.digits(random, "abc", widths),)
        dims = [prod(widths)]
        low = -min((truth.value(indices[0], p) or 0 for p in truth.points(bounds)), default=0)
        if isinstance(indices[0], Affine) and random.random() < 0.8:
            indices = (Affine(indices[0].terms, indices[0].offset + low),)
    names = truth.names_of(indices) - _cancelled(indices)
    # A symbol that nothing mentions stays at one value.
    moving = {s: i if s in names else (0, 0) for s, i in bounds.items()}
    cells = [truth.cell(indices, p, len(dims)) for p in truth.points(moving)]
    box = list(product(*(range(d) for d in dims)))
    true = (
        bool(cells)
        and all(None not in c for c in cells)
        and sorted(map(str, cells)) == sorted(map(str, box))
    )
    codes = ["no_rule"]
    covers_box(indices, dims, ranges=bounds, why=lambda _, code: codes.append(code), points=0)
    return _finding(
        "covers_box",
        (indices, dims, bounds),
        true,
        lambda n: covers_box(indices, dims, ranges=bounds, points=n),
        codes[-1],
    )


def examine_fiber(random: Random) -> Finding:
    domain = {s: random.choice((1, 2, 2, 3, 3, 4)) for s in "abc"}
    if random.random() < 0.02:
        domain["a"] = 0
    indices = problems.vector(random, "abc", 0.05)
    found = truth.fibers(indices, domain)
    low, high = (0, 0) if found is None else found
    upper = random.random() < 0.5
    function = fiber_cardinality_ub if upper else fiber_cardinality
    name = "fiber_cardinality_ub" if upper else "fiber_cardinality"
    fault = None
    tight = []
    for n in (0, POINTS):
        answer = function(indices, list(domain.items()), points=n)
        right = {
            Exact: answer.count == low == high,
            AtLeast: answer.count <= low,
            AtMost: answer.count >= high,
        }[type(answer)]
        if not right:
            fault = f"{name}: {answer}, the truth is {(low, high)}: {indices!r} over {domain}"
        tight.append(answer.count == (high if upper else low))
    return Finding(name, True, tight[0], tight[1], "no_rule", fault)


def examine_projection(random: Random) -> Finding:
    problem = problems.projection(random)
    surjective = random.random() < 0.5
    query = is_surjective if surjective else is_injective
    cells = _projected(problem)
    if surjective:
        # An opaque position may miss any cell, so nothing is certain with one.
        true = set(cells) >= set(product(*(range(d) for d in problem.lhs_dims)))
    else:
        true = len(set(cells)) == len(cells)
    name = "is_surjective" if surjective else "is_injective"
    return _finding(name, problem, true, lambda n: query(problem, points=n))


def _projected(problem: Projection) -> list[tuple[int | None, ...]]:
    """The cells of all points of all blocks; None where an axis cannot be read."""
    cells: list[tuple[int | None, ...]] = []
    listed = [tuple(s for s, _ in part) for part in problem.components]
    for block in product(*problem.components):
        for point in truth.points({s: (0, w - 1) for s, w in block}):
            cell: list[int | None] = []
            for index in problem.lhs:
                if isinstance(index, Concat) and index.symbols in listed:
                    part = problem.components[listed.index(index.symbols)]
                    at = next(n for n, (s, _) in enumerate(part) if s in point)
                    cell.append(sum(w for _, w in part[:at]) + point[part[at][0]])
                else:
                    cell.append(truth.value(index, point))
            cells.append(tuple(cell))
    return cells


def _values(ap: AP) -> list[int]:
    return list(range(ap.lo, ap.hi + 1, ap.step)) if ap.step else [ap.lo]


def _progression(random: Random) -> AP:
    low, step, count = random.randint(-3, 4), random.randint(1, 4), random.randint(0, 4)
    return AP(low, low + step * count, step if count else 0)


def examine_progressions(random: Random) -> Finding:
    kind = random.choice(("ap_of_form", "ap_subset", "ap_covered_chunk"))
    if kind == "ap_subset":
        r, w = _progression(random), _progression(random)
        true = set(_values(r)) <= set(_values(w))
        return _finding(kind, (r, w), true, lambda n: ap_subset(r, w))
    if kind == "ap_covered_chunk":
        r, w = _progression(random), _progression(random)
        stored = [k for k, c in enumerate(_values(r)) if c in set(_values(w))]
        chunk = ap_covered_chunk(r, w)
        found = [] if chunk is None else list(range(chunk[0], chunk[1] + 1))
        wrong = not set(found) <= set(stored)
        fault = f"{kind}: {chunk}, the truth is {stored}: {r}, {w}" if wrong else None
        return Finding(kind, bool(stored), found == stored, found == stored, "not_a_run", fault)
    terms = []
    for _ in range(random.randint(0, 3)):
        low = random.randint(-2, 2)
        terms.append((random.choice(problems.COEFFICIENTS), (low, low + random.randint(1, 3))))
    offset = random.randint(-2, 2)
    values = {
        offset + sum(c * x for (c, _), x in zip(terms, point, strict=True))
        for point in product(*(range(lo, hi + 1) for _, (lo, hi) in terms))
    }
    exact, hull = ap_of_form(terms, offset, exact=True), ap_of_form(terms, offset, exact=False)
    fault = None
    if exact is not None and set(_values(exact)) != values:
        fault = f"ap_of_form: {exact} is not {sorted(values)}: {terms}, {offset}"
    if hull is None or not set(_values(hull)) >= values:
        fault = f"ap_of_form: {hull} does not hold {sorted(values)}: {terms}, {offset}"
    # Some progression holds exactly these values iff the hull does.
    true = hull is not None and set(_values(hull)) == values
    return Finding(kind, true, exact is not None, exact is not None, "not_dense", fault)


def examine_may_touch(random: Random) -> Finding:
    outer = [("i", *problems.interval(random))]
    rank = random.choice((1, 1, 2))
    a = problems.access(random, outer, ["j", "k", "i"], ["n"], True, rank)
    b = problems.access(random, outer, ["j", "u", "i"], ["n"], False, rank)
    scalars = {"n": problems.interval(random)}
    known = scalars if random.random() < 0.5 else {}
    window = scalars if known else {"n": (-3, 4)}
    true = not truth.touch(a, b, window)
    reason = "dynamic_or_whole" if a.dynamic or a.whole or b.dynamic or b.whole else "no_rule"
    return _finding(
        "may_touch_same_cell",
        (a, b, known),
        true,
        lambda n: not may_touch_same_cell(a, b, static_range=known, points=n),
        reason,
    )


def examine_coverage(random: Random) -> Finding:
    outer: list[tuple[str, int, int]] = []
    for symbol in ("t", "b")[: random.choice((0, 1, 1, 2))]:
        outer.append((symbol, *problems.interval(random, 2)))
    thread = [s for s in ("t", "k") if random.random() < 0.35]
    rank = random.choice((1, 1, 2))
    if random.random() < 0.5:
        read, writes = problems.covering(random, outer, rank)
    else:
        read = problems.access(random, outer, ["u", "k", "b"], ["n"], False, rank)
        writes = [
            problems.access(random, outer, ["i", "k", "t"], ["n"], random.random() < 0.95, rank)
            for _ in range(random.randint(1, 3))
        ]
    scalars = {"n": problems.interval(random)}
    known = scalars if random.random() < 0.5 else {}
    window = scalars if known else {"n": (-3, 4)}
    before = [path_before(write.path, read.path) for write in writes]
    true = truth.covered(read, writes, thread, window, before)

    def ask(n: int) -> int:
        answer = read_covered_before(read, writes, thread=thread, static_range=known, points=n)
        return not isinstance(answer, Unknown)

    return _finding(
        "read_covered_before",
        (read, writes, thread, known),
        true,
        ask,
        lambda: _why_not_covered(read, writes, thread, known),
    )


def _why_not_covered(
    read: Access, writes: list[Access], thread: list[str], known: dict[str, Interval]
) -> str:
    answer = read_covered_before(read, writes, thread=thread, static_range=known, points=0)
    if not isinstance(answer, Unknown):
        return "no_rule"
    if answer.code != "not_covered":
        return answer.code
    filters = {"not_a_write", "dead_write", "guarded_write", "dynamic_write", "not_before"}
    return next((c for c in answer.writes if c not in filters | {"thread_mismatch"}), answer.code)


def examine_runs(random: Random) -> Finding:
    loops = [(s, *problems.interval(random)) for s in ("r", "i")]
    indices = problems.vector(random, ["r", "i"], 0.03, random.choice((1, 2)))
    run = random.randint(1, 4)
    minor = random.randint(4, 20)
    a = Access(map=indices, write=True, vec_len=run, loops=tuple(loops))
    bases = {truth.cell(indices, p, len(indices)) for p in truth.instances(a, {})}
    inside = all(b[-1] is not None and 0 <= b[-1] <= minor - run for b in bases)
    ends = [(b, (*b[:-1], b[-1] + k)) for b in bases if b[-1] is not None for k in range(run)]
    # An opaque component may be one value at every visit.
    true = inside and len({cell for _, cell in ends}) == len(ends)
    return _finding("vec_runs_disjoint", (a, minor), true, lambda n: vec_runs_disjoint(a, minor))


def examine_value_pinned(random: Random) -> Finding:
    loops = tuple((s, *problems.interval(random)) for s in ("t", "s", "k"))
    indices = problems.vector(random, ["t", "s", "k"], 0.03)
    thread = ["t", "s"]
    needed = tuple(s for s in ("t", "s", "k") if random.random() < 0.5)
    a = Access(map=indices, write=True, val_syms=needed, loops=loops)
    values: dict[tuple[int | None, ...], set[tuple[int, ...]]] = {}
    for point in truth.instances(a, {}):
        told = tuple(point[s] for s in needed if s in thread)
        values.setdefault(truth.cell(indices, point, len(indices)), set()).add(told)
    true = all(len(told) == 1 for told in values.values())
    return _finding("value_pinned", a, true, lambda n: value_pinned(a, thread))


EXAMINATIONS: tuple[Callable[[Random], Finding], ...] = (
    examine_infeasible,
    examine_forced_pairs,
    examine_injective_map,
    examine_pair_conflict,
    examine_within_box,
    examine_covers_box,
    examine_fiber,
    examine_projection,
    examine_progressions,
    examine_may_touch,
    examine_coverage,
    examine_runs,
    examine_value_pinned,
)
