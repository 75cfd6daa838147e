"""Shapes in which traps, loops and effects meet."""

from __future__ import annotations

from mapal.ir.ops import BinaryCode, ObjectId
from mapal.ir.types import I32, I64, Scalar, is_integer
from mapal.sweep.emission.emitter import Emitter, Numbers
from mapal.sweep.emission.guards import block_at
from mapal.sweep.script import Block


def _counting(
    e: Emitter, passes: int, place: str, make: str, other: ObjectId, ty: Scalar
) -> ObjectId:
    """A loop that counts to `passes` and divides at one place: `make` names the divisor, the
    counter less a number or a value from outside."""
    init = e.number(0, ty)
    draft = e.b.begin_loop(init, e.key())
    at = draft.merge

    def divide() -> ObjectId:
        divisor = other
        if make == "counter":
            divisor = e.binary(BinaryCode.SUB, at, other)
        return e.binary(BinaryCode.DIV, e.number(60, ty), divisor)

    with e.region(draft.body):
        used: ObjectId | None = None
        if place == "body":
            used = divide()
        cond = e.binary(BinaryCode.LT, at, e.number(passes, ty))
        with e.region(draft.jump):
            following = e.binary(BinaryCode.ADD, at, e.number(1, ty))
            if place == "jump":
                divide()
        e.b.loop_back(draft, following, cond)
        with e.region(draft.exit):
            payload = at
            if place == "exit":
                payload = divide()
            elif used is not None:
                payload = e.binary(BinaryCode.ADD, at, used)
    result = e.b.loop_exit(draft, payload, cond)
    e.b.end_loop(draft)
    return e.know(result)


def exit_trap(e: Emitter, n: Numbers, blocks: tuple[Block, ...]) -> None:
    """An exit value computed on the way out, by a division that earlier passes could not do."""
    passes = 1 + n.below(5)
    if e.trap_free or e.total or not e.afford(6 * passes + 6):
        return
    ty = (I32, I64)[n.below(2)]
    _counting(e, passes, "exit", "counter", e.number(n.below(passes + 1), ty), ty)
    e.note("exit value that some passes could not compute")


def invariant_trap(e: Emitter, n: Numbers, blocks: tuple[Block, ...]) -> None:
    """A division by a value from outside the loop, in its body, jump arm or exit arm."""
    passes = n.below(4)
    if e.trap_free or e.total or not e.afford(6 * passes + 6):
        return
    place = ("body", "jump", "exit")[n.below(3)]
    divisor = e.pick(is_integer, n.next())
    if divisor is None:
        divisor = e.number(n.below(3))
    _counting(e, passes, place, "invariant", divisor, e.scalar_ty(divisor))
    e.note(f"invariant division in the {place} of a loop")


def dead_work(e: Emitter, n: Numbers, blocks: tuple[Block, ...]) -> None:
    """A loop with work that nobody uses before its guard and in its jump arm, which may trap on
    some pass, the last one included."""
    passes = 1 + n.below(4)
    if e.total or not e.afford(12 * passes + 8):
        return
    init = e.number(0)
    array = e.b.iota(e.number(passes + n.below(3) if not e.trap_free else passes + 3), e.key())
    draft = e.b.begin_loop(init, e.key())
    with e.region(draft.body, times=passes + 1, arm=True):
        e.b.index(array, draft.merge, e.key())
        e.run(block_at(blocks, 0))
        cond = e.binary(BinaryCode.LT, draft.merge, e.number(passes))
        with e.region(draft.jump):
            if not e.trap_free:
                limit = e.binary(BinaryCode.SUB, e.number(n.below(6)), draft.merge)
                e.binary(BinaryCode.MOD, e.number(9), limit)
            following = e.binary(BinaryCode.ADD, draft.merge, e.number(1))
        e.b.loop_back(draft, following, cond)
    result = e.b.loop_exit(draft, draft.merge, cond)
    e.b.end_loop(draft)
    e.know(result)
    e.note("dead work in a loop")


