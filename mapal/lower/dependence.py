"""Whether values computed in a loop depend on its state (L1503)."""

from __future__ import annotations

from mapal.lower.draft import DraftLoop, DraftValue, Unit, used_values


def depend_on(values: list[DraftValue], loop: DraftLoop, units: list[Unit]) -> bool:
    """Whether one of the values is computed from the state of the loop, by whatever path.

    `units` are those of the function, in order of creation. Only what was made since the loop
    began is searched: nothing older knows the state. What comes out of an inner loop depends on
    whatever that loop reads.
    """
    seen: set[DraftValue] = set()
    work = list(values)
    while work:
        at = work.pop()
        if at is loop.state:
            return True
        if at in seen or at.unit is None or at.unit.index <= loop.index:
            continue
        seen.add(at)
        work.extend(used_values(at.unit))
        if isinstance(at.unit, DraftLoop):
            for unit in units[at.unit.index : at.unit.last]:
                work.extend(used_values(unit))
    return False
