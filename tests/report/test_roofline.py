"""Places in the roofline picture, from numbers."""

from __future__ import annotations

from typing import Any

import pytest

from mapal.report.roofline import HEIGHT, WIDTH, make_rooflines

ROOF = {
    "threads": 1,
    "f32_gflop_per_s": 100.0,
    "f64_gflop_per_s": 50.0,
    "memory_gbyte_per_s": 20.0,
    "cache_gbyte_per_s": 80.0,
}


def document(*results: dict[str, Any], **host: Any) -> dict[str, Any]:
    return {"host": {"roofs": [ROOF], **host}, "results": list(results)}


def result(flop: int | None, size: int | None, rate: float, threads: int = 1) -> dict[str, Any]:
    return {
        "program": "p",
        "arithmetic": "exact",
        "threads": threads,
        "flop": flop,
        "bytes": size,
        "gflop_per_s": rate,
    }


def test_a_program_is_held_against_the_lower_roof() -> None:
    (picture,) = make_rooflines(document(result(1, 4, 2.5), result(100, 1, 75.0)))
    streaming, computing = picture.points
    assert (streaming.intensity, computing.intensity) == (0.25, 100.0)
    assert [point.percent for point in picture.points] == pytest.approx([50.0, 75.0])
    assert streaming.x < computing.x
    assert streaming.y > computing.y
    assert [point.number for point in picture.points] == [1, 2]


def test_the_roofs_meet_where_memory_suffices() -> None:
    (picture,) = make_rooflines(document(result(1, 4, 2.5)))
    lines = {line.name: line for line in picture.roofs}
    assert set(lines) == {"memory", "second cache", "f32", "f64"}
    # The slope of the memory ends at the height of the arithmetic.
    assert lines["memory"].y2 == lines["f32"].y1
    assert lines["second cache"].x2 < lines["memory"].x2
    assert lines["f64"].y1 > lines["f32"].y1
    for line in lines.values():
        assert 0 <= line.x1 < line.x2 <= WIDTH
        assert 0 <= line.y2 <= line.y1 <= HEIGHT


def test_ticks_span_everything() -> None:
    (picture,) = make_rooflines(document(result(1, 1000, 0.003), result(4096, 1, 99.0)))
    for point in picture.points:
        assert picture.across[0].place <= point.x <= picture.across[-1].place + WIDTH / 8
        assert picture.up[-1].place <= point.y <= picture.up[0].place
    assert picture.up[-1].text == "100"
    assert float(picture.up[0].text) <= 0.003


def test_only_what_was_measured_with_as_many_threads_and_says_its_work_is_there() -> None:
    results = [result(None, 4, 1.0), result(4, None, 1.0), result(4, 4, 1.0, threads=2)]
    assert make_rooflines(document(*results)) == ()
    assert make_rooflines({"results": results}) == ()
    assert make_rooflines({"host": None, "results": []}) == ()
    (picture,) = make_rooflines(document(*results, roofs=[ROOF, {**ROOF, "threads": 2}]))
    assert picture.threads == 2
