"""The steps of lowering in their fixed order (language 10)."""

from __future__ import annotations

from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Literal

from mapal.diagnostics import Diagnostic
from mapal.ir.graph import FunctionKind, Graph, RegionKind
from mapal.ir.types import IO, Tuple
from mapal.lower import chains
from mapal.lower.context import Context, ProgramState, at, over
from mapal.lower.draft import DraftFunction, DraftRegion, DraftValue
from mapal.lower.emission import emit
from mapal.lower.finishing import finish
from mapal.lower.fusing import fuse
from mapal.lower.recovery import Recovery
from mapal.lower.reductions import trapping_reductions
from mapal.lower.reports import StopLowering
from mapal.lower.results import finish_effects, return_whole
from mapal.lower.returns import returns_by_tail
from mapal.lower.signatures import Signature, declare
from mapal.lower.typing import Typing, type_literals
from mapal.syntax import ast, recursion_room
from mapal.syntax.cursor import MAXIMUM_NESTING

Arithmetic = Literal["exact", "fused"]

_FRAMES_PER_LEVEL = 16
"""The walks recurse a few times per syntactic level."""


@dataclass(frozen=True, slots=True)
class LowerResult:
    """A graph, or what is wrong with the program."""

    graph: Graph | None
    diagnostics: tuple[Diagnostic, ...]


def lower(program: ast.Program, arithmetic: Arithmetic) -> LowerResult:
    """Lowers a program. `arithmetic` tells whether products and sums fuse (language 7.3)."""
    with walking_room():
        return _lower(program, arithmetic)


def walking_room() -> AbstractContextManager[None]:
    """Room on the call stack for the walks over a tree."""
    return recursion_room(_FRAMES_PER_LEVEL * MAXIMUM_NESTING)


def _lower(program: ast.Program, arithmetic: Arithmetic) -> LowerResult:
    declared = declare(program)
    if declared.stops:
        return LowerResult(None, declared.problems)
    declarations = declared.declarations
    typings = [type_literals(signature, declarations) for signature in declarations.every_function]
    problems = [
        *declared.problems,
        *(found for typing in typings for found in typing.problems),
    ]
    if problems:
        return LowerResult(None, tuple(problems))
    state = ProgramState(declarations)
    failed: dict[str, Diagnostic] = {}
    for signature, typing in zip(declarations.every_function, typings, strict=True):
        try:
            lower_function(state, signature, typing)
        except StopLowering as stopped:
            failed[signature.item.name] = stopped.diagnostic
    for name, diagnostic in trapping_reductions(state):
        failed.setdefault(name, diagnostic)
    if failed:
        in_order = (failed.get(name) for name in declarations.functions)
        return LowerResult(None, tuple(found for found in in_order if found is not None))
    if arithmetic == "fused":
        for draft in state.drafts:
            fuse(draft)
    return LowerResult(emit(_in_source_order(state.drafts), "main"), ())


def _in_source_order(drafts: list[DraftFunction]) -> list[DraftFunction]:
    return sorted(drafts, key=lambda draft: draft.key)


def lower_function(state: ProgramState, signature: Signature, typing: Typing) -> None:
    """Lowers one function into a draft of `state`. Raises `StopLowering` at what is wrong."""
    item = signature.item
    draft = DraftFunction(
        item.name,
        FunctionKind.NAMED,
        over(item.tokens),
        signature.output_type,
        DraftRegion(RegionKind.BODY, None),
        tuple(parameter.name for parameter in item.parameters),
    )
    draft.input = signature.input_type
    context = Context(state, signature, typing, draft)
    _bind_parameters(context)
    recovery = Recovery(context)
    for statement in item.body.statements:
        with recovery.statement():
            chains.statement(context, statement, None)
    if item.body.tail is not None:
        with recovery.statement():
            _tail(context, item.body.tail)
    recovery.end_of_function()
    if signature.effectful:
        finish_effects(context)
    state.facts[item.name] = context.facts
    finish(context)


def _tail(context: Context, tail: ast.Chain) -> None:
    signature = context.signature
    value = chains.chain(context, tail, None, wants=_wants_tail(signature))
    if signature.result is not None and returns_by_tail(signature.item):
        return_whole(context, value, tail.tokens)


def _wants_tail(signature: Signature) -> bool:
    """Whether a fanout at the end of the body joins: not in a function with effects, unless it
    has one branch."""
    if signature.result is None or not returns_by_tail(signature.item):
        return False
    if not signature.effectful:
        return True
    tail = signature.item.body.tail
    assert tail is not None
    last = tail.stages[-1] if tail.stages else None
    return not (isinstance(last, ast.FanoutStage) and len(last.branches) > 1)


def _bind_parameters(context: Context) -> None:
    """Gives the parameters their values. The input of an effectful function is the token, or
    the token and the argument; the argument of several parameters is a tuple of them."""
    signature, draft = context.signature, context.draft
    key = draft.key
    parameters = signature.item.parameters
    values: list[DraftValue]
    if signature.effectful:
        context.token = DraftValue(IO, None, key, argument=0)
        draft.arguments = [context.token]
        if not parameters:
            return
        argument = DraftValue(signature.argument, None, key, argument=1)
        draft.arguments.append(argument)
        if len(parameters) == 1:
            values = [argument]
        else:
            assert isinstance(signature.argument, Tuple)
            values = [
                context.project(argument, slot, at(parameter.name_token))
                for slot, parameter in enumerate(parameters)
            ]
    else:
        values = [
            DraftValue(ty, parameter.name, at(parameter.name_token), argument=slot)
            for slot, (parameter, ty) in enumerate(
                zip(parameters, signature.parameters, strict=True)
            )
        ]
        draft.arguments = list(values)
    for parameter, value in zip(parameters, values, strict=True):
        context.declare(context.resolution.declared[parameter.name_token], value)
