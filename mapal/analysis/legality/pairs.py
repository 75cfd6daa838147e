"""Pairs of accesses, put to the engine: do iterations of one loop meet in a cell?"""

from __future__ import annotations

from collections.abc import Sequence

from mapal.affine import CrossThread, Disjoint, SideRanges, Verdict, pair_conflict
from mapal.analysis.accesses import AccessRecord, LoopFrame
from mapal.analysis.accesses.records import Table


def conflict(
    table: Table,
    left: AccessRecord,
    right: AccessRecord,
    shared: Sequence[LoopFrame],
    threads: Sequence[LoopFrame],
) -> Verdict:
    """Whether two accesses by index meet in a cell from different iterations of `threads`, within
    one iteration of the loops `shared`. An index of fewer axes names all cells of a row, which
    another one meets if the axes that both name do."""
    one, other = table.access(left), table.access(right)
    rank = min(len(one.map), len(other.map))
    common = {leaf for frame in shared for leaf in table.symbols.leaves(frame.symbol)}
    left_ranges = {s: i for s, i in one.bounds.items() if s not in common}
    right_ranges = {s: i for s, i in other.bounds.items() if s not in common}
    identity = [leaf for frame in threads for leaf in table.symbols.leaves(frame.symbol)]
    return pair_conflict(
        one.map[:rank],
        other.map[:rank],
        dup_left=set(left_ranges),
        dup_right=set(right_ranges),
        pairs=[(leaf, leaf) for leaf in identity],
        ranges=SideRanges(table.symbols.bases, left_ranges, right_ranges),
    )


def meet(
    table: Table, left: AccessRecord, right: AccessRecord, shared: Sequence[LoopFrame]
) -> bool:
    """Whether two accesses may touch one cell within one iteration of the loops `shared`."""
    if left.whole or right.whole:
        return True
    return not isinstance(conflict(table, left, right, shared, ()), Disjoint)


def tie(table: Table, left: AccessRecord, right: AccessRecord, frame: LoopFrame) -> str | None:
    """What ties iterations of a loop to each other: why two accesses inside of it are not shown
    to meet in one iteration only. None if they are."""
    position = left.loops.index(frame)
    if left.whole or right.whole:
        return "the whole array is accessed"
    verdict = conflict(table, left, right, left.loops[:position], [frame])
    return verdict.witness if isinstance(verdict, CrossThread) else None
