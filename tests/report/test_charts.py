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
    "a target that is no name": {"target": {"a": 1}, "results": [None]},
}


@pytest.mark.parametrize("name", DAMAGES)
def test_a_document_of_another_shape_stops_nothing(name: str) -> None:
    good = copy.deepcopy(builds.BENCH)
    charts = make_charts([DAMAGES[name], good])
    assert {chart.target for chart in charts} == {good["target"], str(DAMAGES[name]["target"])}
    page = render_page(builds.build(benches=[DAMAGES[name], good])).decode()
    assert page.count("is no document of this version of the bench") == (name != "nothing else")
