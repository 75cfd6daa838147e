"""Parallel schedules: what is a path, what waits for what, and what stays on the spine."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from mapal.analysis.bounds import needless_guards, total_accesses
from mapal.analysis.path_plan import MOST_PATHS, Costs, Known, Section, path_plan
from mapal.analysis.path_units import Unit, region_units
from mapal.ir import ops
from mapal.ir.graph import Graph
from mapal.ir.ops import ObjectId
from mapal.ir.order import OperationItem
from mapal.ir.types import I32
from mapal.rewrite import rewrite
from tests.rewrite.build import ADD, LT, Lines, Program
from tests.rewrite.programs import SOURCES, graph_of, graph_of_file

ANYTHING = Costs(heavy=1, least_gain=None, run=0, path=0, split=0)
"""Whatever may be a path is one."""

WORTH = Costs(heavy=100, least_gain=1000, run=10, path=10, split=1000)


def known(graph: Graph) -> Known:
    return Known(total_accesses(graph), frozenset())


def plan_of(text: str, costs: Costs = ANYTHING) -> tuple[Graph, tuple[Section, ...]]:
    graph = graph_of(text)
    return graph, path_plan(graph, graph.functions[graph.entry].body, known(graph), costs)


def kinds(graph: Graph, section: Section) -> list[str]:
    """The operations of the paths."""
    units = region_units(graph, graph.functions[graph.entry].body)
    items = [units[path.position].item for path in section.paths]
    return [
        type(item.morphism.op if isinstance(item, OperationItem) else item).__name__
        for item in items
    ]


@pytest.mark.parametrize("source", SOURCES, ids=lambda path: path.stem)
def test_every_value_is_there_when_a_path_reads_it(source: Path) -> None:
    raw = graph_of_file(source)
    for graph in (raw, rewrite(raw).graph):
        for region in graph.regions:
            end = -1
            for section in path_plan(graph, region.id, known(graph), ANYTHING):
                assert end < section.first <= section.last
                end = section.last
                check_section(graph, section, region_units(graph, region.id))


def check_section(graph: Graph, section: Section, found: tuple[Unit, ...]) -> None:
    """Each read of a path is of before the section, of a copy, or of a path that it waits for."""
    made_at = {
        obj: at for at in range(section.first, section.last + 1) for obj in found[at].defines
    }
    positions = [path.position for path in section.paths]
    assert positions == sorted(positions)
    assert (positions[0], positions[-1]) == (section.first, section.last)
    for number, path in enumerate(section.paths):
        assert all(other < number for other in path.after)
        assert section.light.issuperset(path.copies)
        there = {positions[other] for other in path.after} | set(path.copies)
        for at in (*path.copies, path.position):
            assert at not in section.settled
            for obj in found[at].reads:
                if obj in made_at:
                    assert made_at[obj] in there
                assert not graph.is_token_bearing(obj) or at in section.light
    for at in range(section.first, section.last + 1):
        for _, item in found[at].inside:
            if isinstance(item, OperationItem):
                assert not isinstance(item.morphism.op, ops.TimeMs)
                assert at in section.settled or not isinstance(item.morphism.op, ops.Print)


def test_collections_are_paths_and_scalars_are_copied() -> None:
    graph, (section,) = plan_of(
        "fn main(a: [i32; 8], x: i32) -> i32 { a -> map { e -> e + x } -> m;"
        " a -> map { e -> e * 2 } -> n; (0, m) -> fold { s, e -> s + e } -> t;"
        " t * 2 -> u; n -> map { e -> e + u } -> o; o[1] + x * 3 -> ret; }"
    )
    assert kinds(graph, section) == ["Map", "Map", "Fold", "Map"]
    assert [path.after for path in section.paths] == [(), (), (0,), (1, 2)]
    assert section.paths[3].copies
    ranks = [path.rank for path in section.paths]
    assert ranks[0] >= ranks[2] >= ranks[3]


def test_what_may_trap_between_paths_is_one() -> None:
    graph, (section,) = plan_of(
        "fn main(a: [i32; 8], x: i32) -> i32 { (0, a) -> fold { s, e -> s + e } -> t;"
        " 100 / t -> u; a -> map { e -> e + u } -> o; o[1] + x -> ret; }"
    )
    assert kinds(graph, section) == ["Fold", "Binary", "Map"]
    assert [path.is_total for path in section.paths] == [True, False, True]


def test_no_section_reaches_across_a_clock_read() -> None:
    body = "a -> map {{ e -> e + {0} }} -> m{0}; a -> map {{ e -> e * {0} }} -> n{0};"
    now = "fn now(x: i32) -> f64 { () -> time -> t; t -> ret; }\n"
    for clock, count in (("() -> time -> t; t", 2), ("1 -> now -> t; t", 2), ("1", 1)):
        main = f"{body.format(1)} {clock} -> println; {body.format(2)} m2[1] -> println;"
        _, sections = plan_of(f"{now}fn main(a: [i32; 8]) {{ {main} }}")
        assert len(sections) == count
        assert sum(len(section.paths) for section in sections) == 4


def test_a_path_of_what_an_effect_made_begins_a_section() -> None:
    _, sections = plan_of(
        "fn noisy(x: i32) -> i32 { x -> println; x + 1 -> ret; }\n"
        "fn main(a: [i32; 8]) -> i32 { (0, a) -> fold { s, e -> s + e } -> t;"
        " a -> map { e -> e * 2 } -> m; t -> noisy -> u; a -> map { e -> e + u } -> n;"
        " m -> map { e -> e - 1 } -> o; n[0] + o[1] -> ret; }"
    )
    assert [len(section.paths) for section in sections] == [2, 2]
    assert not any(section.settled for section in sections)


def test_what_may_never_end_hides_nothing() -> None:
    endless = (
        "fn down(x: i32) -> i32 { mut i: i32 <- x; loop { (i != 0) -> {"
        " -true-> { i - 3 -> i; -> loop; } -false-> i -> r; } } r -> ret; }\n"
    )
    body = "(0, a) -> fold {{ s, e -> s + {} }} -> t; {} x -> down -> u; (x + 1) -> down -> v;"
    counts = {}
    for element, effect in (("e", ""), ("8 / e", ""), ("e", "1 -> println;")):
        text = f"{endless}fn main(a: [i32; 8], x: i32) -> i32 {{ {body.format(element, effect)}"
        _, sections = plan_of(text + " t + u + v -> ret; }")
        counts[element, effect] = [len(section.paths) for section in sections]
    assert counts == {("e", ""): [3], ("8 / e", ""): [2], ("e", "1 -> println;"): [2]}


def test_an_access_without_a_guard_waits_for_what_makes_it_safe() -> None:
    text = (
        "fn main(a: [i32; 8], b: [i32; 8], x: i32) -> i32 { a[x] -> p;"
        " (0, a) -> fold { s, e -> s * 3 + e / p } -> t; (1, a) -> fold { s, e -> s * 2 + e } -> u;"
        " (2, a) -> fold { s, e -> s * 5 + b[x] * e } -> v; p + t + u + v -> ret; }"
    )
    graph = graph_of(text)
    body = graph.functions[graph.entry].body
    proved = needless_guards(graph)
    assert len(proved) == 1
    early, waiting = (
        path_plan(graph, body, Known(total_accesses(graph), frozenset(), unguarded), ANYTHING)
        for unguarded in (frozenset[ops.MorphismId](), proved)
    )
    assert [len(section.paths) for section in early] == [4]
    assert [len(section.paths) for section in waiting] == [3]


def test_the_spine_waits_before_an_access_that_a_path_makes_safe() -> None:
    text = (
        "fn main(a: [i32; 99], b: [i32; 99], x: i32) -> i32 { {} -> p;"
        " (0, a) -> fold { s, e -> s * 3 + e * p } -> t; b[x] -> q;"
        " (2, a) -> fold { s, e -> s * 5 + e } -> v; p + t + q + v -> ret; }"
    )
    settled = {}
    for first in ("a[x]", "7 / x", "x + 1"):
        graph = graph_of(text.replace("{}", first))
        body = graph.functions[graph.entry].body
        facts = Known(total_accesses(graph), frozenset(), needless_guards(graph))
        (section,) = path_plan(graph, body, facts, replace(WORTH, least_gain=None))
        settled[first] = len(section.settled)
    assert settled == {"a[x]": 1, "7 / x": 0, "x + 1": 0}


def test_the_spine_waits_before_what_may_never_end() -> None:
    endless = (
        "fn down(x: i32) -> i32 { mut i: i32 <- x; loop { (i != 0) -> {"
        " -true-> { i - 3 -> i; -> loop; } -false-> i -> r; } } r -> ret; }\n"
    )
    settled = {}
    for element in ("e", "8 / e"):
        text = (
            f"{endless}fn main(a: [i32; 999], x: i32) -> i32 {{"
            f" (0, a) -> fold {{ s, e -> s * 3 + {element} }} -> t; x -> down -> u;"
            " (0, a) -> fold { s, e -> s * 5 + e } -> v; t + u + v -> ret; }"
        )
        _, (section,) = plan_of(text, Costs(heavy=3000, least_gain=None, run=0, path=0, split=0))
        settled[element] = len(section.settled)
    assert settled == {"e": 0, "8 / e": 1}


def test_a_loop_is_a_path() -> None:
    def main(f: Lines) -> ObjectId:
        x = f.loop(f.f.input, lambda s: f.op(LT, s, f.c(9)), lambda s: f.op(ADD, s, f.c(2)))
        y = f.loop(f.f.input, lambda s: f.op(LT, s, f.c(8)), lambda s: f.op(ADD, s, f.c(1)))
        return f.op(ADD, x, y)

    graph = Program().main(main, (I32,))
    body = graph.functions[graph.entry].body
    (section,) = path_plan(graph, body, known(graph), ANYTHING)
    assert kinds(graph, section) == ["LoopItem", "LoopItem"]
    assert path_plan(graph, body, known(graph), ANYTHING)[0] is section


TWO = (
    "fn main(a: [f32; {0}]) -> f32 {{ (0.0, a) -> fold {{ s, e -> s + e }} -> t;"
    " (1.0, a) -> fold {{ s, e -> s * 0.5 + e }} -> u; t + u -> ret; }}"
)


@pytest.mark.parametrize(("length", "count"), [(20, 0), (100, 0), (5000, 1)])
def test_only_what_pays_is_a_section(length: int, count: int) -> None:
    assert len(plan_of(TWO.format(length), WORTH)[1]) == count


def test_items_that_run_on_all_threads_by_themselves_save_nothing() -> None:
    text = (
        "fn main(a: [f32; 5000]) -> f32 { a -> map { e -> e + 1.0 } -> m;"
        " a -> map { e -> e * 2.0 } -> n; m[1] + n[2] -> ret; }"
    )
    graph, sections = plan_of(text, WORTH)
    assert len(sections) == 1
    splits = frozenset(m.id for m in graph.morphisms if isinstance(m.op, ops.Map))
    split = Known(total_accesses(graph), splits)
    assert path_plan(graph, graph.functions[graph.entry].body, split, WORTH) == ()


def test_a_section_has_not_too_many_paths() -> None:
    lines = " ".join(
        f"({number}.0, a) -> fold {{ s, e -> s * 0.5 + e }} -> t{number};" for number in range(150)
    )
    total = " + ".join(f"t{number}" for number in range(150))
    _, sections = plan_of(f"fn main(a: [f32; 8]) -> f32 {{ {lines} {total} -> ret; }}")
    assert [len(section.paths) for section in sections] == [MOST_PATHS, MOST_PATHS, 22]


def test_a_long_chain_is_no_path() -> None:
    def main(f: Lines) -> ObjectId:
        x = f.f.input
        for _ in range(20_000):
            x = f.op(ADD, x, f.f.input)
        return x

    graph = Program().main(main, (I32,))
    assert path_plan(graph, graph.functions[graph.entry].body, known(graph), ANYTHING) == ()
