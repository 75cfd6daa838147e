"""Located reports about a program, as values, and the kinds they come in."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class DiagnosticKind:
    """What one code means, for the catalogue behind `mapal explain`.

    `example` is a complete program that yields exactly this code and `correction` one that
    says what was meant; either is empty where no source text can serve.
    """

    code: str
    title: str
    explanation: str
    example: str = ""
    correction: str = ""


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One error in a program.

    The place is given once: by the lexer and parser as `span`, a half-open range of bytes of
    the UTF-8 source; by later stages as `tokens`, the ordinals of the first and the last
    token, both included, which the location table turns into a span.
    """

    code: str
    message: str
    tokens: tuple[int, int] | None
    span: tuple[int, int] | None
    hint: str | None = None
    notes: tuple[str, ...] = ()
