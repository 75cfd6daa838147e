"""The interpreter: what a program means, and the oracle of every comparison."""

from mapal.interpreter.evaluate import run
from mapal.interpreter.machine import LOCKSTEP_FROM
from mapal.interpreter.outcome import Outcome, Trap

__all__ = ["LOCKSTEP_FROM", "Outcome", "Trap", "run"]
