"""What emission knows of the floats of one function, by their names."""

from __future__ import annotations


class Floats:
    """Two kinds of floats, found as they are emitted: those that are *computed*, in which LLVM
    can see no choice between two values, and those that *vary*, which it cannot find to be
    constants."""

    def __init__(self) -> None:
        self._computed: set[str] = set()
        self._varying: set[str] = set()

    def is_computed(self, name: str) -> bool:
        """Whether arithmetic made it."""
        return name in self._computed

    def may_choose(self, name: str) -> bool:
        """Whether it may be chosen between two values in this function."""
        return name not in self._computed and name not in self._varying

    def may_be_constant(self, name: str) -> bool:
        """Whether it may become a constant when calls are inlined and loops unrolled."""
        return name not in self._varying

    def note_computed(self, name: str, operands: tuple[str, ...]) -> None:
        """Arithmetic on these operands made it."""
        self._computed.add(name)
        if not self._varying.isdisjoint(operands):
            self._varying.add(name)

    def note_loaded(self, name: str) -> None:
        """It comes from memory."""
        self._varying.add(name)
