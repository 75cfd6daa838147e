"""The source graph while it is being lowered: operations, guards and loops as mutable units.

A draft is what placement (the region of each unit) and fusing work on. It has no packs minted
for operands, no ids and no checks of its own; `mapal.lower.emission` turns it into a graph
through the builder, which checks everything.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from mapal.ir import ops
from mapal.ir.graph import FunctionKind, Key, RegionKind
from mapal.ir.graph import Value as Literal
from mapal.ir.types import Struct, Type


@dataclass(frozen=True, slots=True)
class MakeTuple:
    """Two or more components."""


@dataclass(frozen=True, slots=True)
class MakeStruct:
    ty: Struct


@dataclass(frozen=True, slots=True)
class MakeArray:
    pass


@dataclass(frozen=True, slots=True)
class CallNamed:
    name: str


@dataclass(frozen=True, slots=True, eq=False)
class Collect:
    """A collection operation: operands are captures, then the seed of a fold, then the array."""

    operator: str
    body: DraftFunction
    captures: int


DraftOp = ops.Op | MakeTuple | MakeStruct | MakeArray | CallNamed | Collect


@dataclass(eq=False, slots=True)
class DraftRegion:
    """A region. `rest` marks the false arm that holds the remainder of an integer match, and
    `first_rest` is the outermost such arm of the same match, if this is a further one."""

    kind: RegionKind
    parent: DraftRegion | None
    rest: bool = False
    first_rest: DraftRegion | None = None

    @property
    def around(self) -> DraftRegion | None:
        """The nearest region around this one that receives operations, in constant time."""
        outer = self.parent
        if outer is not None and outer.rest:
            outer = (outer.first_rest or outer).parent
        return outer


@dataclass(eq=False, slots=True)
class DraftValue:
    """A value: of a unit, a literal, an argument of the function, or a loop's state."""

    ty: Type
    name: str | None
    key: Key
    unit: Unit | None = None
    literal: Literal | None = None
    argument: int | None = None
    merge_of: DraftLoop | None = None


@dataclass(eq=False, slots=True)
class Operation:
    """`region` is where it is written, and after placement where it belongs. `absorbed` tells
    that a pack's components were taken directly by its reader."""

    index: int
    op: DraftOp
    operands: list[DraftValue]
    result: DraftValue
    region: DraftRegion
    key: Key
    absorbed: bool = False


@dataclass(eq=False, slots=True)
class DraftGuard:
    index: int
    cond: DraftValue
    region: DraftRegion
    arm_true: DraftRegion
    arm_false: DraftRegion
    key: Key
    result: DraftValue
    when_true: DraftValue | None = None
    when_false: DraftValue | None = None


@dataclass(eq=False, slots=True)
class DraftLoop:
    """`last` is the index of the last unit made inside it."""

    index: int
    init: DraftValue
    region: DraftRegion
    body: DraftRegion
    jump: DraftRegion
    exit: DraftRegion
    key: Key
    state: DraftValue
    result: DraftValue
    cond: DraftValue | None = None
    next_state: DraftValue | None = None
    payload: DraftValue | None = None
    last: int = 0


Unit = Operation | DraftGuard | DraftLoop


@dataclass(eq=False, slots=True)
class DraftFunction:
    """One function or collection body. `arguments` are its input's components in order."""

    name: str
    kind: FunctionKind
    key: Key
    output: Type
    root: DraftRegion
    parameters: tuple[str, ...] = ()
    input: Type | None = None
    arguments: list[DraftValue] = field(default_factory=list)
    units: list[Unit] = field(default_factory=list)
    returns: list[tuple[DraftValue, Key]] = field(default_factory=list)
    slots: list[tuple[int, DraftValue, Key]] = field(default_factory=list)

    def use_counts(self) -> dict[DraftValue, int]:
        """How often each value is used, by operand slots."""
        counts: dict[DraftValue, int] = {}
        for unit in self.units:
            for value in used_values(unit):
                counts[value] = counts.get(value, 0) + 1
        for value, _ in self.returns:
            counts[value] = counts.get(value, 0) + 1
        for _, value, _ in self.slots:
            counts[value] = counts.get(value, 0) + 1
        return counts


def used_values(unit: Unit) -> list[DraftValue]:
    """What a unit uses itself, without the units in its regions."""
    match unit:
        case Operation(operands=operands):
            return operands
        case DraftGuard(cond=cond, when_true=when_true, when_false=when_false):
            return [value for value in (cond, when_true, when_false) if value is not None]
        case DraftLoop():
            found = (unit.init, unit.cond, unit.next_state, unit.payload)
            return [value for value in found if value is not None]
