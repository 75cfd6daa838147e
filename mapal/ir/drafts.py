"""What a builder holds while a graph grows, and the error that it raises."""

from __future__ import annotations

from dataclasses import dataclass, field

from mapal.diagnostics import CompilerBug
from mapal.ir.graph import FunctionKind, Key
from mapal.ir.ops import FunctionId, GuardId, LoopId, MorphismId, ObjectId, RegionId


class BuilderError(CompilerBug):
    """A primitive was used against its contract; `code` names the rule."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(f"{code}: {message}")
        self.code = code


@dataclass(slots=True)
class GuardDraft:
    """A guard under construction: its arms exist, its `Phi` closes it."""

    id: GuardId
    region: RegionId
    cond: ObjectId
    arm_true: RegionId
    arm_false: RegionId
    rest: bool
    key: Key
    phi: MorphismId | None = None


@dataclass(slots=True)
class LoopDraft:
    """A loop under construction."""

    id: LoopId
    region: RegionId
    merge: ObjectId
    body: RegionId
    jump: RegionId
    exit: RegionId
    enter: MorphismId
    key: Key
    cond: ObjectId | None = None
    back: MorphismId | None = None
    leave: MorphismId | None = None


@dataclass(slots=True)
class FunctionDraft:
    """A declared function and what has been built of it."""

    id: FunctionId
    name: str
    kind: FunctionKind
    parameters: tuple[str, ...]
    input: ObjectId
    output: ObjectId
    key: Key
    state: str = "declared"
    objects: list[ObjectId] = field(default_factory=list)
    morphisms: list[MorphismId] = field(default_factory=list)
    regions: list[RegionId] = field(default_factory=list)
    guards: list[GuardDraft] = field(default_factory=list)
    loops: list[LoopDraft] = field(default_factory=list)
