"""Mutations of the pass that lifts loops."""

from __future__ import annotations

from tests.mutations.mutation import Mutation, tests_of

_LIFTING = "rewrite/passes/loop_lifting.py"
_COUNTS = "analysis/trip_counts.py"
_ORDER = "analysis/legality/loops.py"
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
        "lifting: a map whose elements read each other",
        "value",
        _ORDER,
        "    return all(tie(program.table, store, read, frame) is None for read in reads)\n",
        "    return True\n",
        _OF_LIFTING,
    ),
    Mutation(
        "lifting: traps against the order of passes",
        "trap",
        _LIFTING,
        "            raise _DeclinedError(TRAPS_BACKWARDS)\n",
        "            pass\n",
        _OF_LIFTING,
    ),
    Mutation(
        "lifting: the order in which an array is written",
        "value",
        _LIFTING,
        "            start, step = start + step * (counter.passes - 1), -step\n",
        "            pass\n",
        _OF_LIFTING,
    ),
    Mutation(
        "lifting: a map that does not write every element",
        "value",
        _ORDER,
        "    if program.table.range_of(store, frame.symbol) != (0, last):\n        return None\n",
        "",
        _OF_LIFTING,
    ),
    Mutation(
        "lifting: a map that writes at another place than its number",
        "value",
        _ORDER,
        "    return WritingOrder.BACKWARDS if store.index == (Linear({frame.symbol: -1}, last),) "
        "else None\n",
        "    return WritingOrder.BACKWARDS\n",
        _OF_LIFTING,
    ),
    Mutation(
        "lifting: a map that writes into another array",
        "value",
        _LIFTING,
        "        return written if self.views.get(written.operands[0]) == values[0] else None\n",
        "        return written\n",
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
