"""Which functions can be emitted in lanes, and what they are like."""

from __future__ import annotations

from dataclasses import dataclass

from mapal.analysis.liveness import contains_array
from mapal.analysis.totality import callees_first
from mapal.ir import ops
from mapal.ir.graph import Graph, Morphism, ObjectKind, RegionKind
from mapal.ir.ops import BinaryCode, FunctionId, MorphismId, RegionId
from mapal.ir.types import BOOL, Array, Scalar, Struct, Tuple, Type

MOST_BYTES_A_LANE = 1 << 14
"""Memory for arrays that one lane computes."""

MOST_OPERATIONS = 4000
"""Operations of a body, with copies of what it applies and of loops that lanes leave one by one."""

MOST_LEVELS = 60
"""Levels of regions, calls and bodies of collections, one in the other."""


_SHIFTS = (ops.Binary(BinaryCode.ADD), ops.Binary(BinaryCode.SUB))


@dataclass(frozen=True, slots=True)
class Traits:
    """What matters of a function and all that it applies. `widest` is the largest size in bytes of
    the numbers that it computes with, integers only where there are no floats; `divisors` are the
    literals that it divides integers by; `bordered` are those whose remainders it compares with
    literals."""

    has_loop: bool = False
    has_collection: bool = False
    reads_in_arm: bool = False
    widest_float: int = 0
    widest_integer: int = 0
    divisors: frozenset[int] = frozenset()
    bordered: frozenset[int] = frozenset()

    @property
    def widest(self) -> int:
        return self.widest_float or self.widest_integer or 1

    def joined(self, other: Traits) -> Traits:
        """The traits of both."""
        return Traits(
            self.has_loop or other.has_loop,
            self.has_collection or other.has_collection,
            self.reads_in_arm or other.reads_in_arm,
            max(self.widest_float, other.widest_float),
            max(self.widest_integer, other.widest_integer),
            self.divisors | other.divisors,
            self.bordered | other.bordered,
        )


def is_small(graph: Graph, function: FunctionId) -> bool:
    """Whether a function can be emitted with all that it applies in place."""
    operations, levels = graph.remembered("expanded sizes", lambda: _expanded(graph))[function]
    return operations <= MOST_OPERATIONS and levels <= MOST_LEVELS


def _expanded(graph: Graph) -> dict[FunctionId, tuple[int, int]]:
    """Operations and levels of each function, callees first."""
    sizes: dict[FunctionId, tuple[int, int]] = {}
    for identity in callees_first(graph):
        operations, deepest = 1, 1
        for edge in graph.functions[identity].morphisms:
            morphism = graph.morphisms[edge]
            copies, levels = _place(graph, morphism.region)
            inside = 1, 0
            match morphism.op:
                case ops.Call(function=applied):
                    inside = sizes[applied]
                case ops.Map(body=applied) | ops.Fold(body=applied) | ops.Reduce(body=applied):
                    inside = sizes[applied]
            # What is beyond the limits need not be known exactly.
            operations = min(operations + copies * inside[0], 2 * MOST_OPERATIONS)
            deepest = max(deepest, levels + inside[1])
        sizes[identity] = operations, deepest
    return sizes


def _place(graph: Graph, region: RegionId) -> tuple[int, int]:
    """How often lanes emit a region at most, and in how many regions it is, itself included."""
    copies, levels = 1, 0
    at: RegionId | None = region
    while at is not None:
        record = graph.regions[at]
        copies *= 2 if record.kind is RegionKind.LOOP_BODY else 1
        levels += 1
        at = record.parent
    return copies, levels


def traits_of(
    graph: Graph, function: FunctionId, total: frozenset[MorphismId], *, has_fma: bool
) -> Traits | None:
    """The traits of a function that lanes can compute; None if it might trap, has effects, or
    holds what lanes have no form for. `total` are the accesses that are in range where they run."""
    found = Traits()
    for identity in graph.functions[function].morphisms:
        morphism = graph.morphisms[identity]
        one = _traits(graph, morphism, total, has_fma=has_fma)
        if one is None:
            return None
        found = found.joined(one)
    return found


