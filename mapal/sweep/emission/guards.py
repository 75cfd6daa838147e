"""Guards: the general one, integer matches, and the shapes in which traps meet arms.

What is written before a guard and used by one arm only stands in that arm with a key from
before the guard; what both arms use stands around the guard.
"""

from __future__ import annotations

from collections.abc import Callable

from mapal.ir.drafts import GuardDraft
from mapal.ir.graph import FunctionKind
from mapal.ir.ops import BinaryCode, ObjectId, UnaryCode
from mapal.ir.types import (
    I32,
    I64,
    U8,
    WIDENINGS,
    Array,
    Scalar,
    Type,
    is_integer,
    is_numeric,
)
from mapal.sweep.emission.collections import call_with
from mapal.sweep.emission.emitter import EARLY_KEYS, Emitter, Numbers
from mapal.sweep.emission.products import is_modest
from mapal.sweep.script import Block

TRAPPING = ("Div", "Mod", "Index", "Update", "Map", "Call")
"""The kinds of operations that can trap."""

_RARER = ("Map", "Call", "Call", "Call")
"""Kinds that need more than others do, so that they are tried more often."""


def block_at(blocks: tuple[Block, ...], at: int) -> Block:
    return blocks[at] if at < len(blocks) else ()


# The general guard ----------------------------------------------------------------------------


def guard(e: Emitter, n: Numbers, blocks: tuple[Block, ...]) -> None:
    """A guard with steps in both arms and steps of each arm that are written before it. Its
    type is that of the most recent value of the true arm."""
    if not e.afford(2):
        return
    cond = e.condition(n)
    reserved = e.reserve_keys()
    draft = e.b.begin_guard(cond, e.key())
    with e.region(draft.arm_true, arm=True):
        with e.written_before(reserved):
            e.run(block_at(blocks, 2))
        e.run(block_at(blocks, 0))
        value = e.pick(is_modest, n.next())
        when_true = value if value is not None else e.number(1)
    ty = e.b.ty(when_true)
    with e.region(draft.arm_false, arm=True):
        with e.written_before(reserved + EARLY_KEYS):
            e.run(block_at(blocks, 3))
        e.run(block_at(blocks, 1))
        when_false = e.demand(ty, n.next())
    e.know(e.b.phi(draft, when_true, when_false))
    e.note("guard")


def integer_match(e: Emitter, n: Numbers, blocks: tuple[Block, ...]) -> None:
    """A chain of guards on one integer: an arm for each block but the last, which is the
    default's."""
    wire = e.pick(is_integer, n.next())
    if wire is None:
        wire = e.constant(n.below(4), (I32, I64, U8)[n.below(3)])
    count = max(1, len(blocks) - 1)
    if not e.afford(2 * count):
        return
    ty = e.scalar_ty(wire)
    first = n.below(3)
    conditions = [e.binary(BinaryCode.EQ, wire, e.number(first + at, ty)) for at in range(count)]
    shared = _maybe_trapping(e, n)
    before = e.b.region
    drafts: list[GuardDraft] = []
    for at, cond in enumerate(conditions):
        drafts.append(e.b.begin_guard(cond, e.key(), rest=at < count - 1))
        e.b.enter(drafts[-1].arm_false)
    e.b.enter(before)
    values: list[ObjectId] = []
    result: Type | None = None
    regions = [*(draft.arm_true for draft in drafts), drafts[-1].arm_false]
    for at, region in enumerate(regions):
        with e.region(region, arm=True):
            e.run(block_at(blocks, at))
            if shared is not None and at < 2:
                e.know(e.binary(BinaryCode.ADD, shared, e.number(at, e.scalar_ty(shared))))
            if result is None:
                value = e.pick(is_modest, n.next())
                values.append(value if value is not None else e.number(at))
                result = e.b.ty(values[-1])
            else:
                values.append(e.demand(result, n.next()))
    following = values[-1]
    for draft, value in zip(reversed(drafts), reversed(values[:-1]), strict=True):
        following = e.b.phi(draft, value, following)
    e.know(following)
    e.note("integer match of one number" if count == 1 else "integer match")
    if shared is not None:
        e.note("trap used by two arms of a match")


def _maybe_trapping(e: Emitter, n: Numbers) -> ObjectId | None:
    """For some numbers, a trapping operation on numbers."""
    if not n.chance(4):
        return None
    return trapping_number(e, n)


# Traps and arms -------------------------------------------------------------------------------


def trapping_number(e: Emitter, n: Numbers) -> ObjectId | None:
    """A division that may trap, or an index that may."""
    if e.trap_free or not e.afford(2):
        return None
    ty = (I32, I64, U8)[n.below(3)]
    if n.below(3) < 2:
        code = (BinaryCode.DIV, BinaryCode.MOD)[n.below(2)]
        divisor = e.demand(ty, n.next())
        return e.binary(code, e.number(100, ty), divisor)
    array = e.pick(lambda found: isinstance(found, Array) and found.element == ty, n.next())
    if array is None:
        array = e.make(Array(ty, 3), n.next())
    return e.b.index(array, e.demand(I32, n.next()), e.key())


