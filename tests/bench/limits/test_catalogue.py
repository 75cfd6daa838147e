"""The table itself: names, programs, sources, goals."""

from __future__ import annotations

import numpy as np
import pytest

from mapal.bench.limits.building import SOURCES, graph_of, source_file, source_of
from mapal.bench.limits.catalogue import all_rows
from mapal.bench.limits.rows import SEED, Row
from mapal.ir.entry import entry_ports

ROWS = all_rows()
ONE_OF_EACH = list({(row.template, row.real): row for row in reversed(ROWS)}.values())


def test_names_are_unique_and_all_kernels_are_there() -> None:
    names = [row.name for row in ROWS]
    assert len(names) == len(set(names))
    for n in (
        64,
        128,
        192,
        256,
        384,
        512,
        768,
        1024,
        1536,
        2048,
        4096,
        50,
        65,
        100,
        127,
        333,
        1000,
    ):
        assert {f"matmul-f32-fused-{n}", f"matmul-f32-exact-{n}"} < set(names)
        assert f"matmul-v3-f32-exact-{n}" in names
    assert "fir-64-exact" in names
    assert "heat" in names


@pytest.mark.parametrize("row", ONE_OF_EACH, ids=lambda row: row.name)
def test_programs_take_what_is_given_to_them(row: Row) -> None:
    ports = entry_ports(graph_of(source_of(row), row.arithmetic))
    inputs = row.inputs(np.random.default_rng(SEED))
    assert [port.name for port in ports.inputs] == list(inputs)
    for port in ports.inputs:
        assert port.count == inputs[port.name].size
    assert len(ports.outputs) == 1
    if row.cells is not None:
        sampled = entry_ports(graph_of(source_of(row, sample=7), row.arithmetic))
        assert sampled.inputs[-1].name == "places"
        assert sampled.outputs[0].count == 7
        assert ports.outputs[0].count == row.cells


@pytest.mark.parametrize("row", ONE_OF_EACH, ids=lambda row: row.name)
def test_inputs_show_every_rounding(row: Row) -> None:
    for name, array in row.inputs(np.random.default_rng(SEED)).items():
        if array.dtype.kind == "f" and array.size > 8 and name != "start":
            digits = np.frexp(array.astype("f8"))[0] * 2.0**20
            assert np.count_nonzero(digits != np.rint(digits)) > array.size // 4, name


def test_every_source_is_there_and_goals_name_peers() -> None:
    for row in ROWS:
        assert (SOURCES / f"{row.template}_reference.c").is_file()
        names = [peer.name for peer in row.peers]
        assert len(names) == len(set(names))
        assert [peer.file for peer in row.peers if source_file(peer.file) is None] == []
        for goal in row.goals:
            assert set(goal.peers) <= {*names, "halide"}, row.name


def test_every_source_is_used() -> None:
    used = {peer.file for row in ROWS for peer in row.peers}
    for row in ROWS:
        used |= {f"{row.template}.mapal", f"{row.template}_reference.c"}
    found = {path.name for path in SOURCES.iterdir() if path.is_file()}
    assert found - used == {"reduce_order.h"}
    assert used - found == {"peak.c"}
