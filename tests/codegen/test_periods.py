"""Maps that choose by the remainder of their number: endings of the loop, a period at a time."""

from __future__ import annotations

import re
from collections import Counter

import numpy as np
import pytest

from mapal.codegen import emit
from mapal.codegen.emit import Emission
from mapal.target import load_profile
from tests.codegen.kernel_endings import findings
from tests.codegen.kernel_runs import NEVER, Case, profiles, rewritten
from tests.codegen.test_window_kernels import numbers

CHANNELS = """
fn to_byte(tone: f32) -> u8 {
    (tone > 255.0) -> { -true-> 255.0; -false-> tone; } -> to_u8 -> ret;
}

fn main(image: [u8; 327]) -> [u8; 327] {
    327 -> iota -> map { i ->
        i % 3 -> channel;
        i - channel -> pixel;
        image[pixel] -> to_f32 -> red;
        image[pixel + 1] -> to_f32 -> green;
        image[pixel + 2] -> to_f32 -> blue;
        channel -> {
            -0-> red * 0.4 + green * 0.2 + blue * 1.1;
            -1-> green + blue - red;
            -_-> red + green * blue;
        } -> to_byte
    } -> ret;
}
"""

WITHOUT_CAPTURES = """
fn main() -> [i32; 300] {
    300 -> iota -> map { i ->
        i % 2 -> odd;
        i / 2 -> half;
        odd -> { -0-> half * 3; -_-> 0 - i; }
    } -> ret;
}
"""

TWO_DIVISORS = """
fn main(a: [i64; 128], b: i64) -> [i64; 128] {
    128 -> iota -> map { i ->
        i % 4 -> place;
        a[i] -> here;
        a[i - place] -> there;
        (i % 2 == 1) -> { -true-> here * b + there; -false-> there - here; } -> found;
        place -> to_i64 -> offset;
        found + offset
    } -> ret;
}
"""

TRAPPING = """
fn main(a: [i32; 90]) -> [i32; 90] {
    90 -> iota -> map { i ->
        i % 3 -> { -0-> 100 / a[i]; -1-> 7 % a[i]; -_-> a[i]; }
    } -> ret;
}
"""


def trapping(*zeros: int) -> Case:
    a = np.arange(1, 91, dtype=np.int32)
    a[list(zeros)] = 0
    return Case(source=TRAPPING, inputs={"a": a})


def cases() -> list[Case]:
    return [
        Case(source=CHANNELS, inputs={"image": numbers(327, "u8")}),
        Case(source=WITHOUT_CAPTURES, inputs={}),
        Case(
            source=TWO_DIVISORS,
            inputs={"a": numbers(128, "i64"), "b": np.array(-3, dtype=np.int64)},
        ),
        trapping(),
        trapping(89),
        trapping(4, 3),
        trapping(1, 0, 88),
    ]


@pytest.mark.parametrize("profile", profiles())
def test_periods_end_as_the_loop_does(profile: str) -> None:
    counts: Counter[str] = Counter()
    assert findings(cases(), load_profile(profile), counts) == [None] * len(cases())
    assert counts["ended trapped"] == 2


def emission(source: str, profile: str = "x86-64-v3", *, has_kernels: bool = True) -> Emission:
    return emit(
        rewritten(source), load_profile(profile), name="p", cuts_from=NEVER, has_kernels=has_kernels
    )


def is_by_period(source: str, *, has_kernels: bool = True) -> bool:
    """What the plan says, which has to be what the text does."""
    emitted = emission(source, has_kernels=has_kernels)
    said = [site["reason"] for site in emitted.plan["sites"]]
    found = any("choose by their remainder" in reason for reason in said)
    assert ("\nperiod." in emitted.ll) == found
    return found


@pytest.mark.parametrize(
    ("source", "length"), [(CHANNELS, 3), (WITHOUT_CAPTURES, 2), (TWO_DIVISORS, 4), (TRAPPING, 3)]
)
def test_the_plan_tells_of_periods(source: str, length: int) -> None:
    """The longest of several, and nothing is divided any more to choose."""
    assert is_by_period(source)
    emitted = emission(source)
    said = [site["reason"] for site in emitted.plan["sites"] if site["kind"] == "map"]
    assert any(f"; {length} neighbouring elements at once" in reason for reason in said)
    ranged = emitted.ll[emitted.ll.index("\nperiod.") :]
    assert not re.search(rf"srem i\d+ %v\d+, {length}\b", ranged)


def test_the_plain_code_has_no_periods() -> None:
    assert not is_by_period(CHANNELS, has_kernels=False)


@pytest.mark.parametrize(
    "source",
    [
        WITHOUT_CAPTURES.replace("300", "301"),
        WITHOUT_CAPTURES.replace("i % 2", "i % 5"),
        WITHOUT_CAPTURES.replace("i % 2", "(i + 1) % 2"),
        # Elements of an array are not numbered one after the other.
        "fn main(a: [i32; 300]) -> [i32; 300] {\n"
        "    a -> map { k -> k % 2 -> { -0-> k; -_-> 0 - k; } } -> ret;\n}\n",
        # Work, or memory, as often as the divisor says.
        WITHOUT_CAPTURES.replace("half * 3", " + ".join(["half * half"] * 200)),
        WITHOUT_CAPTURES.replace(
            "odd ->", "(i, 301) -> fill -> mut many: [i32; 301]; many[i] <- 7; odd ->"
        ).replace("half * 3", "many[half + 1]"),
        WITHOUT_CAPTURES.replace("odd ->", f"[{', '.join(['i'] * 200)}] -> many; odd ->").replace(
            "half * 3", "many[half]"
        ),
        # Elements that are no scalars.
        WITHOUT_CAPTURES.replace("[i32; 300]", "[(i32, i32); 300]").replace(
            "half * 3; -_-> 0 - i;", "(half, i); -_-> (i, i);"
        ),
        # The remainder of another number.
        "fn main(b: i32) -> [i32; 300] {\n"
        "    300 -> iota -> map { i -> b % 2 -> { -0-> i; -_-> 0 - i; } } -> ret;\n}\n",
        # Nothing is chosen.
        "fn main(a: [i32; 300]) -> [i32; 300] {\n"
        "    300 -> iota -> map { i -> a[i] * (i % 2) } -> ret;\n}\n",
    ],
)
def test_other_maps_stay_loops(source: str) -> None:
    assert not is_by_period(source)