def sequential_loops(e: Emitter, n: Numbers, blocks: tuple[Block, ...]) -> None:
    """Two loops in sequence; the second reads the value of the first in its body."""
    if e.total or not e.afford(60):
        return
    ty = (I32, I64)[n.below(2)]
    first = _counting(e, 1 + n.below(4), "none", "", e.number(1, ty), ty)
    init = e.b.pack([e.number(0, ty), e.demand(ty, n.next())], e.key())
    draft = e.b.begin_loop(init, e.key())
    with e.region(draft.body):
        at = e.b.proj(draft.merge, 0, e.key())
        total = e.b.proj(draft.merge, 1, e.key())
        grown = e.binary(BinaryCode.ADD, total, first)
        cond = e.binary(BinaryCode.LT, at, first)
        with e.region(draft.jump):
            step = e.binary(BinaryCode.ADD, at, e.number(1, ty))
            state = e.b.pack([step, grown], e.key())
        e.b.loop_back(draft, state, cond)
    e.know(e.b.loop_exit(draft, grown, cond))
    e.b.end_loop(draft)
    e.note("loop that reads the value of a loop before it")


def trap_print_loop(e: Emitter, n: Numbers, blocks: tuple[Block, ...]) -> None:
    """A division that may trap on one side of a print, or on both, with a loop between."""
    if e.trap_free or not e.may_print or e.token is None or not e.afford(60):
        return
    order = n.below(3)
    divisor = e.pick(is_integer, n.next())
    if divisor is None:
        divisor = e.number(n.below(2))
    ty = e.scalar_ty(divisor)

    def divide() -> None:
        e.know(e.binary(BinaryCode.DIV, e.number(50, ty), divisor))

    if order != 0:
        divide()
    value = _counting(e, 1 + n.below(4), "none", "", e.number(1), I32)
    e.token = e.b.print(e.token, value if n.below(2) else e.number(5), True, e.key())
    if order != 1:
        divide()
    e.note(("trap after", "trap before", "traps on both sides of")[order] + " a loop and a print")


def loop_joins_trap(e: Emitter, n: Numbers, blocks: tuple[Block, ...]) -> None:
    """A call whose argument joins the value of a loop with a value that may trap."""
    choices = [c for c in e.program.callees if not c.prints and len(c.parameters) > 1]
    if e.trap_free or not choices or not e.afford(60):
        return
    callee = choices[n.below(len(choices))]
    if not e.afford(callee.cost):
        return
    slow = _counting(e, 2 + n.below(4), "none", "", e.number(1), I32)
    divisor = e.demand(I32, n.next())
    quick = e.binary(BinaryCode.DIV, e.number(40), divisor)
    joined = e.binary(BinaryCode.ADD, slow, quick)
    e.know(joined)
    arguments = [e.demand(ty, 0 if ty == I32 else n.next()) for ty in callee.parameters]
    argument = e.b.pack(arguments, e.key())
    e.know(e.b.call(callee.function, argument, e.key()))
    e.note("call that joins a loop and a trap")


def arm_value_in_loop(e: Emitter, n: Numbers, blocks: tuple[Block, ...]) -> None:
    """The value of a guard, one arm of which divides, used in every pass of a loop over an
    array; or the guard itself in the loop."""
    if e.total or not e.afford(90):
        return
    divisor = e.demand(I32, n.next())
    inside = bool(n.below(2))
    array = e.b.iota(e.number(4), e.key())

    def choose() -> ObjectId:
        cond = e.binary(BinaryCode.NEQ, divisor, e.number(0))
        draft = e.b.begin_guard(cond, e.key())
        with e.region(draft.arm_true, arm=True):
            if e.program.trap_free:
                value = e.binary(BinaryCode.SUB, e.number(60), divisor)
            else:
                value = e.binary(BinaryCode.DIV, e.number(60), divisor)
        with e.region(draft.arm_false, arm=True):
            other = e.number(-1)
        return e.b.phi(draft, value, other)

    chosen = None if inside else choose()
    init = e.b.pack([e.number(0), e.number(0)], e.key())
    draft = e.b.begin_loop(init, e.key())
    with e.region(draft.body):
        at = e.b.proj(draft.merge, 0, e.key())
        total = e.b.proj(draft.merge, 1, e.key())
        cond = e.binary(BinaryCode.LT, at, e.number(4))
        with e.region(draft.jump):
            factor = choose() if chosen is None else chosen
            element = e.b.index(array, at, e.key())
            grown = e.binary(BinaryCode.ADD, total, e.binary(BinaryCode.MUL, element, factor))
            state = e.b.pack([e.binary(BinaryCode.ADD, at, e.number(1)), grown], e.key())
        e.b.loop_back(draft, state, cond)
    e.know(e.b.loop_exit(draft, total, cond))
    e.b.end_loop(draft)
    e.note("guard in a liftable loop" if inside else "arm value in a liftable loop")
