"""Questions about one access, and which accesses are read coordinate by coordinate."""

from __future__ import annotations

from dataclasses import replace

from mapal.affine import (
    Access,
    Affine,
    Dynamic,
    Fixed,
    Iter,
    SubAxis,
    may_touch_same_cell,
    rmw_exempt,
    value_pinned,
    vec_runs_disjoint,
)
from mapal.affine.access import fresh_symbol, with_run_as_loop

T, K = ("t", 0, 3), ("k", 0, 3)


def pinned(access: Access) -> bool:
    return value_pinned(access, ["t"])


def test_a_value_is_pinned_by_separating_not_by_mentioning() -> None:
    write = Access(map=(Affine(((4, "t"), (1, "k"))),), write=True, val_syms=("t",), loops=(T, K))
    assert pinned(write)
    # x[t + k]: cell 1 gets values from t = 0 and from t = 1.
    assert not pinned(replace(write, map=(Affine(((1, "t"), (1, "k"))),)))
    # A symbol that no loop binds has one value.
    assert pinned(replace(write, map=(Affine(((1, "t"), (1, "n"))),)))
    # A thread symbol that no loop binds may have any.
    assert not value_pinned(
        replace(write, map=(Affine(((1, "t"), (1, "s"))),), loops=(T,)), ["t", "s"]
    )


def test_a_value_that_no_thread_changes_is_pinned() -> None:
    write = Access(map=(Fixed(0),), write=True, val_syms=("k",), loops=(T, K))
    assert pinned(write)
    assert not pinned(replace(write, val_syms=("t",)))
    assert pinned(replace(write, val_syms=("t",), loops=(("t", 2, 2), K)))
    assert pinned(replace(write, val_syms=("t",), loops=(("t", 2, 1), K)))


def test_a_value_under_an_unreadable_map_is_not_pinned() -> None:
    write = Access(map=(Iter("t"),), write=True, val_syms=("t",), loops=(T,), dynamic=True)
    assert not pinned(write)
    assert pinned(replace(write, map=(Dynamic(), Iter("t"))))
    assert not pinned(replace(write, map=(), whole=True, dynamic=False))


def test_accumulations() -> None:
    read = Access(map=(Affine(((1, "t"), (0, "k"))),), stmt_write=(Iter("t"),))
    assert rmw_exempt(read)
    assert not rmw_exempt(replace(read, stmt_write=(Iter("t"), Fixed(0))))
    assert not rmw_exempt(Access(map=(Dynamic(),), stmt_write=(Dynamic(),)))


def test_runs() -> None:
    write = Access(map=(Affine(((4, "t"),)),), write=True, vec_len=4, loops=(T,))
    assert vec_runs_disjoint(write, 16)
    assert not vec_runs_disjoint(write, 15)
    assert not vec_runs_disjoint(replace(write, vec_len=0), 16)
    assert not vec_runs_disjoint(replace(write, map=(SubAxis(),)), 16)
    assert not vec_runs_disjoint(replace(write, map=(Iter("n"),)), 16)
    assert not vec_runs_disjoint(replace(write, dynamic=True), 16)
    assert vec_runs_disjoint(replace(write, loops=(("t", 1, 0),)), 1)
    one = replace(write, map=(Affine(((4, "t"), (1, "k"))),), loops=(T, ("k", 0, 0)))
    assert vec_runs_disjoint(one, 16)


def test_runs_are_loops() -> None:
    run = Access(map=(Affine(((4, "i"),)),), write=True, vec_len=4, loops=(("i", 0, 1),))
    read = Access(map=(Affine(((1, "k"),), 8),), loops=(("k", 0, 3),))
    assert not may_touch_same_cell(run, read)
    assert may_touch_same_cell(run, replace(read, map=(Affine(((1, "k"),), 7),)))
    assert may_touch_same_cell(replace(run, map=()), read)
    opaque = with_run_as_loop(replace(run, map=(SubAxis(),)), "r")
    assert opaque is not None
    assert opaque.map == (SubAxis(),)


def test_data_decide_one_axis_only() -> None:
    scatter = Access(map=(Dynamic(), Fixed(0)), write=True, dynamic=True)
    assert not may_touch_same_cell(scatter, Access(map=(Fixed(0), Fixed(1))))
    assert may_touch_same_cell(scatter, Access(map=(Fixed(5), Fixed(0))))
    # A placeholder that is none says nothing.
    assert may_touch_same_cell(
        replace(scatter, map=(Fixed(0), Fixed(0))), Access(map=(Fixed(0), Fixed(1)))
    )


def test_fresh_symbols() -> None:
    taken = Access(map=(Iter("run'"),), loops=(("run", 0, 1),))
    assert fresh_symbol("run", [taken]) == "run''"
