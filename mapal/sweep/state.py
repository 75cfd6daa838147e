"""What a sweep has done so far, kept in a file, so that an interrupted one goes on.

The state belongs to a seed, a way of rewriting, and the exact sources of the package: after any
edit a sweep begins anew.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import mapal
from mapal.native.toolchain import runtime_sources
from mapal.sweep.battery import Rewriting, Tally


@dataclass(slots=True)
class SweepState:
    """`done` holds the finished batches by number, `failed` the names of saved failures;
    `seconds` is the time that workers took."""

    seed: int
    rewriting: Rewriting
    sources: str
    batch: int
    done: set[int] = field(default_factory=set)
    failed: list[str] = field(default_factory=list)
    seconds: float = 0.0
    tally: Tally = field(default_factory=Tally)

    def to_json(self) -> str:
        data: dict[str, Any] = {
            "schema": 1,
            "seed": self.seed,
            "rewrite": self.rewriting,
            "sources": self.sources,
            "batch": self.batch,
            "done": sorted(self.done),
            "failed": self.failed,
            "seconds": self.seconds,
            "programs": self.tally.programs,
            "runs": self.tally.runs,
        }
        for name in _COUNTERS:
            data[name] = dict(sorted(getattr(self.tally, name).items()))
        return json.dumps(data, indent=1) + "\n"


_COUNTERS = ("shapes", "endings", "fired", "refused")


def state_path(directory: Path, seed: int, rewriting: Rewriting) -> Path:
    return directory / f"seed{seed}-{rewriting}.json"


def load_state(path: Path, seed: int, rewriting: Rewriting, batch: int) -> SweepState:
    """The state in a file, or a new one if there is none that this sweep could go on with."""
    fresh = SweepState(seed, rewriting, sources_digest(), batch)
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
        same = (data["sources"], data["batch"]) == (fresh.sources, batch)
        if not same or data["schema"] != 1:
            return fresh
        tally = Tally(data["programs"], data["runs"])
        for name in _COUNTERS:
            setattr(tally, name, Counter(data[name]))
        fresh.done, fresh.failed = set(data["done"]), list(data["failed"])
        fresh.seconds, fresh.tally = data["seconds"], tally
    except (OSError, ValueError, KeyError, TypeError):
        return SweepState(seed, rewriting, sources_digest(), batch)
    return fresh


def save_state(path: Path, state: SweepState) -> None:
    """Writes the state so that an interruption leaves the old one or the new one."""
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_suffix(".tmp")
    temporary.write_text(state.to_json(), encoding="utf-8")
    os.replace(temporary, path)


def sources_digest() -> str:
    """One hash over the package and the runtime."""
    top = Path(mapal.__file__).parent
    digest = hashlib.sha256()
    paths = [*top.rglob("*.py"), *top.rglob("*.c"), *runtime_sources().values()]
    for path in sorted(paths):
        digest.update(path.name.encode() + b"\0" + hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()
