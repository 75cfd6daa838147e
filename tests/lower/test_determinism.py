"""Lowering the same text gives the same graph, whatever Python's hash seed is."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
SCRIPT = """
import hashlib
from mapal.ir.text import print_graph
from mapal.lower import lower
from mapal.syntax import parse
from tests.source_programs import random_program
from tests.token_mutations import example_sources

digest = hashlib.sha256()
texts = example_sources() + [random_program(seed) for seed in range(10)]
texts += [random_program(seed, 0.1) for seed in range(10)]
for text in texts:
    for arithmetic in ("exact", "fused"):
        lowered = lower(parse(text).program, arithmetic)
        graph = "" if lowered.graph is None else print_graph(lowered.graph)
        digest.update(f"{graph}{lowered.diagnostics}".encode())
print(digest.hexdigest())
"""


def test_hash_seeds_change_nothing() -> None:
    digests = {
        subprocess.run(
            [sys.executable, "-c", SCRIPT],
            cwd=ROOT,
            env={**os.environ, "PYTHONHASHSEED": seed},
            check=True,
            capture_output=True,
            text=True,
        ).stdout
        for seed in ("1", "2", "77")
    }
    assert len(digests) == 1
