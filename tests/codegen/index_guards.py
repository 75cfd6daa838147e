"""Counts the index guards of emitted LLVM text: branches to a trap of that kind, in loops and
elsewhere."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

_LABEL = re.compile(r"([\w.]+):")
_TARGET = re.compile(r"label %([\w.]+)")
_INDEX_TRAP = re.compile(r"call void @mapal_trap\(i32 1,")


@dataclass(frozen=True, slots=True)
class Guards:
    """How many guards stand in blocks that can run again, and how many in others."""

    in_loops: int
    elsewhere: int


def index_guards(text: str) -> Guards:
    """The index guards of a module."""
    in_loops = elsewhere = 0
    for blocks in _functions(text):
        edges = {label: _TARGET.findall(lines[-1]) for label, lines in blocks.items()}
        traps = {label for label, lines in blocks.items() if _INDEX_TRAP.search(lines[0])}
        for label, following in edges.items():
            guards = sum(target in traps for target in following)
            if guards and _comes_back(edges, label):
                in_loops += guards
            else:
                elsewhere += guards
    return Guards(in_loops, elsewhere)


def _functions(text: str) -> Iterator[dict[str, list[str]]]:
    """The blocks of each function by label, with their instructions."""
    blocks: dict[str, list[str]] = {}
    at: list[str] | None = None
    for line in text.splitlines():
        if line.startswith("define "):
            blocks, at = {}, None
        elif line == "}":
            yield blocks
            at = None
        elif (label := _LABEL.fullmatch(line)) is not None:
            at = blocks[label[1]] = []
        elif at is not None:
            at.append(line)


def _comes_back(edges: dict[str, list[str]], start: str) -> bool:
    """Whether a block can be reached from itself."""
    seen: set[str] = set()
    work = list(edges[start])
    while work:
        label = work.pop()
        if label == start:
            return True
        if label not in seen:
            seen.add(label)
            work += edges[label]
    return False
