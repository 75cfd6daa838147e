"""What code generation may do with arrays: each question with a yes and a no."""

from __future__ import annotations

import logging

import pytest

from mapal.affine import StricterQueryError, crosschecking
from mapal.analysis.legality import Question, legality, maps, report
from mapal.analysis.legality import answers as answers_module
from mapal.analysis.legality.answers import Verdict
from mapal.analysis.legality.maps import is_race_free
from mapal.codegen import emit
from mapal.ir import ops
from mapal.target import load_profile
from tests.analysis import crosschecked
from tests.analysis.test_bounds import graph_of


def answers(source: str, question: Question) -> list[bool]:
    """The answers to one question, in the order of the report."""
    found = legality(graph_of(source), threads=64)
    return [answer.is_proved for answer in found if answer.question is question]


def program(body: str, result: str = "[i32; 12]") -> str:
    return f"fn main(v: [i32; 12], m: [i32; 12], k: i32) -> {result} {{ {body} }}"


MAPS = {
    "permuted": ("12 -> iota -> map { i -> v[i % 4 * 3 + i / 4] } -> ret;", Question.MOVE, True),
    "copied twice": ("12 -> iota -> map { i -> v[i / 2] } -> ret;", Question.MOVE, True),
    "moved law": (
        "12 -> iota -> w; 12 -> iota -> map { i -> w[i % 3 * 4 + i / 3] } -> ret;",
        Question.MOVE,
        True,
    ),
    "moved by data": ("m -> map { i -> v[i] } -> ret;", Question.MOVE, False),
    "computed": ("v -> map { x -> x + 1 } -> ret;", Question.MOVE, False),
    "rows with sums": (
        """3 -> iota -> ks; 12 -> iota -> map { c ->
            (0, ks) -> fold { s, j -> s + v[c / 4 * 3 + j] * m[j * 4 + c % 4] } } -> ret;""",
        Question.TILE,
        True,
    ),
    "rows of another length": (
        """3 -> iota -> ks; 12 -> iota -> map { c ->
            (0, ks) -> fold { s, j -> s + v[c / 5 + j] * m[c % 5 + j] } } -> ret;""",
        Question.TILE,
        False,
    ),
    "one row of sums": (
        "3 -> iota -> ks; 10 -> iota -> map { c -> (0, ks) -> fold { s, j -> s + v[c + j] } } -> b;"
        " (b[0], 12) -> fill -> ret;",
        Question.TILE,
        True,
    ),
    "rows with a look-up": (
        """3 -> iota -> ks; 12 -> iota -> map { c ->
            (0, ks) -> fold { s, j -> s + v[m[c / 4 * 3 + j]] } } -> ret;""",
        Question.TILE,
        False,
    ),
    "rows without sums": (
        "12 -> iota -> map { c -> v[c / 4] + m[c % 4] } -> ret;",
        Question.TILE,
        False,
    ),
    "last read in step": (
        "v -> map { x -> x + 1 } -> a; a -> map { x -> x * 2 } -> ret;",
        Question.REUSE,
        True,
    ),
    "read again": (
        """v -> map { x -> x + 1 } -> a; a -> map { x -> x * 2 } -> b;
           (a, b) -> zip -> map { p -> p.0 + p.1 } -> ret;""",
        Question.REUSE,
        False,
    ),
    "neighbours": (
        "v -> map { x -> x + 1 } -> a; a -> enumerate -> map { p -> a[11 - p.0] + p.1 } -> ret;",
        Question.REUSE,
        False,
    ),
    "own element twice": (
        "v -> map { x -> x + 1 } -> a; a -> enumerate -> map { p -> a[p.0] + p.1 } -> ret;",
        Question.REUSE,
        False,
    ),
    "read once": (
        "v -> map { x -> x + 1 } -> a; 12 -> iota -> map { i -> a[11 - i] } -> ret;",
        Question.ONCE,
        True,
    ),
    "read in windows": (
        "v -> map { x -> x + 1 } -> a; 10 -> iota -> map { i -> a[i] + a[i + 2] } -> b; v -> ret;",
        Question.ONCE,
        False,
    ),
    "captured beside": (
        "v -> map { x -> x + 1 } -> a; a -> map { x -> x + a[3] } -> ret;",
        Question.ONCE,
        False,
    ),
    "read by data": (
        "v -> map { x -> x + 1 } -> a; m -> map { i -> a[i] } -> ret;",
        Question.ONCE,
        False,
    ),
    "cells of rows": (
        """4 -> iota -> map { i -> [k, i, k] } -> a;
           12 -> iota -> map { i -> a[i / 3][i % 3] } -> ret;""",
        Question.ONCE,
        False,
    ),
    "one cell of each row": (
        """12 -> iota -> map { i -> [k, i, k] } -> a;
           12 -> iota -> map { i -> a[11 - i][1] } -> ret;""",
        Question.ONCE,
        True,
    ),
}


@pytest.mark.parametrize("name", MAPS)
def test_maps(name: str) -> None:
    body, question, expected = MAPS[name]
    found = answers(program(body), question)
    # Of the array that is asked about: the first map makes it, the last one goes over it.
    assert found[0 if question is Question.ONCE else -1] is expected


