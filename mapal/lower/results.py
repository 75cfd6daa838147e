"""How a function hands out its result (language 6.2)."""

from __future__ import annotations

from mapal.ir.types import Array, Scalar, Struct, Tuple, Type, component, product_arity
from mapal.lower.context import Context, over
from mapal.lower.draft import DraftValue
from mapal.lower.expressions import reject_string, require_type
from mapal.lower.reports import stop
from mapal.syntax import ast


def return_whole(context: Context, value: DraftValue | None, tokens: ast.Tokens) -> None:
    """`-> ret`, or the tail of a function that declares a result."""
    signature = context.signature
    if signature.effectful and context.returned is not None:
        raise stop(
            "L1307",
            "a function with effects returns once",
            tokens,
            "select one value with a guard and return that",
        )
    context.returned = tokens
    if value is None:
        if signature.result is not None:
            raise stop(
                "L1306",
                "there is no value to return here",
                tokens,
                "send a value to it: `value -> ret;`",
            )
        return
    reject_string(value, tokens)
    if signature.result is None:
        raise stop(
            "L1201",
            f"`{signature.item.name}` declares no result",
            tokens,
            f"write `-> {value.ty}` behind its parameters",
        )
    hint = _literal_tail_hint(signature.item.body.tail, signature.result, tokens)
    require_type(value, signature.result, "the result", tokens, hint)
    if signature.effectful:
        context.result = (value, over(tokens))
    else:
        context.draft.returns.append((value, over(tokens)))


def _literal_tail_hint(tail: ast.Chain | None, result: Type, tokens: ast.Tokens) -> str | None:
    """What to write for a literal at the end of a function, whose type its place does not say;
    None for any other return, and for a literal that could not be a result at all."""
    if tail is None or tail.tokens != tokens or tail.stages or not isinstance(result, Scalar):
        return None
    literal, sign = tail.head, ""
    if isinstance(literal, ast.Unary) and literal.operator == "-":
        literal, sign = literal.operand, "-"
    match literal:
        case ast.FloatLiteral(text=text) if result.is_float:
            written = text
        case ast.IntegerLiteral(value=value) if result.is_integer:
            written = str(value)
        case _:
            return None
    return f"write `{sign}{written} -> ret;`: at the end of a block a literal has its default type"


def return_slot(context: Context, slot: int, value: DraftValue, tokens: ast.Tokens) -> None:
    """`-> ret.k`."""
    signature = context.signature
    if signature.effectful:
        raise stop(
            "L1307",
            "a function with effects returns its result whole",
            tokens,
            "write `(a, b) -> ret;`",
        )
    result = signature.result
    arity = None if result is None else product_arity(result)
    if arity is None or slot >= arity:
        raise stop(
            "L1205",
            f"the result has no component {slot}",
            tokens,
            "the result is a single value: `-> ret`"
            if arity is None
            else f"its components are 0 to {arity - 1}",
        )
    assert isinstance(result, Tuple | Struct | Array)
    reject_string(value, tokens)
    require_type(value, component(result, slot), f"component {slot} of the result", tokens)
    context.draft.slots.append((slot, value, over(tokens)))


def finish_effects(context: Context) -> None:
    """The result of an effectful function: its last token, and its value if it has one."""
    key = context.draft.key
    assert context.token is not None
    parts = [context.token]
    if context.result is not None:
        value, key = context.result
        parts.append(value)
    context.draft.returns.append((context.tuple_of(parts, key), key))
