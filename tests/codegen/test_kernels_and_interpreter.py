"""A small case of each kernel against the interpreter, which defines what a program means."""

from __future__ import annotations

import pytest

from mapal.codegen import emit
from mapal.target import load_profile
from tests.codegen import test_deferral, test_move_kernels, test_nested_kernels
from tests.codegen.kernel_runs import Case, rewritten
from tests.codegen.native_runs import graph_of, interpreted, run_natively
from tests.codegen.test_small_products import products
from tests.codegen.test_window_kernels import convolution, fir

CASES: dict[str, Case] = {
    "window": fir(700, 9),
    "fused window": fir(700, 9, "f64", "fused"),
    "convolution": convolution((5, 18), (3, 3)),
    "transposition": test_move_kernels.transposition(19, 33),
    "small products": products(5, 4, 4, 4),
    "matrix product": test_nested_kernels.product(9, 12, 17),
    "rows": test_nested_kernels.vector_product(18, 20),
    "lazy": Case(
        source=test_deferral.PROGRAMS["two readers"],
        inputs=test_deferral.inputs_of(test_deferral.PROGRAMS["two readers"]),
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_kernels_give_what_the_interpreter_gives(name: str) -> None:
    case = CASES[name]
    inputs = {key: array.tolist() for key, array in case.inputs.items()}
    expected = interpreted(graph_of(case.source, case.arithmetic), inputs)
    graph = rewritten(case.source, case.arithmetic)
    shapes = [site["shape"] for site in emit(graph, load_profile("native"), name="p").plan["sites"]]
    assert any(shape.startswith(name.removeprefix("fused ")) for shape in shapes), shapes
    assert run_natively(graph, 2, inputs) == expected
