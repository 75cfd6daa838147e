"""Guarded reads of places that lie apart: LLVM's vectoriser reads behind the end of an array."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from mapal.codegen import emit
from mapal.target import load_profile
from tests.codegen.kernel_endings import findings
from tests.codegen.kernel_runs import NEVER, Case, profiles, rewritten

STENCIL = """
type Cell { u: f64, v: f64 }
fn step(x: [[Cell; 3]; 33]) -> [[f64; 3]; 33] {
    33 -> iota -> map { r ->
        3 -> iota -> map { c ->
            x[r][c].u -> own: f64;
            9 -> iota -> ks;
            -0.0 -> seed: f64;
            (seed, ks) -> fold { sum, k ->
                r + k / 3 - 1 -> a;
                c + k % 3 - 1 -> b;
                (a >= 0 && a < 33 && b >= 0 && b < 3) -> {
                    -true-> x[a][b].v;
                    -false-> 100000000000.5;
                } -> n: f64;
                sum + n
            } -> result: f64;
            result
        }
    }
}
fn main(x: [[Cell; 3]; 33]) -> [[f64; 3]; 33] { x -> step -> ret; }
"""


@pytest.mark.parametrize("profile", profiles())
def test_nothing_behind_an_array_is_read(profile: str) -> None:
    case = Case(source=STENCIL, inputs={"x": np.arange(198) / 7})
    assert findings([case], load_profile(profile), Counter()) == [None]


READS = {
    "(k > 0) -> { -true-> x[3 * k - 3]; -false-> 0.5; } -> n: f32; n": 1,
    "(k > 0) -> { -true-> { k * 3 - 3 -> far; x[far] } -false-> 0.5; } -> n: f32; n": 1,
    "(k > 0) -> { -true-> rows[k - 1][1]; -false-> 0.5; } -> n: f32; n": 1,
    "(k > 0) -> { -true-> pairs[k - 1].0; -false-> 0.5; } -> n: f32; n": 1,
    "(k > 0) -> { -true-> x[k - 1]; -false-> 0.5; } -> n: f32; n": 0,
    "x[3 * k]": 0,
    "rows[k][1]": 0,
}


@pytest.mark.parametrize("body", READS)
def test_only_guarded_places_that_lie_apart_are_hidden(body: str) -> None:
    source = f"""
fn main(x: [f32; 300], rows: [[f32; 2]; 100], pairs: [(f32, f32); 100]) -> [f32; 100] {{
    100 -> iota -> map {{ k -> {body} }} -> ret;
}}
"""
    text = emit(
        rewritten(source), load_profile("x86-64-v4"), name="p", cuts_from=NEVER, has_kernels=False
    ).ll
    assert text.count('asm ""') == READS[body]
