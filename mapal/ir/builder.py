"""The only way to make a graph from parts.

`GraphBuilder` declares functions, hands out one `FunctionBuilder` at a time, and seals. Every
primitive checks its operands and types at once and raises `BuilderError` with a stable code;
`seal` adds the checks that need the whole graph (`mapal.ir.sealing`). A builder error is a bug
of the caller, never of the user's program.
"""

from __future__ import annotations

from mapal.ir import sealing
from mapal.ir.drafts import BuilderError, FunctionDraft, GuardDraft, LoopDraft
from mapal.ir.function_builder import FunctionBuilder
from mapal.ir.graph import (
    Function,
    FunctionKind,
    Graph,
    Guard,
    Key,
    Loop,
    Morphism,
    Object,
    ObjectKind,
    Region,
    RegionKind,
    Value,
)
from mapal.ir.ops import FunctionId, GuardId, LoopId, MorphismId, ObjectId, Op, RegionId
from mapal.ir.types import MAXIMUM_DEPTH, SCALARS, Array, Io, Scalar, Struct, Tuple, Type, depth


class GraphBuilder:
    """Grows one graph. Functions are declared before any body refers to them."""

    def __init__(self) -> None:
        self.objects: list[Object] = []
        self.morphisms: list[Morphism] = []
        self.regions: list[Region] = []
        self.functions: list[FunctionDraft] = []
        self.in_edges: list[list[MorphismId]] = []
        self.out_edges: list[list[MorphismId]] = []
        self._names: set[str] = set()
        self._accepted: set[Type] = set()
        self._tuples: dict[tuple[Type, ...], Tuple] = {}
        self._region_depths: list[int] = []
        self._region_jumps: list[RegionId] = []
        self._guards = 0
        self._loops = 0
        self._open: FunctionId | None = None
        self._sealed = False

    def declare(
        self,
        kind: FunctionKind,
        name: str,
        input_ty: Type,
        output_ty: Type,
        key: Key,
        parameters: tuple[str, ...] = (),
    ) -> FunctionId:
        """Mints a function with its Parameter and Return objects and its Body region.

        `parameters` names the components of a named function's input, the token left out.
        Raises `DuplicateName` for a second named function of one name, `ArityMismatch` for
        parameter names that the input has no components for, and the errors of type intake.
        """
        if parameters and not _names_fit(kind, parameters, input_ty):
            raise BuilderError("ArityMismatch", f"{name} does not take {parameters}")
        if kind is FunctionKind.NAMED:
            if name in self._names:
                raise BuilderError("DuplicateName", f"function {name} is declared twice")
            self._names.add(name)
        function = FunctionId(len(self.functions))
        draft = FunctionDraft(function, name, kind, parameters, ObjectId(-1), ObjectId(-1), key)
        self.functions.append(draft)
        draft.input = self.add_object(function, input_ty, ObjectKind.PARAMETER, None, None, key)
        draft.output = self.add_object(function, output_ty, ObjectKind.RETURN, None, None, key)
        self.add_region(function, RegionKind.BODY, None, None)
        return function

    def build(self, function: FunctionId) -> FunctionBuilder:
        """Starts the body of a declared function; one at a time, each once."""
        if not 0 <= function < len(self.functions):
            raise BuilderError("UnknownFunction", f"there is no function {function}")
        if self.functions[function].state != "declared":
            raise BuilderError("AlreadyBuilt", f"function {function} is built twice")
        if self._open is not None:
            raise BuilderError("WrongBuilder", f"function {self._open} is still being built")
        self._open = function
        self.functions[function].state = "open"
        return FunctionBuilder(self, self.functions[function])

    def close(self, function: FunctionId) -> None:
        """Called by `FunctionBuilder.finish`."""
        self.functions[function].state = "finished"
        self._open = None

    def seal(self, entry: FunctionId) -> Graph:
        """Runs the global checks and freezes the graph. Consumes the builder."""
        if self._sealed:
            raise BuilderError("AlreadyBuilt", "the graph is sealed already")
        if not 0 <= entry < len(self.functions):
            raise BuilderError("NoEntry", f"there is no function {entry}")
        if self.functions[entry].kind is not FunctionKind.NAMED:
            raise BuilderError("EntryNotNamed", f"function {entry} is a body")
        for draft in self.functions:
            if draft.state != "finished":
                raise BuilderError("UnfinishedFunction", f"{draft.name} was not finished")
        graph = self._freeze(entry)
        problem = sealing.first_problem(graph)
        if problem is not None:
            raise BuilderError(*problem)
        self._sealed = True
        return graph

    def _freeze(self, entry: FunctionId) -> Graph:
        guards: dict[GuardId, Guard] = {}
        loops: dict[LoopId, Loop] = {}
        for draft in self.functions:
            guards.update((guard.id, _guard_record(draft.id, guard)) for guard in draft.guards)
            loops.update((loop.id, _loop_record(draft.id, loop)) for loop in draft.loops)
        return Graph(
            objects=tuple(self.objects),
            morphisms=tuple(self.morphisms),
            functions=tuple(_function_record(draft) for draft in self.functions),
            regions=tuple(self.regions),
            guards=tuple(guards[GuardId(i)] for i in range(len(guards))),
            loops=tuple(loops[LoopId(i)] for i in range(len(loops))),
            entry=entry,
            in_edges=tuple(map(tuple, self.in_edges)),
            out_edges=tuple(map(tuple, self.out_edges)),
        )

    # Tables: used by FunctionBuilder ------------------------------------------------

    def tuple_of(self, items: tuple[Type, ...]) -> Tuple:
        """The tuple type of some components, made once: operations pack their operands."""
        found = self._tuples.get(items)
        if found is None:
            found = self._tuples[items] = Tuple(items)
        return found

    def add_object(
        self,
        function: FunctionId,
        ty: Type,
        kind: ObjectKind,
        value: Value | None,
        name: str | None,
        key: Key,
    ) -> ObjectId:
        """Appends an object after type intake (`TyTooDeep`, `NonCoreType`)."""
        intake(ty, self._accepted)
        identity = ObjectId(len(self.objects))
        self.objects.append(
            Object(
                id=identity, function=function, ty=ty, kind=kind, value=value, name=name, key=key
            )
        )
        self.in_edges.append([])
        self.out_edges.append([])
        self.functions[function].objects.append(identity)
        return identity

    def add_morphism(
        self,
        function: FunctionId,
        op: Op,
        source: ObjectId,
        target: ObjectId,
        region: RegionId,
        key: Key,
        late: bool = False,
    ) -> MorphismId:
        identity = MorphismId(len(self.morphisms))
        self.morphisms.append(
            Morphism(
                id=identity,
                function=function,
                op=op,
                source=source,
                target=target,
                region=region,
                key=key,
                late=late,
            )
        )
        self.out_edges[source].append(identity)
        self.in_edges[target].append(identity)
        self.functions[function].morphisms.append(identity)
        return identity

    def add_region(
        self,
        function: FunctionId,
        kind: RegionKind,
        parent: RegionId | None,
        owner: GuardId | LoopId | None,
    ) -> RegionId:
        identity = RegionId(len(self.regions))
        self._index_region(identity, parent)
        self.regions.append(
            Region(id=identity, function=function, kind=kind, parent=parent, owner=owner)
        )
        self.functions[function].regions.append(identity)
        return identity

    def _index_region(self, region: RegionId, parent: RegionId | None) -> None:
        """Notes the region's depth, and an ancestor to jump to (Myers, "An applicative
        random-access stack", 1983), so that `encloses` takes logarithmic time."""
        if parent is None:
            self._region_depths.append(0)
            self._region_jumps.append(region)
            return
        depths, jumps = self._region_depths, self._region_jumps
        far = jumps[parent]
        even = depths[parent] - depths[far] == depths[far] - depths[jumps[far]]
        depths.append(depths[parent] + 1)
        jumps.append(jumps[far] if even else parent)

    def encloses(self, outer: RegionId, inner: RegionId) -> bool:
        """Whether `outer` is `inner` or an ancestor of it."""
        depths, at = self._region_depths, inner
        while depths[at] > depths[outer]:
            jump = self._region_jumps[at]
            parent = self.regions[at].parent
            assert parent is not None, "only roots have depth 0"
            at = jump if depths[jump] >= depths[outer] else parent
        return at == outer

    def next_guard(self) -> GuardId:
        self._guards += 1
        return GuardId(self._guards - 1)

    def next_loop(self) -> LoopId:
        self._loops += 1
        return LoopId(self._loops - 1)


