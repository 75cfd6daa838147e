"""Maps that check the indices of a block before its elements are computed: results and traps of the
loop, wherever an index is bad."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Mapping

import numpy as np
import pytest

from mapal.codegen import emit
from mapal.target import TargetProfile, load_profile
from mapal.target.profile import CacheGeometry
from tests.codegen.kernel_endings import findings
from tests.codegen.kernel_runs import NEVER, Array, Case, profiles, rewritten
from tests.codegen.test_window_kernels import numbers

COUNT = 1300

LOOKUPS = {
    "one table": """
fn main(table: [f32; 100], at: [i32; 1300]) -> [f32; 1300] {
    at -> map { k -> table[k] } -> ret;
}
""",
    "two tables, places computed": """
fn main(table: [f32; 100], at: [i32; 1300], other: [i64; 300], by: [i64; 1300]) -> [bool; 1300] {
    (at, by) -> zip -> map { p ->
        other[3 * (p.1 + 0)] -> threshold;
        threshold -> to_f32 -> limit;
        table[p.0] * 2.0 > limit
    } -> ret;
}
""",
    "a number of the element beside a place": """
fn main(table: [u8; 200], at: [u8; 1300], by: [i32; 1300]) -> [u8; 1300] {
    1300 -> iota -> map { i ->
        by[i] - 5 -> near;
        table[at[i]] + table[near] * 3
    } -> ret;
}
""",
}

BAD: dict[str, Mapping[str, list[tuple[int, int]]]] = {
    "one table": {
        "first": [(0, 100)],
        "the end of a vector": [(7, -1)],
        "the end of a block": [(511, 2**31 - 1)],
        "a block begins": [(512, -(2**31)), (511 + 512, 100)],
        "what is left": [(1299, 100)],
    },
    "two tables, places computed": {
        "both in one element": [(40, 100), (-40, 100)],
        "the second table before": [(600, 105), (-599, -1)],
        "the first table before": [(599, 105), (-600, 2**62)],
    },
    "a number of the element beside a place": {
        "a byte": [(777, 200)],
        "a difference that wraps": [(-900, -(2**31))],
        "one below": [(-1298, 4), (1299, 255)],
    },
}
"""Places of bad indices and these, negative places for the second array of indices."""


def inputs(name: str) -> dict[str, Array]:
    places = np.arange(COUNT) * 37
    if name == "a number of the element beside a place":
        return {
            "table": numbers(200, "u8"),
            "at": (places % 200).astype(np.uint8),
            "by": (places % 200 + 5).astype(np.int32),
        }
    found = {"table": numbers(100, "f32"), "at": (places % 100).astype(np.int32)}
    if name == "two tables, places computed":
        found |= {"other": numbers(300, "i64"), "by": (places % 100).astype(np.int64)}
    return found


def spoiled(name: str, bad: list[tuple[int, int]]) -> Case:
    """A lookup with bad indices."""
    given = inputs(name)
    for place, value in bad:
        given["by" if place < 0 else "at"][abs(place)] = value
    return Case(source=LOOKUPS[name], inputs=given)


@pytest.mark.parametrize("profile", profiles())
@pytest.mark.parametrize("name", LOOKUPS)
def test_checked_blocks_end_as_the_loop_does(name: str, profile: str) -> None:
    cases = [spoiled(name, []), *(spoiled(name, bad) for bad in BAD[name].values())]
    counts: Counter[str] = Counter()
    assert findings(cases, load_profile(profile), counts) == [None] * len(cases)
    assert counts["ended trapped"] == len(cases) - 1


def reasons(source: str, profile: TargetProfile) -> list[str]:
    sites = emit(rewritten(source), profile, name="p", cuts_from=NEVER).plan["sites"]
    return [site["shape"] for site in sites if site["kind"] == "access"]


@pytest.mark.parametrize("name", LOOKUPS)
def test_the_plan_tells_which_checks_are_hoisted(name: str) -> None:
    assert set(reasons(LOOKUPS[name], load_profile("zen4"))) <= {"hoisted", "unguarded"}


NOT_HOISTED = {
    "an index that a guarded read gives": """
fn main(table: [i32; 100], at: [i32; 1300]) -> [i32; 1300] {
    at -> map { k -> table[table[k]] } -> ret;
}
""",
    "a read in an arm": """
fn main(table: [i32; 100], at: [i32; 1300]) -> [i32; 1300] {
    at -> map { k -> (k > 0) -> { -true-> table[k]; -false-> 0; } } -> ret;
}
""",
    "another trap": """
fn main(table: [i32; 100], at: [i32; 1300]) -> [i32; 1300] {
    at -> map { k -> table[k] / k } -> ret;
}
""",
    "few elements": """
fn main(table: [i32; 100], at: [i32; 500]) -> [i32; 500] {
    at -> map { k -> table[k] } -> ret;
}
""",
}


@pytest.mark.parametrize("name", NOT_HOISTED)
def test_other_checks_stay(name: str) -> None:
    assert "hoisted" not in reasons(NOT_HOISTED[name], load_profile("zen4"))
    given: dict[str, Array] = {
        "at": np.arange(1300, dtype=np.int32) * 7 % 100,
        "table": numbers(100, "i32") % 100,
    }
    if "[i32; 500]" in NOT_HOISTED[name]:
        given["at"] = given["at"][:500]
    given["at"][450] = -3
    case = Case(source=NOT_HOISTED[name], inputs=given)
    counts: Counter[str] = Counter()
    assert findings([case], load_profile(profiles()[-1]), counts) == [None]


def test_tables_that_outgrow_the_first_cache_are_read_with_guards() -> None:
    def with_first_cache(size: int) -> TargetProfile:
        geometry = CacheGeometry(bytes=size, line_bytes=64, sets=1)
        return dataclasses.replace(load_profile("zen4"), l1d=geometry)

    assert reasons(LOOKUPS["one table"], with_first_cache(200)) == ["hoisted"]
    assert reasons(LOOKUPS["one table"], with_first_cache(199)) == ["guarded"]
