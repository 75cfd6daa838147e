"""Walking the region tree: every item of a schedule to the module that emits it."""

from __future__ import annotations

from collections.abc import Sequence

from mapal.analysis.liveness import region_reads
from mapal.codegen.llvm import (
    arrays,
    calls,
    collections,
    control,
    effects,
    loops,
    paths,
    reduction,
    regrouping,
    scalars,
)
from mapal.codegen.llvm.emitter import Emitter
from mapal.codegen.llvm.hidden_remainders import hidden
from mapal.codegen.llvm.scope import Frame, Scope
from mapal.codegen.llvm.values import Value
from mapal.diagnostics import CompilerBug
from mapal.ir import ops
from mapal.ir.ops import RegionId
from mapal.ir.order import (
    GuardItem,
    Item,
    LoopItem,
    OperationItem,
    PackItem,
    ReturnSlotItem,
    schedule,
)
from mapal.ir.types import Array, Scalar, has_no_representation


def run_function(e: Emitter, scope: Scope) -> Value:
    """Emits the body of a scope's function; its result."""
    paths.bind_constants(e.graph, scope)
    run_region(e, scope, scope.function.body)
    result = collections.returned(e, scope)
    scope.frames.pop()
    return result


def run_in_turns(e: Emitter, scopes: Sequence[Scope]) -> list[Value]:
    """Emits several applications of one body, whose items are operations and packs, item by
    item; their results."""
    region = scopes[0].function.body
    for scope in scopes:
        paths.bind_constants(e.graph, scope)
        scope.frames.append(Frame(is_region=True, last=region_reads(e.graph, region).last))
    for position, item in enumerate(schedule(e.graph, region)):
        for scope in scopes:
            scope.frames[-1].position = position
        if isinstance(item, OperationItem) and isinstance(item.morphism.op, ops.Reduce):
            values = reduction.reduce_in_turns(e, scopes, item, run_function)
            for scope, value in zip(scopes, values, strict=True):
                scope.bind(item.target, value)
            continue
        for scope in scopes:
            _run_item(e, scope, item)
    results = []
    for scope in scopes:
        scope.frames[-1].position += 1
        results.append(collections.returned(e, scope))
        scope.frames.pop()
    return results


def run_region(e: Emitter, scope: Scope, region: RegionId) -> None:
    """Emits the items of a region. Its frame stays on the scope, since what the region hands
    on is still needed; the caller pops it."""
    frame = Frame(is_region=True, last=region_reads(e.graph, region).last)
    scope.frames.append(frame)
    items = schedule(e.graph, region)
    sections = {section.first: section for section in e.sections(region)}
    while (position := frame.position + 1) < len(items):
        if position in sections:
            # Which leaves the frame at the section's last position.
            paths.emit_section(e, scope, region, sections[position], _run_item)
            continue
        frame.position = position
        _run_item(e, scope, items[position])
    frame.position = len(items)


def _run_item(e: Emitter, scope: Scope, item: Item) -> None:
    match item:
        case OperationItem():
            scope.bind(item.target, _operation(e, scope, item))
        case PackItem():
            scope.bind(item.target, _pack(e, scope, item))
        case ReturnSlotItem(slot=slot, source=source):
            scope.bind_return_slot(slot, scope.values.get(source))
        case GuardItem():
            scope.bind(item.target, control.guard(e, scope, item, run_region))
        case LoopItem():
            scope.bind(item.target, loops.loop(e, scope, item, run_region))


def _pack(e: Emitter, scope: Scope, item: PackItem) -> Value:
    ty = e.graph.ty(item.target)
    if isinstance(ty, Array):
        return arrays.literal(e, scope, item)
    if has_no_representation(ty):
        return None
    return tuple(scope.values.get(obj) for obj in item.feeders)


def _operation(e: Emitter, scope: Scope, item: OperationItem) -> Value:
    op = item.morphism.op
    match op:
        case ops.Proj(index=index):
            product = scope.values.get(item.operands[0])
            return product[index] if isinstance(product, tuple) else None
        case ops.Output():
            return scope.values.get(item.operands[0])
        case ops.Binary() | ops.Unary() | ops.Fma() | ops.Widen() | ops.Convert():
            return _scalar_operation(e, scope, item)
        case ops.Call(function=callee) if e.inlines_calls:
            argument = (scope.values.get(item.operands[0]),)
            nothing: frozenset[int] = frozenset()
            return collections.apply_body(e, scope, callee, argument, nothing, None, run_function)
        case ops.Call():
            return calls.call(e, scope, item)
        case ops.Map():
            return collections.map_elements(e, scope, item, run_function, run_in_turns)
        case ops.Fold():
            regrouped = regrouping.regrouping_of(e, item)
            if regrouped is not None:
                return regrouping.fold_blocks(e, scope, item, regrouped, run_function)
            return collections.fold_elements(e, scope, item, run_function)
        case ops.Reduce():
            return reduction.reduce_elements(e, scope, item, run_function)
        case ops.Index():
            return arrays.index(e, scope, item)
        case ops.Update():
            return arrays.update(e, scope, item)
        case ops.Zip() | ops.Enumerate() | ops.Iota() | ops.Fill():
            return arrays.law(e, scope, item)
        case ops.Print():
            effects.print_value(e, scope, item)
            return None
        case ops.TimeMs():
            return effects.time_ms(e)
        case _:
            raise CompilerBug(f"{op} is emitted with the record that owns it")


def _scalar_operation(e: Emitter, scope: Scope, item: OperationItem) -> str:
    op = item.morphism.op
    ty = e.graph.ty(item.operands[0])
    assert isinstance(ty, Scalar)
    operands = [scope.values[obj] for obj in item.operands]
    texts = [text for text in operands if isinstance(text, str)]
    match op:
        case ops.Binary(code=code):
            result = scalars.binary(e, code, ty, texts[0], texts[1], item.morphism.key)
            return hidden(e, item, ty, result)
        case ops.Unary(code=unary):
            return scalars.unary(e, unary, ty, texts[0])
        case ops.Fma(negate_product=product, negate_addend=addend):
            x, y, z = texts
            return scalars.fma(e, ty, (x, y, z), negate_product=product, negate_addend=addend)
        case _:
            target = e.graph.ty(item.target)
            assert isinstance(target, Scalar)
            return scalars.convert(e, ty, target, texts[0])
