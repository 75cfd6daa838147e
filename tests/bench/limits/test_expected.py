"""What results must be: agreement of independent ways, and that disagreement is found."""

from __future__ import annotations

import dataclasses
import shutil
from pathlib import Path

import numpy as np
import pytest

from mapal.bench.answers import WrongAnswer
from mapal.bench.limits import building, expected
from mapal.bench.limits.building import Builder, graph_of, source_of
from mapal.bench.limits.expected import (
    SAMPLE,
    expected_result,
    require_plain_build,
    require_result,
    sample_cells,
)
from mapal.bench.limits.measuring import write_inputs
from mapal.bench.limits.rows import Row
from mapal.bench.limits.store import Expected
from mapal.native.toolchain import require_compiler
from mapal.target.detect import detect_host
from tests.bench.limits.small_rows import small_row


@pytest.fixture(scope="module")
def builder() -> Builder:
    return Builder(require_compiler(print))


def found(row: Row, builder: Builder, directory: Path) -> Expected:
    scratch = directory / "scratch"
    scratch.mkdir(exist_ok=True)
    inputs = write_inputs(row, scratch)
    said: list[str] = []
    result = expected_result(row, inputs, builder, directory / "store", scratch, said.append)
    # A second question is answered from what is kept.
    said.clear()
    again = expected_result(row, inputs, builder, directory / "store", scratch, said.append)
    assert again == result
    assert said == []
    return result


@pytest.mark.parametrize("arithmetic", ["exact", "fused"])
def test_the_reference_and_the_interpreter_agree(
    builder: Builder, tmp_path: Path, arithmetic: str
) -> None:
    row = small_row(arithmetic=arithmetic)
    result = found(row, builder, tmp_path)
    assert result.evidence == ("reference in C", "interpreter, whole")
    sampled = dataclasses.replace(row, name="sampled", whole=False)
    assert found(sampled, builder, tmp_path).evidence[1] == f"interpreter, {SAMPLE} cells"


def test_modes_differ_in_bits_so_that_a_contraction_would_show(
    builder: Builder, tmp_path: Path
) -> None:
    exact = np.load(found(small_row(), builder, tmp_path).path)
    fused = np.load(found(small_row(arithmetic="fused"), builder, tmp_path).path)
    assert np.count_nonzero(exact != fused) > exact.size // 4


@pytest.mark.parametrize("whole", [True, False])
def test_a_reference_in_another_order_is_found(
    builder: Builder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, whole: bool
) -> None:
    sources = tmp_path / "sources"
    shutil.copytree(building.SOURCES, sources)
    path = sources / "matmul_reference.c"
    text = path.read_text(encoding="utf-8")
    turned = text.replace("long k = 0; k < N; k++", "long k = N - 1; k >= 0; k--")
    assert turned != text
    path.write_text(turned, encoding="utf-8")
    for module in (building, expected):
        monkeypatch.setattr(module, "SOURCES", sources)
    row = dataclasses.replace(small_row(), whole=whole)
    with pytest.raises(WrongAnswer, match="the interpreter and the reference in C disagree"):
        found(row, builder, tmp_path)


def test_a_build_of_another_program_is_found(builder: Builder, tmp_path: Path) -> None:
    row, host = small_row(), detect_host()
    result = found(row, builder, tmp_path)
    scratch = tmp_path / "scratch"
    inputs = write_inputs(row, scratch)
    source = source_of(row)
    good = builder.program(graph_of(source, "exact"), host, "good")
    require_result(row, good, inputs, result, 1, scratch)
    contracted = builder.program(graph_of(source, "fused"), host, "contracted")
    with pytest.raises(WrongAnswer, match="small-24 gives another result"):
        require_result(row, contracted, inputs, result, 2, scratch)


def test_a_build_without_kernels_is_believed_once_it_was_right(
    builder: Builder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    row, host = small_row(), detect_host()
    result = found(row, builder, tmp_path)
    scratch, store = tmp_path / "scratch", tmp_path / "store"
    inputs = write_inputs(row, scratch)
    for arithmetic, is_right in (("fused", False), ("exact", True)):
        graph = graph_of(source_of(row), arithmetic)
        plain = builder.program(graph, host, row.name, has_kernels=False)
        if is_right:
            require_plain_build(row, plain, inputs, result, store, scratch)
        else:
            with pytest.raises(WrongAnswer):
                require_plain_build(row, plain, inputs, result, store, scratch)
    monkeypatch.setattr(expected, "require_result", lambda *_: pytest.fail("ran again"))
    require_plain_build(row, plain, inputs, result, store, scratch)


@pytest.mark.parametrize(("cells", "side"), [(100 * 100, 100), (1 << 20, None), (1024**2, 1024)])
def test_samples_hold_corners_and_edges_of_tiles(cells: int, side: int | None) -> None:
    places = sample_cells(cells, side)
    assert places.size == SAMPLE
    assert places.min() >= 0
    assert places.max() < cells
    width = side or cells
    assert {0, width - 1, cells - width, cells - 1} <= set(places.tolist())
    if side is None:
        assert {15, 16, 63, 64, cells - 2} <= set(places.tolist())
    assert np.array_equal(places, sample_cells(cells, side))
