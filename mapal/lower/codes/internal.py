"""Codes that no source text yields: they would be defects of the implementation."""

from mapal.diagnostics import DiagnosticKind

TREE = (
    DiagnosticKind(
        "L1000",
        "unclean tree",
        "A tree that the parser reported about reached lowering. The stages run only while "
        "there is nothing to report, so no text leads here.",
    ),
)

INVARIANT = (
    DiagnosticKind(
        "L1901",
        "internal error",
        "Something that lowering relies on does not hold. That is a defect of Mapal and never "
        "the fault of a program: please report it with the text that shows it.",
    ),
)
