"""Walking a function in lanes: items of regions, guards and calls."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from mapal.analysis.totality import region_summary
from mapal.codegen.layout import register_type
from mapal.codegen.llvm import scalars
from mapal.codegen.llvm.arrays import constant_array
from mapal.codegen.llvm.lanes import arrays, collections, loops
from mapal.codegen.llvm.lanes.context import NONE, Lanes
from mapal.codegen.llvm.lanes.progressions import combined
from mapal.codegen.llvm.lanes.values import (
    Counting,
    Filled,
    LaneValue,
    Numbered,
    Paired,
    Varying,
    is_uniform,
)
from mapal.codegen.llvm.scalar_context import ScalarContext, literal
from mapal.codegen.llvm.values import Value
from mapal.diagnostics import CompilerBug
from mapal.ir import ops
from mapal.ir.graph import Function, Graph, Key, ObjectKind
from mapal.ir.ops import FunctionId, ObjectId, RegionId
from mapal.ir.order import (
    GuardItem,
    Item,
    LoopItem,
    OperationItem,
    PackItem,
    ReturnSlotItem,
    schedule,
)
from mapal.ir.types import Array, Scalar, Type, has_no_representation

_STRAIGHT_COST = 32
"""Arms that cost more than this are branched around where no lane takes them."""


@dataclass(slots=True)
class Activation:
    """The values of one application of a function."""

    function: Function
    values: dict[ObjectId, LaneValue] = field(default_factory=dict)
    returned: dict[int, LaneValue] = field(default_factory=dict)


class Walker:
    """Emits functions in the lanes of a context."""

    def __init__(self, lanes: Lanes) -> None:
        self.lanes = lanes
        self.w = lanes.w
        self.graph: Graph = lanes.e.graph

    # Functions and regions ------------------------------------------------------------

    def apply(self, function: FunctionId, argument: LaneValue) -> LaneValue:
        """The result of a function on an argument in the form of its input's type."""
        activation = self._activation(function, argument)
        self.region(activation, activation.function.body)
        return self._returned(activation)

    def _activation(self, function: FunctionId, argument: LaneValue) -> Activation:
        activation = Activation(self.graph.functions[function])
        for obj in activation.function.objects:
            found = self.graph.objects[obj]
            if found.kind is ObjectKind.CONSTANT and isinstance(found.ty, Scalar):
                assert found.value is not None
                activation.values[obj] = literal(found.value, found.ty)
        activation.values[activation.function.input] = argument
        return activation

    def apply_body(self, function: FunctionId, arguments: tuple[LaneValue, ...]) -> LaneValue:
        """The result of a collection's body."""
        if has_no_representation(self.graph.ty(self.graph.functions[function].input)):
            return self.apply(function, None)
        return self.apply(function, arguments if len(arguments) > 1 else arguments[0])

    def values_of(
        self, function: FunctionId, arguments: tuple[LaneValue, ...], sought: Sequence[ObjectId]
    ) -> list[LaneValue]:
        """The values of objects of the outermost region of a collection's body; only what leads
        to them is emitted."""
        body = self.graph.functions[function].body
        activation = self._activation(function, arguments if len(arguments) > 1 else arguments[0])
        needed = leading_to(self.graph, body, sought)
        for item in schedule(self.graph, body):
            if not isinstance(item, ReturnSlotItem) and item.target in needed:
                activation.values[item.target] = self._item(activation, item)
        return [activation.values.get(obj) for obj in sought]

    def region(self, activation: Activation, region: RegionId) -> None:
        """Emits the items of a region."""
        for item in schedule(self.graph, region):
            if isinstance(item, ReturnSlotItem):
                activation.returned[item.slot] = activation.values.get(item.source)
            else:
                activation.values[item.target] = self._item(activation, item)

    def _returned(self, activation: Activation) -> LaneValue:
        output = activation.function.output
        if not activation.returned:
            return activation.values.get(output)
        parts = [activation.returned[slot] for slot in sorted(activation.returned)]
        ty = self.graph.ty(output)
        if isinstance(ty, Array):
            return self._array_of(ty, parts)
        return tuple(parts)

    def _item(self, activation: Activation, item: Item) -> LaneValue:
        values = activation.values
        match item:
            case PackItem(target=target, feeders=feeders):
                ty = self.graph.ty(target)
                parts = [values.get(obj) for obj in feeders]
                if has_no_representation(ty):
                    return None
                return self._array_of(ty, parts) if isinstance(ty, Array) else tuple(parts)
            case GuardItem():
                return self._guard(activation, item)
            case LoopItem():
                return loops.loop(self, activation, item)
            case OperationItem(morphism=morphism, operands=operands, target=target):
                found = [values.get(obj) for obj in operands]
                types = [self.graph.ty(obj) for obj in operands]
                return self._operation(
                    morphism.op, types, found, self.graph.ty(target), morphism.key
                )
        raise CompilerBug(f"{item!r} in lanes")

    def _array_of(self, ty: Array, parts: list[LaneValue]) -> LaneValue:
        """An array of given elements: a constant, one that all lanes share, or one for each."""
        if has_no_representation(ty):
            return None
        if all(map(is_uniform, parts)):
            constant: list[Value] = list(parts)
            made = constant_array(self.lanes.e, ty, constant)
            if made is None:
                made = self.lanes.e.fresh_memory(self.lanes.e.layouts.of(ty))
                for index, part in enumerate(constant):
                    arrays.set_shared(self.lanes, made, ty, str(index), part)
            return made
        array = arrays.new_interleaved(self.lanes, ty)
        for index, part in enumerate(parts):
            arrays.set_interleaved(self.lanes, array, ty, str(index), part)
        return array

    # Operations -----------------------------------------------------------------------

    def _operation(
        self, op: ops.Op, types: list[Type], found: list[LaneValue], target: Type, key: Key
    ) -> LaneValue:
        match op:
            case ops.Proj(index=index):
                return found[0][index] if isinstance(found[0], tuple) else None
            case ops.Output():
                return found[0]
            case ops.Binary() | ops.Unary() | ops.Fma() | ops.Widen() | ops.Convert():
                return self._scalar(op, types[0], found, target, key)
            case ops.Call(function=callee):
                return self.apply(callee, found[0])
            case ops.Map(body=body):
                return collections.map_elements(self, body, types, found, target)
            case ops.Fold(body=body):
                return collections.fold_elements(self, body, types, found)
            case ops.Index():
                array_ty, index_ty = types
                assert isinstance(array_ty, Array)
                assert isinstance(index_ty, Scalar)
                index = arrays.index_of(self.lanes, index_ty, found[1], array_ty.length)
                return arrays.element(self.lanes, found[0], array_ty, index)
            case ops.Iota():
                return Counting()
            case ops.Fill():
                return Filled(found[0])
            case ops.Zip():
                return Paired(found[0], found[1])
            case ops.Enumerate():
                return Numbered(found[0])
        raise CompilerBug(f"{op!r} in lanes")

    def _scalar(
        self, op: ops.Op, ty: Type, found: list[LaneValue], target: Type, key: Key
    ) -> LaneValue:
        assert isinstance(ty, Scalar)
        assert isinstance(target, Scalar)
        if all(isinstance(value, str) for value in found):
            return _written(self.lanes.e, op, ty, found, target, key)
        if isinstance(op, ops.Binary) and ty.is_integer:
            known = combined(self.lanes, op.code, ty, found[0], found[1])
            if known is not None:
                return known
        vectors = [self.lanes.vector(ty, value) for value in found]
        return Varying(_written(self.lanes, op, ty, vectors, target, key))

    # Guards ---------------------------------------------------------------------------

    def _guard(self, activation: Activation, item: GuardItem) -> LaneValue:
        condition = activation.values[item.guard.cond]
        ty = self.graph.ty(item.target)
        if condition in ("true", "false"):
            is_true, guard = condition == "true", item.guard
            self.region(activation, guard.arm_true if is_true else guard.arm_false)
            return activation.values.get(item.when_true if is_true else item.when_false)
        if isinstance(condition, str):
            return self._branch(activation, item, condition, ty)
        assert isinstance(condition, Varying)
        lanes, mask = self.lanes, condition.register
        here = lanes.mask
        yes = self._arm(activation, item.guard.arm_true, item.when_true, lanes.both(here, mask))
        unless = lanes.both(here, lanes.negated(mask))
        no = self._arm(activation, item.guard.arm_false, item.when_false, unless)
        pairs = zip(lanes.leaves(ty, yes), lanes.leaves(ty, no), strict=True)
        chosen = [self._chosen(leaf, mask, a, b) for (leaf, a), (_, b) in pairs]
        return lanes.rebuilt(ty, iter(chosen))

    def _chosen(self, ty: Scalar, mask: str, yes: LaneValue, no: LaneValue) -> LaneValue:
        if yes == no:
            return yes
        a, b = self.lanes.vector(ty, yes), self.lanes.vector(ty, no)
        return Varying(self.lanes.select(ty, mask, a, b))

    def _arm(
        self, activation: Activation, region: RegionId, value: ObjectId, mask: str
    ) -> LaneValue:
        """The value of an arm in the lanes of a mask. An arm that reads memory or costs much
        runs only if there are any."""
        lanes, w = self.lanes, self.w
        if self._is_straight(region):
            with lanes.under(mask):
                self.region(activation, region)
            return activation.values.get(value)
        ty = self.graph.ty(value)
        run, skip = w.new_label("lanes"), w.new_label("lanes.none")
        before = w.label
        w.branch_if(lanes.any(mask), run, skip)
        w.start(run)
        with lanes.under(mask):
            self.region(activation, region)
        leaves = lanes.leaves(ty, activation.values.get(value))
        vectors = [(leaf, lanes.vector(leaf, part)) for leaf, part in leaves]
        end = w.label
        w.branch(skip)
        w.start(skip)
        merged: Iterator[LaneValue] = (
            Varying(w.phi(lanes.type_of(leaf), [(vector, end), (NONE, before)]))
            for leaf, vector in vectors
        )
        return lanes.rebuilt(ty, merged)

    def _is_straight(self, region: RegionId) -> bool:
        summary = region_summary(self.graph, region)
        return summary.is_total and not summary.is_heavy and summary.cost <= _STRAIGHT_COST

    def _branch(
        self, activation: Activation, item: GuardItem, condition: str, ty: Type
    ) -> LaneValue:
        """A guard in which all lanes go the same way."""
        lanes, w = self.lanes, self.w
        labels = w.new_label("arm"), w.new_label("arm")
        join = w.new_label("join")
        w.branch_if(condition, *labels)
        arms: list[tuple[str, list[tuple[Scalar, LaneValue]], list[str]]] = []
        regions = (item.guard.arm_true, item.guard.arm_false)
        for label, region, value in zip(
            labels, regions, (item.when_true, item.when_false), strict=True
        ):
            w.start(label)
            self.region(activation, region)
            leaves = lanes.leaves(ty, activation.values.get(value))
            # As vectors, too: it is not known yet what the other arm gives.
            vectors = [
                part if isinstance(part, str) else lanes.vector(leaf, part) for leaf, part in leaves
            ]
            splats = [
                lanes.splat(register_type(leaf), part) if isinstance(part, str) else vector
                for (leaf, part), vector in zip(leaves, vectors, strict=True)
            ]
            arms.append((w.label, leaves, splats))
            w.branch(join)
        w.start(join)
        (end_a, leaves_a, splats_a), (end_b, leaves_b, splats_b) = arms
        merged: list[LaneValue] = []
        for number, ((leaf, a), (_, b)) in enumerate(zip(leaves_a, leaves_b, strict=True)):
            if isinstance(a, str) and isinstance(b, str):
                merged.append(a if a == b else w.phi(register_type(leaf), [(a, end_a), (b, end_b)]))
            else:
                incoming = [(splats_a[number], end_a), (splats_b[number], end_b)]
                merged.append(Varying(w.phi(lanes.type_of(leaf), incoming)))
        return lanes.rebuilt(ty, iter(merged))


