"""Every read and write of a graph as access records, in the vocabulary of `mapal.affine`."""

from mapal.analysis.accesses.extraction import Extraction, extract, walked
from mapal.analysis.accesses.records import AccessRecord, ArrayValue, LoopFrame, LoopKind

__all__ = ["AccessRecord", "ArrayValue", "Extraction", "LoopFrame", "LoopKind", "extract", "walked"]
