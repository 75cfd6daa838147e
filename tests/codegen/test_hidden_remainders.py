"""Remainders by powers of two in places: LLVM's vectoriser takes them for numbers that rise."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from mapal.target import load_profile
from tests.codegen.kernel_endings import findings
from tests.codegen.kernel_runs import Case, profiles

LENGTH = 480
INPUTS = {"x": np.arange(LENGTH) * 7, "o": np.array([1])}
READ = f"(p >= 0 && p < {LENGTH}) -> {{ -true-> x[p]; -false-> 255; }} -> n: i32;"


def folded(place: str, before: str = "") -> Case:
    source = f"""{before}
fn main(x: [i32; {LENGTH}], o: i32) -> i32 {{
    {LENGTH} -> iota -> is; 0 -> seed: i32;
    (seed, is) -> fold {{ s, i -> {place} -> p; {READ} s + n }} -> ret;
}}
"""
    return Case(source=source, inputs=INPUTS)


def looped(place: str) -> Case:
    source = f"""
fn main(x: [i32; {LENGTH}], o: i32) -> i32 {{
    mut s: i32 <- 0; mut i: i32 <- 0;
    loop {{ (i < {LENGTH}) -> {{
        -true-> {{ {place} -> p; {READ} s + n -> s; i + 1 -> i; -> loop; }}
        -false-> s -> ret;
    }} }}
}}
"""
    return Case(source=source, inputs=INPUTS)


def mapped(place: str) -> Case:
    source = f"""
fn main(x: [i32; {LENGTH}], o: i32) -> [i32; {LENGTH}] {{
    {LENGTH} -> iota -> map {{ i -> {place} -> p; {READ} n }} -> ret;
}}
"""
    return Case(source=source, inputs=INPUTS)


@pytest.mark.parametrize("profile", profiles())
def test_places_with_remainders_are_those_of_the_program(profile: str) -> None:
    cases = [folded(f"i % {size} + o") for size in (2, 4, 8, 16, 32)]
    cases += [folded("i % 8 + 1 + o"), looped("i % 4 + o"), mapped("i % 4 + o")]
    cases += [folded("i -> around -> q; q + o", "fn around(n: i32) -> i32 { n % 16 }\n")]
    assert findings(cases, load_profile(profile), Counter()) == [None] * len(cases)
