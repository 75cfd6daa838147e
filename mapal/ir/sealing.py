"""The checks of a whole graph that `GraphBuilder.seal` runs.

Each primitive has checked its own operands and types already. What is left needs all edges of
a function, or all functions: complete results, one use of every token, the shape of loops,
regions, strings that are only printed, references without a cycle. Every check takes time
linear in the graph, up to the nesting depth of loops in machine words.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from mapal.ir import ops
from mapal.ir.graph import (
    Function,
    FunctionKind,
    Graph,
    Morphism,
    ObjectKind,
    RegionKind,
)
from mapal.ir.ops import FunctionId, LoopId, ObjectId, RegionId
from mapal.ir.types import IO, Array, Str, Struct, Tuple, Type, Unit, contains_str, product_arity

Problem = tuple[str, str]

_SEQUENTIAL_REGIONS = (
    RegionKind.BODY,
    RegionKind.LOOP_BODY,
    RegionKind.JUMP,
    RegionKind.EXIT,
)
"""The kinds of regions in which effects may stand."""


def first_problem(graph: Graph) -> Problem | None:
    """The first violation as (code, message), or None."""
    for problem in _problems(graph):
        return problem
    return None


def _problems(graph: Graph) -> Iterator[Problem]:
    yield from _struct_problems(graph)
    yield from _reference_problems(graph)
    checks: tuple[Callable[[Graph, Function], Iterator[Problem]], ...] = (
        _result_problems,
        _string_problems,
        _region_problems,
        _token_problems,
    )
    for check in checks:
        for function in graph.functions:
            yield from check(graph, function)


# Types and references ---------------------------------------------------------------------


def _struct_problems(graph: Graph) -> Iterator[Problem]:
    structs: dict[str, Struct] = {}
    seen: set[Type] = set()
    work: list[Type] = []
    for obj in graph.objects:
        work.append(obj.ty)
        while work:
            ty = work.pop()
            if ty in seen:
                continue
            seen.add(ty)
            match ty:
                case Struct(name=name, items=items):
                    if structs.setdefault(name, ty) != ty:
                        yield "StructNameConflict", f"two structs are named {name}"
                    work.extend(items)
                case Tuple(items=items):
                    work.extend(items)
                case Array(element=element):
                    work.append(element)
                case _:
                    pass


def _reference_problems(graph: Graph) -> Iterator[Problem]:
    """Depth-first search of the reference graph with an explicit stack."""
    callees = [_references(graph, function) for function in graph.functions]
    done: set[FunctionId] = set()
    for root in graph.functions:
        if root.id in done:
            continue
        path = {root.id: iter(callees[root.id])}
        while path:
            at = next(reversed(path))
            callee = next(path[at], None)
            if callee is None:
                del path[at]
                done.add(at)
            elif callee in path:
                cycle = list(path)[list(path).index(callee) :]
                names = " -> ".join(graph.functions[i].name for i in (*cycle, callee))
                yield "RecursiveCall", f"functions refer to each other: {names}"
                return
            elif callee not in done:
                path[callee] = iter(callees[callee])


def _references(graph: Graph, function: Function) -> tuple[FunctionId, ...]:
    found: dict[FunctionId, None] = {}
    for identity in function.morphisms:
        match graph.morphisms[identity].op:
            case ops.Call(function=callee):
                found[callee] = None
            case ops.Map(body=body) | ops.Fold(body=body) | ops.Reduce(body=body):
                found[body] = None
            case _:
                pass
    return tuple(found)


# Results ----------------------------------------------------------------------------------


def _result_problems(graph: Graph, function: Function) -> Iterator[Problem]:
    ty = graph.ty(function.output)
    writers = [graph.morphisms[edge] for edge in graph.in_edges[function.output]]
    slots = [writer.op.slot for writer in writers if isinstance(writer.op, ops.Pair)]
    if graph.out_edges[function.output]:
        yield "BadRegion", f"{function.name} reads its own result"
    if not writers:
        if not isinstance(ty, Unit):
            yield "RetSlotMissing", f"{function.name} gives no result, {ty} is declared"
    elif slots and len(slots) < len(writers):
        yield "RetMixedWriters", f"{function.name} writes its result whole and by components"
    elif slots:
        if len(set(slots)) < len(slots):
            yield "RetSlotConflict", f"{function.name} writes a component of its result twice"
        if len(slots) != product_arity(ty):
            yield "RetSlotMissing", f"{function.name} leaves out a component of its result"


# Strings ----------------------------------------------------------------------------------


def _string_problems(graph: Graph, function: Function) -> Iterator[Problem]:
    """A string is a constant, or component 1 of the pack of a print."""
    for identity in function.objects:
        obj = graph.objects[identity]
        if not contains_str(obj.ty):
            continue
        if obj.kind is ObjectKind.CONSTANT and isinstance(obj.ty, Str):
            continue
        if obj.ty == Tuple((IO, Str())) and graph.is_internal_pack(identity):
            reader = graph.morphisms[graph.out_edges[identity][0]]
            if isinstance(reader.op, ops.Print):
                continue
        yield "StrOutsidePrint", f"object {identity} of {function.name} has type {obj.ty}"


# Tokens -----------------------------------------------------------------------------------


def _token_problems(graph: Graph, function: Function) -> Iterator[Problem]:
    for identity in function.objects:
        if not graph.is_token_bearing(identity):
            continue
        if function.kind is not FunctionKind.NAMED:
            yield "TokenInBody", f"{function.name} handles a token"
        uses = [
            morphism
            for morphism in (graph.morphisms[edge] for edge in graph.out_edges[identity])
            if graph.is_token_bearing(morphism.target)
        ]
        if not uses and identity != function.output:
            yield "TokenDropped", f"the token of object {identity} goes nowhere"
        if len(uses) > 1 and not _is_loop_fork(graph, identity, uses):
            yield "TokenNotLinear", f"the token of object {identity} is used {len(uses)} times"
    for loop in function.loops:
        record = graph.loops[loop]
        if graph.is_token_bearing(record.merge):
            target = graph.morphisms[record.leave].target
            if not graph.is_token_bearing(target):
                yield "TokenNotEscaping", f"loop {loop} carries a token and does not hand it on"


def _is_loop_fork(graph: Graph, obj: ObjectId, uses: list[Morphism]) -> bool:
    """Whether one use is under the jump arm and one under the exit arm of the object's loop."""
    home = graph.regions[graph.region_of(obj)]
    if home.kind is not RegionKind.LOOP_BODY or home.owner is None or len(uses) != 2:
        return False
    loop = graph.loops[LoopId(home.owner)]
    first, second = (use.region for use in uses)
    return any(
        graph.encloses(loop.jump, jump) and graph.encloses(loop.exit, leave)
        for jump, leave in ((first, second), (second, first))
    )


