"""How a run ended, in terms that every way of running a program can state, and by what name.

Endings compare strictly: class, printed bytes, the bytes of every result with the one NaN, and
kind and token of a trap.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mapal.interpreter import Outcome
from mapal.ir.entry import Ports
from mapal.project.arrays import flat_of

_DTYPES: dict[str, np.dtype[Any]] = {
    "i32": np.dtype("<i4"),
    "i64": np.dtype("<i8"),
    "u8": np.dtype("|u1"),
    "f32": np.dtype("<f4"),
    "f64": np.dtype("<f8"),
    "bool": np.dtype("|b1"),
}


@dataclass(frozen=True, slots=True)
class Ending:
    """`results` has the bytes of each output port of a run that is done."""

    kind: str
    output: bytes
    trap: tuple[str, int] | None = None
    results: tuple[bytes, ...] = ()

    def describe(self) -> str:
        """One line for a person."""
        text = self.kind
        if self.trap is not None:
            text += f" {self.trap[0]} at token {self.trap[1]}"
        if self.output:
            text += f" printed {self.output[-200:]!r}"
        if self.results:
            text += " results " + " ".join(part[:64].hex() for part in self.results)
        return text


def ending_of(outcome: Outcome, ports: Ports) -> Ending:
    """The ending of a run of an interpreter."""
    trap = None
    if outcome.trap is not None:
        trap = (outcome.trap.kind, outcome.trap.token)
    results: tuple[bytes, ...] = ()
    if outcome.kind == "done":
        values: Any = outcome.result if ports.result_is_tuple else (outcome.result,)
        flat = [flat_of(value, port) for value, port in zip(values, ports.outputs, strict=False)]
        results = tuple(map(canonical_bytes, flat))
    return Ending(outcome.kind, outcome.output, trap, results)


def dtype_of(scalar: str) -> np.dtype[Any]:
    """The NumPy type of a scalar in memory."""
    return _DTYPES[scalar]


def canonical_bytes(values: NDArray[Any]) -> bytes:
    """The bytes of numbers, every NaN being the quiet one without sign and payload."""
    if values.dtype.kind == "f":
        values = np.where(np.isnan(values), np.asarray(np.nan, dtype=values.dtype), values)
    return values.tobytes()
