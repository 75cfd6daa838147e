"""The verifier: derives every invariant of a graph anew from its tables.

It trusts nothing that made the graph, and shares neither code nor typing rules with the
builder, so that each checks the other. It collects all violations, except that later groups
of checks are skipped when an earlier one, on which they stand, found something.

| code | what must hold |
|---|---|
| `Unowned` | ids are positions; every entry has one owner, which lists it; indices agree |
| `CrossFunctionEdge` | both ends of a morphism belong to its function |
| `BadEntry` | the entry is a named function |
| `DuplicateName` | named functions have different names |
| `BadParameters` | parameter names match the components of the input |
| `BadKey` | a key is a non-empty list of token ranges |
| `NonCoreType`, `TyTooDeep` | types are those of the language, nested at most 64 deep |
| `StructNameConflict` | structs of one name have the same fields |
| `BadConstant` | constants, and only they, have a value, which their type holds |
| `BadEdgeType` | the ends of a morphism have the types that its operation maps |
| `InvalidWiden`, `InvalidConvert` | conversions are between the pairs of types they exist for |
| `EnumerateIndexOverflow` | what counts in i32 counts at most 2^31 - 1 elements |
| `IotaCountMismatch` | the count of a range or fill is a constant equal to the length |
| `ErasedCapture` | a capture has a number or `bool` in it |
| `BadInEdges` | a value is defined once, a product completely, a merge by enter and back |
| `SourceHasInEdges` | parameters and constants are not written |
| `BadReturn` | a result is written whole, or once per component |
| `ReturnHasOutEdges` | a result is not read |
| `BadOutput` | `Output` writes only a result |
| `StrOutsidePrint` | a string is a constant or what a print packs |
| `TokenInPhi`, `TokenInBody` | no token passes a guard or occurs in a body |
| `TokenNotLinear` | a token is used once, or once by each arm of its loop |
| `TokenDropped` | a token that nothing uses is the result |
| `TokenNotEscaping` | a loop that carries a token hands it on |
| `BadRegion` | regions form one tree with one owner each; morphisms stand where their guard \
or loop says; effects stand in no arm; no guard or loop waits for itself |
| `BadLoop` | a loop has one enter, back and exit, one condition, and a state that depends on it |
| `ReadOutsideRegion` | a value is read in its own region or inside it; results are written in \
the body |
| `RecursiveReference` | functions do not refer to each other in a cycle |
"""

from __future__ import annotations

from mapal.ir.graph import Graph
from mapal.ir.verify_edges import edge_violations
from mapal.ir.verify_loops import loop_violations
from mapal.ir.verify_operations import operation_violations
from mapal.ir.verify_references import reference_violations
from mapal.ir.verify_regions import read_violations, record_violations
from mapal.ir.verify_tables import table_violations
from mapal.ir.verify_tokens import token_violations
from mapal.ir.verify_types import type_violations
from mapal.ir.violation import Violation

__all__ = ["Violation", "verify"]


def verify(graph: Graph) -> list[Violation]:
    """All violations found, in a fixed order; empty for every sealed graph.

    Takes time linear in the graph (in its loops: times their nesting depth) and never raises.
    """
    groups = (
        (table_violations,),
        (type_violations, operation_violations, edge_violations, reference_violations),
        (record_violations,),
        (read_violations, token_violations, loop_violations),
    )
    for group in groups:
        found = [violation for check in group for violation in check(graph)]
        if found:
            return found
    return []
