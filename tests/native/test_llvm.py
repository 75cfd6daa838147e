"""LLVM in process and in a worker: every profile compiles, bytes repeat, faults are named."""

from __future__ import annotations

import dataclasses
import re

import pytest

from mapal.diagnostics import CompilerBug, UserError
from mapal.native import llvm_worker
from mapal.native.llvm import (
    compile_device,
    compile_module,
    compile_object,
    known_names,
    llvm_version,
)
from mapal.target import list_profiles, load_profile

SAXPY = """
define void @saxpy(ptr noalias %x, ptr noalias %y, ptr noalias %out, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %px = getelementptr float, ptr %x, i64 %i
  %py = getelementptr float, ptr %y, i64 %i
  %po = getelementptr float, ptr %out, i64 %i
  %vx = load float, ptr %px
  %vy = load float, ptr %py
  %sum = fadd float %vx, %vy
  store float %sum, ptr %po
  %next = add i64 %i, 1
  %more = icmp slt i64 %next, %n
  br i1 %more, label %loop, label %done
done:
  ret void
}
"""

FMA = """
declare float @llvm.fma.f32(float, float, float)
define float @f(float %a, float %b, float %c) {
  %r = call float @llvm.fma.f32(float %a, float %b, float %c)
  ret float %r
}
"""

KERNEL = """
define ptx_kernel void @k(ptr %out) {
  store float 1.0, ptr %out
  ret void
}
"""

PROCESSORS = [name for name in list_profiles() if not name.startswith("cuda-")]


@pytest.mark.parametrize("name", PROCESSORS)
def test_every_profile_compiles_and_its_facts_agree_with_llvm(name: str) -> None:
    profile = load_profile(name, architecture="x86_64")
    first = compile_module(SAXPY, profile, 2)
    assert first == compile_module(SAXPY, profile, 2)
    assert compile_object(SAXPY, profile, 2) == first.object
    lanes = profile.vector_bytes // 4
    widest = max(int(width) for width in re.findall(r"<(\d+) x float>", first.optimized_ll))
    # LLVM prefers half the register on some AVX-512 machines, never more than the register.
    assert widest in (lanes, lanes // 2)
    assert first.object[:4] in (b"\x7fELF", b"\xcf\xfa\xed\xfe")
    assert "saxpy" in first.assembly
    assert profile.triple in first.optimized_ll
    assert "target datalayout" in first.optimized_ll
    calls = "fmaf" in compile_module(FMA, profile, 2).assembly
    assert calls != profile.fused_multiply_add


def test_no_level_vectorises_below_two_and_all_are_legal() -> None:
    profile = load_profile("x86-64-v3")
    for opt in (0, 1):
        assert " x float>" not in compile_module(SAXPY, profile, opt).optimized_ll
    assert " x float>" in compile_module(SAXPY, profile, 3).optimized_ll


@pytest.mark.parametrize("name", ["cuda-ampere", "cuda-ada", "cuda-hopper"])
def test_device_modules_become_ptx(name: str) -> None:
    profile = load_profile(name)
    assert profile.device is not None
    ptx = compile_device(KERNEL, profile, 3)
    assert f".target {profile.device.cpu}" in ptx
    assert ".entry k" in ptx


def test_a_module_that_llvm_rejects_is_our_bug() -> None:
    profile = load_profile("generic")
    with pytest.raises(CompilerBug, match="LLVM rejects the emitted module"):
        compile_module("define i32 @f() { ret float 1.0 }", profile, 2)
    with pytest.raises(CompilerBug, match="LLVM rejects the emitted module"):
        compile_module("define i32 @f() {\n %a = add i32 %a, 1\n ret i32 %a }", profile, 2)
    with pytest.raises(CompilerBug, match="has no device"):
        compile_device(KERNEL, profile, 3)


def test_names_that_llvm_does_not_know_are_errors_with_the_closest() -> None:
    profile = load_profile("zen3")
    with pytest.raises(UserError, match=r"target zen3: LLVM knows no 'znver33' .*mean 'znver3'"):
        compile_module(SAXPY, dataclasses.replace(profile, cpu="znver33"), 2)
    with pytest.raises(UserError, match=r"LLVM knows no '\+avx22'"):
        compile_module(SAXPY, dataclasses.replace(profile, features=("+avx22",)), 2)
    names = known_names("aarch64-unknown-linux-gnu")
    assert {"apple-m1", "neon"} < set(names)
    assert re.fullmatch(r"\d+\.\d+\.\d+", llvm_version())


def test_the_worker_gives_the_same_bytes_and_survives_a_fatal_error() -> None:
    profile = load_profile("generic", architecture="x86_64")
    assert llvm_worker.compile_module(SAXPY, profile, 2) == compile_module(SAXPY, profile, 2)
    gpu = load_profile("cuda-ada")
    fatal = """
    declare double @llvm.sin.f64(double)
    define ptx_kernel void @k(ptr %p) {
      %x = load double, ptr %p
      %y = call double @llvm.sin.f64(double %x)
      store double %y, ptr %p
      ret void
    }
    """
    with pytest.raises(
        llvm_worker.WorkerCrashed, match=r"(?s)(ended|killed).*LLVM ERROR|no libcall"
    ):
        llvm_worker.compile_device(fatal, gpu)
    assert ".entry k" in llvm_worker.compile_device(KERNEL, gpu)
