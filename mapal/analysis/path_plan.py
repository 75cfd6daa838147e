"""The parallel schedule of a function: tasks that may run early, and checkpoints at which the
spine waits for what could have trapped before.

A task may run before its turn only because no checkpoint lets output pass a trap that is not
decided yet; of all traps, the one with the least position, then the least element, is reported.
Scalar work forms one task per connected component; components are cut where a collection or loop
lies between, so that no two tasks wait for each other.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from mapal.analysis.bounds import accesses_in_range
from mapal.analysis.path_units import Unit, is_clock_read, spine, units
from mapal.analysis.totality import is_total_morphism
from mapal.ir import ops
from mapal.ir.graph import Graph
from mapal.ir.ops import FunctionId, MorphismId, ObjectId
from mapal.ir.order import LoopItem, OperationItem
from mapal.ir.types import Array, Tuple


@dataclass(frozen=True, slots=True)
class Task:
    """`split` is the collection whose range of `weight` parts may be cut; without it the units
    run in their order. `deps` are tasks that come before, by number. `traps` are the positions
    of what can trap. A `pinned` task runs on the spine's thread."""

    units: tuple[Unit, ...]
    split: MorphismId | None
    weight: int
    deps: tuple[int, ...]
    rank: int
    traps: tuple[int, ...]
    pinned: bool

    @property
    def trap_min(self) -> int | None:
        return self.traps[0] if self.traps else None


@dataclass(frozen=True, slots=True)
class Wait:
    """Wait until a task has decided every trap up to `threshold`, or for its end (None)."""

    task: int
    threshold: int | None


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """Before the item at `position` (None: the end) has its effect. Waits that an earlier
    checkpoint ensures are left out."""

    position: int | None
    waits: tuple[Wait, ...]


@dataclass(frozen=True, slots=True)
class PathPlan:
    tasks: tuple[Task, ...]
    checkpoints: tuple[Checkpoint, ...]

    @property
    def is_single_path(self) -> bool:
        """Whether there is nothing to schedule."""
        return len(self.tasks) <= 1 and len(self.checkpoints) == 1


def path_plan(graph: Graph, function: FunctionId) -> PathPlan:
    """The schedule of a function's body."""
    return graph.remembered(("path plan", function), lambda: _Planning(graph, function).plan())


@dataclass(slots=True)
class _Draft:
    """A task in the making; `level` counts the tasks on the longest way to it."""

    members: list[Unit]
    level: int
    split: MorphismId | None = None
    weight: int = 1
    pinned: bool = False
    number: int = -1
    deps: set[int] = field(default_factory=set)


