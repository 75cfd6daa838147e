"""Maps that read where data say: the indices of a block are checked first, in vectors, and then its
elements are computed without a guard.

A guard between the elements keeps them from becoming a vector. Hoisted, the check costs a pass over
indices that are in the first-level cache then. A block in which some index is out of range is
computed with guards from its first element on, so that the trap is the one of the program.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from mapal.analysis.work import work_of
from mapal.codegen.layout import register_type
from mapal.codegen.llvm import memory
from mapal.codegen.llvm.emitter import Emitter
from mapal.codegen.llvm.footprint import bytes_behind
from mapal.codegen.llvm.kernels.site import MapSite
from mapal.codegen.llvm.kernels.vectors import carrying_loop, guarded_loop, only_if
from mapal.codegen.llvm.lanes import arrays
from mapal.codegen.llvm.lanes.context import NONE, Lanes
from mapal.codegen.llvm.lanes.suitability import traits_of
from mapal.codegen.llvm.lanes.values import Exact, Linear
from mapal.codegen.llvm.lanes.walk import Walker, leading_to
from mapal.codegen.llvm.scope import Scope
from mapal.codegen.llvm.values import Memory, Value, is_computed
from mapal.ir import ops
from mapal.ir.graph import Graph, Morphism
from mapal.ir.ops import FunctionId, ObjectId
from mapal.ir.types import BOOL, Array, Scalar

_BLOCK = 512
_LARGEST_BODY = 16
"""Operations of a body that is written once for each lane of a vector."""

_MOST_LANES = 8
_USUAL_L1_BYTES = 32 * 1024
_SHARES_OF_L1 = 2
"""Tables of so many times the first-level cache still gain."""

ElementValue = Callable[[Emitter, Scope, Sequence[Value], str], Value]
"""Emits the value of the element of a number, from captures and array."""

RangeBody = Callable[[Emitter, Scope, Sequence[Value], Memory, str, str], None]


@dataclass(frozen=True, slots=True)
class CheckedBlocks:
    """The loop of a Map whose guarded accesses are `accesses`; `guarded` emits a range of it with
    all guards, `element` the value of one element."""

    body: FunctionId
    source: Array
    result: Scalar
    accesses: tuple[Morphism, ...]
    element: ElementValue
    guarded: RangeBody

    def emit_range(
        self, e: Emitter, scope: Scope, values: Sequence[Value], made: Memory, low: str, high: str
    ) -> None:
        """The elements from `low` up to but not with `high`: blocks of whole vectors, and what is
        left one by one."""
        w = e.w
        lanes = Lanes(e, min(_MOST_LANES, e.module.profile.vector_bytes // self.result.bytes))
        length = w.value(f"sub nuw nsw i64 {high}, {low}")
        whole = w.value(f"and i64 {length}, {-lanes.width}")
        end = w.value(f"add nuw nsw i64 {low}, {whole}")
        with _hoisted(e, self.accesses):
            with guarded_loop(w, (low, end, _BLOCK), "block") as start:
                left = w.value(f"sub nuw nsw i64 {end}, {start}")
                smaller = e.module.intrinsic("llvm.umin.i64", "i64", "i64, i64")
                count = w.value(f"call i64 {smaller}(i64 {left}, i64 {_BLOCK})")
                stop = w.value(f"add nuw nsw i64 {start}, {count}")
                with only_if(w, self._has_bad_index(lanes, values, start, stop), "bad"):
                    self.guarded(e, scope, values, made, start, stop)
                self._elements(lanes, scope, values, made, start, stop)
            with guarded_loop(w, (end, high, 1), "rest") as index:
                behind = w.value(f"add nuw nsw i64 {index}, 1")
                self.guarded(e, scope, values, made, index, behind)

    def _has_bad_index(self, lanes: Lanes, values: Sequence[Value], start: str, stop: str) -> str:
        """Whether an index of some elements is out of range, an i1."""
        e, graph, mask = lanes.e, lanes.e.graph, lanes.type_of(BOOL)
        *captures, array = values
        bounds = (start, stop, lanes.width)
        with carrying_loop(lanes.w, bounds, [(mask, NONE)], "check") as loop:
            exact = Exact(0, self.source.length - 1, loop.index)
            element = arrays.element(lanes, array, self.source, Linear(loop.index, 1, exact=exact))
            sought = [_index_of(graph, access) for access in self.accesses]
            found = Walker(lanes).values_of(self.body, (*captures, element), sought)
            (bad,) = loop.values
            for access, place, value in zip(self.accesses, sought, found, strict=True):
                ty, length = graph.ty(place), _length_of(graph, access)
                assert isinstance(ty, Scalar)
                if not ty.is_signed and length >= 1 << ty.bits:
                    continue
                half = 1 << (ty.bits - 1)
                # As bits, which a negative index has more of than any array has elements.
                limit = length if length < half or not ty.is_signed else -half
                base = register_type(ty)
                index, most = lanes.vector(ty, value), lanes.constant(base, str(limit))
                beyond = lanes.value(f"icmp uge {lanes.lanes(base)} {index}, {most}")
                bad = lanes.value(f"or {mask} {bad}, {beyond}")
            loop.values = [bad]
        return Lanes(e, lanes.width).any(loop.values[0])

    def _elements(
        self,
        lanes: Lanes,
        scope: Scope,
        values: Sequence[Value],
        made: Memory,
        start: str,
        stop: str,
    ) -> None:
        """Elements whose indices are in range, a vector of results at a time."""
        e, w, vector = lanes.e, lanes.w, lanes.type_of(self.result)
        with (
            carrying_loop(w, (start, stop, lanes.width), [], "elements") as loop,
            _assumed(e),
        ):
            results = "poison"
            for lane in range(lanes.width):
                index = loop.index
                if lane:
                    index = w.value(f"add nuw nsw i64 {index}, {lane}")
                value = self.element(e, scope, values, index)
                single = f"{register_type(self.result)} {value}"
                results = w.value(f"insertelement {vector} {results}, {single}, i64 {lane}")
            address = memory.element_pointer(e, made.pointer, self.result, loop.index)
            arrays.store(lanes, self.result, results, address)


@contextmanager
def _hoisted(e: Emitter, accesses: Sequence[Morphism]) -> Iterator[None]:
    """The checks of some accesses count as hoisted inside."""
    before = e.module.hoisted
    e.module.hoisted = before | {access.id for access in accesses}
    try:
        yield
    finally:
        e.module.hoisted = before


@contextmanager
def _assumed(e: Emitter) -> Iterator[None]:
    """Hoisted checks have been made inside."""
    before, e.module.assumes_hoisted = e.module.assumes_hoisted, True
    try:
        yield
    finally:
        e.module.assumes_hoisted = before


def hoistable(e: Emitter, site: MapSite) -> tuple[Morphism, ...]:
    """The accesses of a Map that only need a check of indices which are known before anything is
    read where data say; none if the map has others, or does more than a few operations. Elements
    of tables that outgrow the first-level cache are waited for anyway, and guards cost nothing."""
    op, graph, module = site.morphism.op, e.graph, e.module
    assert isinstance(op, ops.Map)
    if not (e.uses_kernels and module.has_kernels) or op.body in module.outlined:
        return ()
    function = graph.functions[op.body]
    if not isinstance(site.ty.element, Scalar) or len(function.regions) > 1:
        return ()
    if site.ty.length < _BLOCK or any(is_computed(value) for _, value in site.operands):
        return ()
    proved = module.total | module.in_range
    accesses = tuple(
        morphism
        for morphism in map(graph.morphisms.__getitem__, function.morphisms)
        if isinstance(morphism.op, ops.Index) and morphism.id not in proved
    )
    if not accesses or work_of(graph, op.body) > _LARGEST_BODY:
        return ()
    traits = traits_of(
        graph, op.body, proved | {access.id for access in accesses}, has_fma=_has_fma(e)
    )
    if traits is None or traits.has_loop or traits.has_collection:
        return ()
    if not _are_known_before(graph, op.body, accesses):
        return ()
    l1 = module.profile.l1d.bytes if module.profile.l1d is not None else _USUAL_L1_BYTES
    tables = sum(bytes_behind(e, ty, value) for ty, value in site.operands[:-1])
    return accesses if tables <= _SHARES_OF_L1 * l1 else ()


def _has_fma(e: Emitter) -> bool:
    return e.module.profile.fused_multiply_add


def _are_known_before(graph: Graph, body: FunctionId, accesses: Sequence[Morphism]) -> bool:
    """Whether no index depends on what one of the accesses reads."""
    read = {access.target for access in accesses}
    sought = [_index_of(graph, access) for access in accesses]
    return not read & leading_to(graph, graph.functions[body].body, sought)


def _index_of(graph: Graph, access: Morphism) -> ObjectId:
    return graph.operands(access)[1]


def _length_of(graph: Graph, access: Morphism) -> int:
    ty = graph.ty(graph.operands(access)[0])
    assert isinstance(ty, Array)
    return ty.length
