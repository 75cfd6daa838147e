"""The innermost part of a matrix product: one tile of the result over some steps.

The accumulators of the tile stay in registers. Each step multiplies one element of each row of
the left matrix with one row of the right one. Steps ascend, so a cell's chain of operations is the
one of the program, whatever the tile.
"""

from __future__ import annotations

from dataclasses import dataclass

from mapal.codegen.llvm.kernels.product_plan import ColumnGroup
from mapal.codegen.llvm.kernels.vectors import (
    Vectors,
    carrying_loop,
    function_attributes,
    vector_type,
)
from mapal.codegen.llvm.module import ModuleBuilder
from mapal.codegen.llvm.writer import FunctionWriter
from mapal.ir.types import Scalar


@dataclass(frozen=True, slots=True, kw_only=True)
class Strides:
    """Distances in elements: of rows and steps of the left matrix, of a group of steps done at
    once of it, of steps of the right matrix, of rows of the result."""

    left_row: int
    left_step: int
    left_group: int
    right_step: int
    result_row: int


@dataclass(frozen=True, slots=True, kw_only=True)
class TileKernel:
    """What one tile function does: `rows` rows of the columns of `group`. `seed` is the literal
    that accumulators start with; with `may_go_on`, a call may ask for what the result has so far
    instead. `right_alignment` in
    bytes holds for each vector of the right matrix; with `is_right_padded`, whole vectors may be
    read there; with `has_even_steps`, their number is a multiple of `steps_at_once`. With
    `fetches_ahead`, each step asks for the line that lies so many bytes behind its own of the right
    matrix as a call says."""

    element: Scalar
    rows: int
    group: ColumnGroup
    strides: Strides
    seed: str
    may_go_on: bool
    is_fused: bool
    right_alignment: int
    is_right_padded: bool
    steps_at_once: int
    has_even_steps: bool
    fetches_ahead: bool


def add_tile_function(module: ModuleBuilder, symbol: str, tile: TileKernel) -> None:
    """Adds `void symbol(ptr left, ptr right, ptr result, i64 steps, i1 goes_on, i64 ahead)` to a
    module."""
    w = FunctionWriter()
    writing = _Tile(module, w, tile)
    writing.write()
    parameters = (
        "ptr noalias readonly %left, ptr noalias readonly %right, ptr noalias %result, "
        "i64 %steps, i1 %goes_on, i64 %ahead"
    )
    module.add_function(
        f"define internal void {symbol}({parameters}) noinline "
        f"{function_attributes(module)} {{\n{w.text()}\n}}"
    )


class _Tile:
    """Writes one tile function."""

    def __init__(self, module: ModuleBuilder, w: FunctionWriter, tile: TileKernel) -> None:
        self.module = module
        self.w = w
        self.tile = tile
        self.v = Vectors(module, w, tile.element)
        self.at_once = tile.steps_at_once
        self.lanes = tile.group.lanes
        self.vector = vector_type(tile.element, self.lanes)
        self.cells = [(row, at) for row in range(tile.rows) for at in range(tile.group.vectors)]

    def write(self) -> None:
        state = ["%left", "%right", *self._first()]
        whole = "%steps" if self.at_once == 1 else self.w.value(f"and i64 %steps, {-self.at_once}")
        state = self._steps(state, whole, self.at_once)
        if not self.tile.has_even_steps:
            rest = self.w.value(f"and i64 %steps, {self.at_once - 1}")
            state = self._steps(state, rest, 1)
        for (row, at), accumulator in zip(self.cells, state[2:], strict=True):
            self.v.store(accumulator, self._result(row, at), self.lanes, live=self._live(at))
        self.w.line("ret void")

    def _steps(self, state: list[str], count: str, unroll: int) -> list[str]:
        """`count` steps, a multiple of `unroll`, which may be none."""
        w = self.w
        skip, run = w.new_label("none"), w.new_label("steps")
        before = w.label
        is_empty = w.value(f"icmp eq i64 {count}, 0")
        w.branch_if(is_empty, skip, run)
        w.start(run)
        types = ["ptr", "ptr", *([self.vector] * len(self.cells))]
        carried = list(zip(types, state, strict=True))
        metadata = self.module.not_unrolled()
        with carrying_loop(w, (0, count, unroll), carried, "step", metadata) as loop:
            left, right, *accumulators = loop.values
            for step in range(unroll):
                accumulators = self._step(left, right, step, accumulators)
            strides = self.tile.strides
            left_stride = strides.left_group if unroll == self.at_once else strides.left_step
            loop.values = [
                self.v.address(left, left_stride),
                self.v.address(right, strides.right_step * unroll),
                *accumulators,
            ]
        after = w.label
        w.branch(skip)
        w.start(skip)
        return [
            w.phi(ty, [(old, before), (new, after)])
            for ty, old, new in zip(types, state, loop.values, strict=True)
        ]

    def _step(self, left: str, right: str, step: int, accumulators: list[str]) -> list[str]:
        strides = self.tile.strides
        if self.tile.fetches_ahead:
            self.v.fetch(self.v.address(right, step * strides.right_step), "%ahead")
        row_of_right = [self._right(right, step, at) for at in range(self.tile.group.vectors)]
        result: list[str] = []
        for row in range(self.tile.rows):
            offset = row * strides.left_row + step * strides.left_step
            scalar = self.v.load_element(self.v.address(left, offset))
            factor = self.v.splat(scalar, self.lanes)
            for at, other in enumerate(row_of_right):
                accumulator = accumulators[row * self.tile.group.vectors + at]
                result.append(
                    self.v.multiply_add(
                        factor, other, accumulator, self.lanes, is_fused=self.tile.is_fused
                    )
                )
        return result

    def _right(self, right: str, step: int, at: int) -> str:
        address = self.v.address(right, step * self.tile.strides.right_step + at * self.lanes)
        live = None if self.tile.is_right_padded else self._live(at)
        return self.v.load(address, self.lanes, live=live, alignment=self.tile.right_alignment)

    def _first(self) -> list[str]:
        """What accumulators start with."""
        seed = self.v.splat(self.tile.seed, self.lanes)
        if not self.tile.may_go_on:
            return [seed] * len(self.cells)
        w = self.w
        resume, begin = w.new_label("resume"), w.new_label("begin")
        before = w.label
        w.branch_if("%goes_on", resume, begin)
        w.start(resume)
        found = [
            self.v.load(self._result(row, at), self.lanes, live=self._live(at))
            for row, at in self.cells
        ]
        after = w.label
        w.branch(begin)
        w.start(begin)
        return [w.phi(self.vector, [(seed, before), (value, after)]) for value in found]

    def _result(self, row: int, at: int) -> str:
        return self.v.address("%result", row * self.tile.strides.result_row + at * self.lanes)

    def _live(self, at: int) -> int | None:
        group = self.tile.group
        return group.live if at == group.vectors - 1 else None
