"""Random small problems: ranges that start anywhere, hold one value or none, names reused."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from random import Random
from typing import TypeAlias

from mapal.affine import (
    Access,
    Affine,
    Arg,
    AxisIndex,
    Concat,
    Dynamic,
    Fixed,
    Interval,
    Iter,
    Part,
    Projection,
    Stmt,
    SubAxis,
)
from mapal.affine.index import Linear, linear

COEFFICIENTS = (1, 1, 1, 1, -1, 2, 2, -2, 3, 4, 4, 6, -3)


def interval(random: Random, most: int = 3) -> Interval:
    """A range: mostly from 0, sometimes of one value, rarely dead."""
    low = random.choice((0, 0, 0, 0, 1, -1, 2))
    return low, low + random.choice((0, 1, 1, 2, 2, most, most)) - (random.random() < 0.03) * 5


def ranges(random: Random, symbols: Sequence[str], most: int = 3) -> dict[str, Interval]:
    return {symbol: interval(random, most) for symbol in symbols}


def component(random: Random, symbols: Sequence[str], opaque: float = 0.05) -> AxisIndex:
    """A component, mostly a plain symbol or a sum of few terms."""
    kind = random.random()
    if kind < opaque:
        return random.choice((SubAxis(), Dynamic(), Concat(("c", "d"))))
    if kind < opaque + 0.1 or not symbols:
        return Fixed(random.randint(-1, 3))
    if kind < 0.45:
        return Iter(random.choice(symbols))
    terms = [
        (random.choice(COEFFICIENTS), random.choice(symbols))
        for _ in range(random.choice((1, 2, 2, 3)))
    ]
    return Affine(tuple(terms), random.choice((0, 0, 0, 1, -1, 2, 3)))


def vector(
    random: Random, symbols: Sequence[str], opaque: float = 0.05, rank: int | None = None
) -> tuple[AxisIndex, ...]:
    if rank is None:
        rank = random.choice((1, 1, 2, 2, 3))
    return tuple(component(random, symbols, opaque) for _ in range(rank))


def digits(random: Random, symbols: Sequence[str], widths: Sequence[int]) -> Affine:
    """Positional notation over the symbols, in a random order and sometimes spoiled."""
    order = list(zip(symbols, widths, strict=True))
    random.shuffle(order)
    size, terms = 1, []
    for symbol, width in order:
        terms.append((size * random.choice((1, 1, 1, -1)), symbol))
        size *= max(1, width + (random.random() < 0.15) - (random.random() < 0.1))
    return Affine(tuple(terms), random.choice((0, 0, 0, 1)))


def path(random: Random, write: bool) -> tuple[Stmt | Arg | Part, ...]:
    head = Stmt(random.randint(0, 3))
    inner = random.random()
    end = Part.WRITE if write else random.choice((Part.RHS, Part.RHS, Part.COND))
    if inner < 0.2:
        return head, Stmt(random.randint(0, 2)), end
    if inner < 0.3:
        return head, Part.RHS, Arg(random.randint(0, 1)), Stmt(random.randint(0, 1)), end
    if inner < 0.36:
        return head, Part.BODY, end
    return head, end


def access(
    random: Random,
    outer: Sequence[tuple[str, int, int]],
    names: Sequence[str],
    scalars: Sequence[str],
    write: bool,
    rank: int,
) -> Access:
    """An access below some of the outer loops, with some loops of its own."""
    kept = outer[: random.choice((0, len(outer), len(outer)))]
    own = [(s, *interval(random)) for s in random.sample(names, random.choice((0, 1, 1, 2)))]
    loops = (*kept, *own)
    symbols = sorted({s for s, _, _ in loops} | set(scalars))
    indices = vector(random, symbols, 0.02, rank)
    dynamic = random.random() < 0.06
    if dynamic:
        extent = random.choice((None, 2, 4))
        indices = (Dynamic(extent), *indices[1:])
    whole = not dynamic and random.random() < 0.05
    run = random.choice((2, 3, 4)) if random.random() < 0.12 and not whole else 0
    return Access(
        map=() if whole else indices,
        write=write,
        dynamic=dynamic,
        whole=whole,
        vec_len=run,
        guarded=write and random.random() < 0.06,
        loops=loops,
        path=path(random, write),
    )


def covering(
    random: Random, outer: Sequence[tuple[str, int, int]], rank: int
) -> tuple[Access, list[Access]]:
    """A load of a box and stores that fill it in parts, with parts missing at times.

    The axes that outer loops move are the same in all of them.
    """
    common = [Iter(s) for s, _, _ in outer][: max(0, rank - 1)]
    free = rank - len(common)
    sizes = [random.choice((1, 2, 3, 4)) for _ in range(free)]
    own = [(f"u{n}", 0, size - 1) for n, size in enumerate(sizes)]
    load = Access(
        map=(*common, *(Iter(s) for s, _, _ in own)),
        loops=(*outer, *own),
        path=(Stmt(0), Stmt(5), Part.RHS),
    )
    axis = random.randrange(free)
    if random.random() < 0.25:
        sizes[axis] = 6
        own[axis] = (f"u{axis}", 0, 5)
        load = replace(load, loops=(*outer, *own))
    writes = []
    for number, (index, loops) in enumerate(_pieces(random, axis, sizes[axis])):
        others = [(f"k{n}", 0, size - 1) for n, size in enumerate(sizes)]
        parts: list[AxisIndex] = [Iter(s) for s, _, _ in others]
        parts[axis] = index
        del others[axis]
        # A store outside of the inner outer loops, or of a thread loop of another extent.
        kept = list(outer[: random.choice((len(outer), len(outer), 0, 1))])
        if kept and random.random() < 0.1:
            symbol, low, high = kept[-1]
            kept[-1] = (symbol, low, high + random.choice((-1, 1)))
        # What the store is not under, it runs over itself.
        bound = {s for s, _, _ in kept}
        moved = [(f"w{s}", low, high) for s, low, high in outer if s not in bound]
        names = [i.symbol if i.symbol in bound else f"w{i.symbol}" for i in common]
        writes.append(
            Access(
                map=(*map(Iter, names), *parts),
                write=True,
                loops=(*kept, *moved, *others, *loops),
                path=(Stmt(0), Stmt(number), Part.WRITE),
            )
        )
    return load, writes


Piece: TypeAlias = tuple[AxisIndex, list[tuple[str, int, int]]]


def _pieces(random: Random, axis: int, size: int) -> list[Piece]:
    """Stores along an axis that fill `[0, size)` or nearly: runs, combs, blocks of digits."""
    name, inner = f"k{axis}", f"m{axis}"
    if size == 6 and random.random() < 0.7:
        width = random.choice((2, 3))
        short = random.choice((0, 0, 1))
        blocks = Affine(((width, name), (1, inner)))
        return [(blocks, [(name, 0, 6 // width - 1), (inner, 0, width - 1 - short)])]
    if random.random() < 0.2:
        odd = max(0, (size - 2) // 2 - random.randint(0, 1))
        return [
            (Affine(((2, name),)), [(name, 0, (size - 1) // 2)]),
            (Affine(((2, name),), 1), [(name, 0, odd)]),
        ]
    cut = random.randint(0, size)
    runs = [(0, cut - 1), (cut + (random.random() < 0.2), size - 1)]
    return [
        (Affine(((1, name),), low), [(name, 0, high - low)]) for low, high in runs if low <= high
    ]


def _fitted(form: Linear, widths: dict[str, int]) -> tuple[Affine, int]:
    """An axis that the form just fits into: what is left to decide is whether it is filled, also
    together with axes that share a symbol."""
    ends = [c * (widths[s] - 1) for s, c in form.terms.items()]
    low, high = sum(min(end, 0) for end in ends), sum(max(end, 0) for end in ends)
    terms = tuple((c, s) for s, c in form.terms.items())
    return Affine(terms, -low), high - low + 1


def projection(random: Random) -> Projection:
    """A projection that often covers its target."""
    symbols = ["i", "j", "k", "l"]
    components: list[tuple[tuple[str, int], ...]] = []
    while symbols and len(components) < 3:
        several = random.random() < 0.25 and len(symbols) > 1
        names = [symbols.pop(0) for _ in range(2 if several else 1)]
        components.append(tuple((name, random.randint(1, 3)) for name in names))
    single = [c[0][0] for c in components if len(c) == 1]
    lhs: list[AxisIndex] = []
    dims: list[int] = []
    for part in components:
        if random.random() < 0.25:
            continue
        if len(part) > 1 or random.random() < 0.1:
            lhs.append(Concat(tuple(s for s, _ in part)))
            dims.append(sum(w for _, w in part) + (random.random() < 0.1))
        elif random.random() < 0.3:
            index = component(random, single, 0.05)
            form = linear(index)
            dim = random.randint(1, 5)
            if form is not None and random.random() < 0.6:
                index, dim = _fitted(form, dict(pair for c in components for pair in c))
            lhs.append(index)
            dims.append(dim)
        else:
            lhs.append(Iter(part[0][0]))
            dims.append(part[0][1] + (random.random() < 0.1))
    if single and random.random() < 0.2:
        # A symbol once more, backwards.
        symbol = random.choice(single)
        size = next(w for part in components for s, w in part if s == symbol)
        lhs.append(Affine(((-1, symbol),), size - 1))
        dims.append(size)
    return Projection(tuple(components), tuple(lhs), tuple(dims))