@pytest.mark.parametrize(
    "reader",
    [
        "row -> row[0] + row[0] + row[k]",
        "row -> (row, m) -> zip -> map { p -> p.0 + p.1 } -> s; s[0]",
        "row -> (row, 1) -> pair; pair.0[2]",
        "row -> mut other <- row; other[3] <- 1; other[k]",
    ],
)
def test_a_row_that_is_read_in_step_is_at_hand(reader: str) -> None:
    body = f"v -> map {{ x -> v -> map {{ y -> x * y }} }} -> a; a -> map {{ {reader} }} -> ret;"
    # The row of the inner map, the rows, and what is made of them.
    assert answers(program(body), Question.ONCE)[1] is True


@pytest.mark.parametrize("question", [Question.SLICES, Question.COVERED, Question.GRID])
def test_every_map_has_cells_of_its_own_and_fills_its_result(question: Question) -> None:
    source = program("12 -> iota -> map { i -> v -> map { x -> x / 5 * i % 7 } } -> ret;")
    source = source.replace("-> [i32; 12] {", "-> [[i32; 12]; 12] {")
    assert answers(source, question) == [True, True]


UPDATES = {
    "nobody reads it": (
        "v -> map { x -> x + 0 } -> a; mut b: [i32; 12] <- a; b[3] <- 7; b -> ret;",
        True,
    ),
    "another cell is read": (
        """v -> map { x -> x + 0 } -> a; mut b: [i32; 12] <- a; b[3] <- 7;
           a[4] -> old; b[5] <- old; b -> ret;""",
        True,
    ),
    "the cell is read": (
        """v -> map { x -> x + 0 } -> a; mut b: [i32; 12] <- a; b[3] <- 7;
           a[3] -> old; b[5] <- old; b -> ret;""",
        False,
    ),
    "a cell of the row is read": (
        """3 -> iota -> map { i -> [k, i, k] } -> a; mut b <- a; b[1] <- [7, 7, 7];
           (a[1][2] + b[0][1], 12) -> fill -> ret;""",
        False,
    ),
    "a cell of another row is read": (
        """3 -> iota -> map { i -> [k, i, k] } -> a; mut b <- a; b[1] <- [7, 7, 7];
           (a[0][2] + b[0][1], 12) -> fill -> ret;""",
        True,
    ),
    "the caller's": ("mut a: [i32; 12] <- v; a[3] <- 7; a -> ret;", False),
    "in each element": (
        """v -> map { x -> x + 0 } -> a;
           m -> map { x -> mut b: [i32; 12] <- a; b[k] <- x; b[0] } -> ret;""",
        False,
    ),
}


def test_the_simple_rule_of_updates_knows_that_a_row_lies_in_its_array() -> None:
    source = program("""
        3 -> iota -> map { i -> [k, i, k] } -> a;
        a[1] -> row; mut b <- a; b[1] <- [7, 7, 7]; (row[2] + b[0][1], 12) -> fill -> ret;""")
    with crosschecking():
        assert answers(source, Question.IN_PLACE) == [False]


def test_an_array_in_an_element_of_a_map_lies_in_the_element() -> None:
    source = program("""
        v -> map { x -> x + 0 } -> a;
        2 -> iota -> map { i -> (a, i) } -> pairs; pairs[1].0 -> c;
        mut b: [i32; 12] <- a; b[3] <- 7;
        (b, c) -> zip -> map { p -> p.0 + p.1 } -> ret;""")
    with crosschecking():
        assert answers(source, Question.IN_PLACE) == [True]


def test_of_two_updates_of_one_array_the_second_may_write_it() -> None:
    source = program("""
        v -> map { x -> x + 0 } -> a;
        mut b: [i32; 12] <- a; b[3] <- 7;
        mut c: [i32; 12] <- a; c[4] <- 8;
        (b, c) -> zip -> map { p -> p.0 + p.1 } -> ret;""")
    assert answers(source, Question.IN_PLACE) == [False, True]


@pytest.mark.parametrize("name", UPDATES)
def test_updates(name: str) -> None:
    body, expected = UPDATES[name]
    assert answers(program(body), Question.IN_PLACE)[0] is expected


LOOP = """
    (0, 12) -> fill -> blank; mut a: [i32; 12] <- blank; mut i: i32 <- 0;
    loop {{ (i < {count}) -> {{ -true-> {{ {body} i + 1 -> i; -> loop; }} -false-> a -> r; }} }}
    r -> ret;"""

