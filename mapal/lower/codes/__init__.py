"""The catalogue of what lowering reports: one entry for each code.

`example` of an entry yields exactly its code; `correction` is accepted. Entries without an
example cannot be provoked by any source text.
"""

from __future__ import annotations

from mapal.lower.codes import (
    chains,
    collections,
    declarations,
    guards,
    internal,
    literals,
    loops,
    names,
)

KINDS = {
    kind.code: kind
    for family in (
        internal.TREE,
        declarations.KINDS,
        names.KINDS,
        literals.KINDS,
        chains.KINDS,
        guards.KINDS,
        loops.KINDS,
        collections.KINDS,
        internal.INVARIANT,
    )
    for kind in family
}
"""Every code of this package with its kind, in ascending order."""
