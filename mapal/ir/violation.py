"""What the verifier reports."""

from __future__ import annotations

from dataclasses import dataclass

from mapal.ir.ops import MorphismId, ObjectId


@dataclass(frozen=True, slots=True)
class Violation:
    """A broken invariant. `objects` and `morphisms` are the places, most telling first."""

    code: str
    message: str
    objects: tuple[ObjectId, ...] = ()
    morphisms: tuple[MorphismId, ...] = ()

    def __str__(self) -> str:
        return f"{self.code}: {self.message}"
