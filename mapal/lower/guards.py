"""Lowering of value-selecting guards (language 6.4)."""

from __future__ import annotations

from mapal.ir import ops
from mapal.ir.graph import Key, RegionKind
from mapal.ir.ops import BinaryCode
from mapal.ir.types import BOOL, Scalar, is_integer
from mapal.lower import chains
from mapal.lower.context import Context, at, over
from mapal.lower.depths import product_depth, require_depth
from mapal.lower.draft import DraftGuard, DraftRegion, DraftValue
from mapal.lower.expressions import integer_literal, reject_string
from mapal.lower.reports import stop
from mapal.lower.shapes import is_routing
from mapal.syntax import ast


def guard(context: Context, node: ast.GuardStage, wire: DraftValue) -> DraftValue:
    """The value that a guard selects."""
    if is_routing(node) and not context.loops:
        raise stop(
            "L1304",
            "`-> loop` stands outside a loop",
            node.tokens,
            "put the statements into `loop { … }`, with this guard as the last",
        )
    kinds = [arm.discriminant for arm in node.arms]
    numbers = [arm for arm in node.arms if arm.discriminant == "integer"]
    truths = [arm for arm in node.arms if arm.discriminant in ("true", "false")]
    if numbers and truths:
        odd = truths[0] if node.arms[0].discriminant == "integer" else numbers[0]
        raise stop(
            "L1403",
            "a guard tests either truth values or integers",
            odd.tokens,
            "compare first, `(n == 3) -> { … }`, or number all arms",
        )
    defaults = kinds.count("default")
    if numbers:
        return _match(context, node, wire, numbers, defaults)
    return _boolean(context, node, wire, defaults)


def _boolean(context: Context, node: ast.GuardStage, wire: DraftValue, defaults: int) -> DraftValue:
    if wire.ty != BOOL:
        raise stop(
            "L1406",
            f"truth-value arms select on a bool, not `{wire.ty}`",
            node.tokens,
            "compare first: `(n != 0) -> { … }`",
        )
    arms: dict[str, ast.Arm] = {}
    for arm in node.arms:
        if arm.discriminant in arms:
            raise stop(
                "L1402",
                "there is an arm for this value already",
                arm.tokens,
                "remove one of them",
            )
        arms[arm.discriminant] = arm
    if len(arms) == 3:
        raise stop(
            "L1402",
            "`-_->` is superfluous beside both truth values",
            arms["default"].tokens,
            "remove it",
        )
    if len(arms) < 2:
        raise stop(
            "L1401", "the guard does not cover both truth values", node.tokens, "add `-_-> value;`"
        )
    when_true = arms.get("true", arms.get("default"))
    when_false = arms.get("false", arms.get("default"))
    assert when_true is not None
    assert when_false is not None
    made = _begin(context, wire, over(node.tokens))
    first, second = node.arms
    values: dict[int, DraftValue] = {}
    for arm in (first, second):
        region = made.arm_true if arm is when_true else made.arm_false
        values[arm.guard_token] = _arm(context, arm, wire, region)
    _same_types(node, values)
    made.when_true = values[when_true.guard_token]
    made.when_false = values[when_false.guard_token]
    return _close(made)


def _match(
    context: Context,
    node: ast.GuardStage,
    wire: DraftValue,
    numbers: list[ast.Arm],
    defaults: int,
) -> DraftValue:
    if not is_integer(wire.ty) or not isinstance(wire.ty, Scalar):
        raise stop(
            "L1406",
            f"integer arms select on an integer, not `{wire.ty}`",
            node.tokens,
            "use `-true->` and `-false->`"
            if wire.ty == BOOL
            else "compare first: `(x < 1.0) -> { … }`",
        )
    seen: set[int] = set()
    conditions: list[DraftValue] = []
    for arm in numbers:
        assert arm.value is not None
        token = (arm.guard_token, arm.guard_token)
        if arm.value in seen:
            raise stop(
                "L1402",
                f"there is an arm for {arm.value} already",
                arm.tokens,
                "remove one of them",
            )
        seen.add(arm.value)
        number = integer_literal(context, arm.value, wire.ty, token)
        equal = ops.Binary(BinaryCode.EQ)
        conditions.append(context.operate(equal, [wire, number], BOOL, at(arm.guard_token)))
    if defaults > 1:
        again = [arm for arm in node.arms if arm.discriminant == "default"][1]
        raise stop("L1402", "there is a `-_->` already", again.tokens, "remove one of them")
    if not defaults:
        raise stop(
            "L1401", "the match has no arm for other values", node.tokens, "add `-_-> value;`"
        )
    made: list[DraftGuard] = []
    regions: dict[int, DraftRegion] = {}
    before = context.region
    for arm, condition in zip(numbers, conditions, strict=True):
        is_last = arm is numbers[-1]
        made.append(_begin(context, condition, at(arm.guard_token), rest=not is_last))
        regions[arm.guard_token] = made[-1].arm_true
        context.region = made[-1].arm_false
    context.region = before
    default = next(arm for arm in node.arms if arm.discriminant == "default")
    regions[default.guard_token] = made[-1].arm_false
    values = {
        arm.guard_token: _arm(context, arm, wire, regions[arm.guard_token]) for arm in node.arms
    }
    _same_types(node, values)
    following = values[default.guard_token]
    for arm, draft in zip(reversed(numbers), reversed(made), strict=True):
        draft.when_true = values[arm.guard_token]
        draft.when_false = following
        following = _close(draft)
    return following


def _begin(context: Context, cond: DraftValue, key: Key, *, rest: bool = False) -> DraftGuard:
    result = DraftValue(BOOL, None, key)
    made = DraftGuard(
        context.next_index(),
        cond,
        context.region,
        context.new_region(RegionKind.ARM_TRUE),
        context.new_region(RegionKind.ARM_FALSE, rest=rest),
        key,
        result,
    )
    result.unit = made
    context.draft.units.append(made)
    return made


def _close(made: DraftGuard) -> DraftValue:
    assert made.when_true is not None
    made.result.ty = made.when_true.ty
    require_depth(product_depth((made.result.ty, BOOL)), made.key)
    return made.result


def _arm(context: Context, arm: ast.Arm, wire: DraftValue, region: DraftRegion) -> DraftValue:
    context.arm_depth += 1
    with context.inside(region):
        if isinstance(arm.payload, ast.Block):
            value = chains.block(context, arm.payload, wire, wants=False)
        else:
            value = chains.chain(context, arm.payload, wire, wants=False)
    context.arm_depth -= 1
    if value is None:
        raise stop(
            "L1201",
            "this arm yields no value",
            arm.tokens,
            "end it with an expression, without `;` inside the braces",
        )
    return reject_string(value, arm.tokens)


def _same_types(node: ast.GuardStage, values: dict[int, DraftValue]) -> None:
    first = values[node.arms[0].guard_token].ty
    for arm in node.arms[1:]:
        ty = values[arm.guard_token].ty
        if ty != first:
            raise stop(
                "L1201",
                f"this arm yields `{ty}`, the first one `{first}`",
                arm.tokens,
                "all arms yield values of one type",
            )