class _Planning:
    """`owner` leads from what a unit defines to the unit, `task_of` from a unit's target to its
    task's number."""

    def __init__(self, graph: Graph, function: FunctionId) -> None:
        self.graph = graph
        self.proved = accesses_in_range(graph)
        self.units = units(graph, function)
        self.spine = spine(graph, function)
        self.owner: dict[ObjectId, Unit] = {}
        self.task_of: dict[ObjectId, int] = {}
        self.drafts: list[_Draft] = []
        for unit in self.units:
            self.owner.update(dict.fromkeys(unit.defines, unit))

    def plan(self) -> PathPlan:
        self._mint()
        self._connect()
        ranks = self._ranks()
        tasks = tuple(
            Task(
                tuple(draft.members),
                draft.split,
                draft.weight,
                tuple(sorted(draft.deps)),
                ranks[number],
                tuple(position for unit in draft.members for position in self._traps(unit)),
                draft.pinned,
            )
            for number, draft in enumerate(self.drafts)
        )
        return PathPlan(tasks, tuple(self._checkpoints(tasks)))

    # Tasks --------------------------------------------------------------------------

    def _mint(self) -> None:
        levels: dict[ObjectId, int] = {}
        groups = _Groups()
        scalars: list[tuple[Unit, int]] = []
        drafts: dict[ObjectId, _Draft] = {}
        for unit in self.units:
            is_scalar = self._is_scalar(unit)
            level = max((self._level(obj, is_scalar, levels) for obj in unit.reads), default=0)
            levels[unit.item.target] = level
            if unit.item.target in self.spine:
                continue
            if is_scalar:
                scalars.append((unit, level))
                for obj in (*unit.reads, *unit.defines):
                    groups.join((level, obj), (level, unit.item.target))
            else:
                drafts[unit.item.target] = self._draft(unit, level)
        components: dict[object, _Draft] = {}
        for unit, level in scalars:
            name = groups.find((level, unit.item.target))
            draft = components.setdefault(name, _Draft([], level))
            draft.members.append(unit)
            draft.pinned = draft.pinned or self._is_pinned(unit)
            drafts[unit.item.target] = draft
        for unit in self.units:
            found = drafts.get(unit.item.target)
            if found is None:
                continue
            if found.members[0] is unit:
                found.number = len(self.drafts)
                self.drafts.append(found)
            self.task_of.update(dict.fromkeys(unit.defines, found.number))

    def _level(self, obj: ObjectId, is_scalar: bool, levels: Mapping[ObjectId, int]) -> int:
        owner = self.owner.get(obj)
        if owner is None:
            return 0
        target = owner.item.target
        joins = is_scalar and target not in self.spine and self._is_scalar(owner)
        return levels[target] + (0 if joins else 1)

    def _is_scalar(self, unit: Unit) -> bool:
        match unit.item:
            case LoopItem():
                return False
            case OperationItem(morphism=morphism):
                return not isinstance(morphism.op, _ALONE)
            case _:
                return True

    def _draft(self, unit: Unit, level: int) -> _Draft:
        if not isinstance(unit.item, OperationItem):
            return _Draft([unit], level)
        morphism = unit.item.morphism
        if isinstance(morphism.op, ops.TimeMs):
            return _Draft([unit], level, pinned=True)
        ty = self.graph.ty(unit.item.target)
        if isinstance(morphism.op, ops.Fold | ops.Reduce):
            ty = self.graph.ty(unit.item.operands[-1])
            ty = ty.items[-1] if isinstance(ty, Tuple) else ty  # a fold's pair of seed and array
        weight = ty.length if isinstance(ty, Array) else 1
        split = None if isinstance(morphism.op, ops.Fold) else morphism.id
        return _Draft([unit], level, split, weight)

    def _is_pinned(self, unit: Unit) -> bool:
        """A call that can trap has to be on the spine: nobody knows its traps from outside."""
        return any(
            isinstance(item, OperationItem)
            and isinstance(item.morphism.op, ops.Call)
            and not is_total_morphism(self.graph, item.morphism.id, self.proved)
            for _, item in unit.inside
        )

    def _connect(self) -> None:
        for number, draft in enumerate(self.drafts):
            for unit in draft.members:
                producers = (self.task_of.get(obj) for obj in unit.reads)
                draft.deps |= {task for task in producers if task is not None}
            draft.deps.discard(number)
        for number, draft in enumerate(self.drafts):
            if draft.pinned and is_clock_read(draft.members[0]):
                self._fence(number, draft.members[0].first)

    def _fence(self, clock: int, position: int) -> None:
        """Pure work keeps its side of a clock read, as it is written."""
        for number, draft in enumerate(self.drafts):
            starts = [unit.first for unit in draft.members]
            if number != clock and max(starts) < position:
                self.drafts[clock].deps.add(number)
            elif number != clock and min(starts) > position:
                draft.deps.add(clock)

    def _ranks(self) -> list[int]:
        """The weight of the heaviest way from a task to the end."""
        waiting = [0] * len(self.drafts)
        for draft in self.drafts:
            for dep in draft.deps:
                waiting[dep] += 1
        ranks = [draft.weight for draft in self.drafts]
        ready = [number for number, count in enumerate(waiting) if count == 0]
        while ready:
            number = ready.pop()
            for dep in self.drafts[number].deps:
                ranks[dep] = max(ranks[dep], self.drafts[dep].weight + ranks[number])
                waiting[dep] -= 1
                if waiting[dep] == 0:
                    ready.append(dep)
        return ranks

    # Checkpoints --------------------------------------------------------------------

    def _traps(self, unit: Unit) -> Iterator[int]:
        """Where the operations of a unit that can trap stand."""
        for position, item in unit.inside:
            if isinstance(item, OperationItem):
                identity = item.morphism.id
                if not self.graph.is_token_bearing(item.target) and not is_total_morphism(
                    self.graph, identity, self.proved
                ):
                    yield position

    def _checkpoints(self, tasks: tuple[Task, ...]) -> Iterator[Checkpoint]:
        awaited = _Awaited(tasks)
        for unit in self.units:
            if unit.item.target not in self.spine:
                continue
            complete = self._producers(unit)
            for position, item in unit.inside:
                if not isinstance(item, OperationItem):
                    continue
                is_clock = isinstance(item.morphism.op, ops.TimeMs)
                is_call = isinstance(item.morphism.op, ops.Call)
                bears = self.graph.is_token_bearing(item.target)
                if is_clock or isinstance(item.morphism.op, ops.Print) or (is_call and bears):
                    yield awaited.checkpoint(position, complete, is_clock)
        yield Checkpoint(None, tuple(Wait(number, None) for number in range(len(tasks))))

    def _producers(self, unit: Unit) -> frozenset[int]:
        """The tasks whose values a unit of the spine reads, directly or through the spine."""
        found: set[int] = set()
        seen: set[ObjectId] = set()
        work = list(unit.reads)
        while work:
            obj = work.pop()
            if obj in seen:
                continue
            seen.add(obj)
            task, owner = self.task_of.get(obj), self.owner.get(obj)
            if task is not None:
                found.add(task)
            elif owner is not None:
                work.extend(owner.reads)
        return frozenset(found)


