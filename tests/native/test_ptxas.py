"""The PTX assembler as a check, with a stand-in where it is not installed."""

from __future__ import annotations

from pathlib import Path

import pytest

from mapal.diagnostics import CompilerBug
from mapal.native import ptxas
from mapal.native.llvm import compile_device
from mapal.native.ptxas import find_ptxas, parse_usage, ptxas_version, resources
from mapal.target import load_profile

REPORT = """\
ptxas info    : 0 bytes gmem
ptxas info    : Compiling entry function 'scale' for 'sm_80'
ptxas info    : Function properties for scale
    16 bytes stack frame, 8 bytes spill stores, 4 bytes spill loads
ptxas info    : Used 6 registers, used 0 barriers, 256 bytes smem, 360 bytes cmem[0]
ptxas info    : Compiling entry function 'add' for 'sm_80'
ptxas info    : Used 32 registers
"""

KERNEL = "define ptx_kernel void @k(ptr %out) {\n  store float 1.0, ptr %out\n  ret void\n}\n"


def stand_in(path: Path, script: str, monkeypatch: pytest.MonkeyPatch) -> None:
    tool = path / "ptxas"
    tool.write_text(f"#!/bin/sh\n{script}\n")
    tool.chmod(0o755)
    monkeypatch.setenv("PATH", f"{path}:/usr/bin:/bin")


def test_usage_is_read_by_kernel() -> None:
    usage = parse_usage(REPORT)
    assert list(usage) == ["add", "scale"]
    assert usage["scale"] == {
        "registers": 6,
        "shared_memory_bytes": 256,
        "stack_frame_bytes": 16,
        "spill_store_bytes": 8,
        "spill_load_bytes": 4,
    }
    assert usage["add"]["registers"] == 32
    assert parse_usage("nothing") == {}


def test_what_the_assembler_says_is_passed_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    said = tmp_path / "said"
    said.write_text(REPORT)
    stand_in(
        tmp_path,
        f'case "$1" in --version) echo "tools, release 9.9, V9.9.1";; *) cat {said};; esac',
        monkeypatch,
    )
    assert ptxas_version() == "9.9, V9.9.1"
    assert resources("text", "sm_80")["scale"]["registers"] == 6
    stand_in(tmp_path, "echo 'line 3; fatal: no' >&2; exit 1", monkeypatch)
    assert ptxas_version() == "unknown"
    with pytest.raises(CompilerBug, match="ptxas rejects the emitted PTX: line 3; fatal: no"):
        resources("text", "sm_80")


def test_without_the_assembler(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ptxas, "find_ptxas", lambda: None)
    assert ptxas_version() is None
    with pytest.raises(CompilerBug, match="ptxas is not installed"):
        resources("", "sm_80")


@pytest.mark.skipif(find_ptxas() is None, reason="ptxas is not installed")
@pytest.mark.parametrize("name", ["cuda-ampere", "cuda-ada", "cuda-hopper"])
def test_the_real_one_accepts_what_llvm_makes(name: str) -> None:
    profile = load_profile(name)
    assert profile.device is not None
    used = resources(compile_device(KERNEL, profile, 3), profile.device.cpu)
    assert used["k"]["registers"] > 0
