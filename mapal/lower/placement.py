"""Which region each unit belongs to (language 7.7), computed once on the source graph.

A unit belongs to the region that it is written in, unless all its uses lie in one deeper arm.
It never moves into a loop that it stands outside of, never into the remainder of an integer
match, and not at all when it has an effect or hands on the token.
"""

from __future__ import annotations

from mapal.ir.graph import RegionKind
from mapal.ir.types import contains_token
from mapal.lower.draft import (
    DraftFunction,
    DraftGuard,
    DraftLoop,
    DraftRegion,
    DraftValue,
    Operation,
    Unit,
)


def place(function: DraftFunction) -> None:
    """Sets the region of every unit. Units are visited in reverse order of creation, so all
    uses of a unit are placed before it is."""
    drop_absorbed_packs(function)
    uses: dict[DraftValue, list[DraftRegion]] = {}
    for value, _ in function.returns:
        uses.setdefault(value, []).append(function.root)
    for _, value, _ in function.slots:
        uses.setdefault(value, []).append(function.root)
    for unit in function.units:
        for value, region in _closing_uses(unit):
            uses.setdefault(value, []).append(region)
    for unit in sorted(function.units, key=lambda unit: unit.index, reverse=True):
        if not _stays(unit):
            _move(unit, _home(unit.region, uses.get(unit.result, [])))
        for value in _uses_in_own_region(unit):
            uses.setdefault(value, []).append(unit.region)


def drop_absorbed_packs(function: DraftFunction) -> None:
    """Removes packs whose components were all taken directly and that nobody reads. They are
    total, so nobody can tell."""
    counts = function.use_counts()
    kept: list[Unit] = []
    for unit in reversed(function.units):
        unread = counts.get(unit.result, 0) == 0
        if isinstance(unit, Operation) and unit.absorbed and unread:
            for operand in unit.operands:
                counts[operand] -= 1
        else:
            kept.append(unit)
    function.units = kept[::-1]


def _stays(unit: Unit) -> bool:
    if isinstance(unit, DraftLoop) and contains_token(unit.state.ty):
        return True
    if isinstance(unit, Operation) and any(contains_token(operand.ty) for operand in unit.operands):
        return True
    return contains_token(unit.result.ty)


def _move(unit: Unit, region: DraftRegion) -> None:
    unit.region = region
    match unit:
        case DraftGuard(arm_true=arm_true, arm_false=arm_false):
            arm_true.parent = region
            arm_false.parent = region
        case DraftLoop(body=body):
            body.parent = region
        case Operation():
            pass


def _closing_uses(unit: Unit) -> list[tuple[DraftValue, DraftRegion]]:
    """What the regions of a guard or loop hand out at their ends. These uses are known from the
    start: they lie inside the unit, wherever the unit itself goes."""
    match unit:
        case Operation():
            return []
        case DraftGuard(when_true=when_true, when_false=when_false):
            assert when_true is not None
            assert when_false is not None
            return [(when_true, unit.arm_true), (when_false, unit.arm_false)]
        case DraftLoop(cond=cond, next_state=next_state, payload=payload):
            assert cond is not None
            assert next_state is not None
            assert payload is not None
            return [(cond, unit.body), (next_state, unit.jump), (payload, unit.exit)]


def _uses_in_own_region(unit: Unit) -> list[DraftValue]:
    match unit:
        case Operation(operands=operands):
            return operands
        case DraftGuard(cond=cond):
            return [cond]
        case DraftLoop(init=init):
            return [init]


def _home(written: DraftRegion, uses: list[DraftRegion]) -> DraftRegion:
    """The region of a unit, from where it is written and where it is used. What is written in
    the remainder of an integer match are its further guards, which stay."""
    if not uses or written.rest:
        return written
    path = _path_below(written, uses[0])
    for region in uses[1:]:
        if len(path) == 1:
            break
        path = _common(path, _path_below(written, region))
    home = written
    for region in path[1:]:
        if region.kind is RegionKind.LOOP_BODY:
            break
        home = region
    return home


def _path_below(outer: DraftRegion, inner: DraftRegion) -> list[DraftRegion]:
    """The regions from `outer` down to `inner`, remainders of integer matches left out."""
    region: DraftRegion | None = inner.around if inner.rest else inner
    path: list[DraftRegion] = []
    while region is not outer:
        assert region is not None, "a use lies inside the region of its definition"
        path.append(region)
        region = region.around
    path.append(outer)
    return path[::-1]


def _common(a: list[DraftRegion], b: list[DraftRegion]) -> list[DraftRegion]:
    length = 0
    while length < min(len(a), len(b)) and a[length] is b[length]:
        length += 1
    return a[:length]