def intake(ty: Type, accepted: set[Type]) -> None:
    """Checks a type that enters the graph: depth, scalars, names, and the least arity of
    products. `accepted` holds the types that passed before and gains those that pass now."""
    if ty in accepted:
        return
    if depth(ty) > MAXIMUM_DEPTH:
        raise BuilderError("TyTooDeep", f"{ty} nests more than {MAXIMUM_DEPTH} deep")
    found: set[Type] = set()
    work: list[Type] = [ty]
    while work:
        part = work.pop()
        if part not in found and part not in accepted:
            found.add(part)
            work.extend(_checked_components(part))
    accepted |= found


def _checked_components(ty: Type) -> tuple[Type, ...]:
    """The components of a type whose own head is well formed."""
    match ty:
        case Scalar():
            if SCALARS.get(ty.name) != ty:
                raise BuilderError("NonCoreType", f"{ty} is no scalar of the language")
            return ()
        case Tuple(items=items):
            if len(items) < 2:
                raise BuilderError("NonCoreType", f"a tuple has {len(items)} components")
            return items
        case Struct(name=name, items=items):
            if not items:
                raise BuilderError("NonCoreType", f"struct {name} has no field")
            if not _is_name(name) or name in SCALARS or name in ("str", "io"):
                raise BuilderError("NonCoreType", f"{name} cannot name a struct")
            if not all(_is_name(field) for field, _ in ty.fields):
                raise BuilderError("NonCoreType", f"struct {name} has an unnamed field")
            return items
        case Array(element=element, length=length):
            if not 1 <= length < 2**64:
                raise BuilderError("NonCoreType", f"an array has length {length}")
            return (element,)
        case _:
            return ()


