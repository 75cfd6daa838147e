"""Errors: located reports about programs as values, and the project's exceptions.

The package promises that every error that a person can cause is either a `Diagnostic`, which
has a code and a place, or a `UserError`; and it turns both into text. It imports nothing but
the standard library, and of itself only what is asked for: a build with nothing to do has
nothing to report.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mapal.diagnostics.errors import CompilerBug, Unsupported, UserError

if TYPE_CHECKING:
    from mapal.diagnostics.diagnostic import Diagnostic, DiagnosticKind
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

_MODULES = {
    "Diagnostic": "diagnostic",
    "DiagnosticKind": "diagnostic",
    "DiagnosticObject": "render",
    "LocationTable": "locations",
    "Position": "source",
    "SourceText": "source",
    "printable": "render",
    "render": "render",
    "render_all": "render",
    "span_of": "locations",
    "to_json_object": "render",
}


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    module = import_module(f"{__name__}.{_MODULES[name]}")
    # All its names at once: `render` is the function, not the module that it lies in.
    globals().update(
        {
            known: getattr(module, known)
            for known, place in _MODULES.items()
            if place == _MODULES[name]
        }
    )
    return globals()[name]
