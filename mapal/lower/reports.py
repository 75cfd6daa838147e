"""Reports of lowering: diagnostics located by tokens, and the exception that carries one.

The first report of a function ends its lowering; the functions after it are still lowered.
"""

from __future__ import annotations

from mapal.diagnostics import Diagnostic
from mapal.syntax import ast


def problem(code: str, message: str, tokens: ast.Tokens, hint: str) -> Diagnostic:
    """A diagnostic of this stage, located by tokens; the hint says what to write instead."""
    return Diagnostic(code=code, message=message, tokens=tokens, span=None, hint=hint)


class StopLowering(Exception):  # noqa: N818  # ends one function, carrying its report
    """Ends the lowering of one function with one report."""

    def __init__(self, diagnostic: Diagnostic) -> None:
        super().__init__(diagnostic.message)
        self.diagnostic = diagnostic


def stop(code: str, message: str, tokens: ast.Tokens, hint: str) -> StopLowering:
    """The exception for one report."""
    return StopLowering(problem(code, message, tokens, hint))
