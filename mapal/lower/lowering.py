"""The steps of lowering in their fixed order (language 10)."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Literal

from mapal.diagnostics import Diagnostic
from mapal.ir.graph import FunctionKind, Graph, RegionKind
from mapal.ir.types import IO, Tuple
from mapal.lower import chains
from mapal.lower.context import Context, ProgramState, StopLowering, at, over
from mapal.lower.draft import DraftFunction, DraftRegion, DraftValue
from mapal.lower.emission import emit
from mapal.lower.finishing import finish
from mapal.lower.fusing import fuse
from mapal.lower.results import finish_effects, return_whole
from mapal.lower.returns import returns_by_tail
from mapal.lower.signatures import Signature, declare, problem
from mapal.lower.typing import Typing, type_literals
from mapal.syntax import ast

Arithmetic = Literal["exact", "fused"]

_FRAMES_PER_LEVEL = 16
_NESTING_LIMIT = 128


@dataclass(frozen=True, slots=True)
class LowerResult:
    """A graph, or what is wrong with the program."""

    graph: Graph | None
    diagnostics: tuple[Diagnostic, ...]


def lower(program: ast.Program, arithmetic: Arithmetic) -> LowerResult:
    """Lowers a program. `arithmetic` tells whether products and sums fuse (language 7.3)."""
    with _room_for_nesting():
        return _lower(program, arithmetic)


@contextmanager
def _room_for_nesting() -> Iterator[None]:
    """The walks recurse once or a few times per syntactic level, of which there are at most
    128; Python's default limit of 1,000 frames may be less than that takes."""
    before = sys.getrecursionlimit()
    depth = 0
    frame = sys._getframe()
    while frame.f_back is not None:
        frame = frame.f_back
        depth += 1
    sys.setrecursionlimit(max(before, depth + _FRAMES_PER_LEVEL * _NESTING_LIMIT))
    try:
        yield
    finally:
        sys.setrecursionlimit(before)


def _lower(program: ast.Program, arithmetic: Arithmetic) -> LowerResult:
    declarations, found, stops = declare(program)
    if stops:
        return LowerResult(None, tuple(found))
    typings: dict[str, Typing] = {}
    problems: list[Diagnostic] = list(found)
    facts_problems: list[Diagnostic] = []
    if not found:
        for name, signature in declarations.functions.items():
            typings[name] = type_literals(signature, declarations)
            facts_problems.extend(typings[name].problems)
    if problems or facts_problems:
        return LowerResult(None, (*problems, *facts_problems))
    state = ProgramState(declarations)
    failed: set[str] = set()
    for name, signature in declarations.functions.items():
        try:
            _function(state, signature, typings[name])
        except StopLowering as stopped:
            problems.append(stopped.diagnostic)
            failed.add(name)
    problems.extend(_trapping_reductions(state, failed))
    if problems:
        return LowerResult(None, tuple(problems))
    if arithmetic == "fused":
        for draft in state.drafts:
            fuse(draft)
    return LowerResult(emit(_in_source_order(state.drafts), "main"), ())


def _in_source_order(drafts: list[DraftFunction]) -> list[DraftFunction]:
    return sorted(drafts, key=lambda draft: draft.key)


def _function(state: ProgramState, signature: Signature, typing: Typing) -> None:
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
    value = chains.block(context, item.body, None, wants=_wants_tail(signature))
    if signature.result is not None and returns_by_tail(item):
        tail = item.body.tail
        assert tail is not None
        return_whole(context, value, tail.tokens)
    if signature.effectful:
        finish_effects(context)
    state.facts[item.name] = context.facts
    finish(context)


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


def _trapping_reductions(state: ProgramState, failed: set[str]) -> list[Diagnostic]:
    """L1619, once the text of every function is known."""
    found: list[Diagnostic] = []
    for site in state.reduces:
        if site.function in failed:
            continue
        seen: set[str] = set()
        work = list(site.facts.calls)
        risky = site.facts.risky
        while work and not risky:
            name = work.pop()
            if name in seen or name not in state.facts:
                continue
            seen.add(name)
            risky = state.facts[name].risky
            work.extend(state.facts[name].calls)
        if risky:
            failed.add(site.function)
            found.append(
                problem(
                    "L1619",
                    "the body of `reduce` may trap or loop",
                    site.tokens,
                    "divide by non-zero literals and index with literals in range only, or use"
                    " `fold`",
                )
            )
    return found
