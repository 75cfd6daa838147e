"""Is every cell that a load can touch certainly stored before the load runs?

For each instance of the load there must be some instance of a store, within the current iteration
of the loops around both: what earlier iterations stored counts for nothing, so no answer depends
on the order in which a loop runs.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from mapal.affine.access import Access, fresh_symbol, interpretable
from mapal.affine.box_union import MOST_BOXES, boxes_cover
from mapal.affine.coverage_visits import covered_by_visits
from mapal.affine.index import POINTS, Dynamic, Interval, Iter, Sym, linear_parts
from mapal.affine.paths import path_before
from mapal.affine.placement import (
    Context,
    Form,
    Key,
    Placed,
    common_loops,
    placed,
    thread_mismatch,
)
from mapal.affine.progression import AP, ap_covered_chunk, ap_of_form, ap_subset


@dataclass(frozen=True, slots=True)
class Covered:
    """Every cell of the load has been stored."""


@dataclass(frozen=True, slots=True)
class Unknown:
    """Not proved: why, and what was wrong with each store where stores were looked at."""

    code: str
    writes: tuple[str, ...] = ()


Coverage: TypeAlias = Covered | Unknown


def read_covered_before(
    read: Access,
    writes: Sequence[Access],
    *,
    thread: Collection[Sym] = (),
    static_range: Mapping[Sym, Interval] | None = None,
    count_guarded: bool = False,
    points: int = POINTS,
) -> Coverage:
    """Whether each cell of the load is stored before, by stores to the same array.

    With `thread`, the symbols that identify a thread, the thread itself stored the cell; that the
    value is right too takes `value_pinned` when the store is another statement at top level.
    `static_range` bounds run-time scalars. `count_guarded` takes guards as taken, which justifies
    no rewrite. Within `points` what the rules leave open is decided by visiting the box.
    """
    if read.dead:
        return Covered()
    context = Context(frozenset(thread), static_range or {}, count_guarded)
    filtered = [_filter(read, write, context) for write in writes]
    usable = [w for w, code in zip(writes, filtered, strict=True) if code is None]
    if any(write.whole for write in usable):
        return Covered()
    code = _unreadable(read)
    if code is not None:
        found: Coverage = Unknown(code)
    elif not usable:
        found = Unknown("no_prior_writes", tuple(code for code in filtered if code is not None))
    else:
        found = _plain(read, usable, filtered, context)
    if isinstance(found, Unknown) and usable and _stronger(read, usable, context, points):
        return Covered()
    return found


def _unreadable(read: Access) -> str | None:
    if read.dynamic:
        return "dynamic_read"
    if read.whole or read.vec_len:
        return "uninterpretable_read"
    return None if len(linear_parts(read.map)) == len(read.map) else "opaque_read"


def _filter(read: Access, write: Access, context: Context) -> str | None:
    """Why a store is out of the question, None if it is not."""
    if not write.write:
        return "not_a_write"
    if write.dead:
        return "dead_write"
    if write.guarded and not context.count_guarded:
        return "guarded_write"
    if write.dynamic:
        return "dynamic_write"
    if not write.path or not path_before(write.path, read.path):
        return "not_before"
    return "thread_mismatch" if thread_mismatch(read, write, context.thread) else None


@dataclass(frozen=True, slots=True)
class _Fit:
    """What one store does for the load: per axis its frame and the positions it stores.

    `code` names the first axis without a run of positions; `full` if it stores every cell.
    """

    frame: tuple[tuple[frozenset[tuple[Key, int]], AP], ...]
    runs: tuple[Interval, ...]
    code: str | None
    full: bool


def _plain(
    read: Access, usable: Sequence[Access], filtered: Sequence[str | None], context: Context
) -> Coverage:
    rank = max(len(access.map) for access in (read, *usable))
    fits = []
    for write in usable:
        common = common_loops(read, write)
        one, other = placed(read, common, rank, context), placed(write, common, rank, context)
        fits.append(_fit(one, other))
    if _together(fits):
        return Covered()
    waiting = iter(fits)
    reasons = []
    for code in filtered:
        reasons.append(_reason(next(waiting)) if code is None else code)
    return Unknown("not_covered", tuple(reasons))


def _reason(fit: _Fit | str) -> str:
    return fit if isinstance(fit, str) else fit.code or "partial"


def _together(fits: Sequence[_Fit | str]) -> bool:
    """Whether one store stores all, or the stores of one frame do together."""
    groups: dict[object, list[_Fit]] = {}
    for fit in fits:
        if isinstance(fit, str) or fit.code is not None:
            continue
        if fit.full:
            return True
        groups.setdefault(fit.frame, []).append(fit)
    return any(
        boxes_cover([fit.runs for fit in group], [(0, ap.last) for _, ap in group[0].frame])
        for group in groups.values()
        if 1 < len(group) <= MOST_BOXES
    )


def _fit(read: Placed, write: Placed) -> _Fit | str:
    """What a store does for the load, or why it is discarded."""
    used: set[Key] = set()
    frame = []
    runs: list[Interval] = []
    code = None
    full = True
    for axis, (mine, other) in enumerate(zip(read.forms, write.forms, strict=True)):
        if other is None:
            return "opaque_write"
        assert mine is not None
        own = other.own()
        if used & own.keys():
            return "tied_axes"
        used |= own.keys()
        rest = _left_over(mine, other, read, write)
        if isinstance(rest, str):
            return rest
        hull = _values(Form({**mine.own(), **rest}, mine.offset), read.ranges, exact=False)
        assert hull is not None
        frame.append((frozenset(rest.items()), hull))
        stored = _stored(Form(own, other.offset), write, axis)
        run = None if stored is None else ap_covered_chunk(hull, stored)
        if stored is not None and ap_subset(hull, stored):
            run = (0, hull.last)
        elif run is None:
            code = code or ("gapped_image" if stored is None else "misses_axis")
        full = full and run == (0, hull.last)
        runs.append(run or (0, -1))
    return _Fit(tuple(frame), tuple(runs), code, full)


def _left_over(mine: Form, other: Form, read: Placed, write: Placed) -> dict[Key, int] | str:
    """The load's parameters that do not cancel on an axis, or why the store is discarded."""
    loads, stores = mine.parameters(), other.parameters()
    if any(loads.get(key) != c for key, c in stores.items()):
        return "residual_parameter"
    rest = {key: c for key, c in sorted(loads.items()) if key not in stores}
    for key in rest:
        if key.role == "thread" and key.symbol in write.threads:
            return "foreign_thread"
        if key not in read.ranges:
            return "unbounded_parameter"
    return rest


