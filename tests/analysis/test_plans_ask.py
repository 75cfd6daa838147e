"""Tiles and moves are found only where the engine of index maps allows them, which allows no less
than the simple rule."""

from __future__ import annotations

from types import ModuleType

import pytest

from mapal.affine import StricterQueryError, crosschecking
from mapal.analysis import move_plan, tile_plan
from mapal.analysis.legality import maps
from mapal.ir.graph import Graph
from tests.analysis.test_move_plan import TRANSPOSE
from tests.analysis.test_tile_plan import CONVOLUTION, FILTER, PRODUCT
from tests.rewrite.programs import graph_of

SOURCES = {"product": PRODUCT, "filter": FILTER, "convolution": CONVOLUTION, "move": TRANSPOSE}


def sites(graph: Graph) -> list[object]:
    tiles = tile_plan.tile_plan(graph, graph.entry).values()
    return [*tiles, *move_plan.move_plan(graph, graph.entry).values()]


@pytest.mark.parametrize("name", SOURCES)
def test_the_engine_allows_what_the_rule_does(name: str) -> None:
    with crosschecking():
        assert len(sites(graph_of(SOURCES[name]))) == 1


@pytest.mark.parametrize("name", SOURCES)
def test_without_a_proof_nothing_is_found(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(maps, "tie", lambda *_: "an iteration before")
    assert sites(graph_of(SOURCES[name])) == []
    with crosschecking(), pytest.raises(StricterQueryError, match="the rule accepts"):
        sites(graph_of(SOURCES[name]))


@pytest.mark.parametrize(
    ("module", "function", "name"),
    [(tile_plan, "_fits", "product"), (move_plan, "_fits", "move")],
)
def test_what_goes_beyond_the_rule_is_noted(
    module: ModuleType, function: str, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, function, lambda *_: False)
    with crosschecking() as gains:
        assert len(sites(graph_of(SOURCES[name]))) == 1
    assert len(gains) == 1
