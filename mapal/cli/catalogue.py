"""All codes of all stages in one table."""

from __future__ import annotations

from mapal.diagnostics import DiagnosticKind


def catalogue() -> dict[str, DiagnosticKind]:
    """Every kind of error that a program can have, by code: lexer and parser, lowering, check."""
    from mapal.check import KINDS as CHECK
    from mapal.lower.codes import KINDS as LOWER
    from mapal.syntax.codes import KINDS as SYNTAX

    return {**SYNTAX, **LOWER, **{kind.code: kind for kind in CHECK}}
