"""Choices between a float and a constant, one after the other: NaN and the sign of zero end
natively as in the interpreter, whatever LLVM makes of two choices of the greater number."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from mapal.interpreter import run
from mapal.ir.entry import entry_ports
from mapal.rewrite import rewrite
from mapal.sweep.endings import ending_of
from mapal.sweep.native import LEVELS, Case, run_natively
from tests.codegen.native_runs import graph_of, native

LEAST = {"f32": 2.0**-149, "f64": 5e-324}
VALUES = (math.nan, math.inf, -math.inf, 0.0, -0.0, 0.5, -1.0, 1.0)
COMPARISONS = ("<", "<=", ">", ">=", "==", "!=")
FORMS = (
    *(f"({{x}} {sign} {{c}}) -> {{{{ -true-> {{x}}; -false-> {{c}}; }}}}" for sign in COMPARISONS),
    *(f"({{c}} {sign} {{x}}) -> {{{{ -true-> {{x}}; -false-> {{c}}; }}}}" for sign in ("<", ">=")),
    *(f"({{x}} {sign} {{c}}) -> {{{{ -true-> {{c}}; -false-> {{x}}; }}}}" for sign in COMPARISONS),
    "({x}, {c}) -> min",
    "({c}, {x}) -> max",
)


def _bodies(constant: str) -> list[str]:
    """All pairs of choices, of a number that arithmetic made, for every fourth pair also of one
    that came from elsewhere."""
    pairs = [
        f"{first.format(x='w', c=constant)} -> y; {then.format(x='y', c=constant)}"
        for first, then in itertools.product(FORMS, FORMS)
    ]
    return [f"x * 2.0 -> w; {pair}" for pair in pairs] + [f"x -> w; {pair}" for pair in pairs[::4]]


def _assert_alike(text: str, inputs: tuple[dict[str, object], ...]) -> None:
    graph = graph_of(text)
    ports = entry_ports(graph)
    expected = [ending_of(run(graph, given, budget=1 << 20), ports) for given in inputs]
    cases = [Case(form, inputs) for form in (graph, rewrite(graph).graph)]
    assert run_natively(cases, native()) == [dict.fromkeys(LEVELS, expected)] * 2


@pytest.mark.parametrize("constant", ["0.0", "-0.0", "1.0", "1.0 / 0.0"])
@pytest.mark.parametrize("ty", ["f32", "f64"])
def test_choices_one_after_the_other(ty: str, constant: str) -> None:
    """The constant is a literal, or an argument that LLVM finds to be one."""
    bodies = _bodies("c")
    functions = "\n".join(
        f"fn choice{n}(x: {ty}) -> {ty} {{ {constant} -> c: {ty}; {body} -> ret; }}"
        if n % 3
        else f"fn choice{n}(x: {ty}, c: {ty}) -> {ty} {{ {body} -> ret; }}"
        for n, body in enumerate(bodies)
    )
    calls = f"{constant} -> c: {ty}; " + " ".join(
        f"x -> choice{n} -> r{n};" if n % 3 else f"(x, c) -> choice{n} -> r{n};"
        for n in range(len(bodies))
    )
    names = ", ".join(f"r{n}" for n in range(len(bodies)))
    head = f"fn main(x: {ty}) -> [{ty}; {len(bodies)}]"
    text = f"{functions}\n{head} {{ {calls} [{names}] -> ret; }}"
    _assert_alike(text, tuple({"x": value} for value in (*VALUES, LEAST[ty], -LEAST[ty])))


HIDDEN = {
    "a constant array": """
        [1.0, 2.0] -> ks: [f32; 2];
        (x, ks) -> fold { s, h ->
            s * 2.0 -> w;
            (w < h) -> { -true-> h; -false-> w; } -> y;
            (y > h) -> { -true-> y; -false-> h; }
        } -> ret;
    """,
    "a small array": """
        3 -> iota -> map { m ->
            m -> to_f32 -> h;
            x * 2.0 -> w;
            (w < h) -> { -true-> h; -false-> w; }
        } -> q;
        3 -> iota -> map { m ->
            m -> to_f32 -> h;
            q[m] -> v;
            (v > h) -> { -true-> v; -false-> h; }
        } -> p;
        p[1] + p[2] -> ret;
    """,
    "a factor that is one": """
        [1.0, 1.0] -> ones: [f32; 2];
        x * 2.0 -> w;
        (w < 0.0) -> { -true-> 0.0; -false-> w; } -> start;
        (start, ones) -> fold { s, one ->
            s * one -> v;
            (v > 0.0) -> { -true-> v; -false-> 0.0; }
        } -> ret;
    """,
    "a factor that is one, then a byte": """
        [1.0, 1.0] -> ones: [f32; 2];
        x * 2.0 -> w;
        (w < 0.0) -> { -true-> 0.0; -false-> w; } -> start;
        (start, ones) -> fold { s, one -> s * one } -> v;
        v -> to_u8 -> to_f32 -> ret;
    """,
    "an element that an update put there": """
        x * 2.0 -> w;
        [0.0, 0.0] -> mut c: [f32; 2];
        c[1] <- 1.0;
        c[1] -> k;
        (w < k) -> { -true-> k; -false-> w; } -> y;
        (y > k) -> { -true-> y; -false-> k; } -> ret;
    """,
    "the neighbour of the constant": """
        x * 2.0 -> w;
        (w > 1.0) -> { -true-> 1.0; -false-> w; } -> y;
        (y < 1.00000011920928955078125) -> { -true-> y; -false-> 1.0; } -> ret;
    """,
    "neighbours on both sides": """
        (x >= 1.00000011920928955078125) -> { -true-> 1.0; -false-> x; } -> y;
        (y < 1.00000011920928955078125) -> { -true-> y; -false-> 1.0; } -> ret;
    """,
}


@pytest.mark.parametrize("hidden", HIDDEN)
def test_choices_that_come_to_light_late(hidden: str) -> None:
    """Where a constant, or that a number is a choice, is only seen after other passes of LLVM; as a
    program, and for the elements of an array."""
    inputs: tuple[dict[str, object], ...] = tuple({"x": value} for value in VALUES)
    _assert_alike(f"fn main(x: f32) -> f32 {{ {HIDDEN[hidden]} }}", inputs)
    function = f"fn one(x: f32) -> f32 {{ {HIDDEN[hidden]} }}\n"
    head = f"fn main(xs: [f32; {len(VALUES)}]) -> [f32; {len(VALUES)}]"
    _assert_alike(
        f"{function}{head} {{ xs -> map {{ x -> x -> one }} -> ret; }}", ({"xs": VALUES},)
    )


@pytest.mark.parametrize("ty", ["f32", "f64"])
def test_comparisons_with_constants(ty: str) -> None:
    """Next to each constant, too, on either side of it, and with infinity."""
    constants = {
        "0.0": 0.0,
        "-0.0": -0.0,
        "1.0": 1.0,
        "1.0 / 0.0": math.inf,
        "-1.0 / 0.0": -math.inf,
    }
    lines = [
        f"{constant} -> c{n}: {ty}; {sides.format(sign=sign, n=n)} -> r{n};"
        for n, (constant, sign, sides) in enumerate(
            itertools.product(constants, COMPARISONS, ("x {sign} c{n}", "c{n} {sign} x"))
        )
    ]
    names = ", ".join(f"r{n}" for n in range(len(lines)))
    text = f"fn main(x: {ty}) -> [bool; {len(lines)}] {{ {' '.join(lines)} [{names}] -> ret; }}"
    kind = np.float32 if ty == "f32" else np.float64
    beside = [
        float(np.nextafter(kind(of), kind(to)))
        for of in constants.values()
        for to in (math.inf, -math.inf)
    ]
    _assert_alike(text, tuple({"x": value} for value in (*VALUES, *beside)))


def test_choices_in_the_lanes_of_vectors() -> None:
    """Maps of folds, whose elements are computed side by side."""
    count = 3 * len(VALUES)
    maps = [
        f"xs -> map {{ x -> (0.0, ks) -> fold {{ s, k -> {body} -> z; (s > k) -> "
        "{ -true-> s; -false-> z; } } } -> "
        f"r{n};"
        for n, body in enumerate(_bodies("0.0")[::9])
    ]
    names = ", ".join(f"r{n}" for n in range(len(maps)))
    types = ", ".join([f"[f32; {count}]"] * len(maps))
    text = (
        f"fn main(xs: [f32; {count}], ks: [f32; 3]) -> ({types}) {{\n"
        + "\n".join(maps)
        + f"\n({names}) -> ret; }}"
    )
    _assert_alike(text, ({"xs": list(VALUES) * 3, "ks": [0.0, 1.0, math.nan]},))
