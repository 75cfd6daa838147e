"""What the primitives of a function builder stand on: the current region, the checks of operands
and types, and the edges and packs that they make.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from mapal.ir import ops
from mapal.ir.drafts import BuilderError, FunctionDraft, GuardDraft, LoopDraft
from mapal.ir.graph import FunctionKind, Key, ObjectKind
from mapal.ir.ops import FunctionId, ObjectId, Op, RegionId
from mapal.ir.types import (
    BOOL,
    IO,
    MAXIMUM_SLOTS,
    Array,
    Product,
    Struct,
    Tuple,
    Type,
    component,
    contains_str,
    contains_token,
    has_no_representation,
    is_integer,
    product_arity,
)

if TYPE_CHECKING:
    from mapal.ir.builder import GraphBuilder


@dataclass(frozen=True, slots=True)
class Fresh:
    """A new object, with the source name it stands for, if any."""

    name: str | None = None


@dataclass(frozen=True, slots=True)
class Ret:
    """The function's result: all of it, or one component."""

    slot: int | None = None


Destination = Fresh | Ret
FRESH = Fresh()


class FunctionEdges:
    """One function under construction. Errors are `BuilderError`."""

    def __init__(self, graph: GraphBuilder, draft: FunctionDraft) -> None:
        self._graph = graph
        self._draft = draft
        self._region = draft.regions[0]
        self._homes: dict[ObjectId, RegionId] = {}
        self._guards: dict[int, GuardDraft] = {}
        self._loops: dict[int, LoopDraft] = {}

    @property
    def input(self) -> ObjectId:
        return self._draft.input

    @property
    def result(self) -> ObjectId:
        """The Return object."""
        return self._draft.output

    @property
    def region(self) -> RegionId:
        """The region into which primitives build now."""
        return self._region

    @property
    def root(self) -> RegionId:
        """The Body region."""
        return self._draft.regions[0]

    def enter(self, region: RegionId) -> None:
        """Builds into another region from now on."""
        if self._graph.regions[region].function != self._draft.id:
            raise BuilderError("WrongBuilder", f"region {region} belongs to another function")
        self._region = region

    @contextmanager
    def in_region(self, region: RegionId) -> Iterator[None]:
        """Builds into another region of this function; the former one is restored."""
        before = self._region
        self.enter(region)
        try:
            yield
        finally:
            self._region = before

    def ty(self, obj: ObjectId) -> Type:
        """The type of an object of this function."""
        self._own(obj)
        return self._graph.objects[obj].ty

    # Checks -------------------------------------------------------------------------

    def _own(self, obj: ObjectId) -> None:
        if not 0 <= obj < len(self._graph.objects):
            raise BuilderError("UnknownObject", f"there is no object {obj}")
        if self._graph.objects[obj].function != self._draft.id:
            raise BuilderError("WrongBuilder", f"object {obj} belongs to another function")

    def _operand(self, obj: ObjectId) -> None:
        """An operand exists, is ours, and its region encloses the current one."""
        self._own(obj)
        root = self._draft.regions[0]
        home = self._homes.get(obj, root)
        if home != root and not self._graph.encloses(home, self._region):
            raise BuilderError(
                "ReadOutsideRegion", f"object {obj} of region {home} read in {self._region}"
            )

    def _ours(self, loop: LoopDraft) -> None:
        if self._loops.get(loop.id) is not loop:
            raise BuilderError("LoopShape", "the loop is another function's")

    def _same(self, wanted: Type, found: Type, what: str) -> None:
        if wanted != found:
            raise BuilderError("TypeMismatch", f"{what}: {found} where {wanted} is needed")

    def _array(self, obj: ObjectId) -> Array:
        ty = self.ty(obj)
        if not isinstance(ty, Array):
            raise BuilderError("NotAProduct", f"{ty} is no array")
        return ty

    def _indexed(self, array: ObjectId, index: ObjectId) -> Array:
        ty = self._array(array)
        if not is_integer(self.ty(index)):
            raise BuilderError("TypeMismatch", f"an index of type {self.ty(index)}")
        return ty

    def _static_count(self, count: ObjectId) -> int:
        self._own(count)
        found = self._graph.objects[count]
        if found.kind is not ObjectKind.CONSTANT or not is_integer(found.ty):
            raise BuilderError("NonStaticCount", "a count is a constant integer")
        if not isinstance(found.value, int) or found.value < 1:
            raise BuilderError("NonStaticCount", "a count is at least 1")
        return found.value

    def _token(self, token: ObjectId) -> None:
        if self.ty(token) != IO:
            raise BuilderError("TypeMismatch", f"{self.ty(token)} is no token")

    def _callee(self, function: FunctionId) -> FunctionDraft:
        if not 0 <= function < len(self._graph.functions):
            raise BuilderError("UnknownFunction", f"there is no function {function}")
        return self._graph.functions[function]

    def _body(
        self,
        body: FunctionId,
        kind: FunctionKind,
        captures: Sequence[ObjectId],
        arguments: tuple[Type, ...],
    ) -> Type:
        """Checks a body's signature against its captures and arguments; its result type."""
        draft = self._callee(body)
        if draft.kind is not kind:
            raise BuilderError("BodyKindMismatch", f"{draft.name} is no {kind.value}")
        taken = self._graph.objects[draft.input].ty
        result = self._graph.objects[draft.output].ty
        if contains_token(taken) or contains_token(result):
            raise BuilderError("TokenInBody", f"{draft.name} takes or gives a token")
        for capture in captures:
            ty = self.ty(capture)
            if contains_str(ty):
                raise BuilderError("StrOutsidePrint", "a string cannot be captured")
            if has_no_representation(ty):
                raise BuilderError("ErasedCapture", f"a capture of type {ty}")
        parts = (*map(self.ty, captures), *arguments)
        self._same(parts[0] if len(parts) == 1 else Tuple(parts), taken, "body input")
        return result

    # Edges --------------------------------------------------------------------------

    def _edge(
        self,
        op: Op,
        source: ObjectId,
        ty: Type,
        key: Key,
        dest: Destination,
        *,
        check: bool = True,
        late: bool = False,
    ) -> ObjectId:
        if check:
            self._operand(source)
        match dest:
            case Fresh(name=name):
                target = self._mint(ty, key, name)
            case Ret(slot=None):
                target = self._draft.output
                self._returned(self._graph.objects[target].ty, ty)
                self._writes_result()
            case Ret(slot=slot):
                assert slot is not None
                self._returned(self._return_slot(slot), ty)
                target = self._mint(ty, key)
        self._graph.add_morphism(self._draft.id, op, source, target, self._region, key, late)
        if isinstance(dest, Ret) and dest.slot is not None:
            self._return_pair(target, dest.slot, key)
        return target

    def _packed(
        self,
        op: Op,
        operands: Sequence[ObjectId],
        ty: Type,
        key: Key,
        dest: Destination,
        late: bool = False,
    ) -> ObjectId:
        pack = self._mint(self._graph.tuple_of(tuple(map(self.ty, operands))), key)
        for slot, operand in enumerate(operands):
            self._pair(operand, pack, slot, len(operands), key)
        return self._edge(op, pack, ty, key, dest, late=late)

    def _collect(
        self,
        op: ops.Collection,
        captures: Sequence[ObjectId],
        arguments: tuple[ObjectId, ...],
        ty: Type,
        key: Key,
        dest: Destination,
        late: bool = False,
    ) -> ObjectId:
        if not captures and len(arguments) == 1:
            return self._edge(op, arguments[0], ty, key, dest, late=late)
        return self._packed(op, (*captures, *arguments), ty, key, dest, late)

    def _assemble(
        self, ty: Product, components: Sequence[ObjectId], key: Key, dest: Destination
    ) -> ObjectId:
        if any(contains_str(self.ty(part)) for part in components):
            raise BuilderError("StrOutsidePrint", "a string cannot be a component")
        arity = len(components)
        if arity > MAXIMUM_SLOTS:
            raise BuilderError("SlotOutOfRange", f"{arity} components are too many")
        match dest:
            case Fresh(name=name):
                target = self._mint(ty, key, name)
            case Ret(slot=None):
                target = self._draft.output
                self._returned(self._graph.objects[target].ty, ty)
                self._writes_result()
            case Ret(slot=slot):
                assert slot is not None
                self._returned(self._return_slot(slot), ty)
                target = self._mint(ty, key)
        for slot, part in enumerate(components):
            self._pair(part, target, slot, arity, key)
        if isinstance(dest, Ret) and dest.slot is not None:
            self._return_pair(target, dest.slot, key)
        return target

    def _route(self, loop: LoopDraft, arm: RegionId, value: ObjectId, cond: ObjectId) -> ObjectId:
        with self.in_region(loop.body):
            pack = self._mint(Tuple((self.ty(value), BOOL)), loop.key)
            with self.in_region(arm):
                self._pair(value, pack, 0, 2, loop.key)
            self._pair(cond, pack, 1, 2, loop.key)
            return pack

    def _mint(self, ty: Type, key: Key, name: str | None = None) -> ObjectId:
        made = self._graph.add_object(self._draft.id, ty, ObjectKind.TEMPORARY, None, name, key)
        self._homes[made] = self._region
        return made

    def _pair(self, part: ObjectId, pack: ObjectId, slot: int, arity: int, key: Key) -> None:
        self._operand(part)
        self._graph.add_morphism(
            self._draft.id, ops.Pair(slot, arity), part, pack, self._region, key
        )

    def _return_slot(self, slot: int) -> Type:
        ty = self._graph.objects[self._draft.output].ty
        arity = product_arity(ty)
        if arity is None or arity > MAXIMUM_SLOTS or not isinstance(ty, Tuple | Struct | Array):
            raise BuilderError("RetNotProduct", f"a result of type {ty} has no components")
        if not 0 <= slot < arity:
            raise BuilderError("SlotOutOfRange", f"the result has no component {slot}")
        return component(ty, slot)

    def _returned(self, declared: Type, found: Type) -> None:
        if declared != found:
            raise BuilderError("RetTypeMismatch", f"{found} returned, {declared} declared")

    def _writes_result(self) -> None:
        if self._region != self._draft.regions[0]:
            raise BuilderError("ReadOutsideRegion", "the result is written in the body region")

    def _return_pair(self, part: ObjectId, slot: int, key: Key) -> None:
        arity = product_arity(self._graph.objects[self._draft.output].ty)
        assert arity is not None
        self._writes_result()
        self._pair(part, self._draft.output, slot, arity, key)
