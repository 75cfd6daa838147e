"""Errors: located reports about programs as values, and the project's exceptions.

The package promises that every error that a person can cause is either a `Diagnostic`, which
has a code and a place, or a `UserError`; and it turns both into text. It imports nothing but
the standard library.
"""

from mapal.diagnostics.diagnostic import Diagnostic, DiagnosticKind
from mapal.diagnostics.errors import CompilerBug, Unsupported, UserError
from mapal.diagnostics.locations import LocationTable, span_of
from mapal.diagnostics.render import (
    DiagnosticObject,
    printable,
    render,
    render_all,
    to_json_object,
)
from mapal.diagnostics.source import Position, SourceText

__all__ = [
    "CompilerBug",
    "Diagnostic",
    "DiagnosticKind",
    "DiagnosticObject",
    "LocationTable",
    "Position",
    "SourceText",
    "Unsupported",
    "UserError",
    "printable",
    "render",
    "render_all",
    "span_of",
    "to_json_object",
]
