"""Random programs full of the patterns of naturality, hoisting and lifting: same outcomes.

The common generator rarely makes a map that takes a component apart, or an access to a range
behind a test; here nearly every program has some.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable

import pytest

from mapal.ir.graph import FunctionKind, Graph
from mapal.ir.ops import BinaryCode, FunctionId, ObjectId
from mapal.ir.types import I32, Array, Tuple
from mapal.rewrite import apply_pass
from mapal.rewrite.pipeline import NATURALITY, PASSES, STREAMS
from tests.rewrite.build import ADD, DIV, GT, LT, MUL, SUB, Lines, Program
from tests.rewrite.outcomes import kept

FIVE = Array(I32, 5)
PAIR = Tuple((I32, I32))
ARGUMENTS: list[tuple[object, ...]] = [
    ([3, 1, 4, 1, 5], 2),
    ([0, 0, 7, -1, 2], 0),
    ([1, 2, 3, 4, 5], 6),
    ([9, 8, 0, 6, 5], -1),
]


def pair_fold(code: BinaryCode) -> Callable[[Lines], ObjectId]:
    def build(f: Lines) -> ObjectId:
        pair = f.arg(1)
        return f.op(ADD, f.arg(0), f.op(code, f.proj(pair, 0), f.proj(pair, 1)))

    return build


def reader(code: BinaryCode | None) -> Callable[[Lines], ObjectId]:
    """Reads the captured array at the number; with a code, computes with the number too."""

    def build(f: Lines) -> ObjectId:
        element = f.index(f.arg(0), f.arg(1))
        return element if code is None else f.op(code, element, f.arg(1))

    return build


def at_a_place(is_kept: bool) -> Callable[[Lines], ObjectId]:
    """Reads the captured array at the captured place, which an access before may have proved
    to be in range; with the element or without it."""

    def build(f: Lines) -> ObjectId:
        found = f.index(f.arg(0), f.arg(1))
        return f.op(MUL, found, f.arg(2)) if is_kept else f.op(ADD, found, f.c(1))

    return build


class Writer:
    """Writes one program from a source of choices."""

    def __init__(self, seed: int) -> None:
        self.draw = random.Random(seed)
        self.program = Program()
        kind = FunctionKind.MAP_BODY
        takes: list[FunctionId] = []
        for slot in (0, 1):
            for is_partial in (False, True):

                def take(f: Lines, slot: int = slot, is_partial: bool = is_partial) -> ObjectId:
                    if is_partial:
                        f.op(DIV, f.c(6), f.proj(f.f.input, 1 - slot))
                    return f.proj(f.f.input, slot)

                takes.append(self.program.helper(take, (PAIR,), kind=kind, name="take"))
        self.takes = takes
        fold = FunctionKind.FOLD_BODY
        self.pairs = [
            self.program.helper(
                lambda f: f.op(ADD, f.proj(f.f.input, 0), f.proj(f.f.input, 1)),
                (PAIR,),
                kind=kind,
                name="sum",
            ),
            self.program.helper(
                lambda f: f.op(DIV, f.proj(f.f.input, 0), f.proj(f.f.input, 1)),
                (PAIR,),
                kind=kind,
                name="quotient",
            ),
        ]
        self.captured = [
            self.program.helper(
                lambda f: f.op(MUL, f.arg(0), f.arg(1)), (I32, I32), kind=kind, name="product"
            ),
            self.program.helper(
                lambda f: f.op(DIV, f.arg(1), f.arg(0)), (I32, I32), kind=kind, name="shares"
            ),
            self.program.helper(
                lambda f: f.op(DIV, f.c(60), f.arg(0)), (I32, I32), kind=kind, name="steady"
            ),
        ]
        self.steady = [
            self.program.helper(at_a_place(is_kept), (FIVE, I32, I32), kind=kind, name="at")
            for is_kept in (True, False)
        ]
        self.folds = [
            self.program.helper(
                lambda f: f.op(SUB, f.op(MUL, f.arg(0), f.c(3)), f.arg(1)),
                (I32, I32),
                kind=fold,
                name="total",
            ),
            self.program.helper(
                lambda f: f.op(DIV, f.arg(0), f.arg(1)), (I32, I32), kind=fold, name="partial"
            ),
        ]
        self.pair_folds = [
            self.program.helper(pair_fold(code), (I32, PAIR), kind=fold, name="pairs")
            for code in (MUL, DIV)
        ]
        self.readers = [
            self.program.helper(reader(code), (FIVE, I32), kind=kind, name="read")
            for code in (ADD, DIV, None)
        ]
        self.maps = [
            self.program.helper(lambda f: f.op(ADD, f.f.input, f.c(1)), kind=kind, name="add"),
            self.program.helper(lambda f: f.op(DIV, f.c(12), f.f.input), kind=kind, name="div"),
            self.program.helper(lambda f: f.f.input, kind=kind, name="same"),
        ]

    def graph(self) -> Graph:
        return self.program.main(self.main, (FIVE, I32))

    def main(self, f: Lines) -> ObjectId:
        self.arrays = [f.arg(0), f.iota(5), f.f.fill(f.arg(1), f.c(5), f.key())]
        numbers = self.scalars = [f.arg(1), f.c(3)]
        for _ in range(self.draw.randint(2, 7)):
            self.array(f)
            if self.draw.random() < 0.7:
                numbers.append(self.number(f, numbers))
        result = numbers[-1]
        for _ in range(2):
            result = f.op(ADD, result, f.index(self.draw.choice(self.arrays), f.c(3)))
        return result

    def array(self, f: Lines) -> None:
        draw = self.draw
        one, other = draw.choice(self.arrays), draw.choice(self.arrays)
        match draw.randrange(8):
            case 7:
                place = draw.choice(self.scalars)
                made = f.map(draw.choice(self.steady), one, other, place)
            case 3:
                made = f.map(draw.choice(self.pairs), f.f.zip(one, other, f.key()))
            case 4:
                made = f.map(draw.choice(self.captured), one, draw.choice(self.scalars))
            case 5:
                made = f.map(draw.choice(self.readers), f.iota(5), one)
            case 6:
                made = f.map(draw.choice(self.pairs), f.f.enumerate(one, f.key()))
            case 0:
                made = f.map(draw.choice(self.takes), f.f.zip(one, other, f.key()))
            case 1:
                made = f.map(draw.choice(self.takes), f.f.enumerate(one, f.key()))
            case _:
                made = f.map(draw.choice(self.maps), one)
        self.arrays.append(made)

    def number(self, f: Lines, numbers: list[ObjectId]) -> ObjectId:
        draw = self.draw
        x, array = draw.choice(numbers), draw.choice(self.arrays)
        match draw.randrange(8):
            case 3:
                return f.fold(draw.choice(self.folds), x, array)
            case 4:
                pairs = f.f.zip(array, draw.choice(self.arrays), f.key())
                return f.fold(draw.choice(self.pair_folds), x, pairs)
            case 5:
                return f.fold(draw.choice(self.pair_folds), x, f.f.enumerate(array, f.key()))
            case 6:
                return f.index(f.map(draw.choice(self.maps), array), f.c(draw.randrange(5)))
            case 0:
                return f.index(array, x)
            case 1:
                return f.phi(
                    f.op(GT, x, f.c(-1)),
                    lambda: f.phi(f.op(LT, x, f.c(5)), lambda: f.index(array, x), lambda: f.c(0)),
                    lambda: f.c(1),
                )
            case 2:
                return self.loop(f, x, array)
            case _:
                return f.op(draw.choice([ADD, SUB, MUL, DIV]), x, draw.choice(numbers))

    def loop(self, f: Lines, x: ObjectId, array: ObjectId) -> ObjectId:
        """A counting loop over an array, with work that no pass changes."""
        bound, code = self.draw.choice([3, 5, 6]), self.draw.choice([MUL, DIV])

        def following(state: ObjectId) -> ObjectId:
            i, s = f.proj(state, 0), f.proj(state, 1)
            steady = f.op(code, f.op(MUL, x, x), x)
            added = f.op(ADD, f.index(array, i), steady)
            return f.pack(f.op(ADD, i, f.c(1)), f.op(ADD, s, added))

        return f.loop(
            f.pack(f.c(0), x),
            lambda state: f.op(LT, f.proj(state, 0), f.c(bound)),
            following,
            lambda state: f.proj(state, 1),
        )


@pytest.mark.parametrize("seed", range(45))
def test_random_programs_keep_their_outcomes(seed: int) -> None:
    kept(Writer(seed).graph(), *ARGUMENTS)


def test_the_programs_reach_every_pass_they_are_for() -> None:
    fired: Counter[str] = Counter()
    for seed in range(60):
        graph = Writer(seed).graph()
        for step in PASSES:
            fired[step.name] += apply_pass(graph, step).plan.count
    for name in (NATURALITY.name, STREAMS.name, "loop_lifting", "hoisting", "map_fusion"):
        assert fired[name] >= 15, fired
