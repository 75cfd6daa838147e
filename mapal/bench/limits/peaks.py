"""What a core does in registers, as something to compare with."""

from __future__ import annotations

from mapal.bench.limits.rows import Peer
from mapal.bench.machine import PEAK_FLOP


def peak(real: str, arithmetic: str, flop: int) -> Peer:
    """As many operations in registers as a row has."""
    return Peer(
        name="peak",
        file="peak.c",
        defines=(("FUSED", str(int(arithmetic == "fused"))), ("FLOP", f"{PEAK_FLOP}L")),
        limit=True,
        scale=flop / PEAK_FLOP,
    )
