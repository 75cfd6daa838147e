"""The text of one LLVM function under construction: basic blocks, names, late lines.

Values and labels are numbered in the order in which they are asked for, so equal requests give
equal text. `reserve` leaves a place in the text; with `inside` its owner writes there when it
knows more, whole blocks included.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field


@dataclass(slots=True)
class Place:
    """A point in the text where lines may still be added. `label` is the block that contains
    its end."""

    label: str
    lines: list[str | Place] = field(default_factory=list)


class FunctionWriter:
    """Appends instructions to the current block, whose label is `label`."""

    def __init__(self, first_label: str = "entry") -> None:
        self._root = self._at = Place(first_label, [f"{first_label}:"])
        self._values = 0
        self._labels = 0

    @property
    def label(self) -> str:
        return self._at.label

    @property
    def size(self) -> int:
        """Number of values so far."""
        return self._values

    def fresh(self) -> str:
        """A new value name."""
        self._values += 1
        return f"%v{self._values}"

    def new_label(self, purpose: str) -> str:
        """A new label; `purpose` is for the reader."""
        self._labels += 1
        return f"{purpose}.{self._labels}"

    def value(self, instruction: str) -> str:
        """Appends an instruction with a result; its name."""
        name = self.fresh()
        self._at.lines.append(f"  {name} = {instruction}")
        return name

    def line(self, instruction: str) -> None:
        """Appends an instruction without a result."""
        self._at.lines.append(f"  {instruction}")

    def reserve(self) -> Place:
        """Leaves a place at the current point. It may take whole blocks only if the current
        block ends right after it."""
        place = Place(self._at.label)
        self._at.lines.append(place)
        return place

    @contextmanager
    def inside(self, place: Place) -> Iterator[None]:
        """Writes at the end of a reserved place."""
        before, self._at = self._at, place
        try:
            yield
        finally:
            self._at = before

    def branch(self, label: str) -> None:
        self.line(f"br label %{label}")

    def branch_if(self, condition: str, when_true: str, when_false: str) -> None:
        self.line(f"br i1 {condition}, label %{when_true}, label %{when_false}")

    def start(self, label: str) -> None:
        """Opens a block; the one before has been ended by a branch."""
        self._at.lines.append(f"{label}:")
        self._at.label = label

    def phi(self, ty: str, incoming: Iterable[tuple[str, str]]) -> str:
        """A phi of (value, label) pairs, as the next line of the block."""
        return self.value(phi_text(ty, incoming))

    def text(self) -> str:
        """The body of the function with every place filled."""
        parts: list[str] = []
        work: list[str | Place] = [self._root]
        while work:
            line = work.pop()
            if isinstance(line, str):
                parts.append(line)
            else:
                work.extend(reversed(line.lines))
        return "\n".join(parts)


def phi_text(ty: str, incoming: Iterable[tuple[str, str]]) -> str:
    """The right-hand side of a phi instruction."""
    return f"phi {ty} " + ", ".join(f"[ {value}, %{label} ]" for value, label in incoming)
