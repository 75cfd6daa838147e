"""What is tried follows from the facts of a profile."""

from __future__ import annotations

import pytest

from mapal.bench.tuning.trials import register_tiles, trials
from mapal.target import load_profile
from mapal.target.tiles import PARAMETERS


@pytest.mark.parametrize("registers", [16, 32])
def test_tiles_keep_their_sums_in_registers(registers: int) -> None:
    tiles = register_tiles(registers)
    assert len(tiles) == len({tuple(tile.items()) for tile in tiles}) >= 6
    for tile in tiles:
        assert tile["rows"] * tile["vectors"] + tile["vectors"] + 1 <= registers
    assert {tile["vectors"] for tile in tiles} == {1, 2, 3, 4}


def test_every_kernel_is_tried_with_numbers_that_it_has() -> None:
    found = trials(load_profile("zen4"))
    assert len({trial.kernel for trial in found}) == len(found) == 8
    for trial in found:
        bounds = PARAMETERS[trial.kernel.rsplit("-", 2)[0]]
        for step in trial.steps:
            for candidate in step.candidates:
                for name, number in candidate.items():
                    low, high = bounds[name]
                    assert low <= number <= high
        for row in trial.rows:
            assert f"-{row.real}-{row.arithmetic}" in trial.kernel
