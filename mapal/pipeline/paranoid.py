"""Paranoid builds: every stage computes again, and must give what is remembered of it.

What is remembered is the record of the project, if nothing that the stage depends on changed
since, and the entry in the shared cache. A difference means that a stage is no function of its
declared inputs, or that somebody put something else there.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from mapal.pipeline.files import content_hash

if TYPE_CHECKING:
    from mapal.pipeline.records import Record
    from mapal.pipeline.stages.result import StageResult
    from mapal.pipeline.step import Environment, Step


def difference(
    step: Step, key: str, record: Record, result: StageResult, environment: Environment
) -> str | None:
    """How a result that was just computed differs from what is remembered; None if it does not.
    `record` is that of the run, with its outputs."""
    former = step.recorded()
    if former is not None and _is_same_work(former, record):
        for label, output in former["outputs"].items():
            new = record["outputs"].get(label)
            if new is None or new["sha256"] != output["sha256"]:
                found = new["sha256"][:12] if new is not None else "nothing"
                return _said(
                    step,
                    f"{step.site.shown(label)} was {output['sha256'][:12]} and is {found}",
                    "the record of the last build",
                )
    entry = environment.cache.get(key) if environment.cache is not None else None
    if entry is not None:
        found_first = _first_difference(entry.files, result.outputs)
        if found_first is not None:
            return _said(step, found_first, "the shared cache (`mapal cache clean` empties it)")
    return None


def _is_same_work(former: Record, record: Record) -> bool:
    return all(former[part] == record[part] for part in ("code", "options", "tools", "inputs"))


def _said(step: Step, what: str, where: str) -> str:
    return f"stage {step.stage} does not give again what it gave before: {what}, says {where}"


def _first_difference(old: Mapping[str, bytes], new: Mapping[str, bytes]) -> str | None:
    for role in sorted({*old, *new}):
        before, after = old.get(role), new.get(role)
        if before is None or after is None:
            return f"output {role} is {'new' if before is None else 'gone'}"
        if before != after:
            offset = first_offset(before, after)
            return (
                f"output {role} differs from byte {offset} on "
                f"({content_hash(before)[:12]} → {content_hash(after)[:12]})"
            )
    return None


def first_offset(first: bytes, second: bytes) -> int:
    """The position of the first byte in which two contents differ, or the end of the shorter."""
    low, high = 0, min(len(first), len(second))
    while low < high:
        middle = (low + high + 1) // 2
        if first[low:middle] == second[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low
