"""The order of the items of one region: segments, readiness, source position, groups.

An entry is one item, or a group of items that stand in the place of one: the operations of an
inlined call, or of the arm of a guard that was resolved. Such operations carry the key of what
they replace before their own, so the members of a group are those that agree in one more pair
of the key than the entries around them. A group waits for all that its members read from
outside it, runs as one entry, and is ordered inside by the same rules.

Used by `mapal.ir.order` alone.
"""

from __future__ import annotations

import bisect
import heapq
import itertools
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from mapal.diagnostics import CompilerBug
from mapal.ir.graph import Key
from mapal.ir.ops import ObjectId

Payload = TypeVar("Payload")


class NotOrderable(CompilerBug):
    """Items wait for each other: the values, or the groups that items stand in, form a cycle."""


@dataclass(slots=True)
class Entry(Generic[Payload]):
    """An item (or, with `members`, a group) while its region is being ordered. `needs` holds
    what it reads from outside itself, `targets` what it defines (dictionaries for their order);
    `segment` is the number of effects that it comes after."""

    item: Payload | None
    key: Key
    index: int
    is_effect: bool
    is_late: bool
    targets: dict[ObjectId, None]
    needs: dict[ObjectId, None] = field(default_factory=dict)
    members: list[Entry[Payload]] = field(default_factory=list)
    segment: int = 0
    waiting: int = 0

    @property
    def rank(self) -> tuple[bool, Key, int]:
        return (self.is_late, self.key, self.index)


def in_order(entries: Sequence[Entry[Payload]]) -> tuple[Payload, ...]:
    """The items of a region in evaluation order."""
    ordered: list[Payload] = []
    work: list[tuple[Entry[Payload], int]] = [(e, 0) for e in reversed(_one_level(entries, 0))]
    while work:
        entry, depth = work.pop()
        if entry.item is not None:
            ordered.append(entry.item)
        else:
            inside = _one_level(entry.members, depth + 1)
            work.extend((member, depth + 1) for member in reversed(inside))
    return tuple(ordered)


def _one_level(entries: Sequence[Entry[Payload]], depth: int) -> list[Entry[Payload]]:
    """The entries whose keys agree in their first `depth` pairs, groups formed, in order."""
    if all(len(entry.key) <= depth + 1 for entry in entries):
        return _Level(entries).run()
    alone: list[Entry[Payload]] = []
    groups: dict[Key, list[Entry[Payload]]] = {}
    for entry in entries:
        if len(entry.key) <= depth + 1:
            alone.append(entry)
        else:
            groups.setdefault(entry.key[: depth + 1], []).append(entry)
    alone += [_group(key, members) for key, members in groups.items()]
    return _Level(sorted(alone, key=lambda entry: entry.index)).run()


def _group(key: Key, members: list[Entry[Payload]]) -> Entry[Payload]:
    targets: dict[ObjectId, None] = {}
    needs: dict[ObjectId, None] = {}
    for member in members:
        targets |= member.targets
        needs |= member.needs
    return Entry(
        item=None,
        key=key,
        index=members[0].index,
        is_effect=any(member.is_effect for member in members),
        is_late=False,
        targets=targets,
        needs={obj: None for obj in needs if obj not in targets},
        members=members,
    )


class _Level(Generic[Payload]):
    """Orders entries none of which is inside another."""

    def __init__(self, entries: Sequence[Entry[Payload]]) -> None:
        self.entries = entries
        self.writers = {target: entry for entry in entries for target in entry.targets}
        self.readers: dict[int, list[Entry[Payload]]] = {}
        for entry in entries:
            for writer in self._writers_for(entry):
                self.readers.setdefault(writer.index, []).append(entry)

    def _writers_for(self, entry: Entry[Payload]) -> list[Entry[Payload]]:
        """The entries that one waits for, each once."""
        found: dict[int, Entry[Payload]] = {}
        for obj in entry.needs:
            writer = self.writers.get(obj)
            if writer is not None:
                found[writer.index] = writer
        return list(found.values())

    def run(self) -> list[Entry[Payload]]:
        effects = self._assign_segments()
        ordered: list[Entry[Payload]] = []
        ready: list[tuple[tuple[bool, Key, int], Entry[Payload]]] = []
        later: list[list[Entry[Payload]]] = [[] for _ in range(len(effects) + 1)]

        def release(entry: Entry[Payload], segment: int) -> None:
            if entry.is_effect:
                return
            if entry.segment > segment:
                later[entry.segment].append(entry)
            else:
                heapq.heappush(ready, (entry.rank, entry))

        def finish(entry: Entry[Payload], segment: int) -> None:
            ordered.append(entry)
            for reader in self.readers.get(entry.index, ()):
                reader.waiting -= 1
                if not reader.waiting:
                    release(reader, segment)

        self._count_waiting()
        for entry in self.entries:
            if not entry.waiting:
                later[entry.segment].append(entry)
        for segment in range(len(effects) + 1):
            for entry in later[segment]:
                release(entry, segment)
            while ready:
                finish(heapq.heappop(ready)[1], segment)
            if segment < len(effects):
                finish(effects[segment], segment)
        self._expect_all(ordered)
        return ordered

    def _count_waiting(self) -> None:
        for entry in self.entries:
            entry.waiting = len(self._writers_for(entry))

    def _expect_all(self, ordered: list[Entry[Payload]]) -> None:
        if len(ordered) != len(self.entries):
            done = {entry.index for entry in ordered}
            left = [entry.key for entry in self.entries if entry.index not in done]
            raise NotOrderable(f"items that never become ready, by key: {left[:8]}")

    def _assign_segments(self) -> list[Entry[Payload]]:
        """The effects in token order; sets the segment of every other entry. An entry comes
        before the first effect with a greater key, and before whatever needs it, however its
        key reads: the operands that an effect packs for itself carry the key of the effect."""
        if not any(entry.is_effect for entry in self.entries):
            return []
        sequence = self._any_order()
        effects = [entry for entry in sequence if entry.is_effect]
        greatest = list(itertools.accumulate((entry.key for entry in effects), max))
        for number, effect in enumerate(effects):
            effect.segment = number
        for entry in self.entries:
            if not entry.is_effect:
                entry.segment = bisect.bisect_right(greatest, entry.key)
        for entry in reversed(sequence):
            for writer in self._writers_for(entry):
                if not writer.is_effect:
                    writer.segment = min(writer.segment, entry.segment)
        return effects

    def _any_order(self) -> list[Entry[Payload]]:
        """An order in which every entry follows what it needs (Kahn, 1962). The token makes
        the order of the effects in it the only possible one."""
        self._count_waiting()
        sequence = [entry for entry in self.entries if not entry.waiting]
        for entry in sequence:
            for reader in self.readers.get(entry.index, ()):
                reader.waiting -= 1
                if not reader.waiting:
                    sequence.append(reader)
        self._expect_all(sequence)
        return sequence
