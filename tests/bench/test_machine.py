"""Roofs from seconds, and that the probes do what they count."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import pytest

from mapal.bench import machine
from mapal.bench.machine import NATIVE, measure_roofs, peak_defines
from mapal.native.toolchain import require_compiler


def test_rates_are_those_of_all_threads(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: dict[str, Any] = {}

    def answer(name: str, request: dict[str, Any], environment: dict[str, str]) -> Any:
        asked.update(request)
        seconds = {"f32": 2**24 * 1e-9, "f64": 2 * 2**24 * 1e-9, "memory": 1.0, "cache": 0.5}
        return {"seconds": [seconds, seconds]}

    monkeypatch.setattr(machine, "run_worker", answer)
    compiler = require_compiler(print)
    one, two = measure_roofs(compiler, tmp_path / "repeat.so", 16, (1, 2), tmp_path)
    assert one["f32_gflop_per_s"] == pytest.approx(1.0)
    assert one["f64_gflop_per_s"] == pytest.approx(0.5)
    assert one["memory_gbyte_per_s"] == pytest.approx(24 * (8 << 20) / 1e9)
    assert one["cache_gbyte_per_s"] == pytest.approx(24 * (8 << 10) * 64 / 0.5 / 1e9)
    assert {name: two[name] / one[name] for name in two} == pytest.approx(dict.fromkeys(two, 2.0))
    # Each thread has a library, and so data, of its own.
    assert all(len(set(paths)) == 2 for paths in asked["probes"].values())


@pytest.mark.parametrize(("is_fused", "per_vector"), [(True, 1), (False, 2)])
def test_the_peak_is_of_as_many_instructions_as_it_counts(
    tmp_path: Path, is_fused: bool, per_vector: int
) -> None:
    """The loop of `peak.c` keeps its sums in registers and has one fused instruction, or a
    product and a sum, for each of its twelve vectors."""
    compiler = require_compiler(print)
    defines = peak_defines("f64", 16, is_fused=is_fused)
    flags = ["-O3", "-march=native", "-S", "-o", str(tmp_path / "peak.s")]
    source = str(NATIVE / "peak.c")
    subprocess.run([*compiler.command, *flags, *defines, source], check=True)
    lines = (tmp_path / "peak.s").read_text(encoding="utf-8").split("\n")
    packed = [line.split() for line in lines if "pd\t" in line or "2d" in line]
    names = [words[0] for words in packed]
    if is_fused:
        loop = [name for name in names if "fmadd" in name or "fmla" in name]
        if not loop:
            pytest.skip("this machine has no fused multiply-add")
        assert len(loop) == 12
    else:
        products = [name for name in names if "mul" in name]
        sums = [name for name in names if "add" in name and "fmadd" not in name]
        assert len(products) >= 12
        assert len(sums) >= 12
    assert len(names) >= 12 * per_vector
