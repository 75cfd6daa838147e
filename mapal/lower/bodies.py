"""Lowering of `map`, `fold` and `reduce` (language 6.9)."""

from __future__ import annotations

from mapal.ir.graph import FunctionKind, RegionKind
from mapal.ir.types import I32, Array, Tuple, Type, depth
from mapal.lower import chains
from mapal.lower.context import Context, ReduceSite, over
from mapal.lower.depths import require_depth
from mapal.lower.draft import Collect, DraftFunction, DraftRegion, DraftValue
from mapal.lower.emission import body_input
from mapal.lower.expressions import reject_string, require_type
from mapal.lower.finishing import finish
from mapal.lower.recovery import Recovery
from mapal.lower.reports import stop
from mapal.syntax import ast

_KINDS = {
    "map": FunctionKind.MAP_BODY,
    "fold": FunctionKind.FOLD_BODY,
    "reduce": FunctionKind.REDUCE_BODY,
}


def collection(context: Context, node: ast.CollectionStage, wire: DraftValue) -> DraftValue:
    """The value of a collection stage."""
    key = over(node.tokens)
    match node.operator:
        case "map":
            array = _array(wire.ty, "L1602", "`map`", node.tokens)
            body, value = _body(context, node, (array.element,), array.element)
            operands, result = [wire], Array(value.ty, array.length)
        case "fold":
            pair = wire.ty
            if not isinstance(pair, Tuple) or len(pair.items) != 2:
                raise _bad_fold(wire, node.tokens)
            start, folded = pair.items
            if not isinstance(folded, Array):
                raise _bad_fold(wire, node.tokens)
            body, _ = _body(context, node, (start, folded.element), start)
            parts = [context.component(wire, slot, key) for slot in (0, 1)]
            return _apply(context, node, body, parts, start)
        case _:
            array = _array(wire.ty, "L1615", "`reduce`", node.tokens)
            body, _ = _body(context, node, (array.element, array.element), array.element)
            context.program.reduces.append(
                ReduceSite(context.signature.item.name, body.facts, node.tokens)
            )
            return _apply(context, node, body, [wire], array.element)
    return _apply(context, node, body, operands, result)


def _array(ty: Type, code: str, what: str, tokens: ast.Tokens) -> Array:
    if not isinstance(ty, Array):
        raise stop(code, f"{what} takes an array, not `{ty}`", tokens, _array_hint(ty))
    return ty


def _array_hint(ty: Type) -> str:
    if ty == I32:
        return "the numbers below a literal are an array: `10 -> iota`"
    if isinstance(ty, Tuple) and any(isinstance(item, Array) for item in ty.items):
        return "send the array alone: a body reads other values by their names"
    return "send an array, such as `[a, b]`"


def _bad_fold(wire: DraftValue, tokens: ast.Tokens) -> Exception:
    return stop(
        "L1603",
        f"`fold` takes a start value and an array, not `{wire.ty}`",
        tokens,
        "write `(start, array) -> fold { acc, x -> … }`",
    )


def _tail(body: Context, node: ast.CollectionStage, wanted: Type | None) -> DraftValue:
    """The value of a body; `wanted` is its type, if that is given from outside."""
    tail = node.body.tail
    value = None if tail is None else chains.chain(body, tail, None, wants=True)
    if tail is None or value is None:
        raise stop(
            "L1604",
            f"the body of `{node.operator}` yields no value",
            node.tokens,
            "end it with an expression, without `;`",
        )
    reject_string(value, tail.tokens)
    if wanted is not None:
        require_type(value, wanted, f"the body of `{node.operator}`", tail.tokens)
    body.draft.output = value.ty
    body.draft.returns.append((value, over(tail.tokens)))
    return value


def _body(
    context: Context,
    node: ast.CollectionStage,
    arguments: tuple[Type, ...],
    accumulator: Type,
) -> tuple[Context, DraftValue]:
    """Lowers a body in a context of its own; the context and the value of the tail."""
    draft = DraftFunction(
        "",
        _KINDS[node.operator],
        over(node.tokens),
        accumulator,
        DraftRegion(RegionKind.BODY, None),
    )
    body = Context(context.program, context.signature, context.typing, draft, context)
    taken: list[DraftValue] = []
    for parameter, ty in zip(node.parameters, arguments, strict=True):
        value = DraftValue(ty, parameter.name, over(parameter.tokens), argument=0)
        body.declare(context.resolution.declared[parameter.tokens[0]], value)
        taken.append(value)
    recovery = Recovery(body)
    for statement in node.body.statements:
        with recovery.statement():
            chains.statement(body, statement, None)
    with recovery.statement():
        tail = _tail(body, node, None if node.operator == "map" else accumulator)
    recovery.end_of_body()
    draft.arguments = [*(inner for _, inner in body.captures.values()), *taken]
    for position, argument in enumerate(draft.arguments):
        argument.argument = position
    body_input(draft)
    assert draft.input is not None
    require_depth(depth(draft.input), draft.key)
    finish(body)
    context.facts.include(body.facts)
    return body, tail


def _apply(
    context: Context,
    node: ast.CollectionStage,
    body: Context,
    operands: list[DraftValue],
    result: Type,
) -> DraftValue:
    captured = [outer for outer, _ in body.captures.values()]
    operation = Collect(node.operator, body.draft, len(captured))
    return context.operate(operation, [*captured, *operands], result, over(node.tokens))
