"""Whether one value of a draft depends on another (L1503)."""

from __future__ import annotations

from mapal.lower.draft import DraftLoop, DraftValue, used_values


def depends_on(value: DraftValue, origin: DraftValue) -> bool:
    """Whether `value` is computed from `origin`, by whatever path."""
    seen: set[DraftValue] = set()
    work = [value]
    while work:
        at = work.pop()
        if at is origin:
            return True
        if at in seen or at.unit is None:
            continue
        seen.add(at)
        if isinstance(at.unit, DraftLoop) and at is at.unit.state:
            work.append(at.unit.init)
            if at.unit.next_state is not None:
                work.append(at.unit.next_state)
        else:
            work.extend(used_values(at.unit))
    return False
