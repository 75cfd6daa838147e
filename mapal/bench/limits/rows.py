"""What a row is: a program, its inputs, its peers, and the ratios to reach."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

Inputs = Callable[[np.random.Generator], dict[str, NDArray[Any]]]

SEED = 20_240_229

STRICT = ("-O3", "-march=native")
NO_ERRNO = (*STRICT, "-fno-math-errno")
"""Strict in every bit; roots are instructions."""
FAST = ("-Ofast", "-march=native")


@dataclass(frozen=True, slots=True, kw_only=True)
class Peer:
    """Somebody to compare with: a file below `sources`. `limit` marks what answers nothing and
    shows what the machine can do; its time counts `scale` fold."""

    name: str
    file: str
    flags: tuple[str, ...] = STRICT
    defines: tuple[tuple[str, str], ...] = ()
    limit: bool = False
    scale: float = 1.0
    needs_blas: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Goal:
    """To take at most `ratio` of the time of the quickest of `peers` with so many threads. A
    goal of which no peer is there is neither reached nor missed."""

    peers: tuple[str, ...]
    ratio: float
    threads: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One program in one size. `template` is the stem of the program below `sources`, and of
    its reference in C; `words` are what is put into the program, `defines` into C. `cells` is
    the number of results that are computed apart from one another, if they are: a sample of
    them can be evaluated alone. `whole` says whether the interpreter evaluates all of it."""

    name: str
    template: str
    real: str
    arithmetic: str
    words: Mapping[str, int]
    inputs: Inputs
    peers: tuple[Peer, ...]
    goals: tuple[Goal, ...]
    flop: int | None
    bytes: int | None
    target: str = "native"
    environment: Mapping[str, str] = field(default_factory=dict)
    cells: int | None = None
    whole: bool = True
    rounds: int = 11
    constants: Mapping[str, str] = field(default_factory=dict)

    @property
    def dtype(self) -> str:
        """NumPy's name of the type of real numbers."""
        return {"f32": "<f4", "f64": "<f8"}[self.real]


def fractions(generator: np.random.Generator, count: int, dtype: str) -> NDArray[Any]:
    """Numbers between -1 and 1 that use all digits, so that every rounding shows."""
    return generator.uniform(-1.0, 1.0, count).astype(dtype)
