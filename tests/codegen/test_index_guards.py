"""Where index guards remain: in no loop of the kernels, and wherever a trap is possible."""

from __future__ import annotations

from pathlib import Path

import pytest

from mapal.codegen import emit
from mapal.project.file import load_project
from mapal.project.template import substitute
from mapal.rewrite import rewrite
from mapal.target import load_profile
from tests.codegen.index_guards import Guards, index_guards
from tests.codegen.native_runs import assert_equal_endings, graph_of

PROJECTS = Path(__file__).parents[2] / "projects"
WITHOUT_GUARDS = ("matmul", "fir", "edges", "heat", "transpose", "digits", "sepia")


def guards_of(source: str, *, rewritten: bool = True, has_kernels: bool = True) -> Guards:
    graph = graph_of(source)
    graph = rewrite(graph).graph if rewritten else graph
    profile = load_profile("generic")
    return index_guards(emit(graph, profile, name="program", has_kernels=has_kernels).ll)


@pytest.mark.parametrize("has_kernels", [True, False])
@pytest.mark.parametrize("rewritten", [True, False])
@pytest.mark.parametrize("name", WITHOUT_GUARDS)
def test_no_guard_in_any_loop(name: str, rewritten: bool, has_kernels: bool) -> None:
    for program in load_project(PROJECTS / name).programs:
        source = (PROJECTS / name / program.source).read_text()
        text = substitute(source, dict(program.sizes), program.source)
        found = guards_of(text, rewritten=rewritten, has_kernels=has_kernels)
        assert found == Guards(0, 0)


def test_what_data_decide_keeps_its_guard() -> None:
    source = (PROJECTS / "gather" / "src" / "gather.mapal").read_text()
    assert guards_of(source) == Guards(1, 0)


def test_guards_outside_of_loops_are_told_apart() -> None:
    source = "fn main(v: [i32; 4], k: i32) -> i32 { v[k] -> ret; }"
    assert guards_of(source) == Guards(0, 1)
    source = "fn main(v: [i32; 4], k: i32) -> [i32; 4] { v -> map { x -> x + v[k] } -> ret; }"
    assert guards_of(source).in_loops == 1


@pytest.mark.parametrize(
    ("name", "edit"),
    [
        ("transpose", ("t % 256 * 256 + t / 256", "t % 256 * 256 + t / 255")),
        ("sepia", ("image[pixel + 2]", "image[pixel + 3]")),
        ("fir", ("signal[t + j]", "signal[t + j + 1]")),
        ("heat", ("row == 63 ||", "row == 62 ||")),
        ("edges", ("+ column + w % 3", "+ column + w % 3 + 1")),
    ],
)
def test_a_kernel_that_reaches_one_too_far_is_guarded(name: str, edit: tuple[str, str]) -> None:
    (program, *_) = load_project(PROJECTS / name).programs
    source = (PROJECTS / name / program.source).read_text()
    assert edit[0] in source
    for has_kernels in (True, False):
        assert guards_of(source.replace(*edit), has_kernels=has_kernels).in_loops > 0


@pytest.mark.parametrize(
    "source",
    [
        """fn main() -> [i32; 16] {
            16 -> iota -> m; 16 -> iota -> map { t -> m[t % 4 * 4 + t / 3] } -> ret; }""",
        """fn main() {
            [3, 1, 2, 0] -> v; 1 -> println;
            mut i: i32 <- 0; mut j: i32 <- 3;
            loop { (i < 5) -> { -true-> { v[j] -> println; i + 1 -> i; j - 1 -> j; -> loop; }
                                -false-> 0; } } }""",
        """fn main() -> [i32; 25] {
            25 -> iota -> v;
            25 -> iota -> map { p -> p / 5 -> row; (row < 4) -> { -true-> v[p + 6]; -false-> 0; }
                -> a; a } -> ret; }""",
    ],
)
def test_a_bad_index_still_traps(source: str) -> None:
    ending = assert_equal_endings(rewrite(graph_of(source)).graph)
    assert ending.trap is not None
    assert ending.trap[0] == "index_oob"
