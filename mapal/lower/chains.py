"""Lowering of blocks, statements, chains and stages."""

from __future__ import annotations

from mapal.ir import ops
from mapal.ir.types import STR, Array, is_integer
from mapal.lower import bodies, builtins, guards, loops
from mapal.lower.context import Context, at, over
from mapal.lower.draft import CallNamed, DraftValue
from mapal.lower.expressions import expression, note_index, reject_string, require_type
from mapal.lower.reports import stop
from mapal.lower.resolve import Builtin, CallFunction, Declare, Rebind
from mapal.lower.results import return_slot, return_whole
from mapal.syntax import ast


def block(
    context: Context, node: ast.Block, wire: DraftValue | None, *, wants: bool
) -> DraftValue | None:
    """Lowers a block; the value of its tail, if it has one. `wire` starts headless chains;
    `wants` tells whether a fanout at the end joins its branches."""
    for statement_node in node.statements:
        statement(context, statement_node, wire)
    if node.tail is None:
        return None
    return chain(context, node.tail, wire, wants=wants)


def statement(context: Context, node: ast.Statement, wire: DraftValue | None) -> None:
    """Lowers one statement."""
    match node:
        case ast.LoopStatement():
            loops.loop(context, node)
        case ast.BindStatement():
            value = expression(context, node.value)
            bind(context, value, node.name_token, node.annotation, node.value.tokens)
        case ast.UpdateStatement():
            _update(context, node)
        case ast.ChainStatement():
            chain(context, node.chain, wire, wants=False)


def bind(
    context: Context,
    value: DraftValue,
    name_token: int,
    annotation: ast.TypeExpression | None,
    tokens: ast.Tokens,
) -> None:
    """Makes a new binding; a known type must be that of the annotation (L1201)."""
    if annotation is not None:
        wanted = context.typing.annotations[annotation.tokens[0]]
        require_type(value, wanted, "the annotated name", tokens)
    context.declare(context.resolution.declared[name_token], value)


def _update(context: Context, node: ast.UpdateStatement) -> None:
    name_tokens = (node.name_token, node.name_token)
    target = context.resolution.updates.get(node.name_token)
    if target is None:
        raise stop(
            "L1101",
            f"there is no `{node.name}` here",
            name_tokens,
            f"bind it first: `array -> mut {node.name};`",
        )
    local = target.local
    context.require_alive(local, name_tokens)
    if not local.mutable:
        raise stop(
            "L1104",
            f"`{node.name}` is not mutable",
            name_tokens,
            f"declare it with `mut {node.name}`",
        )
    if target.in_arm:
        raise _assignment_in_arm(node.name, node.tokens)
    array = context.binding(local).value
    if not isinstance(array.ty, Array):
        raise stop(
            "L1204",
            f"`{node.name}` is of type `{array.ty}`, not an array",
            name_tokens,
            "only elements of arrays are updated; build a tuple or struct anew",
        )
    index = expression(context, node.index)
    if not is_integer(index.ty):
        raise stop(
            "L1201",
            f"an index is an integer, not `{index.ty}`",
            node.index.tokens,
            "convert it to `i32` first, and bind it to a name",
        )
    note_index(context, node.index, array.ty.length)
    value = expression(context, node.value)
    require_type(value, array.ty.element, f"an element of `{node.name}`", node.value.tokens)
    updated = context.operate(ops.Update(), [array, index, value], array.ty, over(node.tokens))
    context.rebind(local, updated)


def _assignment_in_arm(name: str, tokens: ast.Tokens) -> Exception:
    return stop(
        "L1408",
        f"an arm that selects a value cannot change `{name}`",
        tokens,
        f"select the new value and rebind after the guard: `… -> {name};`",
    )


def chain(
    context: Context, node: ast.Chain, wire: DraftValue | None, *, wants: bool
) -> DraftValue | None:
    """Lowers a chain; its value, if it has one."""
    if isinstance(node.head, ast.UnitLiteral):
        return _clock(context, node, wants=wants)
    value = wire if node.head is None else expression(context, node.head)
    return stages(context, node.stages, value, wants=wants)