# Regions and loops ------------------------------------------------------------------------


def _region_problems(graph: Graph, function: Function) -> Iterator[Problem]:
    walk = _RegionWalk(graph, function)
    for region in walk.preorder:
        walk.enter(region)
        for morphism in walk.members[region]:
            yield from walk.read_problems(morphism)
            yield from walk.effect_problems(morphism)
        yield from walk.closing_problems(region)
    yield from walk.order_problems()
    yield from _loop_problems(graph, function)


class _RegionWalk:
    """A preorder walk of a function's region tree. It keeps the path to the current region,
    and notes for each guard and loop, as an item of its region, what it must wait for."""

    def __init__(self, graph: Graph, function: Function) -> None:
        self._graph = graph
        self._function = function
        self.members: dict[RegionId, list[Morphism]] = {r: [] for r in function.regions}
        for identity in function.morphisms:
            morphism = graph.morphisms[identity]
            self.members[morphism.region].append(morphism)
        self._path: list[RegionId] = []
        self._depth: dict[RegionId, int] = {}
        self._sequential: dict[RegionId, bool] = {}
        self._units: dict[RegionId, ObjectId] = {}
        for loop in function.loops:
            record = graph.loops[loop]
            self._units[record.body] = graph.morphisms[record.leave].target
        for guard in function.guards:
            choice = graph.guards[guard]
            target = graph.morphisms[choice.phi].target
            self._units[choice.arm_true] = self._units[choice.arm_false] = target
        self._needs: dict[ObjectId, list[ObjectId]] = {}
        self.preorder = self._walk()

    def _walk(self) -> list[RegionId]:
        children: dict[RegionId, list[RegionId]] = {r: [] for r in self._function.regions}
        for region in self._function.regions:
            parent = self._graph.regions[region].parent
            if parent is None:
                self._depth[region] = 0
            else:
                self._depth[region] = self._depth[parent] + 1
                children[parent].append(region)
        order: list[RegionId] = []
        work = [self._function.body]
        while work:
            region = work.pop()
            order.append(region)
            work.extend(children[region])
        return order

    def enter(self, region: RegionId) -> None:
        record = self._graph.regions[region]
        level = self._depth[region]
        self._path[level:] = [region]
        outer = record.parent is None or self._sequential[record.parent]
        self._sequential[region] = outer and record.kind in _SEQUENTIAL_REGIONS

    def read_problems(self, morphism: Morphism) -> Iterator[Problem]:
        """Reads from regions that do not enclose the reader's, and the result written
        anywhere but in the body."""
        if morphism.target == self._function.output and morphism.region != self._function.body:
            yield "ReadOutsideRegion", f"{self._function.name} writes its result inside an arm"
        if isinstance(morphism.op, ops.LoopExit):
            return
        home = self._graph.region_of(morphism.source)
        level = self._depth[home]
        if level >= len(self._path) or self._path[level] != home:
            yield (
                "ReadOutsideRegion",
                f"object {morphism.source} of region {home} is read in {morphism.region}",
            )
        elif isinstance(morphism.op, ops.LoopEnter):
            leave = self._graph.loops[morphism.op.loop].leave
            self._note_need(morphism.source, level, self._graph.morphisms[leave].target)
        elif not isinstance(morphism.op, ops.LoopBack):
            self._note_need(morphism.source, level, morphism.target)

    def _note_need(self, source: ObjectId, level: int, target: ObjectId) -> None:
        reader: ObjectId | None = target
        if level + 1 < len(self._path):
            reader = self._units.get(self._path[level + 1])
        if reader is not None:
            self._needs.setdefault(reader, []).append(source)

    def closing_problems(self, region: RegionId) -> Iterator[Problem]:
        """The condition of a loop is computed in its body or around it."""
        record = self._graph.regions[region]
        if record.kind is not RegionKind.LOOP_BODY or record.owner is None:
            return
        cond = self._graph.loops[LoopId(record.owner)].cond
        home = self._graph.region_of(cond)
        level = self._depth[home]
        if level >= len(self._path) or self._path[level] != home:
            yield "ReadOutsideRegion", f"the condition of loop {record.owner} is out of reach"

    def effect_problems(self, morphism: Morphism) -> Iterator[Problem]:
        if not self._sequential[morphism.region] and self._graph.is_token_bearing(morphism.target):
            yield "BadRegion", f"an effect stands in an arm, region {morphism.region}"

    def order_problems(self) -> Iterator[Problem]:
        """Guards and loops are units of their region: none waits for itself."""
        waiting = {reader: len(sources) for reader, sources in self._needs.items()}
        readers: dict[ObjectId, list[ObjectId]] = {}
        for reader, sources in self._needs.items():
            for source in sources:
                readers.setdefault(source, []).append(reader)
        ready = [obj for obj in self._function.objects if obj not in waiting]
        for obj in ready:
            for reader in readers.get(obj, ()):
                waiting[reader] -= 1
                if not waiting[reader]:
                    ready.append(reader)
        if len(ready) != len(self._function.objects):
            stuck = [obj for obj in self._function.objects if waiting.get(obj)]
            yield "BadRegion", f"a guard or loop of {self._function.name} reads itself: {stuck[:8]}"