def trapping(e: Emitter, kind: str, divisor: ObjectId, n: Numbers) -> ObjectId | None:
    """An operation of a kind of `TRAPPING` that traps when `divisor` is 0, or for an index
    -1; divisions are of its type, everything else gives i32 numbers or arrays of them."""
    ty = e.scalar_ty(divisor)
    if not e.afford(8):
        return None
    match kind:
        case "Div" | "Mod":
            code = BinaryCode.DIV if kind == "Div" else BinaryCode.MOD
            return e.binary(code, e.number(60, ty), divisor)
        case "Index" | "Update":
            array = e.b.iota(e.number(200), e.key())
            at = e.binary(BinaryCode.SUB, divisor, e.number(1, ty))
            if kind == "Index":
                return e.b.index(array, at, e.key())
            return e.b.update(array, at, e.number(7), e.key())
        case "Map":
            return _trapping_map(e, divisor)
        case _:
            return _trapping_call(e, n)


def _trapping_map(e: Emitter, divisor: ObjectId) -> ObjectId:
    """A `map` that divides each element by a captured number."""
    ty = e.scalar_ty(divisor)
    array = e.b.fill(e.number(9, ty), e.number(2), e.key())

    def make(body: Emitter) -> None:
        (captured, _), (element, _) = body.values[-2:]
        body.b.binary(BinaryCode.MOD, body.number(3, ty), captured, body.key())
        body.know(body.binary(BinaryCode.DIV, element, captured))
        body.give()

    body = e.body(FunctionKind.MAP_BODY, [ty], [ty], ty, 10, make)
    return e.b.map(body, [divisor], array, e.key())


def _trapping_call(e: Emitter, n: Numbers) -> ObjectId | None:
    """A call of a helper, if there is one."""
    choices = [c for c in e.program.callees if not c.prints]
    if not choices:
        return None
    callee = choices[n.below(len(choices))]
    if not e.afford(callee.cost):
        return None
    return call_with(e, callee, [e.demand(ty, n.next()) for ty in callee.parameters])


def trap_in_arm(e: Emitter, n: Numbers, blocks: tuple[Block, ...]) -> None:
    """An operation that may trap in an arm: of either side, written before the guard or in the
    arm, under a condition that protects it or one that has nothing to do with it."""
    if e.trap_free or not e.afford(4):
        return
    kinds = (*TRAPPING, *_RARER)
    kind = kinds[n.below(len(kinds))]
    side, early, protects = bool(n.below(2)), bool(n.below(2)), bool(n.below(2))
    divisor = e.pick(is_integer, n.next())
    if divisor is None:
        divisor = e.number(n.below(3))
    reserved = e.reserve_keys()
    if protects:
        code = BinaryCode.NEQ if side else BinaryCode.EQ
        cond = e.binary(code, divisor, e.number(0, e.scalar_ty(divisor)))
    else:
        cond = e.condition(n)
    draft = e.b.begin_guard(cond, e.key())
    taken, other = (draft.arm_true, draft.arm_false)
    if not side:
        taken, other = other, taken
    with e.region(taken, arm=True):
        if early:
            with e.written_before(reserved):
                value = trapping(e, kind, divisor, n)
        else:
            value = trapping(e, kind, divisor, n)
        if value is None:
            value = e.number(1)
        else:
            place = "before the guard" if early else "in the arm"
            e.note(f"{kind} of the {'true' if side else 'false'} arm, written {place}")
        _readers(e, value, n)
    with e.region(other, arm=True):
        e.run(block_at(blocks, 0))
        default = e.demand(e.b.ty(value), n.next())
    pair = (value, default) if side else (default, value)
    e.know(e.b.phi(draft, *pair))


def _readers(e: Emitter, value: ObjectId, n: Numbers) -> None:
    """Further readers of the value of an arm, none of which is used."""
    ty = e.b.ty(value)
    way = n.below(8)
    match way:
        case 1 if isinstance(ty, Scalar) and ty.is_numeric:
            e.binary(BinaryCode.ADD, value, e.number(3, ty))
            e.note("arm value with a dead reader")
        case 2 if isinstance(ty, Scalar) and ty.is_numeric:
            e.binary(BinaryCode.MUL, value, e.number(0, ty))
            e.note("arm value times 0")
        case 3 if isinstance(ty, Scalar) and ty.is_numeric:
            e.binary(BinaryCode.ADD, value, e.number(0, ty))
            e.note("arm value plus 0")
        case 4 if isinstance(ty, Scalar) and ty.is_numeric:
            test = e.binary(BinaryCode.EQ, value, e.number(1, ty))
            again = e.b.unary(UnaryCode.NOT, test, e.key())
            e.b.unary(UnaryCode.NOT, again, e.key())
            e.note("arm value negated twice")
        case 5:
            _identity_map(e, value, ty)
        case 6 | 7:
            _ignored_argument(e, value, n)
        case _:
            pass


