"""Whether a function's result is written completely (L1306), from its text."""

from __future__ import annotations

from collections.abc import Iterator

from mapal.diagnostics import Diagnostic
from mapal.ir.types import product_arity
from mapal.lower.reports import problem
from mapal.lower.signatures import Signature
from mapal.syntax import ast


def return_stages(block: ast.Block) -> Iterator[tuple[ast.Chain, ast.RetStage]]:
    """Every `-> ret` of a function with its chain, in source order, collection bodies
    excepted."""
    for statement in block.statements:
        match statement:
            case ast.LoopStatement(body=body):
                yield from return_stages(body)
            case ast.ChainStatement(chain=chain):
                yield from _in_chain(chain)
            case _:
                pass
    if block.tail is not None:
        yield from _in_chain(block.tail)


def _in_chain(chain: ast.Chain) -> Iterator[tuple[ast.Chain, ast.RetStage]]:
    for stage in chain.stages:
        match stage:
            case ast.RetStage():
                yield chain, stage
            case ast.SeqStage(body=body):
                yield from return_stages(body)
            case ast.GuardStage(arms=arms):
                for arm in arms:
                    if isinstance(arm.payload, ast.Block):
                        yield from return_stages(arm.payload)
                    else:
                        yield from _in_chain(arm.payload)
            case ast.FanoutStage(branches=branches):
                for branch in branches:
                    yield from _in_chain(branch)
            case _:
                pass


def returns_by_tail(item: ast.FunctionItem) -> bool:
    """Whether the tail of a function counts as `-> ret`."""
    tail = item.body.tail
    return tail is not None and not (tail.stages and isinstance(tail.stages[-1], ast.RetStage))


def return_problem(signature: Signature) -> Diagnostic | None:
    """The first reason why the result of a function is incomplete."""
    item = signature.item
    found = list(return_stages(item.body))
    at = (item.name_token, item.name_token)
    slots = [(stage.slot, stage) for _, stage in found if stage.slot is not None]
    if signature.result is None:
        if slots:
            return problem(
                "L1306",
                f"`{item.name}` declares no result",
                slots[0][1].tokens,
                "write its type behind the parameters: `-> (i32, i32)`",
            )
        return None
    if signature.effectful and slots:
        return None
    at_exit = _slot_exit(signature)
    if at_exit is not None:
        hint = "exit with all components, `(a, b) -> ret`, or bind the value and return it later"
        return problem("L1306", "a loop exits with the whole result", at_exit.tokens, hint)
    whole = [stage for _, stage in found if stage.slot is None]
    written = len(whole) + returns_by_tail(item)
    hint = "end the function with an expression, or send a value to `-> ret;`"
    if slots and written:
        return problem(
            "L1306",
            "a function returns its result either whole or component by component",
            slots[0][1].tokens,
            "send the whole result to `-> ret`, or every component to its own `-> ret.k`",
        )
    if slots:
        return _slot_problem(signature, [(slot, stage) for slot, stage in slots])
    if not written:
        return problem("L1306", f"`{item.name}` declares a result and never returns one", at, hint)
    bare = _bare_return(item.body)
    if bare is not None:
        return problem("L1306", "there is no value to return here", bare.tokens, hint)
    return None


def _slot_exit(signature: Signature) -> ast.RetStage | None:
    """The first `-> ret.k` that ends an exit arm."""
    for shape in signature.resolution.shapes.values():
        stages = () if shape.exit_chain is None else shape.exit_chain.stages
        if stages and isinstance(stages[-1], ast.RetStage) and stages[-1].slot is not None:
            return stages[-1]
    return None


def _bare_return(body: ast.Block) -> ast.RetStage | None:
    """The first statement that is `-> ret` alone, where no wire can reach it."""
    chains = [
        statement.chain
        for statement in body.statements
        if isinstance(statement, ast.ChainStatement)
    ]
    if body.tail is not None:
        chains.append(body.tail)
    for chain in chains:
        if chain.head is None and isinstance(chain.stages[0], ast.RetStage):
            return chain.stages[0]
    return None


def _slot_problem(signature: Signature, slots: list[tuple[int, ast.RetStage]]) -> Diagnostic | None:
    assert signature.result is not None
    arity = product_arity(signature.result)
    if signature.result_unknown or arity is None or any(slot >= arity for slot, _ in slots):
        return None
    seen: set[int] = set()
    for slot, stage in slots:
        if slot in seen:
            return problem(
                "L1306",
                f"component {slot} of the result is returned twice",
                stage.tokens,
                "return every component once",
            )
        seen.add(slot)
    missing = next((slot for slot in range(arity) if slot not in seen), None)
    if missing is None:
        return None
    at = (signature.item.name_token, signature.item.name_token)
    return problem(
        "L1306",
        f"component {missing} of the result is never returned",
        at,
        f"send a value to it: `value -> ret.{missing};`",
    )
