"""What emission knows of the floats of one function, by their names."""

from __future__ import annotations


class Floats:
    """Floats that are *made* by arithmetic: whatever becomes a constant later, LLVM sees in none of
    them a choice between two values. Those that are *given* are no constants either. Those that are
    *loaded* come from memory, from which LLVM may know either."""

    def __init__(self) -> None:
        self._made: set[str] = set()
        self._given: set[str] = set()
        self._loaded: set[str] = set()

    def may_be_chosen(self, name: str) -> bool:
        """Whether LLVM may find it to be a choice between two values."""
        return name not in self._made and name not in self._given

    def may_be_constant(self, name: str) -> bool:
        """Whether LLVM may find it to be a constant."""
        return name not in self._given

    def is_loaded(self, name: str) -> bool:
        """Whether an instruction loads it from memory."""
        return name in self._loaded

    def note_made(self, name: str) -> None:
        """Arithmetic made it, of operands that were made as well or that it cannot give back."""
        self._made.add(name)

    def note_given(self, name: str) -> None:
        """It comes from memory of which LLVM knows nothing."""
        self._given.add(name)

    def note_loaded(self, name: str) -> None:
        """An instruction loads it from memory."""
        self._loaded.add(name)