def _identity_map(e: Emitter, value: ObjectId, ty: Type) -> None:
    if not isinstance(ty, Array):
        value = e.b.pack_array([value], e.key())
        ty = Array(ty, 1)

    def make(body: Emitter) -> None:
        body.b.output(body.b.input, body.key())

    body = e.body(FunctionKind.MAP_BODY, [], [ty.element], ty.element, 2, make)
    e.b.map(body, [], value, e.key())
    e.note("arm value read by an identity map")


def _ignored_argument(e: Emitter, value: ObjectId, n: Numbers) -> None:
    """A call with the value, brought to the type of a parameter if need be."""
    ty = e.b.ty(value)
    for callee in e.program.callees:
        slots = [slot for slot, taken in enumerate(callee.parameters) if _leads(ty, taken)]
        if slots and not callee.prints and e.afford(callee.cost):
            arguments = [e.demand(other, n.next()) for other in callee.parameters]
            slot = slots[n.below(len(slots))]
            arguments[slot] = _converted(e, value, callee.parameters[slot])
            call_with(e, callee, arguments)
            e.note("arm value as an argument")
            return


def _leads(source: Type, target: Type) -> bool:
    return source == target or (is_numeric(source) and is_numeric(target))


def _converted(e: Emitter, value: ObjectId, target: Type) -> ObjectId:
    source = e.b.ty(value)
    if source == target:
        return value
    if (source, target) in WIDENINGS:
        return e.b.widen(value, target, e.key())
    return e.b.convert(value, target, e.key())


def shared_trap(e: Emitter, n: Numbers, blocks: tuple[Block, ...]) -> None:
    """Two guards over the same expression that may trap: each with its own in an arm, under
    different conditions, or both using one that stands before them."""
    if e.trap_free or not e.afford(8):
        return
    ty = (I32, I64, U8)[n.below(3)]
    divisor = e.demand(ty, n.next())
    before = n.chance(3)

    def expression() -> ObjectId:
        return e.binary(BinaryCode.DIV, e.number(100, ty), divisor)

    outer = expression() if before else None
    for side in (True, False):
        draft = e.b.begin_guard(e.condition(n), e.key())
        values: list[ObjectId] = []
        for arm in (True, False):
            region = draft.arm_true if arm else draft.arm_false
            with e.region(region, arm=True):
                if outer is not None:
                    values.append(e.binary(BinaryCode.ADD, outer, e.number(int(arm), ty)))
                elif arm is side:
                    values.append(expression())
                else:
                    values.append(e.number(0, ty))
        e.know(e.b.phi(draft, values[0], values[1]))
    e.note("trap used by both arms" if before else "same trap under two conditions")


def callee_in_arm(e: Emitter, n: Numbers, blocks: tuple[Block, ...]) -> None:
    """A call in an arm. Helpers often trap in work that they do not use."""
    choices = [c for c in e.program.callees if not c.prints]
    if not choices or e.total:
        return
    callee = choices[n.below(len(choices))]
    if not e.afford(callee.cost + 4):
        return
    arguments = [e.demand(ty, n.next()) for ty in callee.parameters]
    draft = e.b.begin_guard(e.condition(n), e.key())
    side = bool(n.below(2))

    def arm(region_is_true: bool) -> Callable[[], ObjectId]:
        def value() -> ObjectId:
            if region_is_true is side:
                made = call_with(e, callee, arguments)
                assert made is not None
                return made
            assert callee.result is not None
            return e.demand(callee.result, n.next())

        return value

    with e.region(draft.arm_true, arm=True):
        when_true = arm(True)()
    with e.region(draft.arm_false, arm=True):
        when_false = arm(False)()
    e.know(e.b.phi(draft, when_true, when_false))
    e.note("call in an arm")


def nested_choice(e: Emitter, n: Numbers, blocks: tuple[Block, ...]) -> None:
    """A guard in an arm of a guard, with a trap in the innermost arm."""
    if not e.afford(4):
        return
    outer = e.b.begin_guard(e.condition(n), e.key())
    with e.region(outer.arm_true, arm=True):
        inner = e.b.begin_guard(e.condition(n), e.key())
        with e.region(inner.arm_true, arm=True):
            e.run(block_at(blocks, 0))
            value = trapping_number(e, n)
            if value is None:
                value = e.number(1)
        ty = e.b.ty(value)
        with e.region(inner.arm_false, arm=True):
            e.run(block_at(blocks, 1))
            other = e.demand(ty, n.next())
        first = e.b.phi(inner, value, other)
    with e.region(outer.arm_false, arm=True):
        second = e.demand(ty, n.next())
    e.know(e.b.phi(outer, first, second))
    e.note("guard in a guard")
