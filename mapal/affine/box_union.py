"""Do some boxes of positions cover a box?"""

from __future__ import annotations

from collections.abc import Sequence

from mapal.affine.index import Interval

MOST_BOXES = 64
"""Unions of more boxes are not looked at: the work grows with a power of the number."""


def boxes_cover(boxes: Sequence[Sequence[Interval]], target: Sequence[Interval]) -> bool:
    """Whether every point of the target lies in some box; exact.

    The set of boxes that span a position changes only at the start of a box and past its end, so
    the first axis is cut there and one position stands for each piece.
    """
    if not target:
        return bool(boxes)
    low, high = target[0]
    cuts = {low}
    for box in boxes:
        cuts.update(cut for cut in (box[0][0], box[0][1] + 1) if low <= cut <= high)
    return all(
        boxes_cover([box[1:] for box in boxes if box[0][0] <= cut <= box[0][1]], target[1:])
        for cut in cuts
    )
