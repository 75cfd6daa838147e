"""Verifier, first group: the tables fit together.

After this, every id that any entry holds may be followed, and regions form trees.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from mapal.ir import ops
from mapal.ir.graph import Function, FunctionKind, Graph, Key, ObjectKind, RegionKind
from mapal.ir.ops import Op
from mapal.ir.types import Io, Tuple, Type
from mapal.ir.violation import Violation


def table_violations(graph: Graph) -> Iterator[Violation]:
    found = False
    for check in (_positions, _references):
        for violation in check(graph):
            found = True
            yield violation
        if found:
            return
    yield from _ownership(graph)
    yield from _edge_indices(graph)
    yield from _functions(graph)
    yield from _region_trees(graph)
    yield from _keys(graph)


def _tables(graph: Graph) -> tuple[tuple[str, Sequence[object]], ...]:
    return (
        ("object", graph.objects),
        ("morphism", graph.morphisms),
        ("function", graph.functions),
        ("region", graph.regions),
        ("guard", graph.guards),
        ("loop", graph.loops),
    )


def _positions(graph: Graph) -> Iterator[Violation]:
    for name, table in _tables(graph):
        for position, entry in enumerate(table):
            if getattr(entry, "id", None) != position:
                yield Violation("Unowned", f"the {name} at position {position} has another id")
    for index in (graph.in_edges, graph.out_edges):
        if len(index) != len(graph.objects):
            yield Violation("Unowned", "an edge index does not have one entry per object")


def _references(graph: Graph) -> Iterator[Violation]:
    """Every id lies in its table."""

    def missing(
        code: str, owner: str, references: Iterable[tuple[str, int]]
    ) -> Iterator[Violation]:
        for table, identity in references:
            if not 0 <= identity < sizes[table]:
                yield Violation(code, f"{owner} refers to {table} {identity}, which does not exist")

    sizes = {name: len(table) for name, table in _tables(graph)}
    for obj in graph.objects:
        yield from missing("Unowned", f"object {obj.id}", [("function", obj.function)])
    for m in graph.morphisms:
        places = [
            ("function", m.function),
            ("object", m.source),
            ("object", m.target),
            ("region", m.region),
            *_named_by(m.op),
        ]
        yield from missing("Unowned", f"morphism {m.id}", places)
    for function in graph.functions:
        places = [("object", function.input), ("object", function.output)]
        for table, members in _members(function):
            places.extend((table, member) for member in members)
        yield from missing("Unowned", f"function {function.name}", places)
    for region in graph.regions:
        places = [("function", region.function)]
        if region.parent is not None:
            places.append(("region", region.parent))
        if region.owner is not None:
            places.append((_owner_table(region.kind), region.owner))
        yield from missing("BadRegion", f"region {region.id}", places)
    for guard in graph.guards:
        places = [
            ("function", guard.function),
            ("object", guard.cond),
            ("morphism", guard.phi),
            *(("region", r) for r in (guard.region, guard.arm_true, guard.arm_false)),
        ]
        yield from missing("BadRegion", f"guard {guard.id}", places)
    for loop in graph.loops:
        places = [
            ("function", loop.function),
            *(("object", o) for o in (loop.merge, loop.cond)),
            *(("morphism", m) for m in (loop.enter, loop.back, loop.leave)),
            *(("region", r) for r in (loop.region, loop.body, loop.jump, loop.exit)),
        ]
        yield from missing("BadLoop", f"loop {loop.id}", places)
    yield from missing("BadEntry", "the graph", [("function", graph.entry)])


def _named_by(op: Op) -> tuple[tuple[str, int], ...]:
    match op:
        case ops.Call(function=function):
            return (("function", function),)
        case ops.Map(body=body) | ops.Fold(body=body) | ops.Reduce(body=body):
            return (("function", body),)
        case ops.Phi(guard=guard):
            return (("guard", guard),)
        case ops.LoopEnter(loop=loop) | ops.LoopBack(loop=loop) | ops.LoopExit(loop=loop):
            return (("loop", loop),)
        case _:
            return ()


def _owner_table(kind: RegionKind) -> str:
    return "guard" if kind in (RegionKind.ARM_TRUE, RegionKind.ARM_FALSE) else "loop"


def _members(function: Function) -> tuple[tuple[str, Sequence[int]], ...]:
    return (
        ("object", function.objects),
        ("morphism", function.morphisms),
        ("region", function.regions),
        ("guard", function.guards),
        ("loop", function.loops),
    )


def _ownership(graph: Graph) -> Iterator[Violation]:
    """A function lists exactly the entries that name it, in id order."""
    owned: dict[str, list[list[int]]] = {}
    for name, table in _tables(graph):
        if name != "function":
            owned[name] = [[] for _ in graph.functions]
            for position, entry in enumerate(table):
                owned[name][getattr(entry, "function")].append(position)  # noqa: B009
    for function in graph.functions:
        for name, members in _members(function):
            if list(members) != owned[name][function.id]:
                yield Violation("Unowned", f"function {function.name} lists wrong {name}s")
    for m in graph.morphisms:
        if not graph.objects[m.source].function == graph.objects[m.target].function == m.function:
            message = f"morphism {m.id} crosses the border of its function"
            yield Violation("CrossFunctionEdge", message, (m.source, m.target), (m.id,))


def _edge_indices(graph: Graph) -> Iterator[Violation]:
    incoming: list[list[int]] = [[] for _ in graph.objects]
    outgoing: list[list[int]] = [[] for _ in graph.objects]
    for m in graph.morphisms:
        incoming[m.target].append(m.id)
        outgoing[m.source].append(m.id)
    for obj in graph.objects:
        if list(graph.in_edges[obj.id]) != incoming[obj.id]:
            yield Violation("Unowned", f"the in-edges of object {obj.id} are wrong", (obj.id,))
        if list(graph.out_edges[obj.id]) != outgoing[obj.id]:
            yield Violation("Unowned", f"the out-edges of object {obj.id} are wrong", (obj.id,))


def _functions(graph: Graph) -> Iterator[Violation]:
    if graph.functions[graph.entry].kind is not FunctionKind.NAMED:
        yield Violation("BadEntry", "the entry is a body")
    names: set[str] = set()
    for function in graph.functions:
        if function.kind is FunctionKind.NAMED:
            if function.name in names:
                yield Violation("DuplicateName", f"two functions are named {function.name}")
            names.add(function.name)
        ends = {ObjectKind.PARAMETER: function.input, ObjectKind.RETURN: function.output}
        for kind, expected in ends.items():
            found = [o for o in function.objects if graph.objects[o].kind is kind]
            if found != [expected]:
                message = f"function {function.name} does not have one {kind.value} object"
                yield Violation("Unowned", message, tuple(found))
        if not _parameters_fit(function, graph.objects[function.input].ty):
            yield Violation("BadParameters", f"{function.name} does not take {function.parameters}")


def _parameters_fit(function: Function, taken: Type) -> bool:
    count = len(function.parameters)
    if count == 0:
        return True
    if function.kind is not FunctionKind.NAMED:
        return False
    if isinstance(taken, Tuple) and len(taken.items) == 2 and isinstance(taken.items[0], Io):
        taken = taken.items[1]
    return count == 1 or (isinstance(taken, Tuple) and len(taken.items) == count)


def _region_trees(graph: Graph) -> Iterator[Violation]:
    for function in graph.functions:
        for position, identity in enumerate(function.regions):
            region = graph.regions[identity]
            is_root = position == 0
            if is_root != (region.kind is RegionKind.BODY):
                yield Violation("BadRegion", f"region {identity} is of the wrong kind")
            if is_root != (region.parent is None) or is_root != (region.owner is None):
                yield Violation("BadRegion", f"region {identity} has a wrong parent or owner")
            elif region.parent is not None:
                parent = graph.regions[region.parent]
                if parent.function != function.id or parent.id >= identity:
                    message = f"region {identity} does not come after its parent"
                    yield Violation("BadRegion", message)
        if not function.regions:
            yield Violation("BadRegion", f"function {function.name} has no region")
    for m in graph.morphisms:
        if graph.regions[m.region].function != m.function:
            message = f"morphism {m.id} stands in a region of another function"
            yield Violation("BadRegion", message, (), (m.id,))
    for guard in graph.guards:
        inside = (guard.region, guard.arm_true, guard.arm_false)
        if (
            any(graph.regions[r].function != guard.function for r in inside)
            or graph.objects[guard.cond].function != guard.function
            or graph.morphisms[guard.phi].function != guard.function
        ):
            yield Violation("BadRegion", f"guard {guard.id} reaches into another function")
    for loop in graph.loops:
        regions = (loop.region, loop.body, loop.jump, loop.exit)
        objects = (loop.merge, loop.cond)
        edges = (loop.enter, loop.back, loop.leave)
        if (
            any(graph.regions[r].function != loop.function for r in regions)
            or any(graph.objects[o].function != loop.function for o in objects)
            or any(graph.morphisms[m].function != loop.function for m in edges)
        ):
            yield Violation("BadLoop", f"loop {loop.id} reaches into another function")


def _keys(graph: Graph) -> Iterator[Violation]:
    for name, table in _tables(graph):
        for position, entry in enumerate(table):
            key: Key | None = getattr(entry, "key", None)
            if name != "region" and (not key or any(not 0 <= low <= high for low, high in key)):
                yield Violation("BadKey", f"the key of {name} {position} is {key}")
