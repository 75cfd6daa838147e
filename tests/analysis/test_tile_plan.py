"""Tiles: what is found computes what the program computes, and one step away nothing is found."""

from __future__ import annotations

import pytest

from mapal.analysis.tile_plan import StepSplit, TileRead, TileSite, tile_plan
from mapal.interpreter import run
from mapal.ir.graph import Graph
from mapal.rewrite import rewrite
from tests.rewrite.programs import graph_of

PRODUCT = """\
fn main(a: [i32; 12], b: [i32; 20]) -> [i32; 15] {
    15 -> iota -> map { cell ->
        cell / 5 -> row;
        cell % 5 -> column;
        4 -> iota -> ks;
        (7, ks) -> fold { sum, k -> sum + a[row * 4 + k] * b[k * 5 + column] }
    } -> ret;
}
"""
FILTER = """\
fn main(a: [i32; 3], b: [i32; 8]) -> [i32; 6] {
    6 -> iota -> map { i ->
        3 -> iota -> ks;
        (0, ks) -> fold { sum, k -> a[k] * b[i + k] + sum }
    } -> ret;
}
"""
CONVOLUTION = """\
fn main(a: [i32; 9], b: [i32; 30]) -> [i32; 12] {
    12 -> iota -> map { i ->
        i / 4 -> y;
        i % 4 -> x;
        9 -> iota -> ks;
        (0, ks) -> fold { sum, k ->
            sum + b[y * 6 + k / 3 * 6 + (x + k % 3)] * a[k] }
    } -> ret;
}
"""


def found(text: str) -> list[TileSite]:
    """The tiles of a program, the same before and after rewriting but for slots."""
    graph = graph_of(text)
    return _tiles(graph) or _tiles(rewrite(graph).graph)


def _tiles(graph: Graph) -> list[TileSite]:
    return [site for f in graph.functions for site in tile_plan(graph, f.id).values()]


def address(read: TileRead, row: int, lane: int, step: int) -> int:
    place = read.base + read.row * row + read.lane * lane + read.step * step
    if read.split is not None:
        place += read.split.quotient * (step // read.split.divisor)
        place += read.split.remainder * (step % read.split.divisor)
    return place


@pytest.mark.parametrize("text", [PRODUCT, FILTER, CONVOLUTION])
def test_the_plan_computes_what_the_program_computes(text: str) -> None:
    graph = rewrite(graph_of(text)).graph
    (site,) = _tiles(graph)
    lengths = {"a": (12, 3, 9), "b": (20, 8, 30)}
    number = (PRODUCT, FILTER, CONVOLUTION).index(text)
    inputs = {
        name: [(7 * place + len(name) * 3) % 11 - 5 for place in range(of[number])]
        for name, of in lengths.items()
    }
    arrays = list(inputs.values())
    by_slot = {site.a.slot: _longest(arrays, site.a), site.b.slot: _longest(arrays, site.b)}
    assert site.a.slot != site.b.slot
    cells = []
    for cell in range(site.rows * site.lanes):
        row, lane = divmod(cell, site.lanes)
        total = site.seed
        assert isinstance(total, int)
        for step in range(site.steps):
            x = by_slot[site.a.slot][address(site.a, row, lane, step)]
            y = by_slot[site.b.slot][address(site.b, row, lane, step)]
            total += x * y
        cells.append(total)
    assert run(graph, inputs, budget=10**6).result == cells


def _longest(arrays: list[list[int]], read: TileRead) -> list[int]:
    """The array of a read: in these programs `b` is the one that moves with the lane."""
    return arrays[1] if read.lane else arrays[0]


def test_a_product() -> None:
    (site,) = found(PRODUCT)
    assert (site.rows, site.lanes, site.steps, site.seed) == (3, 5, 4, 7)
    assert (site.a.row, site.a.step, site.a.lane) == (4, 1, 0)
    assert (site.b.row, site.b.step, site.b.lane) == (0, 5, 1)
    assert site.multiplies_a_first
    assert site.adds_accumulator_first
    assert not site.is_fused


def test_a_filter_has_one_row() -> None:
    (site,) = found(FILTER)
    assert (site.rows, site.lanes, site.steps) == (1, 6, 3)
    assert site.multiplies_a_first
    assert not site.adds_accumulator_first


def test_a_convolution_splits_its_step() -> None:
    (site,) = found(CONVOLUTION)
    assert site.b.split == StepSplit(3, 6, 1)
    assert site.a.split is None
    assert not site.multiplies_a_first


def test_fused_arithmetic() -> None:
    from mapal.lower import lower
    from mapal.syntax import parse

    text = FILTER.replace("i32", "f32").replace("(0,", "(0.0,")
    graph = lower(parse(text).program, "fused").graph
    assert graph is not None
    (site,) = _tiles(graph)
    assert site.is_fused


NEAR_MISSES = {
    "an array that is no range": PRODUCT.replace("cell / 5", "(cell + 0) / 4"),
    "a seed that is not known": PRODUCT.replace("(7, ks", "(a[row], ks"),
    "the fold is not the last": PRODUCT.replace(
        "b[k * 5 + column] }", "b[k * 5 + column] } -> + 1"
    ),
    "two literals": PRODUCT.replace("cell / 5", "cell / 3"),
    "cells that are no whole rows": PRODUCT.replace("15 -> iota", "14 -> iota").replace(
        "; 15]", "; 14]"
    ),
    "a sum of three": PRODUCT.replace("sum + a", "sum + 1 + a"),
    "the accumulator twice": PRODUCT.replace("a[row * 4 + k] *", "sum *"),
    "a difference": PRODUCT.replace("sum + a", "sum - a"),
    "no product": PRODUCT.replace("] * b", "] + b"),
    "an address that is not affine": PRODUCT.replace("k * 5 + column", "k * k + column"),
    "both move with the lane": PRODUCT.replace("a[row * 4 + k]", "a[column + k]"),
    "neither moves with the lane": PRODUCT.replace("k * 5 + column", "k * 5 + row"),
    "the lane with a stride": FILTER.replace("b[i + k]", "b[i * 1 + i + k]").replace(
        "[i32; 8]", "[i32; 18]"
    ),
    "an index that is not proved": PRODUCT.replace("[i32; 12]", "[i32; 11]"),
    "a step that is both whole and split": CONVOLUTION.replace("* a[k]", "* a[k]")
    .replace("k % 3)]", "k)]")
    .replace("[i32; 30]", "[i32; 60]"),
    "a split that does not fit": CONVOLUTION.replace("k / 3", "k / 2")
    .replace("k % 3", "k % 2")
    .replace("[i32; 30]", "[i32; 90]"),
    "a split in the inner body": CONVOLUTION.replace("[y * 6", "[i / 4 * 6"),
    "two folds": PRODUCT.replace(
        "(7, ks)", "(0, ks) -> fold { s, k -> s + k * row } -> t;\n        (7, ks)"
    ).replace("sum + a[row * 4 + k]", "sum + t + a[row * 4 + k]"),
}


@pytest.mark.parametrize("name", NEAR_MISSES)
def test_one_step_away_nothing_is_found(name: str) -> None:
    assert _tiles(graph_of(NEAR_MISSES[name])) == []


def test_the_plan_is_remembered() -> None:
    graph = graph_of(PRODUCT)
    entry = graph.entry
    assert tile_plan(graph, entry) is tile_plan(graph, entry)
