"""The tasks of a build over time: lanes for a picture, sums for a table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mapal.report.content import Task

_WIDTH = 1000.0
_LEAST_WIDTH = 0.6


@dataclass(frozen=True, slots=True)
class Bar:
    """A task in the picture: its lane from the top, and where it lies, in thousandths."""

    task: Task
    stage: str
    lane: int
    left: float
    width: float


@dataclass(frozen=True, slots=True)
class StageTime:
    """What the tasks of one stage took together; `share` is of all tasks, in percent."""

    stage: str
    tasks: int
    seconds: float
    share: float


@dataclass(frozen=True, slots=True)
class Timeline:
    """`seconds` is the length of the picture; `lanes` how many tasks ran at once at most."""

    bars: tuple[Bar, ...]
    lanes: int
    seconds: float
    stages: tuple[StageTime, ...]


def make_timeline(tasks: Sequence[Task]) -> Timeline:
    """Puts each task into the first lane that is free when it starts."""
    length = max((task.start + task.seconds for task in tasks), default=0.0)
    ends: list[float] = []
    bars = []
    for task in sorted(tasks, key=lambda task: (task.start, task.name)):
        lane = next((n for n, end in enumerate(ends) if end <= task.start), len(ends))
        if lane == len(ends):
            ends.append(0.0)
        ends[lane] = task.start + task.seconds
        scale = _WIDTH / length if length else 0.0
        width = max(_LEAST_WIDTH, task.seconds * scale)
        left = min(task.start * scale, _WIDTH - width)
        bars.append(Bar(task, stage_of(task.name), lane, round(left, 2), round(width, 2)))
    return Timeline(tuple(bars), len(ends), length, _stages(tasks))


def stage_of(task: str) -> str:
    """The stage in a task's name."""
    return task.partition(":")[0]


def _stages(tasks: Sequence[Task]) -> tuple[StageTime, ...]:
    total = sum(task.seconds for task in tasks)
    names = list(dict.fromkeys(stage_of(task.name) for task in tasks))
    found = []
    for name in names:
        members = [task.seconds for task in tasks if stage_of(task.name) == name]
        share = 100 * sum(members) / total if total else 0.0
        found.append(StageTime(name, len(members), sum(members), round(share, 1)))
    return tuple(sorted(found, key=lambda stage: (-stage.seconds, stage.stage)))