def _is_name(text: str) -> bool:
    return text.isascii() and text.isidentifier()


def _names_fit(kind: FunctionKind, parameters: tuple[str, ...], input_ty: Type) -> bool:
    if kind is not FunctionKind.NAMED:
        return False
    taken = input_ty
    if isinstance(taken, Tuple) and taken.items and isinstance(taken.items[0], Io):
        taken = taken.items[1] if len(taken.items) == 2 else taken
    several = len(parameters) > 1
    return not several or (isinstance(taken, Tuple) and len(taken.items) == len(parameters))


def _guard_record(function: FunctionId, draft: GuardDraft) -> Guard:
    assert draft.phi is not None, "finish() refuses open guards"
    return Guard(
        id=draft.id,
        function=function,
        region=draft.region,
        cond=draft.cond,
        phi=draft.phi,
        arm_true=draft.arm_true,
        arm_false=draft.arm_false,
        rest=draft.rest,
        key=draft.key,
    )


def _loop_record(function: FunctionId, draft: LoopDraft) -> Loop:
    assert draft.cond is not None, "finish() refuses open loops"
    assert draft.back is not None
    assert draft.leave is not None
    return Loop(
        id=draft.id,
        function=function,
        region=draft.region,
        merge=draft.merge,
        cond=draft.cond,
        body=draft.body,
        jump=draft.jump,
        exit=draft.exit,
        enter=draft.enter,
        back=draft.back,
        leave=draft.leave,
        key=draft.key,
    )


def _function_record(draft: FunctionDraft) -> Function:
    return Function(
        id=draft.id,
        name=draft.name,
        kind=draft.kind,
        parameters=draft.parameters,
        input=draft.input,
        output=draft.output,
        objects=tuple(draft.objects),
        morphisms=tuple(draft.morphisms),
        regions=tuple(draft.regions),
        guards=tuple(guard.id for guard in draft.guards),
        loops=tuple(loop.id for loop in draft.loops),
        key=draft.key,
    )
