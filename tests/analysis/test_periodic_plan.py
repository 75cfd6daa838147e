"""Which maps repeat from period to period, and what they read."""

from __future__ import annotations

from mapal.analysis.periodic_plan import PeriodicSite, periodic_plan
from tests.codegen.kernel_runs import rewritten


def site_of(body: str, cells: int = 160, length: int = 160, steps: int = 4) -> PeriodicSite | None:
    graph = rewritten(
        f"""
fn main(a: [f32; {length}], b: [f32; {length}]) -> [f32; {cells}] {{
    {steps} -> iota -> ks;
    {cells} -> iota -> map {{ cell -> {body} }} -> ret;
}}
"""
    )
    plan = periodic_plan(graph, graph.entry)
    assert len(plan) <= 1
    return next(iter(plan.values()), None)


PRODUCT = """
    cell / 16 * 16 -> matrix;
    cell % 16 / 4 * 4 -> row;
    cell % 4 -> column;
    (0.5, ks) -> fold { sum, k -> sum + a[matrix + row + k] * b[matrix + k * 4 + column] }
"""


def test_products_of_small_matrices() -> None:
    site = site_of(PRODUCT)
    assert site is not None
    assert (site.periods, site.cells, site.steps, site.seed) == (10, 16, 4, 0.5)
    assert (site.x.slot, site.x.stride) == (0, 16)
    for k in range(4):
        assert site.x.offsets[k] == tuple(r // 4 * 4 + k for r in range(16))
        assert site.y.offsets[k] == tuple(k * 4 + r % 4 for r in range(16))
    twice = site.of_several(2)
    assert (twice.periods, twice.cells, twice.x.stride) == (5, 32, 32)
    assert twice.x.offsets[1][16:] == tuple(16 + at for at in site.x.offsets[1])


def test_what_is_not_periodic() -> None:
    fold = "(0.0, ks) -> fold {{ sum, k -> sum + a[{}] * b[k] }}"
    assert site_of("cell % 7 -> r; " + fold.format("r + k"), cells=160) is None
    assert site_of("cell % 80 -> r; " + fold.format("r + k")) is None
    assert site_of(fold.format("cell + k"), cells=150) is None
    # Neither 4 nor 8 cells later does this repeat.
    assert site_of("cell / 4 % 8 -> r; " + fold.format("r + k")) is None
    assert site_of("cell / 4 / 8 -> r; " + fold.format("r + k")) is None
    assert site_of("cell % 8 -> r; " + fold.format("r + k")) is not None
