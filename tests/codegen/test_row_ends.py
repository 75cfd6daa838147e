"""Rows of lanes whose ends are emitted apart: every comparison with a literal at every place where
a block begins or ends, in whatever form it stands, and at the ends of what an integer holds."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from mapal.codegen import emit
from mapal.target import load_profile
from tests.codegen.kernel_runs import NEVER, Case, assert_same_bits, profiles, rewritten

OPERATORS: dict[str, Callable[[Any, Any], Any]] = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}

ROWS = 3

FORMS = {
    "column {operator} {literal}": 0,
    "{literal} {operator} column": 0,
    "column - 9 {operator} {literal}": -9,
    "column + 2147483600 {operator} {literal}": 2147483600,
}
"""Conditions about columns, and what each adds to a column. The last one's sums wrap."""


def _literals(columns: int) -> list[int]:
    """Numbers beside each end of a block of up to 32 lanes, and of rows."""
    ends = {0, columns, columns - 1} | {
        end for width in (4, 8, 16, 32) for end in (width, 2 * width)
    }
    ends |= {columns - width for width in (4, 8, 16, 32)}
    return sorted({end + by for end in ends for by in (-1, 0, 1)})


def comparisons(columns: int, form: str) -> Case:
    """A program that sums a number for each condition that holds, twice: beside a fold, so that
    every body goes into lanes."""
    count = ROWS * columns
    lines, total = [], np.zeros(count, np.int32)
    numbers = np.arange(count, dtype=np.int32) % columns
    value = 1
    with np.errstate(over="ignore"):
        moved = numbers + np.int32(FORMS[form])
        for sign, compare in OPERATORS.items():
            for column in _literals(columns):
                literal = np.int32(column) + np.int32(FORMS[form])
                condition = form.format(operator=sign, literal=literal)
                sides = (literal, moved) if form.startswith("{literal}") else (moved, literal)
                lines.append(f"({condition}) -> {{ -true-> {value}; -false-> 0; }} -> c{value};")
                total += np.where(compare(*sides), np.int32(value), np.int32(0))
                value += 1
    conditions = " + ".join(f"c{number}" for number in range(1, value))
    source = f"""
fn main(x: [i32; {count}]) -> [i32; {count}] {{
    {count} -> iota -> map {{ p ->
        p % {columns} -> column;
        {"".join(lines)}
        (x[p], [1, 2]) -> fold {{ sum, k -> sum * k }} -> twice;
        twice + {conditions}
    }} -> ret;
}}
"""
    given = np.arange(count, dtype=np.int32)
    return Case(
        source=source, inputs={"x": given}, shape="side by side", results=(given * 2 + total,)
    )


@pytest.mark.parametrize("profile", profiles())
@pytest.mark.parametrize("form", FORMS)
def test_comparisons_at_the_ends_of_rows_and_blocks(form: str, profile: str) -> None:
    sizes = (96, 131) if profile == profiles()[-1] else (131,)
    assert_same_bits([comparisons(columns, form) for columns in sizes], profile)


SHIFTED = """
fn main(x: [f32; 640]) -> [f32; 640] {
    640 -> iota -> map { p ->
        p % 64 -> column;
        (column SIGN LITERAL) -> {
            -true-> x[p];
            -false-> x[p] * 2.0;
        }
    } -> ret;
}
"""


@pytest.mark.parametrize(
    ("sign", "literal", "guards"),
    [("<", "16", 0), ("<", "15", 1), (">=", "48", 0), ("==", "-1", 0), ("<", "17", 1)],
)
def test_only_blocks_in_which_lanes_differ_ask(sign: str, literal: str, guards: int) -> None:
    source = SHIFTED.replace("SIGN", sign).replace("LITERAL", literal)
    emission = emit(rewritten(source), load_profile("x86-64-v4"), name="p", cuts_from=NEVER)
    (reason,) = [site["reason"] for site in emission.plan["sites"] if site["kind"] == "map"]
    assert reason.endswith("in rows of 64 with their ends apart")
    assert emission.ll.count("call <16 x float> @llvm.masked.load") == 2 * guards
