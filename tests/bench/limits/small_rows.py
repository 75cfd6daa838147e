"""Rows small enough for tests."""

from __future__ import annotations

import dataclasses

from mapal.bench.limits.linear import matmul_row
from mapal.bench.limits.rows import Goal, Peer, Row


def small_row(n: int = 24, arithmetic: str = "exact") -> Row:
    """A product of small matrices, with two peers in C: NumPy's library, and a limit."""
    goals = (Goal(peers=("openblas", "absent"), ratio=1.0), Goal(peers=("absent",), ratio=1.0))
    row = matmul_row(f"small-{n}", "f32", arithmetic, n, "native", {}, goals)
    peers = tuple(peer for peer in row.peers if peer.file.endswith(".c"))
    missing = Peer(name="absent", file="no_such_file.py")
    return dataclasses.replace(row, peers=(*peers, missing), rounds=3)
