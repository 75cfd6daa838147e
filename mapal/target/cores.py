"""How much arithmetic a core starts per cycle, for the processors of which makers say it.

No operating system tells. The numbers count instructions on full vectors of the profile, so a
processor that splits its widest vectors in two counts half: fused multiply-adds, and pairs of a
separate product and sum, which is where designs with multipliers and adders of their own differ
from those whose units do either. Sources: AMD, Software Optimization Guides for the Zen
families; Intel, Optimization Reference Manual, port tables; Arm, Software Optimization Guides
for Neoverse; for Apple, measurement published by others.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Throughput:
    """Per cycle and core, on full vectors."""

    fused: int
    pairs: int


_BY_NAME: Mapping[str, Throughput] = {
    **dict.fromkeys(("znver1",), Throughput(fused=1, pairs=1)),
    **dict.fromkeys(("znver2", "znver3"), Throughput(fused=2, pairs=2)),
    **dict.fromkeys(("znver4",), Throughput(fused=1, pairs=1)),
    **dict.fromkeys(("znver5",), Throughput(fused=2, pairs=2)),
    **dict.fromkeys(
        ("haswell", "broadwell", "skylake", "alderlake", "raptorlake", "arrowlake"),
        Throughput(fused=2, pairs=1),
    ),
    **dict.fromkeys(
        (
            "skylake-avx512",
            "cascadelake",
            "cooperlake",
            "icelake-server",
            "sapphirerapids",
            "emeraldrapids",
            "graniterapids",
        ),
        Throughput(fused=2, pairs=1),
    ),
    **dict.fromkeys(("neoverse-n1", "neoverse-n2"), Throughput(fused=2, pairs=1)),
    **dict.fromkeys(("neoverse-v1", "neoverse-v2"), Throughput(fused=4, pairs=2)),
    **dict.fromkeys(("apple-m1", "apple-m2", "apple-m3", "apple-m4"), Throughput(fused=4, pairs=2)),
}


def throughput(cpu: str) -> Throughput | None:
    """What a core of the processor that LLVM calls `cpu` does; None where nothing is known."""
    return _BY_NAME.get(cpu)
