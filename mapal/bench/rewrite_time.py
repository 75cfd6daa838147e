"""Processor time of rewriting synthetic graphs of 1,000, 10,000 and 100,000 operations.

Run as `python -m mapal.bench.rewrite_time [LARGEST]`: a Markdown table on standard output. A
chain is additions one after the other; a grid is rows of sums and products of neighbours, with
constants among them. Both hold work that folds, merges and dies. Growth is how much longer ten
times as many operations take: 10 is proportion, and some more is what the caches of the
processor charge.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from mapal.ir.builder import GraphBuilder
from mapal.ir.function_builder import FunctionBuilder
from mapal.ir.graph import FunctionKind, Graph, Key
from mapal.ir.ops import BinaryCode, ObjectId
from mapal.ir.types import I32
from mapal.rewrite import rewrite

SIZES = (1_000, 10_000, 100_000)
LARGEST_GROWTH = 13.0
LARGEST_SECONDS = 30.0
"""Of processor time for the largest size."""

_ROUNDS_OF_SMALL = 5
"""Sizes below this many operations are measured several times, and the least counts."""
_SMALL = 50_000


@dataclass(slots=True)
class _Lines:
    """Operations with keys in the order of their lines."""

    f: FunctionBuilder
    line: int = 1

    def key(self) -> Key:
        self.line += 1
        return ((self.line, self.line),)

    def constant(self, value: int) -> ObjectId:
        return self.f.constant(value, I32, self.key())

    def apply(self, code: BinaryCode, left: ObjectId, right: ObjectId) -> ObjectId:
        return self.f.binary(code, left, right, self.key())


def chain(count: int) -> Graph:
    """`count` additions one after the other, every tenth of a zero."""

    def body(lines: _Lines) -> ObjectId:
        x, zero = lines.f.input, lines.constant(0)
        for place in range(count):
            x = lines.apply(BinaryCode.ADD, x, lines.f.input if place % 10 else zero)
        return x

    return _program(body)


def grid(count: int) -> Graph:
    """A square of about `count` operations, each on two neighbours of the row before."""
    width = int(count**0.5)

    def body(lines: _Lines) -> ObjectId:
        row = [lines.constant(place) if place % 3 == 0 else lines.f.input for place in range(width)]
        for number in range(width):
            row = [
                lines.apply(
                    BinaryCode.MUL if (number + place) % 2 else BinaryCode.ADD,
                    x,
                    row[(place + 1) % width],
                )
                for place, x in enumerate(row)
            ]
        total = row[0]
        for x in row[1:]:
            total = lines.apply(BinaryCode.ADD, total, x)
        return total

    return _program(body)


def _program(body: Callable[[_Lines], ObjectId]) -> Graph:
    builder = GraphBuilder()
    main = builder.declare(FunctionKind.NAMED, "main", I32, I32, ((0, 0),), ("x",))
    f = builder.build(main)
    lines = _Lines(f)
    f.output(body(lines), lines.key())
    f.finish()
    return builder.seal(main)


SHAPES = {"chain": chain, "grid": grid}


@dataclass(frozen=True, slots=True)
class RewriteTime:
    """Seconds of processor time for each of some sizes."""

    shape: str
    sizes: tuple[int, ...]
    seconds: tuple[float, ...]

    @property
    def growth(self) -> tuple[float, ...]:
        """By how much each size takes longer than the one before."""
        return tuple(b / a for a, b in zip(self.seconds, self.seconds[1:], strict=False))

    @property
    def problems(self) -> list[str]:
        """What is beyond the targets."""
        found = [
            f"{self.shape}: growth {growth:.1f} from {a:,} to {b:,} operations"
            for a, b, growth in zip(self.sizes, self.sizes[1:], self.growth, strict=False)
            if growth > LARGEST_GROWTH
        ]
        if self.seconds[-1] > LARGEST_SECONDS:
            found.append(f"{self.shape}: {self.seconds[-1]:.1f} s for {self.sizes[-1]:,}")
        return found


def time_shape(shape: str, sizes: Sequence[int]) -> RewriteTime:
    """Rewrites a graph of each size."""
    return RewriteTime(shape, tuple(sizes), tuple(_seconds(SHAPES[shape], size) for size in sizes))


def _seconds(make: Callable[[int], Graph], size: int) -> float:
    least = float("inf")
    for _ in range(_ROUNDS_OF_SMALL if size < _SMALL else 1):
        graph = make(size)  # anew each time: a graph remembers what was asked about it
        began = time.process_time()
        rewrite(graph)
        least = min(least, time.process_time() - began)
    return least


def markdown(times: Sequence[RewriteTime]) -> str:
    """The table: seconds per size, and growth per tenfold."""
    head = ["shape"]
    for size in times[0].sizes:
        head += [f"{size:,}", "growth"] if len(head) > 1 else [f"{size:,}"]
    lines = ["| " + " | ".join(head) + " |", "| --- |" + " ---: |" * (len(head) - 1)]
    for each in times:
        cells = [each.shape, f"{each.seconds[0]:.3f} s"]
        for seconds, growth in zip(each.seconds[1:], each.growth, strict=True):
            cells += [f"{seconds:.3f} s", f"{growth:.1f}"]
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def main(arguments: Sequence[str]) -> int:
    """1 if a figure is beyond its target."""
    largest = int(arguments[0]) if arguments else SIZES[-1]
    sizes = [size for size in SIZES if size <= largest]
    times = [time_shape(shape, sizes) for shape in SHAPES]
    sys.stdout.write(markdown(times))
    problems = [problem for each in times for problem in each.problems]
    for problem in problems:
        sys.stderr.write(f"rewrite_times: {problem}\n")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
