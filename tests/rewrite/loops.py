"""Builds the loops of the tests about lifting: one that counts, with what it does as functions."""

from __future__ import annotations

from collections.abc import Callable

from mapal.ir.ops import ObjectId
from mapal.ir.types import I32, Array
from tests.rewrite.build import ADD, GT, LT, MUL, SUB, Lines

MAXIMUM = 2**31 - 1
THREE = Array(I32, 3)

Step = Callable[[Lines, ObjectId, ObjectId], ObjectId]
"""The next value from the counter and the value."""


def counted(
    f: Lines,
    first: ObjectId,
    step: Step,
    *,
    start: int = 0,
    cond: Callable[[Lines, ObjectId], ObjectId] = lambda f, i: f.op(LT, i, f.c(4)),
    move: Callable[[Lines, ObjectId], ObjectId] = lambda f, i: f.op(ADD, i, f.c(1)),
    payload: Callable[[Lines, ObjectId, ObjectId], ObjectId] = lambda f, i, s: s,
    before: Callable[[Lines, ObjectId], object] = lambda f, i: None,
    swapped: bool = False,
) -> ObjectId:
    """A loop that carries a counter and a value, the views read once."""
    c, v = (1, 0) if swapped else (0, 1)
    zero = f.c(start)
    init = f.pack(first, zero) if swapped else f.pack(zero, first)
    loop = f.f.begin_loop(init, f.key())
    with f.f.in_region(loop.body):
        i, s = f.proj(loop.merge, c), f.proj(loop.merge, v)
        before(f, i)
        test = cond(f, i)
    with f.f.in_region(loop.jump):
        new = step(f, i, s)
        moved = move(f, i)
        state = f.pack(new, moved) if swapped else f.pack(moved, new)
    f.f.loop_back(loop, state, test)
    with f.f.in_region(loop.exit):
        result = payload(f, i, s)
    left = f.f.loop_exit(loop, result, test)
    f.f.end_loop(loop)
    return left


def summing(f: Lines, i: ObjectId, s: ObjectId) -> ObjectId:
    return f.op(ADD, s, f.op(MUL, i, f.f.input))


def writing(f: Lines, i: ObjectId, out: ObjectId) -> ObjectId:
    return f.update(out, i, f.op(ADD, i, f.arg(1)))


def cell(f: Lines, t: ObjectId) -> ObjectId:
    return counted(f, f.c(0), lambda f, i, s: f.op(ADD, s, f.op(MUL, i, t)), cond=within(5))


def downwards(f: Lines, step: Step) -> ObjectId:
    """Three passes from 2 on, over an array of three."""
    return counted(
        f,
        f.arg(0),
        step,
        start=2,
        cond=lambda f, i: f.op(GT, i, f.c(-1)),
        move=lambda f, i: f.op(SUB, i, f.c(1)),
    )


def within(bound: int) -> Callable[[Lines, ObjectId], ObjectId]:
    return lambda f, i: f.op(LT, i, f.c(bound))
