"""How the symbols of a load and of a store relate, in a question of coverage.

Both accesses are seen within one iteration of the loops around both. A symbol is then a parameter
with one value on both sides (a common loop, a thread, a run-time scalar), or one of the loops
that the access has to itself.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Literal, NamedTuple, TypeAlias

from mapal.affine.access import Access
from mapal.affine.conflict import padded
from mapal.affine.index import AxisIndex, Interval, Sym, is_dead, linear

Role: TypeAlias = Literal["own", "common", "thread", "scalar"]


class Key(NamedTuple):
    """A symbol in its role: symbols of one name in different roles are different things.

    `depth` tells common loops of one symbol apart; it is 0 in other roles.
    """

    role: Role
    symbol: Sym
    depth: int = 0


class Form(NamedTuple):
    """A linear component over keys."""

    terms: dict[Key, int]
    offset: int

    def own(self) -> dict[Key, int]:
        """The terms of loops that the access has to itself."""
        return {key: c for key, c in self.terms.items() if key.role == "own"}

    def parameters(self) -> dict[Key, int]:
        """The terms that have one value on both sides."""
        return {key: c for key, c in self.terms.items() if key.role != "own"}


@dataclass(frozen=True)
class Context:
    """What a question of coverage says besides the accesses."""

    thread: frozenset[Sym] = frozenset()
    static_range: Mapping[Sym, Interval] = field(default_factory=dict)
    count_guarded: bool = False


@dataclass(frozen=True, slots=True)
class Placed:
    """An access with its components over keys, None for an opaque one, and the keys' ranges.

    A key without a range is a run-time scalar of which nothing is known.
    """

    forms: tuple[Form | None, ...]
    ranges: dict[Key, Interval]
    threads: frozenset[Sym]
    run: int
    run_axis: int

    def folded(self, values: Mapping[Key, Interval]) -> Placed:
        """The access with keys of one value, by its own ranges or those given, as constants."""
        ranges = {**self.ranges, **values}
        forms = tuple(None if form is None else _folded(form, ranges) for form in self.forms)
        return Placed(forms, self.ranges, self.threads, self.run, self.run_axis)

    def parameter_ranges(self) -> dict[Key, Interval]:
        """The ranges of what has one value on both sides."""
        return {key: interval for key, interval in self.ranges.items() if key.role != "own"}


def _folded(form: Form, ranges: Mapping[Key, Interval]) -> Form:
    terms: dict[Key, int] = {}
    offset = form.offset
    for key, coefficient in form.terms.items():
        interval = ranges.get(key)
        if interval is not None and interval[0] == interval[1]:
            offset += coefficient * interval[0]
        else:
            terms[key] = coefficient
    return Form(terms, offset)


def common_loops(one: Access, other: Access) -> int:
    """How many outer loops agree in symbol and bounds."""
    count = 0
    for left, right in zip(one.loops, other.loops, strict=False):
        if left != right:
            break
        count += 1
    return count


def placed(access: Access, common: int, rank: int, context: Context) -> Placed:
    """The access below its first `common` loops, its vector padded to `rank`."""
    ranges: dict[Key, Interval] = {}
    keys: dict[Sym, Key] = {}
    for depth, (symbol, low, high) in enumerate(access.loops):
        if symbol in context.thread:
            key = Key("thread", symbol)
            # Loops over one thread: a hull holds its number.
            old = ranges.get(key, (low, high))
            ranges[key] = (min(old[0], low), max(old[1], high))
        else:
            key = Key("common", symbol, depth) if depth < common else Key("own", symbol)
            ranges[key] = (low, high)
        keys[symbol] = key
    for symbol, interval in context.static_range.items():
        if not is_dead(interval):
            ranges[Key("scalar", symbol)] = interval

    def form_of(index: AxisIndex) -> Form | None:
        found = linear(index)
        if found is None:
            return None
        terms = {keys.get(s, Key("scalar", s)): c for s, c in found.terms.items()}
        return Form(terms, found.offset)

    forms = tuple(form_of(index) for index in padded(access.map, rank))
    threads = context.thread.intersection(keys)
    return Placed(forms, ranges, threads, access.vec_len, len(access.map) - 1)


def thread_mismatch(read: Access, write: Access, thread: Collection[Sym]) -> bool:
    """Whether a thread that executes the load may not execute the store."""
    for symbol, low, high in write.loops:
        if symbol in thread:
            mine = [(lo, hi) for s, lo, hi in read.loops if s == symbol]
            if not mine or any(lo < low or hi > high for lo, hi in mine):
                return True
    return False
