"""The tuning file: what it says, and what stays in it."""

from __future__ import annotations

from mapal.bench.tuning.record import tuning_text
from mapal.bench.tuning.search import Finding
from mapal.target import parse_tuning
from mapal.target.document import Entry, read_document

FIGURES = {
    "base_ms": 1.23456,
    "median_ms": 1.1,
    "ratio": 0.891,
    "quartiles": [0.88, 0.9],
    "quiet_rounds": 9,
    "rounds": 9,
}


def finding(kernel: str, *, is_chosen: bool = False) -> Finding:
    return Finding(kernel, "register tile", {"rows": 9}, {"a-768": FIGURES}, is_chosen)


def test_the_file_reads_back_with_its_evidence() -> None:
    kernel = "matmul-f32-exact"
    text = tuning_text("zen4", "znver4", {kernel: {"rows": 9}}, [finding(kernel)], None)
    found = parse_tuning(text.encode(), "zen4.tune.yaml")
    assert (found.name, found.cpu) == ("zen4", "znver4")
    assert found.tiles.get(kernel) == {"rows": 9}
    (item,) = read_document(text.encode(), "t").mapping()["evidence"].items()
    entry = item.mapping()
    assert entry["step"].text() == "register tile"
    assert entry["a-768"].mapping()["ratio"].value == 0.891


def test_nothing_found_is_a_file_too() -> None:
    text = tuning_text("zen4", "znver4", {"matmul-f32-exact": {}}, [], None)
    assert parse_tuning(text.encode(), "zen4.tune.yaml").tiles.entries == ()


def test_kernels_that_are_not_tuned_again_stay() -> None:
    first = tuning_text(
        "native",
        "znver4",
        {"matmul-f32-exact": {"rows": 9}, "matmul-f64-exact": {"rows": 8}},
        [finding("matmul-f32-exact", is_chosen=True), finding("matmul-f64-exact")],
        None,
    )
    second = tuning_text(
        "native",
        "znver4",
        {"matmul-f64-exact": {}},
        [finding("matmul-f64-exact"), finding("matmul-f64-exact")],
        first.encode(),
    )
    found = parse_tuning(second.encode(), "native.tune.yaml")
    assert [kernel for kernel, _ in found.tiles.entries] == ["matmul-f32-exact"]
    evidence = read_document(second.encode(), "t").mapping()["evidence"].items()
    kernels = [item.mapping()["kernel"].text() for item in evidence]
    assert kernels == ["matmul-f32-exact", "matmul-f64-exact", "matmul-f64-exact"]
    assert evidence[0].mapping()["chosen"].boolean()


def test_evidence_may_be_laid_out_by_people() -> None:
    former = """\
name: native
cpu: znver4
tiles: {}
evidence:
  - kernel: matmul-f64-exact
    step: register tile  # the first
    numbers: {rows: 9}
    chosen: false
    "a-768": {ratio: 0.8910, quartiles: [0.12345678, 1],
              note: 'true', empty: ~}
"""
    text = tuning_text("native", "znver4", {}, [], former.encode())
    (item,) = read_document(text.encode(), "t").mapping()["evidence"].items()
    (before,) = read_document(former.encode(), "t").mapping()["evidence"].items()
    assert values(item) == values(before)
    assert "ratio: 0.8910, quartiles: [0.12345678, 1]" in text
    # What is written in one line stays as it is.
    assert tuning_text("native", "znver4", {}, [], text.encode()) == text


def values(entry: Entry) -> object:
    """The plain value of a document."""
    match entry.value:
        case dict():
            return {key: values(value) for key, value in entry.value.items()}
        case list():
            return [values(value) for value in entry.value]
        case _:
            return entry.value
