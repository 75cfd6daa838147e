"""What code generation may do with the arrays of a program, each answer a proof by the engine of
index maps over the program's access records."""

from mapal.analysis.legality.answers import Answer, Question
from mapal.analysis.legality.comparison import compared
from mapal.analysis.legality.loops import (
    Writing,
    WritingOrder,
    combining_operation,
    writing_order,
)
from mapal.analysis.legality.maps import is_move, is_tile
from mapal.analysis.legality.reads import is_read_once
from mapal.analysis.legality.report import legality, overwritten_components, proved_operations
from mapal.analysis.legality.updates import may_write

__all__ = [
    "Answer",
    "Question",
    "Writing",
    "WritingOrder",
    "combining_operation",
    "compared",
    "is_move",
    "is_read_once",
    "is_tile",
    "legality",
    "may_write",
    "overwritten_components",
    "proved_operations",
    "writing_order",
]
