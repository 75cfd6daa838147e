"""Wide and deep programs: time grows in proportion, and nothing recurses over the width.

Instead of the clock the tests count what Python executes: the number of function calls for a
program twice as wide is about twice as large.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import FrameType

import pytest

from mapal.ir.verify import verify
from mapal.lower import lower
from mapal.syntax import ast, parse
from tests.lower.programs import codes_of, graph_of, program


def _statements(n: int) -> str:
    return "fn main() { 1 -> mut a; " + "a + 1 -> a; " * n + "a -> println; }"


def _match(n: int) -> str:
    arms = "".join(f"-{i}-> u + m * {i}; " for i in range(n))
    return (
        f"fn f(n: i32, m: i32) -> i32 {{ n * 3 -> u; n -> {{ {arms} -_-> u; }} }} fn main() {{ }}"
    )


def _match_of_names(n: int) -> str:
    names = "".join(f"m / {i + 1} -> v{i}; " for i in range(n))
    arms = "".join(f"-{i}-> v{i}; " for i in range(n))
    return f"fn f(n: i32, m: i32) -> i32 {{ {names} n -> {{ {arms} -_-> 0; }} }} fn main() {{ }}"


def _sum(n: int) -> str:
    return f"fn f(a: f64) -> f64 {{ {' + '.join(['a * a'] * n)} }} fn main() {{ }}"


def _array(n: int) -> str:
    return f"fn main() {{ [{', '.join(['1'] * n)}] -> v; v[0] -> println; }}"


def _loops(n: int) -> str:
    loops = " ".join(
        f"mut i{k}: i32 <- 0; loop {{ (i{k} < 3) ->"
        f" {{ -true-> {{ i{k} + 1 -> i{k}; -> loop; }} -false-> i{k} -> e{k}; }} }}"
        for k in range(n)
    )
    return f"fn main() {{ {loops} }}"


def _carried(n: int) -> str:
    names = " ".join(f"mut a{i}: i32 <- {i};" for i in range(n))
    rebinds = " ".join(f"a{i} + 1 -> a{i};" for i in range(n))
    arms = f"-true-> {{ {rebinds} -> loop; }} -false-> a0 -> r;"
    return f"fn main() {{ {names} loop {{ (a0 < 4) -> {{ {arms} }} }} }}"


def _functions(n: int) -> str:
    functions = "".join(
        f"fn g{k}(n: i32) -> i32 {{ n -> {f'g{k - 1}' if k else '+ 1'} }} " for k in range(n)
    )
    return f"{functions} fn main() {{ 1 -> g{n - 1} -> println; }}"


def _types(n: int) -> str:
    types = "".join(
        f"type T{k} {{ x: {f'T{k - 1}' if k % 50 else 'i32'}, y: i32 }} " for k in range(n)
    )
    return f"{types} fn f(t: T{n - 1}) -> i32 {{ t.y }} fn main() {{ }}"


def _fields(n: int) -> str:
    fields = ", ".join(f"x{i}: i32" for i in range(n))
    values = ", ".join(f"x{i}: 1" for i in range(n))
    reads = " ".join(f"t.x{i} -> y{i};" for i in range(n))
    return f"type T {{ {fields} }} fn main() {{ T {{ {values} }} -> t; {reads} }}"


def _components(n: int) -> str:
    reads = " ".join(f"t.{i} -> x{i};" for i in range(n))
    return f"fn main() {{ ({', '.join(['1'] * n)}) -> t; {reads} }}"


def _captures(n: int) -> str:
    names = " ".join(f"q + {i} -> a{i};" for i in range(n))
    total = " + ".join(f"a{i}" for i in range(n))
    return f"fn f(q: i32) {{ {names} [1] -> map {{ x -> {total} }} -> k; }} fn main() {{ }}"


def _reductions(n: int) -> str:
    functions = "".join(
        f"fn g{k}(n: i32) -> i32 {{ n -> {f'g{k - 1}' if k else '+ 1'} }} " for k in range(n)
    )
    stages = f"[1] -> reduce {{ a, b -> (a + b) -> g{n - 1} }} -> k: i32; " * n
    return f"{functions} fn main() {{ {stages} }}"


def _shared_products(n: int) -> str:
    names = " ".join(f"(t, {i}) -> u{i};" for i in range(n))
    return f"fn main() {{ (1, 2) -> t; {names} }}"


PROGRAMS: dict[str, Callable[[int], str]] = {
    "statements": _statements,
    "match": _match,
    "match of names": _match_of_names,
    "sum": _sum,
    "array": _array,
    "loops": _loops,
    "carried names": _carried,
    "functions": _functions,
    "types": _types,
    "fields": _fields,
    "components": _components,
    "captures": _captures,
    "reductions": _reductions,
    "shared products": _shared_products,
}


def _calls(tree: ast.Program) -> int:
    """How many calls of Python functions lowering makes."""
    count = 0

    def counted(frame: FrameType, event: str, argument: object) -> None:
        nonlocal count
        count += event == "call"

    before = sys.getprofile()
    sys.setprofile(counted)
    try:
        lowered = lower(tree, "fused")
    finally:
        sys.setprofile(before)
    assert lowered.diagnostics == ()
    return count


@pytest.mark.parametrize("name", PROGRAMS)
def test_work_grows_in_proportion(name: str) -> None:
    small, large = (_calls(program(PROGRAMS[name](n))) for n in (60, 240))
    assert large < 5 * small


@pytest.mark.parametrize(
    ("name", "width"), [("statements", 4_000), ("match", 1_500), ("sum", 4_000)]
)
def test_wide_programs_do_not_recurse(name: str, width: int) -> None:
    graph_of(PROGRAMS[name](width))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "width"), [("statements", 100_000), ("match", 5_000), ("sum", 100_000)]
)
def test_very_wide_programs(name: str, width: int) -> None:
    graph_of(PROGRAMS[name](width), "fused")


DEEP: dict[str, Callable[[int], str]] = {
    "parentheses": lambda n: f"fn f(a: i32) -> i32 {{ {'(' * n}a{' + a)' * n} }}",
    "negations": lambda n: f"fn f(a: i32) -> i32 {{ {'- ' * n}a }}",
    "indices": lambda n: f"fn f(v: [i32; 2]) -> i32 {{ {'v[' * n}0{']' * n} }}",
    "arms": lambda n: (
        f"fn f(b: bool) -> i32 {{ {'b -> { -true-> { ' * n}1{' } -false-> 0; }' * n} }}"
    ),
    "seq": lambda n: f"fn f(a: i32) -> i32 {{ a {'-> seq { ' * n}-> + 1{' }' * n} }}",
    "fanouts": lambda n: f"fn f(a: i32) -> i32 {{ a {'-> { ' * n}-> + 1;{' };' * (n - 1)} }} }}",
    "bodies": lambda n: f"fn f(a: i32) {{ {'[1] -> map { x -> ' * n}a{' }' * n} -> v; }}",
    "loops": lambda n: (
        "fn f(mut i: i32) { "
        + "".join(f"mut i{k}: i32 <- 0; loop {{ " for k in range(n))
        + "1 -> x;"
        + "".join(
            f"(i{k} < 1) -> {{ -true-> {{ i{k} + 1 -> i{k}; -> loop; }} -_-> i{k} -> e{k}; }} }} "
            for k in reversed(range(n))
        )
        + "}"
    ),
}


def _deepest(make: Callable[[int], str]) -> str:
    """The deepest program of a family that parses."""
    parses, does_not = 0, 130
    while does_not - parses > 1:
        levels = (parses + does_not) // 2
        if parse(make(levels) + " fn main() { }").diagnostics:
            does_not = levels
        else:
            parses = levels
    return make(parses) + " fn main() { }"


@pytest.mark.parametrize("name", DEEP)
def test_deepest_programs(name: str) -> None:
    source = _deepest(DEEP[name])
    assert sum(map(source.count, "()[]{}-")) > 80
    lowered = lower(program(source), "exact")
    if lowered.graph is None:
        assert {found.code for found in lowered.diagnostics} == {"L1209"}
    else:
        assert verify(lowered.graph) == []


def test_shared_products_are_not_walked_as_trees() -> None:
    doubled = " ".join(f"(a{i}, a{i}) -> a{i + 1};" for i in range(60))
    graph_of(f"fn main() {{ (1, 2) -> a0; {doubled} a60.0 -> x; [1] -> map {{ y -> a60 }} -> v; }}")
    assert codes_of(f"fn main() {{ (1, 2) -> a0; {doubled} 1.5 + a60 -> x; }}") == ["L1203"]


@pytest.mark.parametrize(("levels", "fits"), [(63, True), (64, False), (200, False), (5000, False)])
def test_products_made_level_by_level(levels: int, fits: bool) -> None:
    nested = " ".join(f"(a{i}, 1) -> a{i + 1};" for i in range(levels))
    source = f"fn main() {{ 1 -> a0; {nested} }}"
    assert codes_of(source) == ([] if fits else ["L1209"])
