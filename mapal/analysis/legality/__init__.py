"""What code generation may do with the arrays of a program, each answer a proof by the engine of
index maps over the program's access records."""

from mapal.analysis.legality.answers import Answer, Question
from mapal.analysis.legality.loops import combining_operation
from mapal.analysis.legality.report import legality, overwritten_components, proved_operations

__all__ = [
    "Answer",
    "Question",
    "combining_operation",
    "legality",
    "overwritten_components",
    "proved_operations",
]
