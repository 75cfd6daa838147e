"""Which closing delimiter belongs to which opening one, before any grammar is known.

The parser asks this table to say which delimiter was never closed and to find, in constant
time, where a damaged construct ends.
"""

from __future__ import annotations

from collections.abc import Sequence

_OPENER_OF = {")": "(", "]": "[", "}": "{"}
_ITEM_STARTS = ("fn", "type")


def match_delimiters(kinds: Sequence[str]) -> list[int]:
    """For each token the position of its closing delimiter; -1 for an opener without one and
    for every other token.

    A closer that does not fit its innermost opener closes the nearest opener of its own sort,
    and those in between stay unclosed; but a round or square closer never reaches out of the
    braces around it, and nothing reaches across the start of an item that stands directly
    in no parentheses or brackets. Linear time.
    """
    closers = [-1] * len(kinds)
    pending: list[int] = []
    # How many openers of each sort are pending, so that a hopeless search is not begun.
    round_or_square: list[dict[str, int]] = [{"(": 0, "[": 0}]
    for position, kind in enumerate(kinds):
        if kind in ("(", "["):
            pending.append(position)
            round_or_square[-1][kind] += 1
        elif kind == "{":
            pending.append(position)
            round_or_square.append({"(": 0, "[": 0})
        elif kind in (")", "]"):
            opener = _OPENER_OF[kind]
            while round_or_square[-1][opener]:
                candidate = pending.pop()
                round_or_square[-1][kinds[candidate]] -= 1
                if kinds[candidate] == opener:
                    closers[candidate] = position
                    break
        elif kind == "}" and len(round_or_square) > 1:
            while kinds[pending[-1]] != "{":
                pending.pop()
            closers[pending.pop()] = position
            round_or_square.pop()
        elif kind in _ITEM_STARTS and len(round_or_square) == 1:
            # At the top level an item begins afresh.
            pending.clear()
            round_or_square[-1] = {"(": 0, "[": 0}
    return closers
