"""Large programs and long runs: nothing recurses over size, and memory does not grow."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from pathlib import Path

import pytest

from mapal.codegen import emit
from mapal.codegen.llvm.writer import FunctionWriter
from mapal.target import load_profile
from tests.codegen.native_runs import assert_equal_endings, compiled, graph_of, run_natively

ARMS = 600


def test_a_match_of_thousands_of_trapping_arms() -> None:
    arms = " ".join(f"-{k}-> {k} / d;" for k in range(ARMS))
    source = (
        f"fn pick(k: i32, d: i32) -> i32 {{ k -> {{ {arms} -_-> 7; }} -> ret; }}\n"
        f"fn main() {{ (5, 2) -> pick -> println; ({ARMS - 1}, 3) -> pick -> println; "
        f"({ARMS}, 0) -> pick -> println; (4, 0) -> pick -> println; }}"
    )
    ending = assert_equal_endings(graph_of(source))
    assert ending.stdout == b"2\n199\n7\n"
    assert ending.kind == "trapped"


def test_a_chain_of_operations() -> None:
    steps = " ".join(f"x{k} * 3 + {k} -> x{k + 1};" for k in range(2000))
    source = f"fn main() {{ 1 -> x0; {steps} x2000 -> println; }}"
    assert_equal_endings(graph_of(source))


def test_a_chain_of_calls() -> None:
    functions = "".join(
        f"fn g{k}(x: i32) -> i32 {{ x -> g{k - 1} -> y; y + {k} -> ret; }}\n"
        for k in range(1, 1500)
    )
    source = (
        f"fn g0(x: i32) -> i32 {{ x -> ret; }}\n{functions}fn main() {{ 1 -> g1499 -> println; }}"
    )
    text = emit(graph_of(source), load_profile("generic"), name="p").ll
    assert text.count("define internal i32") == 1500


def test_deeply_nested_guards_and_bodies() -> None:
    guard = "x"
    for k in range(60):
        guard = f"(x > {k}) -> {{ -true-> {{ {guard} }} -false-> {k} / (x + 1); }}"
    main = "fn main() { 100 -> f -> println; 7 -> f -> println; }"
    source = f"fn f(x: i32) -> i32 {{ {guard} -> ret; }}\n{main}"
    assert_equal_endings(graph_of(source))


def test_many_updates_of_one_array_are_emitted_in_linear_size() -> None:
    def size(updates: int) -> int:
        steps = " ".join(f"a[{k % 10}] <- a[{(k + 1) % 10}] + {k};" for k in range(updates))
        source = (
            f"fn main() {{ mut a: [i32; 10] <- [0,0,0,0,0,0,0,0,0,0]; {steps} a[3] -> println; }}"
        )
        return len(emit(graph_of(source), load_profile("generic"), name="p").ll)

    assert size(400) < 2.5 * size(200)


LONG_LOOP = """
fn step(v: [i32; 1000], k: i32) -> [i32; 1000] {
    v -> map { x -> x + k } -> w;
    w -> ret;
}
fn main() {
    (1, 1000) -> fill -> start;
    mut v: [i32; 1000] <- start;
    mut i: i32 <- 0;
    mut sum: i32 <- 0;
    loop {
        (i < 100000) -> {
            -true-> {
                [i, i + 1, i + 2] -> triple;
                triple -> map { x -> x * 2 } -> doubled;
                (v, i) -> step -> v;
                sum + doubled[1] -> sum;
                i + 1 -> i;
                -> loop;
            }
            -false-> (v, sum) -> r;
        }
    }
    r.0[7] -> println;
    r.1 -> println;
}
"""

LAZY = """
fn main() {
    2147483647 -> iota -> all;
    all[2147483646] -> println;
    (0, 5) -> fill -> five;
    (all[7] > 3) -> { -true-> five[2]; -false-> all[3]; } -> println;
    (true, 1000000000) -> fill -> flags;
    flags[999999999] -> println;
}
"""


@pytest.mark.skipif(sys.platform != "linux", reason="limits the address space")
@pytest.mark.parametrize("source", [LONG_LOOP, LAZY], ids=["long loop", "ranges"])
def test_memory_stays_bounded(source: str, tmp_path: Path) -> None:
    graph = graph_of(source)
    expected = run_natively(graph, 0).stdout
    program = tmp_path / "program"
    program.write_bytes(compiled(graph, 2))
    program.chmod(0o755)
    bytes_allowed = 256 << 20

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_AS, (bytes_allowed, bytes_allowed))

    run = subprocess.run(
        [program], preexec_fn=limit, capture_output=True, env=dict(os.environ), check=False
    )
    assert (run.returncode, run.stderr) == (0, b"")
    assert run.stdout == expected


def test_late_lines_stand_where_they_were_reserved() -> None:
    w = FunctionWriter()
    place = w.reserve()
    w.branch("end")
    w.start("end")
    with w.inside(place):
        w.branch("middle")
        w.start("middle")
        name = w.value("add i32 1, 2")
    w.line(f"ret i32 {name}")
    assert w.text().split("\n") == [
        "entry:",
        "  br label %middle",
        "middle:",
        "  %v1 = add i32 1, 2",
        "  br label %end",
        "end:",
        "  ret i32 %v1",
    ]
    assert (place.label, w.label, w.size) == ("middle", "end", 1)