def _values(form: Form, ranges: Mapping[Key, Interval], *, exact: bool) -> AP | None:
    wide = []
    offset = form.offset
    for key, coefficient in form.terms.items():
        low, high = ranges[key]
        if low == high:
            offset += coefficient * low
        else:
            wide.append((coefficient, (low, high)))
    return ap_of_form(wide, offset, exact=exact)


def _stored(form: Form, write: Placed, axis: int) -> AP | None:
    """The exact cells of a store along an axis, None if they are not a progression."""
    base = _values(form, write.ranges, exact=True)
    if base is None or not write.run or axis != write.run_axis:
        return base
    if base.step > write.run:
        return None
    high = base.hi + write.run - 1
    return AP(base.lo, high, 1 if high > base.lo else 0)


def _stronger(read: Access, usable: Sequence[Access], context: Context, points: int) -> bool:
    """The same question with more read out of it: data-dependent indices of known extent, runs as
    loops, and symbols of one value as constants; then by visits."""
    run = fresh_symbol("run", (read, *usable))
    load = _by_coordinates(read, run)
    stores = [store for write in usable if (store := interpretable(write, run)) is not None]
    if load is None or not stores:
        return False
    rank = max(len(access.map) for access in (load, *stores))
    pairs = []
    for store in stores:
        common = common_loops(load, store)
        one, other = placed(load, common, rank, context), placed(store, common, rank, context)
        values = one.parameter_ranges()
        pairs.append((one.folded({}), other.folded(values)))
    if _together([_fit(one, other) for one, other in pairs]):
        return True
    return covered_by_visits(load, stores, rank, context, points)


def _by_coordinates(read: Access, run: Sym) -> Access | None:
    """A load whose data-dependent indices of known extent are loops of its own."""
    access = interpretable(read, run)
    if access is None:
        return None
    loops = list(access.loops)
    vector = list(access.map)
    for axis, index in enumerate(vector):
        if read.dynamic and isinstance(index, Dynamic) and index.extent and index.extent > 0:
            symbol = fresh_symbol(f"data{axis}", (access, replace(access, loops=tuple(loops))))
            loops.append((symbol, 0, index.extent - 1))
            vector[axis] = Iter(symbol)
    if len(linear_parts(vector)) != len(vector):
        return None
    return replace(access, loops=tuple(loops), map=tuple(vector))