def stages(
    context: Context,
    nodes: tuple[ast.Stage, ...],
    value: DraftValue | None,
    *,
    wants: bool,
) -> DraftValue | None:
    """Sends a value through stages."""
    for position, node in enumerate(nodes):
        last = position == len(nodes) - 1
        if position and isinstance(nodes[position - 1], ast.RetStage):
            raise stop("L1303", "nothing can follow `-> ret`", node.tokens, "start a new statement")
        if value is not None:
            context.program.wires[node.tokens[0]] = value.ty
        value = _stage(context, node, value, wants=wants or not last)
    return value


def _clock(context: Context, node: ast.Chain, *, wants: bool) -> DraftValue | None:
    head = node.head
    assert head is not None
    if node.stages:
        first = node.stages[0]
        if isinstance(first, ast.ExpressionStage) and isinstance(first.value, ast.Name):
            meaning = context.resolution.meanings.get(first.value.tokens[0])
            if meaning == Builtin("time"):
                value = builtins.read_clock(context, first.value.tokens)
                return stages(context, node.stages[1:], value, wants=wants)
    raise stop("L1301", "`()` is no value", head.tokens, "it only heads `() -> time`")


def require_wire(value: DraftValue | None, tokens: ast.Tokens) -> DraftValue:
    """L1301 when a stage has no value to work on."""
    if value is None:
        raise stop(
            "L1301", "there is no value on the wire here", tokens, "start the chain with a value"
        )
    return value


def _stage(
    context: Context, node: ast.Stage, wire: DraftValue | None, *, wants: bool
) -> DraftValue | None:
    match node:
        case ast.RetStage():
            return _return(context, node, wire)
        case ast.LoopStage():
            raise stop(
                "L1304",
                "`-> loop` does not stand here",
                node.tokens,
                "it is a statement of its own, the last of the arm of a loop that goes on",
            )
        case ast.BindStage():
            value = require_wire(wire, node.tokens)
            bind(context, value, node.name_token, node.annotation, node.tokens)
            return value
        case ast.SeqStage():
            value_or_none = block(context, node.body, wire, wants=wants)
            if value_or_none is None and wants:
                raise stop(
                    "L1611",
                    "this `seq` yields no value",
                    node.tokens,
                    "end it with an expression, without `;`",
                )
            return value_or_none
        case ast.CollectionStage():
            return bodies.collection(context, node, require_wire(wire, node.tokens))
        case ast.GuardStage():
            return guards.guard(context, node, require_wire(wire, node.tokens))
        case ast.FanoutStage():
            return _fanout(context, node, require_wire(wire, node.tokens), wants=wants)
        case ast.OperatorStage():
            return expression(context, node.value, require_wire(wire, node.tokens))
        case ast.ExpressionStage(value=ast.Name(name=name, tokens=tokens)):
            return _bare_name(context, name, tokens, wire)
        case ast.ExpressionStage():
            raise _ignored_wire(context, node)


def _ignored_wire(context: Context, node: ast.ExpressionStage) -> Exception:
    value = node.value
    if (
        isinstance(value, ast.Postfix)
        and isinstance(value.base, ast.Name)
        and value.base.tokens[0] not in context.resolution.reads
        and value.base.name in context.program.declarations.functions
        and isinstance(value.suffixes[0], ast.Member)
    ):
        return stop(
            "L1106",
            f"`{value.base.name}` takes its argument from the wire",
            node.tokens,
            f"send one value, or a tuple: `(a, b) -> {value.base.name}`",
        )
    return stop(
        "L1302",
        "this stage ignores the value on the wire",
        node.tokens,
        _ignored_wire_hint(value),
    )