def _traits(
    graph: Graph, morphism: Morphism, total: frozenset[MorphismId], *, has_fma: bool
) -> Traits | None:
    op = morphism.op
    match op:
        case ops.Binary(code=code):
            return _of_numbers(graph, morphism) if _is_safe(graph, morphism, code) else None
        case ops.Fma():
            return _of_numbers(graph, morphism) if has_fma else None
        case ops.Unary() | ops.Widen() | ops.Convert():
            return _of_numbers(graph, morphism)
        case ops.Output() if graph.ty(morphism.source) == graph.ty(morphism.target):
            return Traits()
        case ops.Pair() | ops.Output():
            return Traits() if _has_form(graph.ty(morphism.target)) else None
        case ops.Proj() | ops.Iota():
            return Traits()
        case ops.Fill() | ops.Zip() | ops.Enumerate():
            return Traits()
        case ops.Phi():
            return None if contains_array(graph, graph.ty(morphism.target)) else Traits()
        case ops.Index():
            element = graph.ty(morphism.target)
            if morphism.id not in total or not (isinstance(element, Array) or _is_flat(element)):
                return None
            return Traits(reads_in_arm=_is_in_arm(graph, morphism))
        case ops.LoopEnter() | ops.LoopBack() | ops.LoopExit():
            merge = graph.ty(morphism.target)
            return None if contains_array(graph, merge) else Traits(has_loop=True)
        case ops.Call(function=callee):
            return traits_of(graph, callee, total, has_fma=has_fma)
        case ops.Map(body=body):
            if not _has_form(graph.ty(morphism.target)):
                return None
            inner = traits_of(graph, body, total, has_fma=has_fma)
            return None if inner is None else inner.joined(Traits(has_collection=True))
        case ops.Fold(body=body):
            if not _is_flat(graph.ty(morphism.target)):
                return None
            inner = traits_of(graph, body, total, has_fma=has_fma)
            return None if inner is None else inner.joined(Traits(has_collection=True))
        case _:
            return None


def _has_form(ty: Type) -> bool:
    """Whether lanes can make a value of a type: of arrays those of scalars that are small."""
    if not isinstance(ty, Array):
        return True
    return _is_flat(ty.element) and ty.length * _bytes(ty.element) <= MOST_BYTES_A_LANE


def is_flat(ty: Type) -> bool:
    """Whether a value consists of scalars, at least one."""
    return _is_flat(ty) and _bytes(ty) > 0


def _is_flat(ty: Type) -> bool:
    if isinstance(ty, Tuple | Struct):
        return all(map(_is_flat, ty.items))
    return not isinstance(ty, Array)


def _bytes(ty: Type) -> int:
    if isinstance(ty, Tuple | Struct):
        return sum(map(_bytes, ty.items))
    return ty.bytes if isinstance(ty, Scalar) else 0


def _of_numbers(graph: Graph, morphism: Morphism) -> Traits:
    ty = graph.ty(morphism.target)
    if ty == BOOL:
        return Traits(bordered=_bordered(graph, morphism))
    if not isinstance(ty, Scalar) or not ty.is_numeric:
        return Traits()
    if ty.is_float:
        return Traits(widest_float=ty.bytes)
    divisors: frozenset[int] = frozenset()
    if morphism.op in (ops.Binary(BinaryCode.DIV), ops.Binary(BinaryCode.MOD)):
        value = graph.objects[graph.operands(morphism)[1]].value
        divisors = frozenset({value}) if isinstance(value, int) else divisors
    return Traits(widest_integer=ty.bytes, divisors=divisors)


def _bordered(graph: Graph, morphism: Morphism) -> frozenset[int]:
    """The divisor of a remainder, or of a literal beside one, that is compared with a literal."""
    if not isinstance(morphism.op, ops.Binary):
        return frozenset()
    operands = [graph.objects[obj] for obj in graph.operands(morphism)]
    literals = [found.kind is ObjectKind.CONSTANT for found in operands]
    if literals not in ([True, False], [False, True]):
        return frozenset()
    made = graph.definer(operands[literals.index(False)].id)
    if made is not None and made.op in _SHIFTS:
        made = graph.definer(graph.operands(made)[0])
    if made is None or made.op != ops.Binary(BinaryCode.MOD):
        return frozenset()
    divisor = graph.objects[graph.operands(made)[1]].value
    return frozenset({divisor}) if isinstance(divisor, int) else frozenset()


def _is_safe(graph: Graph, morphism: Morphism, code: BinaryCode) -> bool:
    """Whether an operation can do no harm in lanes that do not count: no division by what is not
    a literal, no remainder of floats, which is a call."""
    if code not in (BinaryCode.DIV, BinaryCode.MOD):
        return True
    divisor = graph.objects[graph.operands(morphism)[1]]
    assert isinstance(divisor.ty, Scalar)
    if divisor.ty.is_float:
        return code is BinaryCode.DIV
    return divisor.kind is ObjectKind.CONSTANT and divisor.value not in (0, -1)


def _is_in_arm(graph: Graph, morphism: Morphism) -> bool:
    return graph.regions[morphism.region].kind in (RegionKind.ARM_TRUE, RegionKind.ARM_FALSE)
