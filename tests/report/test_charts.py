"""Charts of documents that are none: damaged, or of another version."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from mapal.report.charts import make_charts
from mapal.report.page import render_page
from tests.report import builds

DAMAGES: dict[str, dict[str, Any]] = {
    "nothing else": {"target": "zen4"},
    "results of another kind": {"target": "zen4", "results": 7},
    "results without peers": {"target": "zen4", "results": [{"program": "p"}]},
    "a list for a host": {"target": "zen4", "host": [1]},
    "a word for a time": {
        "target": "zen4",
        "results": [
            {
                "program": "p",
                "arithmetic": "exact",
                "threads": 1,
                "repeat": 1,
                "median_ms": "fast",
                "peers": [],
            }
        ],
    },
    "a time that is no number": {
        "target": "zen4",
        "results": [
            {
                "program": "p",
                "arithmetic": "exact",
                "threads": 1,
                "repeat": 1,
                "median_ms": float("nan"),
                "peers": [],
            }
        ],
    },
    "a target that is no name": {"target": {"a": 1}, "results": [None]},
}


@pytest.mark.parametrize("name", DAMAGES)
def test_a_document_of_another_shape_stops_nothing(name: str) -> None:
    good = copy.deepcopy(builds.BENCH)
    charts = make_charts([DAMAGES[name], good])
    assert {chart.target for chart in charts} == {good["target"], str(DAMAGES[name]["target"])}
    page = render_page(builds.build(benches=[DAMAGES[name], good])).decode()
    assert page.count("is no document of this version of the bench") == (name != "nothing else")


def test_programs_that_failed_are_shown_with_the_reason() -> None:
    document = {
        "target": "zen4",
        "results": [],
        "failed": [{"program": "odd", "threads": 1, "reason": "peer c gives another result"}],
    }
    (chart,) = make_charts([document])
    assert chart.skipped == (("odd", "failed: peer c gives another result"),)
    assert "peer c gives another result" in render_page(builds.build(benches=[document])).decode()


def test_halves_of_characters_do_not_stop_the_page() -> None:
    document = {"target": "zen4", "not_timed": "half of a pair: \ud800"}
    assert "half of a pair: ?" in render_page(builds.build(benches=[document])).decode()
