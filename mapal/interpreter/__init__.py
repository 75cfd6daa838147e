"""The plain interpreter, which defines what programs mean."""

from mapal.interpreter.evaluate import run
from mapal.interpreter.outcome import Outcome, Trap

__all__ = ["Outcome", "Trap", "run"]
