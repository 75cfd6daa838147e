"""Where the peers of a program are found.

A peer is a small script below `peers/` of the project: `numpy_*.py`, `numba_*.py` with a
function `run(inputs) -> array or tuple of arrays`; `c_*.c` and `cfast_*.c` with a function
`void run(const void *const *inputs, void *const *outputs)` over flat arrays in the order of the
program's ports. What stands for `*` is the program's name, or the stem of its source. A peer
`cfast` without a file of its own is the peer `c` built with its flags. A program's sizes are
macros in C; `relative_tolerance` and `tolerated_fraction` (in Python with capitals) say how far
results may be from ours, whose bits they have to have otherwise.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

SUFFIXES = {"numpy": ".py", "numba": ".py", "c": ".c", "cfast": ".c"}

C_FLAGS = {
    "c": ("-O3", "-march=native"),
    "cfast": ("-Ofast", "-march=native"),
}


@dataclass(frozen=True, slots=True)
class Peer:
    """One peer of one program: its script, or the reason why there is none to run."""

    name: str
    script: Path | None
    absent: str | None = None


def find_peers(
    directory: Path, names: Sequence[str], program: str, source: str
) -> tuple[Peer, ...]:
    """The named peers of a program. A peer without a script is absent, with the reason."""
    return tuple(_find(directory / "peers", name, program, Path(source).stem) for name in names)


def _find(directory: Path, name: str, program: str, stem: str) -> Peer:
    suffix = SUFFIXES.get(name)
    if suffix is None:
        known = ", ".join(SUFFIXES)
        return Peer(name, None, f"unknown kind of peer; known are {known}")
    kinds = (name, "c") if name == "cfast" else (name,)
    parts = [part.replace("-", "_") for part in (program, stem)]
    candidates = [f"{kind}_{part}{suffix}" for kind in kinds for part in parts]
    for candidate in candidates:
        if (directory / candidate).is_file():
            return Peer(name, directory / candidate)
    return Peer(name, None, f"no script peers/{name}_{parts[-1]}{suffix}")
