"""Mutations of what is known to be constant, and of how often a loop passes."""

from __future__ import annotations

from tests.mutations.mutation import Mutation, tests_of

_KNOWN = "analysis/known_integers.py"
_COUNTS = "analysis/trip_counts.py"
_OF_KNOWN = (*tests_of("loop_lifting_counters"), "tests/analysis/test_known_integers.py")
_OF_COUNTS = (
    "tests/analysis/test_trip_counts.py",
    *tests_of("loop_lifting_counters", "loop_lifting_declined"),
)

OF_CONSTANTS = (
    Mutation(
        "known: a component that passes change",
        "value",
        _KNOWN,
        "fact if slot in kept else None for",
        "fact for",
        _OF_KNOWN,
    ),
    Mutation(
        "known: components that passes exchange",
        "value",
        _KNOWN,
        "            if definer.op == ops.Proj(slot):\n",
        "            if isinstance(definer.op, ops.Proj):\n",
        _OF_KNOWN,
    ),
    Mutation(
        "known: calls that do not agree",
        "value",
        _KNOWN,
        "            argument = _agreed(self._arguments[function], argument)\n",
        "            pass\n",
        _OF_KNOWN,
    ),
    Mutation(
        "known: arms that do not agree",
        "value",
        _KNOWN,
        "return _agreed(self._fact(when_true), self._fact(when_false))",
        "return self._fact(when_true)",
        _OF_KNOWN,
    ),
    Mutation(
        "counts: a counter that jumps over the value that ends the loop",
        "divergence",
        _COUNTS,
        "return count if rest == 0 and count >= 0 else None",
        "return count if count >= 0 else None",
        _OF_COUNTS,
    ),
    Mutation(
        "counts: a counter that moves away from the value that ends the loop",
        "divergence",
        _COUNTS,
        "return count if rest == 0 and count >= 0 else None",
        "return count if rest == 0 else None",
        _OF_COUNTS,
    ),
    Mutation(
        "counts: a counter that moves away from the bound",
        "divergence",
        _COUNTS,
        "return -(-(bound - start) // step) if step > 0 else None",
        "return -(-(bound - start) // step)",
        _OF_COUNTS,
    ),
    Mutation(
        "counts: a counter that stands still",
        "divergence",
        _COUNTS,
        "step is not None and step != 0:",
        "step is not None:",
        _OF_COUNTS,
    ),
    Mutation(
        "counts: a counter that another component makes",
        "value",
        _COUNTS,
        "            if self._views.get(left) == slot and step is not None",
        "            if self._views.get(left) is not None and step is not None",
        _OF_COUNTS,
    ),
    Mutation(
        "counts: one of two conditions that let the loop go on",
        "divergence",
        _COUNTS,
        "if code is (BinaryCode.OR if is_negated else BinaryCode.AND):",
        "if code in (BinaryCode.OR, BinaryCode.AND):",
        (*_OF_COUNTS, "tests/analysis/test_totality.py"),
    ),
)
