"""The NumPy computations beside the projects: right, and able to tell rounding.

That a native result equals them is checked where it is built; here they are checked
against facts that do not come from them.
"""

import runpy
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from mapal.project.file import load_project

PROJECTS = Path(__file__).parents[2] / "projects"
Array = NDArray[Any]


def peer(name: str) -> dict[str, Any]:
    """The names that `peers/numpy_NAME.py` of project NAME defines."""
    return runpy.run_path(str(PROJECTS / name / "peers" / f"numpy_{name}.py"))


def inputs(project: str, program: str) -> dict[str, Array]:
    """The inputs of a program, by the name of the parameter."""
    (found,) = [
        candidate
        for candidate in load_project(PROJECTS / project / "mapal.yaml").programs
        if candidate.name == program
    ]
    return {name: np.load(PROJECTS / project / path) for name, path in found.inputs}


def result(project: str, program: str) -> Array:
    run: Callable[[dict[str, Array]], Array] = peer(project)["run"]
    return run(inputs(project, program))


@pytest.mark.parametrize(
    ("project", "program", "dtype", "shape"),
    [
        ("sepia", "sepia", np.uint8, (786432,)),
        ("edges", "edges", np.uint8, (64516,)),
        ("fir", "fir", np.float64, (2128,)),
        ("digits", "digits", np.uint8, (1797,)),
        ("matmul", "matmul-128", np.float32, (16384,)),
        ("matmul", "matmul-fused-64", np.float32, (4096,)),
        ("transpose", "transpose", np.float32, (65536,)),
        ("gather", "gather", np.float32, (65536,)),
        ("nbody", "nbody", np.float64, (183, 9, 3)),
        ("heat", "heat", np.float32, (4096,)),
        ("mandelbrot", "mandelbrot", np.uint8, (38400,)),
    ],
)
def test_results_have_the_form_of_the_programs(
    project: str, program: str, dtype: type, shape: tuple[int, ...]
) -> None:
    given = inputs(project, program)
    before = {name: array.copy() for name, array in given.items()}
    found = peer(project)["run"](given)
    assert found.dtype == dtype
    assert found.shape == shape
    for name, array in given.items():
        assert np.array_equal(array, before[name])


def test_sepia_by_exact_arithmetic() -> None:
    toned = result("sepia", "sepia").reshape(-1, 3)
    pixels = inputs("sepia", "sepia")["image"].reshape(-1, 3)
    weights = ((393, 769, 189), (349, 686, 168), (272, 534, 131))
    for place in range(0, len(pixels), 997):
        for channel, row in enumerate(weights):
            parts = zip(row, pixels[place].tolist(), strict=True)
            tone = Fraction(sum(weight * value for weight, value in parts), 1000)
            # Only a tone within the error of three float32 operations of a half may differ.
            if abs((tone + Fraction(1, 2)) % 1 - Fraction(1, 2)) < Fraction(4999, 10000):
                assert toned[place, channel] == min(255, int(tone + Fraction(1, 2)))


def test_edges_of_a_step_and_of_nothing() -> None:
    photo = np.zeros((256, 256, 3), dtype=np.uint8)
    photo[:, 100:] = 50
    edges = peer("edges")["run"]({"photo": photo}).reshape(254, 254)
    assert set(np.flatnonzero(edges.any(axis=0)).tolist()) == {98, 99}
    assert set(edges[:, 98].tolist()) == {200}


def test_fir_takes_out_the_year_and_keeps_the_mean() -> None:
    given = inputs("fir", "fir")
    assert abs(given["taps"].sum() - 1.0) < 1e-12
    weeks = np.arange(given["signal"].size)
    yearly = np.sin(weeks * 2.0 * np.pi * 7 / 365.25)
    assert np.abs(peer("fir")["run"]({**given, "signal": yearly})).max() < 0.02
    steady = np.full(weeks.size, 7.5)
    assert np.allclose(peer("fir")["run"]({**given, "signal": steady}), 7.5, atol=1e-12)


def test_digits_are_read_as_the_readme_says() -> None:
    labels = inputs("digits", "digits")["labels"]
    right = result("digits", "digits") == labels
    text = (PROJECTS / "digits" / "README.md").read_text(encoding="utf-8")
    assert f"right {right.sum()} of 1797: {right.sum() * 100.0 / 1797.0} %" in text
    assert f"not trained on {right[1197:].sum()}: {right[1197:].sum() * 100.0 / 600.0} %" in text


