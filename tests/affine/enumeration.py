"""The truth of questions by visiting boxes, written apart from the engine and without its rules.

An opaque component may take any value at each evaluation: two of them may always be equal, and
never have to be. Everything here takes small boxes with known ranges.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import product

from mapal.affine import Access, Affine, AxisIndex, Dynamic, Fixed, Interval, Iter, Var

Point = Mapping[str, int]


def points(ranges: Mapping[str, Interval]) -> Iterator[dict[str, int]]:
    """Every point of a box; one point if there are no symbols, none if a range is dead."""
    names = list(ranges)
    for values in product(*(range(ranges[n][0], ranges[n][1] + 1) for n in names)):
        yield dict(zip(names, values, strict=True))


def value(index: AxisIndex, point: Point) -> int | None:
    """The value of a component at a point, None for an opaque one."""
    if isinstance(index, Fixed):
        return index.cell
    if isinstance(index, Iter):
        return point[index.symbol]
    if isinstance(index, Affine):
        return index.offset + sum(c * point[s] for c, s in index.terms)
    return None


def cell(indices: Sequence[AxisIndex], point: Point, rank: int) -> tuple[int | None, ...]:
    return tuple([value(i, point) for i in indices] + [0] * (rank - len(indices)))


def meet(one: Sequence[int | None], other: Sequence[int | None]) -> bool:
    """Whether two cells can be one."""
    return all(a is None or b is None or a == b for a, b in zip(one, other, strict=True))


def names_of(indices: Sequence[AxisIndex]) -> set[str]:
    """The symbols written in the linear components, cancelled or not."""
    found: set[str] = set()
    for index in indices:
        if isinstance(index, Iter):
            found.add(index.symbol)
        elif isinstance(index, Affine):
            found |= {s for _, s in index.terms}
    return found


def conflict(
    left: Sequence[AxisIndex],
    right: Sequence[AxisIndex],
    dup_left: Collection[str],
    dup_right: Collection[str],
    pairs: Sequence[tuple[str, str]],
    ranges: Mapping[Var, Interval],
) -> str:
    """The strongest true verdict, over every value of every variable."""
    rank = max(len(left), len(right))

    def variable(symbol: str, side: str, dup: Collection[str]) -> Var:
        return Var("S" if symbol not in dup else "L" if side == "L" else "R", symbol)

    lefts = names_of(left) | set(dup_left) | {x for x, _ in pairs}
    rights = names_of(right) | set(dup_right) | {y for _, y in pairs}
    mine = {s: variable(s, "L", dup_left) for s in lefts}
    others = {s: variable(s, "R", dup_right) for s in rights}
    order = sorted({*mine.values(), *others.values()})
    touched = False
    for numbers in product(*(range(ranges[v][0], ranges[v][1] + 1) for v in order)):
        at = dict(zip(order, numbers, strict=True))
        one = cell(left, {s: at[v] for s, v in mine.items()}, rank)
        other = cell(right, {s: at[v] for s, v in others.items()}, rank)
        if meet(one, other):
            touched = True
            if not pairs or any(at[mine[x]] != at[others[y]] for x, y in pairs):
                return "CrossThread"
    return "SameThread" if touched else "Disjoint"


def fibers(indices: Sequence[AxisIndex], domain: Mapping[str, int]) -> tuple[int, int] | None:
    """The least and the greatest fiber; opaque components may merge all or tell all apart."""
    counts: dict[tuple[int | None, ...], int] = {}
    for point in points({s: (0, w - 1) for s, w in domain.items()}):
        hit = cell(indices, point, len(indices))
        counts[hit] = counts.get(hit, 0) + 1
    if not counts:
        return None
    opaque = any(value(i, dict.fromkeys(domain, 0)) is None for i in indices)
    return (1 if opaque else min(counts.values())), max(counts.values())


def cells_of_access(access: Access, point: Point, rank: int) -> set[tuple[int | None, ...]]:
    """The cells of one instance of an access, its run included."""
    base = cell(access.map, point, rank)
    if not access.vec_len:
        return {base}
    axis = len(access.map) - 1
    found = set()
    for step in range(access.vec_len):
        last = base[axis]
        moved = None if last is None else last + step
        found.add((*base[:axis], moved, *base[axis + 1 :]))
    return found


def instances(access: Access, outer: Point) -> Iterator[dict[str, int]]:
    """Every iteration of the loops of an access; of loops with one symbol the inner wins."""
    for iteration in _iterations(access):
        yield {**outer, **dict(iteration)}


def touch(a: Access, b: Access, scalars: Mapping[str, Interval]) -> bool:
    """Whether two accesses can name one cell."""
    rank = max(len(a.map), len(b.map))
    for at in points(scalars):
        ones = [c for p in instances(a, at) for c in cells_of_access(a, p, rank)]
        others = [c for p in instances(b, at) for c in cells_of_access(b, p, rank)]
        if any(a.whole or b.whole or meet(one, other) for one in ones for other in others):
            return True
    return False


def covered(
    read: Access,
    writes: Sequence[Access],
    thread: Collection[str],
    scalars: Mapping[str, Interval],
    before: Sequence[bool],
) -> bool:
    """Whether each instance of the load finds its cell stored in the same iteration of the loops
    around both, by its own thread. `before` says which stores precede the load."""
    rank = max(len(a.map) for a in (read, *writes))
    # A thread outside of the range of a loop does not run it: a load of any thread sees no store
    # of a thread loop that is not around the load.
    mine_threads = {s for s, _, _ in read.loops if s in thread}
    alien = [any(s in thread and s not in mine_threads for s, _, _ in w.loops) for w in writes]
    for at in points(scalars):
        for mine in _iterations(read):
            outer = {**at, **dict(mine)}
            stored: set[tuple[int | None, ...]] = set()
            whole = False
            for write, earlier, other in zip(writes, before, alien, strict=True):
                if other or not (write.write and earlier) or write.guarded or write.dynamic:
                    continue
                shared = _shared(read, write)
                for theirs in _iterations(write):
                    if theirs[:shared] != mine[:shared] or not _one_thread(mine, theirs, thread):
                        continue
                    whole = whole or write.whole
                    point = {**at, **dict(theirs)}
                    stored |= {c for c in cells_of_access(write, point, rank) if None not in c}
            if not whole and any(c not in stored for c in _wanted(read, outer, rank)):
                return False
    return True


def _wanted(read: Access, point: Point, rank: int) -> Iterator[tuple[int | None, ...]]:
    if read.whole:
        yield (None,)
        return
    axes: list[Sequence[int | None]] = []
    for axis, number in enumerate(cell(read.map, point, rank)):
        index = read.map[axis] if axis < len(read.map) else Fixed(0)
        if isinstance(index, Dynamic) and read.dynamic and index.extent:
            axes.append(range(index.extent))
        elif axis == len(read.map) - 1 and read.vec_len and number is not None:
            axes.append(range(number, number + read.vec_len))
        else:
            axes.append([number])
    yield from product(*axes)


def _iterations(access: Access) -> Iterator[tuple[tuple[str, int], ...]]:
    names = [symbol for symbol, _, _ in access.loops]
    for numbers in product(*(range(low, high + 1) for _, low, high in access.loops)):
        yield tuple(zip(names, numbers, strict=True))


def _shared(read: Access, write: Access) -> int:
    count = 0
    while count < min(len(read.loops), len(write.loops)):
        if read.loops[count] != write.loops[count]:
            break
        count += 1
    return count


def _one_thread(
    mine: Sequence[tuple[str, int]], theirs: Sequence[tuple[str, int]], thread: Collection[str]
) -> bool:
    """Whether both iterations can be of one thread: its loops have one number on both sides."""
    numbers: dict[str, int] = {}
    for symbol, number in (*mine, *theirs):
        if symbol in thread and numbers.setdefault(symbol, number) != number:
            return False
    return True
