"""Checks that a replay kept the order of what can be seen.

Which trap ends a run, what was printed before it, and whether an endless loop comes first, is
decided by the order of the operations that are not total. Taking a read away, or putting one
operation in the place of another, may make an operation ready earlier than it was; nearly
always that changes nothing, and where it does the plan is given up for that function. It is
given up too where nothing could be ordered any more: what took the place of one operation stands
together, and may then wait for something that waits for it. So no pass has to reason about
readiness.
"""

from __future__ import annotations

from collections.abc import Iterator

from mapal.analysis.bounds import accesses_in_range
from mapal.analysis.positions import expanded
from mapal.analysis.totality import is_total_morphism
from mapal.ir import ops
from mapal.ir.graph import Graph
from mapal.ir.ops import FunctionId, MorphismId, RegionId
from mapal.ir.order import GuardItem, LoopItem, OperationItem, schedule
from mapal.ir.ordering import NotOrderable
from mapal.rewrite.copies import Copy, Replayed


def disordered(graph: Graph, replayed: Replayed) -> frozenset[FunctionId]:
    """The functions of the old graph, one copy of which runs operations that are not total in
    another order than before. Accesses that are proved to be in range may change places, if
    they are proved there too: the proof may come from what ran before."""
    stuck = _stuck(graph, replayed)
    if stuck:
        return stuck
    found = _disordered(graph, replayed, frozenset())
    if not found and not any(copy.hoisted for copy in _all_copies(replayed)):
        return found
    weakened = _weakened(graph, replayed)
    if weakened:
        return weakened
    return _disordered(graph, replayed, accesses_in_range(graph)) if found else found


def _stuck(graph: Graph, replayed: Replayed) -> frozenset[FunctionId]:
    """The functions one copy of which cannot be ordered, with those in the same copy."""
    found: set[FunctionId] = set()
    for function in replayed.graph.functions:
        try:
            schedule(replayed.graph, function.body)
        except NotOrderable:
            for copy in replayed.copies:
                if copy.into == function.id:
                    found |= {entry.function for entry in _tree_of(copy)}
    return frozenset(found)


def _all_copies(replayed: Replayed) -> Iterator[Copy]:
    for copy in replayed.copies:
        yield from _tree_of(copy)


def _tree_of(root: Copy) -> Iterator[Copy]:
    work = [root]
    while work:
        copy = work.pop()
        yield copy
        work += [*copy.inlined.values(), *copy.beside]


def _weakened(graph: Graph, replayed: Replayed) -> frozenset[FunctionId]:
    """The functions with accesses that were proved to be in range and are not any more, and
    those in whose plan that came about."""
    before, after = accesses_in_range(graph), accesses_in_range(replayed.graph)
    found: set[FunctionId] = set()
    for copy in _all_copies(replayed):
        accesses = [new for old, new in copy.morphisms.items() if old in before]
        if all(
            is_total_morphism(replayed.graph, access, after) for access in accesses + copy.hoisted
        ):
            continue
        found |= {copy.function, *(graph.morphisms[at].function for at in copy.path[:1])}
    return frozenset(found)


def _disordered(
    graph: Graph, replayed: Replayed, proved: frozenset[MorphismId]
) -> frozenset[FunctionId]:
    """The accesses that are `proved` to be in range count as total."""
    after: dict[FunctionId, dict[MorphismId, int]] = {}
    found: set[FunctionId] = set()
    for copy in replayed.copies:
        survivors = list(_survivors(graph, copy, proved))
        if len(survivors) < 2:
            continue
        if copy.into not in after:
            after[copy.into] = _numbered(replayed.graph, copy.into)
        places = after[copy.into]
        last = -1
        for morphism in survivors:
            place = places.get(morphism)
            if place is None:
                continue
            if place < last:
                found |= _functions_in(copy)
                break
            last = place
    return frozenset(found)


def _numbered(graph: Graph, function: FunctionId) -> dict[MorphismId, int]:
    """The morphisms of a function by their place in the order."""
    numbers: dict[MorphismId, int] = {}
    for morphism in _morphisms(graph, graph.functions[function].body):
        numbers[morphism] = len(numbers)
    return numbers


def _morphisms(graph: Graph, region: RegionId) -> Iterator[MorphismId]:
    for item in expanded(graph, region):
        match item:
            case OperationItem(morphism=morphism):
                yield morphism.id
            case GuardItem(guard=guard):
                yield guard.phi
            case LoopItem(loop=loop):
                yield loop.enter
            case _:
                pass


def _all_morphisms(graph: Graph, copy: Copy) -> Iterator[MorphismId]:
    for region in copy.regions:
        yield from _morphisms(graph, region)


def _survivors(graph: Graph, copy: Copy, proved: frozenset[MorphismId]) -> Iterator[MorphismId]:
    """What became of the operations of a copy that are not total, in the old order."""
    work = [(copy, _all_morphisms(graph, copy))]
    while work:
        at, rest = work[-1]
        for morphism in rest:
            inside = at.inlined.get(morphism)
            if inside is not None:
                work.append((inside, _all_morphisms(graph, inside)))
                break
            new = at.morphisms.get(morphism)
            if new is not None and _matters(graph, morphism, proved):
                yield new
        else:
            work.pop()


def _matters(graph: Graph, morphism: MorphismId, proved: frozenset[MorphismId]) -> bool:
    if isinstance(graph.morphisms[morphism].op, ops.Phi):
        return False
    return not is_total_morphism(graph, morphism, proved)


def _functions_in(copy: Copy) -> set[FunctionId]:
    found: set[FunctionId] = set()
    work = [copy]
    while work:
        at = work.pop()
        found.add(at.function)
        work.extend(at.inlined.values())
    return found
