"""Properties of the emitted text and of the plan beside it."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from mapal.codegen import Emission, emit
from mapal.codegen.plan import SCHEMA
from mapal.diagnostics import Unsupported
from mapal.ir import ops
from mapal.target import load_profile
from tests.codegen.native_runs import graph_of
from tests.codegen.programs import PROGRAMS

EXAMPLES = sorted((Path(__file__).parent.parent / "examples").glob("*.mapal"))
EVERYTHING = [*PROGRAMS.values(), *(path.read_text(encoding="utf-8") for path in EXAMPLES)]
REPOSITORY = Path(__file__).parent.parent.parent


def emitted(source: str, target: str = "generic") -> Emission:
    return emit(graph_of(source), load_profile(target), name="program")


def shapes(source: str, kind: str) -> list[str]:
    """The shapes that the plan gives to the sites of one kind."""
    return [site["shape"] for site in emitted(source).plan["sites"] if site["kind"] == kind]


def test_every_operation_is_emitted() -> None:
    seen = set()
    for source in EVERYTHING:
        for arithmetic in ("exact", "fused"):
            graph = graph_of(source, arithmetic)
            emit(graph, load_profile("generic"), name="program")
            seen |= {type(morphism.op) for morphism in graph.morphisms}
    assert seen == set(ops.Op.__args__)


@pytest.mark.parametrize("target", ["generic", "x86-64-v3", "aarch64-generic"])
def test_no_array_of_the_program_on_the_stack_and_no_licence_for_llvm(target: str) -> None:
    for source in EVERYTHING:
        text = emitted(source, target).ll
        # Lanes of a reduction, and a buffer before memory, whose sizes no program chooses.
        for count in re.findall(r"= alloca(?: \[(\d+) x)?", text):
            assert int(count) <= 4096
        # A loop may run forever, and then it must.
        assert "mustprogress" not in text
        assert "willreturn" not in text
        for flag in ("fast", "contract", "reassoc", "nnan", "ninf", "nsz", "arcp", "afn"):
            assert f" {flag} " not in text
        # Overflow flags belong to our own counters, which are 64 bits wide.
        assert not re.search(r"\b(nsw|nuw)\b.* (i32|i8) ", text)
        assert f'target triple = "{load_profile(target).triple}"' in text


def test_equal_requests_give_equal_text_whatever_the_hash_seed() -> None:
    script = (
        "from tests.codegen.test_emission import EVERYTHING, emitted\n"
        "import hashlib, json\n"
        "parts = [emitted(source) for source in EVERYTHING]\n"
        "text = ''.join(part.ll + json.dumps(part.plan) for part in parts)\n"
        "print(hashlib.sha256(text.encode()).hexdigest())\n"
    )
    digests = set()
    for seed in ("1", "2"):
        environment = {**os.environ, "PYTHONHASHSEED": seed}
        command = [sys.executable, "-c", script]
        run = subprocess.run(
            command, cwd=REPOSITORY, env=environment, capture_output=True, check=True
        )
        digests.add(run.stdout)
    assert len(digests) == 1


def test_only_what_is_called_is_declared_and_only_what_is_reached_is_defined() -> None:
    text = emitted(
        "fn used(x: i32) { x -> println; }\n"
        "fn idle(x: bool) { x -> print; }\n"
        "fn main() { 1 -> used; }"
    ).ll
    assert "mapal_print_i32(i32, i1 zeroext)" in text
    assert "mapal_print_bool" not in text
    assert "idle" not in text
    assert "mapal_arena_allocate" not in text


def test_narrow_arguments_are_extended() -> None:
    text = emitted(
        "fn f(k: u8, b: bool) { k -> println; b -> println; }\nfn main() { (200, true) -> f; }"
    ).ll
    assert "call void @mapal_print_u8(i8 zeroext %" in text
    assert "call void @mapal_print_bool(i1 zeroext %" in text
    assert re.search(r"call void @fn\d+\.f\(i8 zeroext 200, i1 zeroext true\)", text)


def test_entry_ports_are_described() -> None:
    source = """