def _loop_problems(graph: Graph, function: Function) -> Iterator[Problem]:
    """The next state of each loop depends on its merge, or the loop would be none."""
    if not function.loops:
        return
    carried = _CarriedState(graph, function)
    for loop in function.loops:
        next_state = graph.slot_feeder(graph.morphisms[graph.loops[loop].back].source, 0)
        assert next_state is not None, "the builder assembles the whole route"
        if not carried.of(next_state) & carried.bit(loop):
            yield "LoopStateOutside", f"the next state of loop {loop} ignores the present one"


class _CarriedState:
    """For each object of a function, the loops around it on whose merge it depends, as bits:
    bit d stands for the loop with d loops around it. One pass in dependency order."""

    def __init__(self, graph: Graph, function: Function) -> None:
        self._graph = graph
        self._function = function
        self._depth: dict[RegionId, int] = {}
        for region in function.regions:
            record = graph.regions[region]
            around = -1 if record.parent is None else self._depth[record.parent]
            self._depth[region] = around + (record.kind is RegionKind.LOOP_BODY)
        self._leaving = {self._exit_object(loop): loop for loop in function.loops}
        self._state = dict.fromkeys(function.objects, 0)
        for loop in function.loops:
            self._state[graph.loops[loop].merge] = self.bit(loop)
        self._propagate()

    def of(self, obj: ObjectId) -> int:
        return self._state[obj]

    def bit(self, loop: LoopId) -> int:
        return 1 << self._depth[self._graph.loops[loop].body]

    def _exit_object(self, loop: LoopId) -> ObjectId:
        return self._graph.morphisms[self._graph.loops[loop].leave].target

    def _propagate(self) -> None:
        flows: dict[ObjectId, list[ObjectId]] = {}
        precedes: dict[ObjectId, list[ObjectId]] = {}
        waiting = dict.fromkeys(self._function.objects, 0)
        for identity in self._function.morphisms:
            morphism = self._graph.morphisms[identity]
            if isinstance(morphism.op, ops.LoopBack):
                after = self._exit_object(morphism.op.loop)
                precedes.setdefault(morphism.source, []).append(after)
                waiting[after] += 1
            else:
                flows.setdefault(morphism.source, []).append(morphism.target)
                waiting[morphism.target] += 1
        ready = [obj for obj in self._function.objects if not waiting[obj]]
        for obj in ready:
            self._leave_loop(obj)
            for target in flows.get(obj, ()):
                self._state[target] |= self._state[obj]
            for target in (*flows.get(obj, ()), *precedes.get(obj, ())):
                waiting[target] -= 1
                if not waiting[target]:
                    ready.append(target)

    def _leave_loop(self, obj: ObjectId) -> None:
        """What leaves a loop and depends on its merge may have come in on any of its passes,
        through the back edge."""
        loop = self._leaving.get(obj)
        if loop is None:
            return
        if self._state[obj] & self.bit(loop):
            route = self._graph.morphisms[self._graph.loops[loop].back].source
            self._state[obj] |= self._state[route]
        self._state[obj] &= self.bit(loop) - 1
