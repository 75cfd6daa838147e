"""Loops: the general bounded one, and loops that a lifting pass would take or must refuse."""

from __future__ import annotations

from dataclasses import dataclass

from mapal.ir.drafts import LoopDraft
from mapal.ir.ops import BinaryCode, ObjectId
from mapal.ir.types import F64, I32, I64, U8, Array, Scalar, Tuple, Type, is_numeric
from mapal.sweep.emission.emitter import EARLY_KEYS, Emitter, Numbers
from mapal.sweep.emission.guards import block_at
from mapal.sweep.emission.products import is_modest
from mapal.sweep.script import Block

MOST_PASSES = 64

LOOP_PRINTS = 2
"""Which number of a loop decides whether it prints: 1 if it does."""


@dataclass(frozen=True, slots=True)
class Counter:
    """How a loop counts: from `first` by `step` while `code(counter, last)` holds."""

    ty: Scalar
    first: int
    last: int
    step: int
    code: BinaryCode


def counter(n: Numbers, most: int) -> Counter:
    """A way to count at most `most` passes (at least one)."""
    ty = (I32, I32, I64, U8, F64, I32)[n.below(6)]
    passes = min(most, (3, 1, 2, 4, 0, 5, 7, 12, 64)[n.below(9)])
    match n.below(6):
        case 1:
            return Counter(ty, passes, 0, -1, BinaryCode.GT)
        case 2:
            return Counter(ty, 1, passes, 1, BinaryCode.LE)
        case 3:
            return Counter(ty, 0, passes, 1, BinaryCode.NEQ)
        case 4:
            return Counter(ty, 0, 2 * passes, 2, BinaryCode.LT)
        case 5 if ty.is_signed:
            return Counter(ty, -passes, 0, 1, BinaryCode.LT)
        case _:
            return Counter(ty, 0, passes, 1, BinaryCode.LT)


def _advanced(e: Emitter, at: ObjectId, count: Counter) -> ObjectId:
    """The counter of the next pass."""
    code = BinaryCode.ADD if count.step > 0 else BinaryCode.SUB
    return e.binary(code, at, e.number(abs(count.step), count.ty))


def loop(e: Emitter, n: Numbers, blocks: tuple[Block, ...]) -> None:
    """A bounded loop with steps in its body, jump arm and exit arm, and steps of the two arms
    that are written before its guard. It carries a counter, further values, and the token if it
    prints; so nested loops carry each other's names."""
    if e.total or not e.afford(4):
        return
    most = max(1, e.repeats(MOST_PASSES if not e.loops else 6, 12))
    count = counter(n, most)
    prints = e.may_print and e.token is not None and n.below(2) == 1
    carried = [e.pick(is_modest, n.next()) for _ in range(n.below(4))]
    names = [obj for obj in carried if obj is not None]
    start = e.number(count.first, count.ty)
    parts = [start, *names] if not prints else [_token(e), start, *names]
    init = parts[0] if len(parts) == 1 else e.b.pack(parts, e.key())
    draft = e.b.begin_loop(init, e.key())
    e.loops += 1
    passes = abs(count.last - count.first) // abs(count.step) + 1
    with e.region(draft.body, times=passes, arm=not prints):
        payload = _inside(e, n, blocks, draft, count, prints, [e.b.ty(obj) for obj in names])
    e.loops -= 1
    _unpack_payload(e, payload, prints)
    e.b.end_loop(draft)
    _note_loop(e, prints, names)


def _token(e: Emitter) -> ObjectId:
    assert e.token is not None
    return e.token


def _note_loop(e: Emitter, prints: bool, names: list[ObjectId]) -> None:
    e.note("loop")
    if prints:
        e.note("loop that prints")
    if len(names) > 1:
        e.note("loop of several names")
    if e.loops:
        e.note(f"loop {min(e.loops, 2) + 1} deep")


