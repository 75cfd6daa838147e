"""Access records: one per read or write of an array in a program, and questions about one."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from math import gcd

from mapal.affine.conflict import Disjoint, pair_conflict
from mapal.affine.equation import SideRanges
from mapal.affine.index import (
    POINTS,
    Affine,
    AxisIndex,
    Dynamic,
    Interval,
    Sym,
    fold,
    is_dead,
    linear,
    linear_parts,
    span_of,
    width,
)
from mapal.affine.paths import PathComponent
from mapal.affine.radix import pinned_symbols


@dataclass(frozen=True, slots=True)
class Access:
    """A read or write of an array: the loops around it, the cell, the place in the program.

    `map` is empty for a whole-array access, and names cells inside of the array. A `dynamic`
    access has a `Dynamic` component on each axis that data decide. `vec_len` is 0, or the length
    of a run along the last axis, whose first cell the last component is. `guarded`: under a
    condition. `rmw`: the storing statement also reads the array. `val_syms`, of a store: the loop
    symbols that the value depends on. `stmt_write`, of a load: the cell that the statement stores
    whose right-hand side contains the load. `loops`: (symbol, lower, upper), outermost first,
    inclusive; of two loops with one symbol the inner binds it.
    """

    map: tuple[AxisIndex, ...] = ()
    write: bool = False
    array: object = None
    dynamic: bool = False
    whole: bool = False
    vec_len: int = 0
    guarded: bool = False
    rmw: bool = False
    val_syms: tuple[Sym, ...] = ()
    stmt_write: tuple[AxisIndex, ...] | None = None
    loops: tuple[tuple[Sym, int, int], ...] = ()
    path: tuple[PathComponent, ...] = ()

    @property
    def bounds(self) -> dict[Sym, Interval]:
        """The range of each symbol that a loop binds."""
        return {symbol: (low, high) for symbol, low, high in self.loops}

    @property
    def dead(self) -> bool:
        """Whether some loop around it never runs."""
        return any(is_dead((low, high)) for _, low, high in self.loops)


def fresh_symbol(name: str, accesses: Iterable[Access]) -> Sym:
    """A symbol that none of the accesses knows."""
    taken = {s for a in accesses for s, _, _ in a.loops}
    taken |= {s for a in accesses for form in linear_parts(a.map) for s in form.terms}
    while name in taken:
        name += "'"
    return name


def with_run_as_loop(access: Access, symbol: Sym) -> Access | None:
    """The access with its run as an innermost loop; itself without a run.

    None if there is no axis along which the run lies. An opaque last component stays.
    """
    if access.vec_len == 0:
        return access
    if not access.map or access.vec_len < 0:
        return None
    form = linear(access.map[-1])
    last = access.map[-1]
    if form is not None:
        last = Affine((*((c, s) for s, c in form.terms.items()), (1, symbol)), form.offset)
    return replace(
        access,
        map=(*access.map[:-1], last),
        vec_len=0,
        loops=(*access.loops, (symbol, 0, access.vec_len - 1)),
    )


def interpretable(access: Access, symbol: Sym) -> Access | None:
    """The access by coordinates, a run as a loop over `symbol`; None if its map does not say what
    it touches."""
    if access.whole:
        return None
    if access.dynamic and not any(isinstance(index, Dynamic) for index in access.map):
        return None
    return with_run_as_loop(access, symbol)


def may_touch_same_cell(
    a: Access,
    b: Access,
    *,
    static_range: dict[Sym, Interval] | None = None,
    points: int = POINTS,
) -> bool:
    """Whether two accesses to one array can name one cell in any two iterations of theirs.

    The visits need not be simultaneous, so a loop around both varies on each side. Run-time
    scalars have one value, inside `static_range` where it knows them.
    """
    if a.dead or b.dead:
        return False
    one = interpretable(a, fresh_symbol("run", (a, b)))
    other = interpretable(b, fresh_symbol("run", (a, b)))
    if one is None or other is None:
        return True
    left, right = one.bounds, other.bounds
    # A symbol that only the other side binds is a run-time scalar here.
    ranges = SideRanges(static_range or {}, left, right)
    verdict = pair_conflict(
        one.map,
        other.map,
        dup_left=left.keys(),
        dup_right=right.keys(),
        pairs=(),
        ranges=ranges,
        points=points,
    )
    return not isinstance(verdict, Disjoint)


def value_pinned(write: Access, thread: Collection[Sym]) -> bool:
    """Whether the value stored in a cell is the same in every chunk that stores it.

    True if equal cells imply equal values of each thread symbol that the value depends on. Symbols
    that no loop binds are run-time scalars, unless they are thread symbols.
    """
    needed = set(thread).intersection(write.val_syms)
    if not needed or write.dead:
        return True
    if write.whole or (write.dynamic and not any(isinstance(i, Dynamic) for i in write.map)):
        return False
    bounds = write.bounds

    def width_of(symbol: Sym) -> int | None:
        if symbol in thread and symbol not in bounds:
            return None
        return width(bounds[symbol]) if symbol in bounds else 1

    forms = linear_parts(write.map)
    pinned = pinned_symbols(forms, width_of)
    return all(symbol in pinned or width_of(symbol) == 1 for symbol in needed)


def rmw_exempt(read: Access) -> bool:
    """Whether the load reads the very cell that its statement stores: an accumulation.

    For decisions of placement and counting. Says nothing of a value in the cell beforehand.
    """
    if read.stmt_write is None or len(read.stmt_write) != len(read.map):
        return False
    pairs = zip(map(linear, read.map), map(linear, read.stmt_write), strict=True)
    return all(one is not None and one == other for one, other in pairs)


def vec_runs_disjoint(access: Access, minor_dim: int) -> bool:
    """Whether runs that start at different cells share none, and stay in their row.

    `minor_dim` is the size of the last axis. True under a dead loop.
    """
    if access.dead:
        return True
    if access.vec_len <= 0 or not access.map or access.whole:
        return False
    if access.dynamic and not any(isinstance(index, Dynamic) for index in access.map):
        return False
    form = linear(access.map[-1])
    bounds = access.bounds
    if form is None or not bounds.keys() >= form.terms.keys():
        return False
    low, high = span_of(form.terms, bounds)
    if low + form.offset < 0 or high + form.offset + access.vec_len > minor_dim:
        return False
    step = gcd(*fold(form, bounds).terms.values())
    return step == 0 or step >= access.vec_len
