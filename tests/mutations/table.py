"""The mutations: each takes one exclusion away from the rewriter, or from what it relies on.

An exclusion is a condition under which a pass leaves something alone, or a law that a plan must
keep. Without it a program may trap where it did not, run what it would not have run, or answer
wrongly; so some test must fail. Mutations are data: a file, a text that occurs in it exactly once,
what replaces it, and the kind of exclusion. `tests` are asked first; a mutant that survives them
meets all tests of `EVERYTHING`. One that survives those too must be `explained`: why nothing that a
program does can change.
"""

from __future__ import annotations

from tests.mutations.of_collections import OF_COLLECTIONS
from tests.mutations.of_constants import OF_CONSTANTS
from tests.mutations.of_laws import OF_LAWS
from tests.mutations.of_loops import OF_LOOPS
from tests.mutations.of_scalars import OF_SCALARS
from tests.mutations.of_streams import OF_STREAMS

MUTATIONS = (
    *OF_SCALARS,
    *OF_COLLECTIONS,
    *OF_STREAMS,
    *OF_LOOPS,
    *OF_CONSTANTS,
    *OF_LAWS,
)
