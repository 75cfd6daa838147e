"""Scripts of random programs for property tests; what Hypothesis shrinks are the choices."""

from __future__ import annotations

from hypothesis import strategies as st

from mapal.sweep.generate import generate
from mapal.sweep.script import Script


class DrawnSource:
    """Choices that Hypothesis draws, and so can make smaller."""

    def __init__(self, draw: st.DrawFn) -> None:
        self._draw = draw

    def below(self, count: int) -> int:
        return self._draw(st.integers(0, count - 1))


@st.composite
def program_scripts(draw: st.DrawFn, largest: int = 5) -> Script:
    """A script; `largest` bounds the steps of the entry's own block."""
    return generate(DrawnSource(draw), largest=largest)