LOOPS = {
    "each cell once": ("a[i] <- v[i];", 12, True, True),
    "backwards": ("a[11 - i] <- v[i];", 12, True, True),
    "by columns": ("a[i % 3 * 4 + i / 3] <- v[i];", 12, True, True),
    "one left out": ("a[i] <- v[i];", 11, True, False),
    "one cell": ("a[3] <- v[i];", 12, False, False),
    "where data say": ("a[m[i]] <- v[i];", 12, False, False),
    "own cell read": ("a[i] <- a[i] + v[i];", 12, True, False),
    "a neighbour read": ("a[i] <- a[11 - i] + v[i];", 12, False, False),
    "dropped": ("mut b: [i32; 12] <- a; b[i] <- v[i]; a -> a;", 12, True, False),
    "of an arm's pair": (
        "(i > k) -> { -true-> { (v, a) } -false-> { (a, a) } } -> g; a[i] <- g.0[3];",
        12,
        False,
        False,
    ),
    "in a fold": (
        "(a, [v[i]]) -> fold { s, x -> mut b: [i32; 12] <- a; b[i] <- x; b } -> a;",
        12,
        False,
        False,
    ),
    "some cells": ("(v[i] > 0) -> { -true-> v[i]; -false-> 0; } -> x; a[i] <- x;", 12, True, True),
}


@pytest.mark.parametrize("name", LOOPS)
def test_loops(name: str) -> None:
    body, count, parallel, overwritten = LOOPS[name]
    source = program(LOOP.format(body=body, count=count))
    assert answers(source, Question.PARALLEL) == [parallel]
    assert answers(source, Question.OVERWRITTEN) == [overwritten]


def test_a_sum_beside_the_array_ties_iterations() -> None:
    source = program("""
        mut s: i32 <- 0; mut i: i32 <- 0;
        loop { (i < 12) -> { -true-> { s + v[i] -> s; i + 1 -> i; -> loop; } -false-> s -> r; } }
        (r, 12) -> fill -> ret;""")
    assert answers(source, Question.PARALLEL) == [False]


FOLDS = {
    "s + x": True,
    "x * s": True,
    "(s, x) -> max": True,
    "s + x * k": True,
    "s - x": False,
    "s + s": False,
    "s + x * s": False,
    "x": False,
}


@pytest.mark.parametrize("body", FOLDS)
def test_folds(body: str) -> None:
    source = program(f"(0, v) -> fold {{ s, x -> {body} }} -> r; (r, 12) -> fill -> ret;")
    assert answers(source, Question.REGROUPED) == [FOLDS[body]]


def test_float_sums_keep_their_order() -> None:
    source = "fn main(v: [f64; 9]) -> f64 { (0.0, v) -> fold { s, x -> s + x } -> ret; }"
    assert answers(source, Question.REGROUPED) == [False]
    source = "fn main(v: [f64; 9]) -> f64 { v -> reduce { a, b -> a + b } -> ret; }"
    assert answers(source, Question.REGROUPED) == [False]


def test_grids() -> None:
    assert is_race_free(1, 256)
    assert is_race_free(2**32 - 1, 1024)


# Comparison with simple rules -------------------------------------------------------


def test_no_rule_allows_more_than_the_engine(capsys: pytest.CaptureFixture[str]) -> None:
    assert crosschecked.main(["--count", "30"]) == 0
    out = capsys.readouterr().out
    assert "0 stricter answers" in out
    assert out.startswith("projects: 4")


def test_a_stricter_engine_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(maps, "is_race_free", lambda length, threads: False)
    source = program("v -> map { x -> x + 1 } -> ret;")
    with crosschecking(), pytest.raises(StricterQueryError, match="grid: the rule accepts"):
        legality(graph_of(source), threads=64)
    assert answers(source, Question.GRID) == [False]


def test_what_only_the_engine_proves_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    source = program("12 -> iota -> map { i -> v[i - i % 3 + 2] } -> ret;")
    with caplog.at_level(logging.ERROR, "mapal.affine.crosscheck"):
        plan = emit(graph_of(source), load_profile("generic"), name="p", compares=True).plan
    first, *others = plan["crosscheck"]
    assert first.startswith("bounds: the query accepts, the rule declines: the index of Index")
    assert [gain.partition(":")[0] for gain in others] == ["move"]
    assert caplog.messages == plan["crosscheck"]


def test_the_plan_lists_all_answers() -> None:
    source = program("v -> map { x -> x + 1 } -> ret;")
    plan = emit(graph_of(source), load_profile("generic"), name="p").plan
    assert [answer["question"] for answer in plan["legality"]] == [
        "slices",
        "covered",
        "reuse",
        "tile",
        "move",
        "once",
    ]
    assert plan["legality"][0] == {
        "function": "main",
        "token": plan["sites"][0]["token"],
        "question": "slices",
        "answer": "yes",
        "reason": "each iteration has cells of its own",
    }
    assert "crosscheck" not in plan


def test_a_site_in_several_places_gets_the_first_answer_that_is_no_yes() -> None:
    source = program("v -> map { x -> x + 1 } -> ret;")
    graph = graph_of(source)
    made = report._Report(graph, None)
    (site,) = (m for m in graph.morphisms if isinstance(m.op, ops.Map))
    for is_proved, reason in ((True, "here"), (False, "there"), (False, "elsewhere"), (True, "x")):
        verdict = Verdict(Question.TILE, is_proved, reason, answers_module.never)
        made._add(graph.entry, site.id, "operation", site.key, verdict)
    assert [answer.reason for answer in made._answers.values()] == ["there"]
