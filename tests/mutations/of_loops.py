"""Mutations of the pass that lifts loops."""

from __future__ import annotations

from tests.mutations.mutation import Mutation, tests_of

_LIFTING = "rewrite/passes/loop_lifting.py"
_COUNTS = "analysis/trip_counts.py"
_OF_LIFTING = tests_of(
    "loop_lifting", "loop_lifting_counters", "loop_lifting_declined", "regions", "order"
)

OF_LOOPS = (
    # Loop lifting
    Mutation(
        "lifting: loops with effects",
        "effect",
        _LIFTING,
        "        if contains_token(state):\n            raise _DeclinedError(EFFECTS)\n",
        "",
        _OF_LIFTING,
    ),
    Mutation(
        "lifting: a state that is read as a whole",
        "capture",
        _COUNTS,
        "        if not isinstance(reader.op, ops.Proj):\n"
        "            raise Uncounted(STATE_READ_WHOLE)\n",
        "        if not isinstance(reader.op, ops.Proj):\n            continue\n",
        _OF_LIFTING,
    ),
    Mutation(
        "lifting: loops that end at once",
        "value",
        _LIFTING,
        "        if counter.passes < 1:\n            raise _DeclinedError(NO_PASS)\n",
        "",
        _OF_LIFTING,
    ),
    Mutation(
        "lifting: counters that wrap",
        "divergence",
        _COUNTS,
        "if count is None or not _fits(ty, start + count * step):",
        "if count is None:",
        _OF_LIFTING,
    ),
    Mutation(
        "lifting: the negation of the condition",
        "value",
        _COUNTS,
        "NEGATED[code] if is_negated else code",
        "code",
        _OF_LIFTING,
    ),
    Mutation(
        "lifting: folds over arrays",
        "policy",
        _LIFTING,
        "        elif any(_holds_array(types[slot]) for slot in values):\n"
        "            raise _DeclinedError(CARRIES_ARRAY)\n",
        "",
        _OF_LIFTING,
    ),
    Mutation(
        "lifting: a map that reads the array that it makes",
        "value",
        _LIFTING,
        "        if element is not None and any(self.views.get(obj) == values[0] "
        "for obj in inside):\n            raise _DeclinedError(CARRIES_ARRAY)\n",
        "",
        _OF_LIFTING,
    ),
    Mutation(
        "lifting: a map that does not begin at the first element",
        "value",
        _LIFTING,
        "if len(values) != 1 or (counter.start, counter.step) != (0, 1):",
        "if len(values) != 1:",
        _OF_LIFTING,
    ),
    Mutation(
        "lifting: a map that does not write every element",
        "value",
        _LIFTING,
        "if not isinstance(ty, Array) or ty.length != counter.passes:",
        "if not isinstance(ty, Array):",
        _OF_LIFTING,
    ),
    Mutation(
        "lifting: a map that writes at another place than its number",
        "value",
        _LIFTING,
        "        if self.views.get(array) != values[0] or self.views.get(place) != counter.slot:\n",
        "        if self.views.get(array) != values[0]:\n",
        _OF_LIFTING,
    ),
    Mutation(
        "lifting: a map that writes into another array",
        "value",
        _LIFTING,
        "        if self.views.get(array) != values[0] or self.views.get(place) != counter.slot:\n",
        "        if self.views.get(place) != counter.slot:\n",
        _OF_LIFTING,
    ),
    Mutation(
        "lifting: traps before the condition",
        "trap",
        _LIFTING,
        "                raise _DeclinedError(RUNS_ON_LEAVING)\n",
        "                pass\n",
        _OF_LIFTING,
    ),
    Mutation(
        "lifting: traps that take no part in the next values",
        "trap",
        _LIFTING,
        "                raise _DeclinedError(WOULD_VANISH)\n",
        "                pass\n",
        _OF_LIFTING,
    ),
    Mutation(
        "lifting: traps from outside are repeated in the body",
        "capture",
        _LIFTING,
        "_CLONED_BINARY = frozenset(BinaryCode) - {BinaryCode.DIV, BinaryCode.MOD}",
        "_CLONED_BINARY = frozenset(BinaryCode)",
        _OF_LIFTING,
    ),
    Mutation(
        "lifting: captures without a representation",
        "capture",
        _LIFTING,
        "                raise _DeclinedError(ERASED)\n",
        "                pass\n",
        _OF_LIFTING,
    ),
)
