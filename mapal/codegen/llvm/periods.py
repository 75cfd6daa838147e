"""Maps over 0, 1, 2, … whose bodies choose by the remainder of their number: a period in one pass.

The channels of pixels in a flat array are an example. One element after the other, every element
asks which it is, and in the lanes of vectors it computes all answers. With as many elements in one
pass as the divisor says, each remainder is a literal, the choices are made, and what the elements
of a period read in common is read once.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from mapal.analysis.totality import referenced
from mapal.analysis.work import work_of
from mapal.codegen.llvm import memory
from mapal.codegen.llvm.emitter import Emitter
from mapal.codegen.llvm.kernels.site import MapSite
from mapal.codegen.llvm.scope import Scope
from mapal.codegen.llvm.values import Memory, Range, Value
from mapal.ir import ops
from mapal.ir.graph import Graph
from mapal.ir.ops import BinaryCode, FunctionId, ObjectId
from mapal.ir.types import Array, Scalar, Type

_LONGEST = 4
"""Elements of a period. More are further apart than what vectors take together."""

_MOST_WORK = 256
"""Scalar operations of a period."""

_MOST_BYTES = 1024
"""Of arrays that the body makes: each element of a period has its own, and its own instructions."""

StoreElement = Callable[[Emitter, Scope, tuple[Value, ...], str], None]
"""Stores the result of the body for captures and an element at an address."""


@dataclass(frozen=True, slots=True)
class Periods:
    """The loop of a Map, `length` elements in each pass."""

    length: int
    element: Type
    store: StoreElement

    def emit_range(
        self, e: Emitter, scope: Scope, values: Sequence[Value], made: Memory, low: str, high: str
    ) -> None:
        """The periods from `low` up to but not with `high`."""
        w = e.w
        *captures, _ = values
        with memory.range_loop(e, low, high, "period") as period:
            first = w.value(f"mul nuw nsw i64 {period}, {self.length}")
            number = memory.narrow_index(e, first)
            for place in range(self.length):
                index, element = first, number
                if place:
                    index = w.value(f"add nuw nsw i64 {first}, {place}")
                    element = w.value(f"add nuw nsw i32 {number}, {place}")
                e.remainders[element, self.length] = str(place)
                address = memory.element_pointer(e, made.pointer, self.element, index)
                self.store(e, scope, (*captures, element), address)


def period_of(e: Emitter, site: MapSite) -> int | None:
    """The divisor by whose remainder the body chooses, if the map is one that gains by it."""
    op, graph, module = site.morphism.op, e.graph, e.module
    assert isinstance(op, ops.Map)
    if not (e.uses_kernels and module.has_kernels) or op.body in module.outlined:
        return None
    if not isinstance(site.ty.element, Scalar) or not isinstance(site.operands[-1][1], Range):
        return None
    if len(graph.functions[op.body].regions) == 1:
        return None
    fitting = [
        divisor
        for divisor in _divisors(graph, op.body, op.captures)
        if 1 < divisor <= _LONGEST and site.ty.length % divisor == 0
    ]
    longest = max(fitting, default=None)
    if longest is None or work_of(graph, op.body) * longest > _MOST_WORK:
        return None
    return longest if _bytes_made(e, op.body) * longest <= _MOST_BYTES else None


def _bytes_made(e: Emitter, body: FunctionId) -> int:
    """How many bytes of arrays a function and all that it applies make."""
    graph, made = e.graph, 0
    found = [body]
    for function in found:
        found += (each for each in referenced(graph, function) if each not in found)
        for identity in graph.functions[function].morphisms:
            morphism = graph.morphisms[identity]
            ty = graph.ty(morphism.target)
            if isinstance(ty, Array) and not isinstance(morphism.op, ops.Proj | ops.Index):
                made += e.layouts.of(ty).size
    return made


def _divisors(graph: Graph, body: FunctionId, captures: int) -> set[int]:
    """The literals of which the body takes a remainder of its element."""
    function = graph.functions[body]
    found: set[int] = set()
    for identity in function.morphisms:
        morphism = graph.morphisms[identity]
        if morphism.op != ops.Binary(BinaryCode.MOD):
            continue
        number, divisor = graph.operands(morphism)
        value = graph.objects[divisor].value
        if isinstance(value, int) and _is_element(graph, number, function.input, captures):
            found.add(value)
    return found


def _is_element(graph: Graph, obj: ObjectId, parameter: ObjectId, captures: int) -> bool:
    if not captures:
        return obj == parameter
    made = graph.definer(obj)
    return made is not None and made.source == parameter and made.op == ops.Proj(captures)