fn main(image: [[u8; 3]; 5], gain: f32) -> (bool, [i64; 2]) {
    image[0][0] -> to_i64 -> k;
    (gain > 1.0, [k, k]) -> ret;
}
"""
    text = emitted(source).ll
    assert 'c"image\\00"' in text
    assert 'c"result.1\\00"' in text
    assert "i32 2, i32 2, i64 15" in text
    assert "@mapal_program_descriptor = constant" in text


def test_software_multiply_add_where_the_machine_has_none() -> None:
    source = "fn main(x: f32) -> f32 { x * x + 1.0 -> ret; }"
    graph = graph_of(source, "fused")
    without = emit(graph, load_profile("x86-64-v2"), name="program")
    assert "@mapal_fma_f32" in without.ll
    assert without.plan["notes"] == ["fused multiply-adds are calls of a slow software routine"]
    with_it = emit(graph, load_profile("x86-64-v3"), name="program")
    assert "@llvm.fma.f32" in with_it.ll
    assert "mapal_fma" not in with_it.ll
    assert with_it.plan["notes"] == []


def test_a_literal_divisor_has_no_checks() -> None:
    text = emitted("fn main(x: i32) -> i32 { x / 7 -> ret; }").ll
    assert "sdiv i32 %p0, 7" in text
    assert "mapal_trap" not in text
    assert "select" not in text
    checked = emitted("fn main(x: i32, y: i32) -> i32 { x / y -> ret; }").ll
    assert "mapal_trap" in checked
    assert "select" in checked
    unsigned = emitted("fn main(x: u8, y: u8) -> u8 { x / y -> ret; }").ll
    assert "udiv" in unsigned
    assert "select" not in unsigned


def test_an_index_in_range_has_no_check() -> None:
    assert shapes("fn main(v: [i32; 4]) -> i32 { v[3] -> ret; }", "access") == ["unguarded"]
    assert shapes("fn main(v: [i32; 4], k: i32) -> i32 { v[k] -> ret; }", "access") == ["guarded"]
    assert shapes("fn main(v: [i32; 256], k: u8) -> i32 { v[k] -> ret; }", "access") == [
        "unguarded"
    ]
    assert "mapal_trap" not in emitted("fn main(v: [i32; 4]) -> i32 { v[3] -> ret; }").ll


def test_updates_in_loops_are_in_place() -> None:
    for name in ("a15_update_loop_histogram", "a16_update_loop_in_a_function_running_totals"):
        source = next(p for p in EXAMPLES if p.stem == name).read_text(encoding="utf-8")
        assert set(shapes(source, "update")) == {"in-place"}
    assert set(shapes(PROGRAMS["a histogram by fold"], "update")) == {"in-place"}
    sorting = PROGRAMS["nested loops that sort a carried array"]
    assert set(shapes(sorting, "update")) == {"in-place"}


def test_an_update_copies_what_is_needed_or_only_lent() -> None:
    lent = "fn main(v: [i32; 4]) -> [i32; 4] { mut w <- v; w[1] <- 5; w -> ret; }"
    assert shapes(lent, "update") == ["copied"]
    needed = PROGRAMS["the old array is read after the update"]
    assert shapes(needed, "update") == ["copied"]


def test_ranges_have_memory_only_where_an_address_is_needed() -> None:
    assert shapes(
        "fn main() { 9 -> iota -> map { i -> i * i } -> v; v[2] -> println; }", "iota"
    ) == ["lazy"]
    escaping = "fn f(v: [i32; 9]) -> i32 { v[1] -> ret; }\nfn main() { 9 -> iota -> f -> println; }"
    assert shapes(escaping, "iota") == ["materialised"]


def test_constant_arrays_are_globals() -> None:
    text = emitted(
        "fn main(k: i32) -> i32 { [[1, 2], [3, 4]] -> m: [[i32; 2]; 2]; m[k][k] -> ret; }"
    ).ll
    assert "constant [2 x [2 x i32]] [[2 x i32] [i32 1, i32 2], [2 x i32] [i32 3, i32 4]]" in text
    assert "mapal_arena" not in text


def test_a_long_match_is_one_switch_with_the_first_of_equal_numbers() -> None:
    arms = " ".join(f"-{k}-> {k} / d;" for k in range(5))
    text = emitted(f"fn main(k: i32, d: i32) -> i32 {{ k -> {{ {arms} -_-> 9; }} -> ret; }}").ll
    assert text.count("switch i32") == 1
    assert text.count("phi i32") == 1


def test_cheap_total_arms_are_selected_and_others_branched_around() -> None:
    cheap = emitted(
        "fn main(x: i32) -> i32 { (x > 0) -> { -true-> x + 1; -false-> x - 1; } -> ret; }"
    ).ll
    assert "select i1" in cheap
    assert "br i1" not in cheap
    trapping = "fn main(x: i32) -> i32 { (x > 0) -> { -true-> 9 / x; -false-> x - 1; } -> ret; }"
    assert "br i1" in emitted(trapping).ll
    # In range only because of the condition: the read must not run otherwise.
    protected = PROGRAMS["a protected read in a map"]
    assert shapes(protected, "access") == ["unguarded", "guarded"]
    arm = emitted(protected).ll.split("\narm.")[1]
    assert "load i32" in arm.split("\njoin.")[0]


def test_the_plan_lists_equal_sites_once_and_names_program_and_target() -> None:
    plan = emitted("fn main() { 4 -> iota -> map { i -> i } -> v; v[0] -> println; }").plan
    assert (plan["schema"], plan["program"], plan["target"]) == (SCHEMA, "program", "generic")
    rows = [tuple(site.items()) for site in plan["sites"]]
    assert len(rows) == len(set(rows))
    assert all(site["reason"] for site in plan["sites"])


def test_a_processor_profile_has_no_device_module() -> None:
    emission = emitted("fn main() { 1 -> println; }")
    assert emission.device_ll is None
    assert "kernels" not in emission.plan


def test_values_too_wide_for_registers_are_refused() -> None:
    doubling = "".join(f"(a{k}, a{k}) -> a{k + 1}; " for k in range(20))
    with pytest.raises(Unsupported, match="components"):
        emitted(f"fn main() {{ (1, 2) -> a0; {doubling} 1 -> println; }}")