def leading_to(graph: Graph, region: RegionId, sought: Sequence[ObjectId]) -> set[ObjectId]:
    """Objects of a function, and all that they are computed from by items of a region."""
    found: set[ObjectId] = set()
    work = list(sought)
    makers = {
        item.target: item
        for item in schedule(graph, region)
        if not isinstance(item, ReturnSlotItem)
    }
    while work:
        obj = work.pop()
        if obj in found:
            continue
        found.add(obj)
        match makers.get(obj):
            case PackItem(feeders=feeders):
                work += feeders
            case OperationItem(operands=operands):
                work += operands
    return found


def _written(
    c: ScalarContext,
    op: ops.Op,
    ty: Scalar,
    operands: list[str],
    target: Scalar,
    key: Key,
) -> str:
    """A scalar operation in a context, for one value or for all lanes."""
    match op:
        case ops.Binary(code=code):
            return scalars.binary(c, code, ty, operands[0], operands[1], key)
        case ops.Unary(code=unary):
            return scalars.unary(c, unary, ty, operands[0])
        case ops.Fma(negate_product=product, negate_addend=addend):
            x, y, z = operands
            return scalars.fma(c, ty, (x, y, z), negate_product=product, negate_addend=addend)
        case _:
            return scalars.convert(c, ty, target, operands[0])
