"""The shape of a loop: its condition, its jump arm, its exit arm (language 6.6).

`loop_shape` looks at the text only. A body that has no such shape gives the diagnostic that
says why.
"""

from __future__ import annotations

from dataclasses import dataclass

from mapal.diagnostics import Diagnostic
from mapal.syntax import ast


@dataclass(frozen=True, slots=True)
class LoopShape:
    """`condition` is the routing chain without its guard; `jump_on` is the truth value that
    continues. `exit_chain` is the last chain of the exit arm; `jump_chain` the `-> loop`."""

    statements: tuple[ast.Statement, ...]
    condition: ast.Chain
    guard: ast.GuardStage
    jump: ast.Arm
    exit: ast.Arm
    jump_on: bool
    exit_chain: ast.Chain | None


def last_chain(payload: ast.Block | ast.Chain) -> ast.Chain | None:
    """The chain that ends a payload, if its last item is a chain."""
    if isinstance(payload, ast.Chain):
        return payload
    if payload.tail is not None:
        return payload.tail
    if payload.statements and isinstance(payload.statements[-1], ast.ChainStatement):
        return payload.statements[-1].chain
    return None


def is_jump(payload: ast.Block | ast.Chain) -> bool:
    """Whether a payload ends in the chain `-> loop`, alone."""
    chain = last_chain(payload)
    return (
        chain is not None
        and chain.head is None
        and len(chain.stages) == 1
        and isinstance(chain.stages[0], ast.LoopStage)
    )


def is_routing(stage: ast.Stage) -> bool:
    """Whether a stage is a guard with an arm that jumps."""
    return isinstance(stage, ast.GuardStage) and any(is_jump(arm.payload) for arm in stage.arms)


def loop_shape(loop: ast.LoopStatement) -> LoopShape | Diagnostic:
    """The shape of a loop, or why it has none: L1501, L1304, L1407, L1409."""
    block = loop.body
    for statement in block.statements[: None if block.tail is not None else -1]:
        if isinstance(statement, ast.ChainStatement):
            for stage in statement.chain.stages:
                if is_routing(stage):
                    return _misplaced(stage)
    routing = last_chain(block)
    if routing is None or not routing.stages or not isinstance(routing.stages[-1], ast.GuardStage):
        if routing is not None and any(is_routing(stage) for stage in routing.stages):
            return _misplaced(next(stage for stage in routing.stages if is_routing(stage)))
        return _no_exit(loop)
    guard = routing.stages[-1]
    assert isinstance(guard, ast.GuardStage)
    jumps = [arm for arm in guard.arms if is_jump(arm.payload)]
    exits = [arm for arm in guard.arms if not is_jump(arm.payload)]
    if not jumps:
        return _jump_with_value(guard) or _no_exit(loop)
    problem = _arms_problem(guard, jumps, exits)
    if problem is not None:
        return problem
    jump, leave = jumps[0], exits[0]
    if isinstance(leave.payload, ast.Block) and last_chain(leave.payload) is None:
        return Diagnostic(
            code="L1407",
            message="the exit arm of the loop has nothing that ends it",
            tokens=leave.tokens,
            span=None,
            hint="end it with `-> ret;`, with `-> name`, or with a value",
        )
    jump_on = jump.discriminant == "true" or leave.discriminant == "false"
    statements = block.statements if block.tail is not None else block.statements[:-1]
    condition = ast.Chain(head=routing.head, stages=routing.stages[:-1], tokens=routing.tokens)
    return LoopShape(statements, condition, guard, jump, leave, jump_on, last_chain(leave.payload))


def _arms_problem(
    guard: ast.GuardStage, jumps: list[ast.Arm], exits: list[ast.Arm]
) -> Diagnostic | None:
    poles = {arm.discriminant for arm in guard.arms}
    sound = (
        len(jumps) == 1
        and len(exits) == 1
        and poles in ({"true", "false"}, {"true", "default"}, {"false", "default"})
    )
    if sound:
        return None
    return Diagnostic(
        code="L1409",
        message="the guard that ends a loop needs one arm that jumps and one that exits",
        tokens=guard.tokens,
        span=None,
        hint="write `condition -> { -true-> { … -> loop; } -false-> value -> name; }`",
    )


def _jump_with_value(guard: ast.GuardStage) -> Diagnostic | None:
    """L1304 if an arm was to jump, but sends a value to `-> loop`."""
    for arm in guard.arms:
        chain = last_chain(arm.payload)
        last = chain.stages[-1] if chain is not None and chain.stages else None
        if isinstance(last, ast.LoopStage):
            return Diagnostic(
                code="L1304",
                message="`-> loop` takes no value",
                tokens=last.tokens,
                span=None,
                hint="make it a statement of its own: `i + 1 -> i; -> loop;`",
            )
    return None


def _misplaced(stage: ast.Stage) -> Diagnostic:
    return Diagnostic(
        code="L1407",
        message="the guard with `-> loop` must be the last item of the loop body",
        tokens=stage.tokens,
        span=None,
        hint="move the statements that follow it into its arms, or before it",
    )


def _no_exit(loop: ast.LoopStatement) -> Diagnostic:
    return Diagnostic(
        code="L1501",
        message="the loop body does not end in a guard that jumps and exits",
        tokens=loop.tokens,
        span=None,
        hint="end it with `condition -> { -true-> { … -> loop; } -false-> value -> name; }`",
    )