class _Awaited:
    """What the spine has waited for so far. What an earlier checkpoint ensures is not said
    again, so that all waits together are no more than tasks and traps."""

    def __init__(self, tasks: tuple[Task, ...]) -> None:
        self._traps = sorted(
            ((trap, number) for number, task in enumerate(tasks) for trap in task.traps),
            reverse=True,
        )
        self._ends = sorted(
            ((max(unit.first for unit in task.units), number) for number, task in enumerate(tasks)),
            reverse=True,
        )
        self._complete: set[int] = set()

    def checkpoint(self, position: int, complete: frozenset[int], is_clock: bool) -> Checkpoint:
        """The next checkpoint. `complete` are the tasks that it needs values of; a clock read
        waits for all that is written before it."""
        decided: dict[int, int] = {}
        while self._traps and self._traps[-1][0] < position:
            trap, number = self._traps.pop()
            decided[number] = trap
        ended = set(complete)
        while is_clock and self._ends and self._ends[-1][0] < position:
            ended.add(self._ends.pop()[1])
        waits = [Wait(number, None) for number in ended - self._complete]
        self._complete |= ended
        waits += [
            Wait(number, trap) for number, trap in decided.items() if number not in self._complete
        ]
        return Checkpoint(position, tuple(sorted(waits, key=lambda wait: wait.task)))


_ALONE = (ops.Map, ops.Zip, ops.Enumerate, ops.Iota, ops.Fill, ops.Fold, ops.Reduce, ops.TimeMs)


class _Groups:
    """Disjoint sets (Tarjan, "Efficiency of a Good But Not Linear Set Union Algorithm", 1975)."""

    def __init__(self) -> None:
        self._parent: dict[object, object] = {}

    def find(self, name: object) -> object:
        root = name
        while self._parent.get(root, root) != root:
            root = self._parent[root]
        while name != root:
            self._parent[name], name = root, self._parent.get(name, root)
        return root

    def join(self, first: object, second: object) -> None:
        self._parent[self.find(first)] = self.find(second)