def _ignored_wire_hint(value: ast.Expression) -> str:
    """What was meant by an expression behind an arrow."""
    match value:
        case ast.Postfix(base=ast.Name(name=name), suffixes=(ast.Subscript(),)):
            return f"an element is updated with `{name}[index] <- value;`"
        case ast.Postfix(base=ast.Name(name=name), suffixes=(ast.Member() | ast.Slot(),)):
            return f"a component cannot be updated: build the product anew and send it to `{name}`"
        case ast.TupleLiteral():
            return "name the whole and take its components: `… -> pair; pair.0 -> first;`"
        case _:
            return "write an operator stage such as `-> + 1`, or bind the value and use its name"


def _fanout(
    context: Context, node: ast.FanoutStage, wire: DraftValue, *, wants: bool
) -> DraftValue | None:
    values: list[DraftValue] = []
    for branch in node.branches:
        value = chain(context, branch, wire, wants=wants)
        if not wants:
            continue
        if value is None:
            raise stop(
                "L1305",
                "this branch yields no value to join",
                branch.tokens,
                "let it end in a value, or let nothing follow the block",
            )
        values.append(reject_string(value, branch.tokens) if len(node.branches) > 1 else value)
    return context.tuple_of(values, over(node.tokens)) if wants else None


def _bare_name(
    context: Context, name: str, tokens: ast.Tokens, wire: DraftValue | None
) -> DraftValue | None:
    match context.resolution.meanings[tokens[0]]:
        case Rebind() as target:
            return _rebind(context, target, tokens, require_wire(wire, tokens))
        case Declare(local=local):
            value = require_wire(wire, tokens)
            context.declare(local, value)
            return value
        case CallFunction():
            return call(context, name, tokens, require_wire(wire, tokens))
        case Builtin():
            if name == "time":
                raise stop(
                    "L1301" if wire is None else "L1302",
                    "`time` takes no value",
                    tokens,
                    "write `() -> time -> name;`",
                )
            return builtins.apply(context, name, tokens, require_wire(wire, tokens))


def _rebind(context: Context, target: Rebind, tokens: ast.Tokens, value: DraftValue) -> DraftValue:
    local = target.local
    context.require_alive(local, tokens)
    if not local.mutable:
        raise stop(
            "L1104",
            f"`{local.name}` is not mutable",
            tokens,
            f"declare it with `mut {local.name}`, or choose a fresh name",
        )
    if target.in_arm:
        raise _assignment_in_arm(local.name, tokens)
    require_type(value, context.binding(local).value.ty, f"`{local.name}`", tokens)
    if context.loops and local in context.loops[-1]:
        reject_string(value, tokens)
    context.rebind(local, value)
    return value


def call(
    context: Context, name: str, tokens: ast.Tokens, argument: DraftValue
) -> DraftValue | None:
    """Application of a named function; None when it has an effect and no result."""
    signature = context.program.declarations.functions[name]
    if argument.ty == STR:
        raise stop(
            "L1201",
            f"`{name}` takes `{signature.argument}`, not a string",
            tokens,
            "strings can only be named and printed",
        )
    require_type(argument, signature.argument, f"`{name}`", tokens)
    context.facts.calls.add(name)
    key = at(tokens[0])
    if not signature.effectful:
        return context.operate(CallNamed(name), [argument], signature.output_type, key)
    token = context.begin_effect(name, tokens)
    taken = context.tuple_of([token, argument], key)
    given = context.operate(CallNamed(name), [taken], signature.output_type, key)
    if signature.result is None:
        context.token = given
        return None
    context.token = context.project(given, 0, key)
    return context.project(given, 1, key)


def _return(context: Context, node: ast.RetStage, wire: DraftValue | None) -> DraftValue | None:
    if context.arm_depth or context.outer is not None:
        raise stop(
            "L1405",
            "a value-selecting arm or a body cannot return",
            node.tokens,
            "select the value, and return it after the guard",
        )
    if context.loops:
        raise stop(
            "L1405",
            "a loop returns only by its exit arm",
            node.tokens,
            "end the exit arm with `-> ret`, or bind the value and return it after the loop",
        )
    if node.slot is None:
        return_whole(context, wire, node.tokens)
    else:
        return_slot(context, node.slot, require_wire(wire, node.tokens), node.tokens)
    return wire