def test_digits_do_not_hang_on_the_order_of_sums() -> None:
    scores = np.sort(peer("digits")["scores"](inputs("digits", "digits")), axis=1)
    # Sums of 64 terms in float32, below 100 in magnitude, are off by far less.
    assert (scores[:, -1] - scores[:, -2]).min() > 2e-3
    given = {name: array.astype(np.float64) for name, array in inputs("digits", "digits").items()}
    assert np.array_equal(peer("digits")["run"](given), result("digits", "digits"))


def test_planets_keep_their_orbits() -> None:
    orbits = result("nbody", "nbody")
    mass = inputs("nbody", "nbody")["planets"][:, 0]
    distance = np.sqrt(((orbits - orbits[:, :1]) ** 2).sum(axis=2))
    # Perihelion and aphelion in astronomical units, from any almanac, to a hundredth.
    assert distance[:, 3].min() == pytest.approx(0.983, abs=0.01)
    assert distance[:, 3].max() == pytest.approx(1.017, abs=0.01)
    assert distance[:, 5].min() == pytest.approx(4.95, abs=0.02)
    assert distance[:, 5].max() == pytest.approx(5.46, abs=0.02)
    centre = (mass[:, np.newaxis] * orbits).sum(axis=1) / mass.sum()
    assert np.abs(centre).max() < 1e-12


def test_heat_stays_between_its_sources_and_sinks() -> None:
    given = inputs("heat", "heat")
    warm = result("heat", "heat").reshape(64, 64)
    assert np.array_equal(warm[given["held"]], given["plate"][given["held"]])
    assert warm.min() >= given["plate"].min()
    assert np.unravel_index(warm.argmax(), warm.shape)[0] in range(12, 20)
    still = peer("heat")["run"]({**given, "power": np.zeros_like(given["power"])})
    assert still.max() <= given["plate"].max() + 1e-4


def test_mandelbrot_is_symmetric_and_knows_its_middle() -> None:
    picture = result("mandelbrot", "mandelbrot").reshape(160, 240)
    # Row 80 is the real axis; rows at equal distance from it mirror each other.
    assert np.array_equal(picture[1:80], picture[:80:-1])
    assert not picture[80, 160:190].any()
    assert picture[0, 0] > 0


def test_transpose_and_gather_move_every_element() -> None:
    matrix = inputs("transpose", "transpose")["matrix"]
    moved = result("transpose", "transpose")
    assert np.array_equal(moved[1:256], matrix[1:, 0])
    table = inputs("gather", "gather")["index"]
    assert table.min() >= 0
    assert table.max() < 65536
    assert np.unique(table).size > 30000


def differs(left: Array, right: Array) -> bool:
    return bool((left != right).any()) and np.allclose(left, right, rtol=1e-3, atol=1e-3)


@pytest.mark.parametrize("size", [64, 128])
def test_matmul_data_shows_rounding(size: int) -> None:
    a, b = (np.load(PROJECTS / "matmul" / "data" / f"{side}-{size}.npy") for side in "ab")
    reference = peer("matmul")["reference"]
    in_order = reference(a, b)
    assert differs(in_order, reference(a[:, ::-1], b[::-1]))
    unrounded = (a.astype(np.float64) @ b.astype(np.float64)).astype(np.float32)
    assert differs(in_order, unrounded.reshape(-1))
    run = peer("matmul")["run"]({"a": a, "b": b})
    limit = peer("matmul")["RELATIVE_TOLERANCE"] * np.abs(in_order).max()
    assert np.abs(run - in_order).max() < limit


def test_fir_data_shows_rounding() -> None:
    given = inputs("fir", "fir")
    reference = peer("fir")["reference"]
    in_order = reference(given["signal"], given["taps"])
    mirrored = reference(given["signal"][::-1], given["taps"][::-1])[::-1]
    assert differs(in_order, mirrored)
    limit = peer("fir")["RELATIVE_TOLERANCE"] * np.abs(in_order).max()
    assert np.abs(peer("fir")["run"](given) - in_order).max() < limit


def test_heat_data_shows_rounding() -> None:
    given = inputs("heat", "heat")
    turned = {name: array.reshape(64, 64).T for name, array in given.items()}
    swapped = peer("heat")["run"](turned).reshape(64, 64).T.reshape(-1)
    assert differs(peer("heat")["run"](given), swapped)