def _inside(
    e: Emitter,
    n: Numbers,
    blocks: tuple[Block, ...],
    draft: LoopDraft,
    count: Counter,
    prints: bool,
    types: list[Type],
) -> ObjectId:
    """Body, jump arm and exit arm; the exit object."""
    at, views = _take_apart(e, draft.merge, prints)
    for view in views:
        e.know(view)
    e.know(at)
    e.run(block_at(blocks, 0))
    reserved = e.reserve_keys()
    cond = e.binary(count.code, at, e.number(count.last, count.ty))
    if n.chance(4):
        cond = e.binary(BinaryCode.AND, cond, e.condition(n))
        e.note("loop that data may end early")
    token = e.token
    with e.region(draft.jump):
        with e.written_before(reserved):
            e.run(block_at(blocks, 3))
        e.run(block_at(blocks, 1))
        following = [_advanced(e, at, count), *(e.demand(ty, n.next()) for ty in types)]
        if prints:
            following.insert(0, _token(e))
        state = following[0] if len(following) == 1 else e.b.pack(following, e.key())
    e.b.loop_back(draft, state, cond)
    e.token = token
    with e.region(draft.exit):
        with e.written_before(reserved + EARLY_KEYS):
            e.run(block_at(blocks, 4))
        e.run(block_at(blocks, 2))
        given = [e.pick(is_modest, n.next()) for _ in range(1 + n.below(3))]
        payload = [obj for obj in given if obj is not None]
        if prints:
            payload.insert(0, _token(e))
        value = payload[0] if len(payload) == 1 else e.b.pack(payload, e.key())
    return e.b.loop_exit(draft, value, cond)


def _take_apart(e: Emitter, merge: ObjectId, prints: bool) -> tuple[ObjectId, list[ObjectId]]:
    """Counter and other names of the state of a pass; the token becomes the present one."""
    ty = e.b.ty(merge)
    if not isinstance(ty, Tuple):
        return merge, []
    parts = [e.b.proj(merge, slot, e.key()) for slot in range(len(ty.items))]
    if prints:
        e.token = parts.pop(0)
    return parts[0], parts[1:]


def _unpack_payload(e: Emitter, value: ObjectId, prints: bool) -> None:
    """Makes the value of a loop known, component by component."""
    ty = e.b.ty(value)
    if not prints:
        e.know(value)
        if isinstance(ty, Tuple):
            for slot in range(len(ty.items)):
                e.know(e.b.proj(value, slot, e.key()))
    elif isinstance(ty, Tuple):
        e.token = e.b.proj(value, 0, e.key())
        for slot in range(1, len(ty.items)):
            e.know(e.b.proj(value, slot, e.key()))
    else:
        e.token = value


# Loops over an array --------------------------------------------------------------------------

_FOLD_VARIANTS = (
    "as it should be",
    "from 1 on",
    "by steps of 2",
    "one element too far",
    "at another index",
    "with the index in the sum",
    "whose sum is in the condition",
    "that gives the index too",
    "with <= and a lower bound",
    "that reads in the body",
)


def _numeric_array(e: Emitter, n: Numbers) -> tuple[ObjectId, Array]:
    """An array of numbers, made if there is none."""

    def fits(ty: Type) -> bool:
        return isinstance(ty, Array) and is_numeric(ty.element)

    array = e.pick(fits, n.next())
    if array is None:
        array = e.b.iota(e.number(4), e.key())
    ty = e.b.ty(array)
    assert isinstance(ty, Array)
    return array, ty


