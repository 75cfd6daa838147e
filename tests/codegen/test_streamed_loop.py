"""Maps that go past the caches: the bits of the plain loop, whatever the length and the place."""

from __future__ import annotations

import dataclasses

import pytest

from mapal.codegen import emit
from mapal.native.llvm_worker import compile_module
from mapal.target import TargetProfile, load_profile
from mapal.target.profile import SharedCache
from tests.codegen.kernel_runs import NEVER, Case, assert_same_bits, profiles, rewritten
from tests.codegen.test_window_kernels import numbers


def with_small_cache(name: str, size: int = 4096) -> TargetProfile:
    """A profile whose last cache holds so many bytes."""
    cache = SharedCache(bytes=size, cores=1)
    return dataclasses.replace(load_profile(name), l3=cache)


def scaled_sum(length: int, ty: str) -> Case:
    source = f"""
fn main(a: {ty}, x: [{ty}; {length}], y: [{ty}; {length}]) -> [{ty}; {length}] {{
    (x, y) -> zip -> map {{ p -> a * p.0 + p.1 }} -> ret;
}}
"""
    inputs = {"a": numbers(1, ty), "x": numbers(length, ty, 2), "y": numbers(length, ty, 3)}
    return Case(source=source, inputs=inputs)


def numbered(length: int) -> Case:
    source = f"""
fn main(x: [bool; {length}]) -> [u8; {length}] {{
    x -> enumerate -> map {{ p -> p.1 -> {{ -true-> p.0 -> to_u8; -false-> 7; }} }} -> ret;
}}
"""
    return Case(source=source, inputs={"x": numbers(length, "i32") % 2 == 0})


@pytest.mark.parametrize("profile", profiles())
def test_streamed_maps_have_the_bits_of_plain_loops(profile: str) -> None:
    lengths = (1025, 1024 * 3, 5000)
    cases = [scaled_sum(length, ty) for length in lengths for ty in ("f32", "i64")]
    cases += [scaled_sum(3000, "f64"), scaled_sum(9001, "u8"), numbered(9000)]
    assert_same_bits(cases, with_small_cache(profile))


@pytest.mark.parametrize("name", ["zen4", "x86-64-v3", "aarch64-generic"])
def test_only_results_that_outgrow_the_last_cache_are_streamed(name: str) -> None:
    profile = with_small_cache(name, 3 * 4 * 5000)
    small, large = (
        emit(rewritten(scaled_sum(length, "f32").source), profile, name="p", cuts_from=NEVER)
        for length in (5000, 5001)
    )
    assert "nontemporal" not in small.ll
    assert large.ll.count("!nontemporal") == 4
    reasons = [site["reason"] for site in large.plan["sites"] if site["kind"] == "map"]
    assert reasons == [
        "one pass, the body in place; results go past the caches, which cannot hold them"
    ]
    assembly = compile_module(large.ll, profile, 2).assembly
    assert ("vmovntps" if "x86" in profile.triple else "stnp") in assembly


def test_nothing_is_streamed_where_no_cache_is_known() -> None:
    graph = rewritten(scaled_sum(1 << 24, "f32").source)
    assert "nontemporal" not in emit(graph, load_profile("x86-64-v4"), name="p").ll
    assert "nontemporal" in emit(graph, load_profile("zen4"), name="p").ll
