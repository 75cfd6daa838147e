"""Coverage decided by visiting every instance: tied axes, gaps against equal gaps, interleaving
stores."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import product

from mapal.affine.access import Access
from mapal.affine.index import Interval, points_of
from mapal.affine.placement import Context, Form, Key, Placed, common_loops, placed


def covered_by_visits(
    read: Access, stores: Sequence[Access], rank: int, context: Context, points: int
) -> bool:
    """Whether the stores reach every cell of the load for every value of the parameters.

    All components of the load are linear. False if more than `points` instances are to be visited.
    """
    # One iteration of all loops that the load shares with any store is looked at; a store outside
    # of some of them has finished before.
    shared = [common_loops(read, store) for store in stores]
    load = placed(read, max(shared), rank, context)
    forms = _linear(load)
    candidates = [placed(w, c, rank, context) for w, c in zip(stores, shared, strict=True)]
    usable = [store for store in candidates if _comparable(forms, load, store)]
    everything = [forms, *(_linear(store) for store in usable)]
    keys = {key for each in everything for form in each for key in form.parameters()}
    # A scalar without a range occurs alike in all, so its value makes no difference.
    ranges = load.parameter_ranges()
    order = sorted(key for key in keys if key in ranges)
    work = _instances(forms, load) + sum(_instances(_linear(s), s) for s in usable)
    if not usable or points_of([ranges[key] for key in order]) * work > points:
        return False
    for values in product(*(range(ranges[k][0], ranges[k][1] + 1) for k in order)):
        given = dict(zip(order, values, strict=True))
        stored = {cell for s in usable for cell in _cells(_linear(s), s.ranges, given)}
        if not stored.issuperset(_cells(forms, load.ranges, given)):
            return False
    return True


def _linear(side: Placed) -> list[Form]:
    return [form for form in side.forms if form is not None]


def _comparable(forms: Sequence[Form], load: Placed, store: Placed) -> bool:
    """Whether a store names its cells, relative to scalars of which nothing is known."""
    found = _linear(store)
    if len(found) != len(forms):
        return False
    for mine, other in zip(forms, found, strict=True):
        for key in {**mine.parameters(), **other.parameters()}:
            if key not in load.ranges and mine.terms.get(key) != other.terms.get(key):
                return False
    return True


def _own(forms: Sequence[Form]) -> list[Key]:
    return sorted({key for form in forms for key in form.own()})


def _instances(forms: Sequence[Form], side: Placed) -> int:
    return points_of([side.ranges[key] for key in _own(forms)])


def _cells(
    forms: Sequence[Form], ranges: Mapping[Key, Interval], given: Mapping[Key, int]
) -> Iterator[tuple[int, ...]]:
    own = _own(forms)
    rows = [[form.terms.get(key, 0) for key in own] for form in forms]
    bases = [
        form.offset + sum(c * given.get(key, 0) for key, c in form.parameters().items())
        for form in forms
    ]
    for point in product(*(range(ranges[k][0], ranges[k][1] + 1) for k in own)):
        yield tuple(
            base + sum(c * x for c, x in zip(row, point, strict=True))
            for base, row in zip(bases, rows, strict=True)
        )