def fold_loop(e: Emitter, n: Numbers, blocks: tuple[Block, ...]) -> None:
    """A loop that folds an array with an index, or one step away from that."""
    array, ty = _numeric_array(e, n)
    variant = n.below(len(_FOLD_VARIANTS))
    if e.trap_free and variant in (3, 4):
        variant = 0
    if e.total or not e.afford(8 * ty.length + 8):
        return
    element = ty.element
    assert isinstance(element, Scalar)
    invariant = e.demand(element, n.next())
    codes = (BinaryCode.ADD, BinaryCode.MUL, BinaryCode.MAX, BinaryCode.SUB)
    code = codes[n.below(len(codes))]
    first = 1 if variant == 1 else 0
    init = e.b.pack([e.number(first), e.demand(element, n.next())], e.key())
    draft = e.b.begin_loop(init, e.key())
    with e.region(draft.body):
        at = e.b.proj(draft.merge, 0, e.key())
        total = e.b.proj(draft.merge, 1, e.key())
        read = e.b.index(array, e.number(0), e.key()) if variant == 9 else None
        last = ty.length + (variant == 3) - (variant == 8)
        compare = BinaryCode.LE if variant == 8 else BinaryCode.LT
        cond = e.binary(compare, at, e.number(last))
        if variant == 6:
            small = e.binary(BinaryCode.NEQ, total, e.number(77, element))
            cond = e.binary(BinaryCode.AND, cond, small)
        with e.region(draft.jump):
            place = at
            if variant == 4:
                place = e.binary(BinaryCode.ADD, at, e.number(1))
            value = read if read is not None else e.b.index(array, place, e.key())
            if n.below(2):
                value = e.binary(BinaryCode.MUL, value, invariant)
            if variant == 5 and element == I32:
                value = e.binary(BinaryCode.ADD, value, at)
            following = e.binary(code, total, value)
            step = e.binary(BinaryCode.ADD, at, e.number(2 if variant == 2 else 1))
            state = e.b.pack([step, following], e.key())
        e.b.loop_back(draft, state, cond)
        with e.region(draft.exit):
            payload = total
            if variant == 7:
                payload = e.b.pack([total, at], e.key())
    result = e.b.loop_exit(draft, payload, cond)
    e.b.end_loop(draft)
    e.know(result)
    e.note(f"fold loop {_FOLD_VARIANTS[variant]}")


_MAP_VARIANTS = (
    "as it should be",
    "from 1 on",
    "that updates another element",
    "that reads its own result",
    "that gives the index too",
    "with a guard",
)


def map_loop(e: Emitter, n: Numbers, blocks: tuple[Block, ...]) -> None:
    """A loop that computes an array element by element, or one step away from that."""
    array, ty = _numeric_array(e, n)
    variant = n.below(len(_MAP_VARIANTS))
    if e.total or not e.afford(12 * ty.length + 8):
        return
    element = ty.element
    assert isinstance(element, Scalar)
    invariant = e.demand(element, n.next())
    target = e.b.fill(e.number(0, element), e.number(ty.length), e.key())
    init = e.b.pack([e.number(1 if variant == 1 else 0), target], e.key())
    draft = e.b.begin_loop(init, e.key())
    with e.region(draft.body):
        at = e.b.proj(draft.merge, 0, e.key())
        made = e.b.proj(draft.merge, 1, e.key())
        cond = e.binary(BinaryCode.LT, at, e.number(ty.length))
        with e.region(draft.jump):
            source = made if variant == 3 else array
            value = e.b.index(source, at, e.key())
            value = e.binary(BinaryCode.ADD, value, invariant)
            if variant == 5:
                value = _guarded(e, at, value, element)
            place = at
            if variant == 2:
                last = e.number(ty.length - 1)
                place = e.binary(BinaryCode.SUB, last, at)
            updated = e.b.update(made, place, value, e.key())
            step = e.binary(BinaryCode.ADD, at, e.number(1))
            state = e.b.pack([step, updated], e.key())
        e.b.loop_back(draft, state, cond)
        with e.region(draft.exit):
            payload = made
            if variant == 4:
                payload = e.b.pack([made, at], e.key())
    result = e.b.loop_exit(draft, payload, cond)
    e.b.end_loop(draft)
    e.know(result)
    e.note(f"map loop {_MAP_VARIANTS[variant]}")


def _guarded(e: Emitter, at: ObjectId, value: ObjectId, ty: Scalar) -> ObjectId:
    cond = e.binary(BinaryCode.LT, at, e.number(2))
    draft = e.b.begin_guard(cond, e.key())
    with e.region(draft.arm_true, arm=True):
        other = e.binary(BinaryCode.SUB, value, e.number(3, ty))
    return e.b.phi(draft, other, value)
