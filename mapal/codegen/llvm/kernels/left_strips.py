"""Packing the left matrix of a product into strips.

A strip holds the rows of one tile: as many steps of one row beside each other as a tile does at
once, row after row, so that a tile reads it from one end to the other. Where steps are neighbours
in the matrix, vectors of several rows are turned round in registers on the way.
"""

from __future__ import annotations

from collections.abc import Iterator

from mapal.codegen.llvm.emitter import Emitter
from mapal.codegen.llvm.kernels.product_plan import Product
from mapal.codegen.llvm.kernels.transpose_tile import transposed
from mapal.codegen.llvm.kernels.vectors import Vectors, guarded_loop, only_if

_VECTOR_BYTES = 32
"""Of vectors that are turned round: longer ones take more rounds for each element."""


def pack_strips(
    e: Emitter,
    product: Product,
    strips: str,
    tiles: tuple[str, str],
    left: str,
    steps: int | str,
) -> None:
    """Copies the strips of the row tiles from the first up to but not with the second. `left` is
    the element of the first row at the first step."""
    _Strips(e, product, strips, left, steps).write(*tiles)


class _Strips:
    """Writes the loops."""

    def __init__(
        self, e: Emitter, product: Product, strips: str, left: str, steps: int | str
    ) -> None:
        self.e = e
        self.w = e.w
        self.v = Vectors(e.module, e.w, product.element)
        self.product = product
        self.plan = product.plan
        self.at_once = product.plan.steps_at_once
        self.strips = strips
        self.left = left
        self.steps = steps

    def write(self, low: str, high: str) -> None:
        """The whole tiles, then the one that is cut, if it is there."""
        plan, w = self.plan, self.w
        whole, rest = divmod(plan.rows, plan.tile_rows)
        end = high
        if rest:
            fits = w.value(f"icmp ult i64 {high}, {whole}")
            end = w.value(f"select i1 {fits}, i64 {high}, i64 {whole}")
        metadata = self.e.module.not_unrolled()
        with guarded_loop(w, (low, end, 1), "strip", metadata) as tile:
            self._strip(tile, low, plan.tile_rows)
        if rest:
            is_cut = w.value(f"icmp ugt i64 {high}, {whole}")
            with only_if(w, is_cut, "strip.rest"):
                self._strip(str(whole), low, rest)

    def _strip(self, tile: str, low: str, rows: int) -> None:
        plan, w, v = self.plan, self.w, self.v
        number = w.value(f"sub nuw nsw i64 {tile}, {low}")
        strip = v.address(self.strips, v.product(number, plan.strip_elements))
        row = v.product(tile, plan.tile_rows)
        start = v.address(self.left, v.product(row, self.product.left_row))
        done: int | str = 0
        for count in self._chunks(rows):
            end = w.value(f"and i64 {self.steps}, {-count}") if count > 1 else self.steps
            metadata = self.e.module.not_unrolled()
            with guarded_loop(w, (done, end, count), "pack", metadata) as step:
                self._copy(start, strip, step, rows, count)
            done = end

    def _chunks(self, rows: int) -> tuple[int, ...]:
        """How many steps are copied in one pass of each loop, the last of them one at a time."""
        side = 1
        if self.product.left_step == 1:
            side = max(count for _, count in self._squares(rows))
        return side * self.at_once, 1

    def _squares(self, rows: int) -> Iterator[tuple[int, int]]:
        """Neighbouring rows that are turned round together: the first one and how many, a power
        of two. The tile that is cut is packed once, row by row, which takes less code."""
        most = max(1, _VECTOR_BYTES // (self.at_once * self.product.element.bytes))
        if rows < self.plan.tile_rows:
            most = 1
        first = 0
        while first < rows:
            count = min(most, 1 << ((rows - first).bit_length() - 1))
            yield first, count
            first += count

    def _copy(self, start: str, strip: str, step: str, rows: int, steps: int) -> None:
        """Some steps of all rows from one on."""
        v, product, at_once = self.v, self.product, self.at_once
        source = v.address(start, v.product(step, product.left_step))
        if steps == 1:
            # The last step of an odd number begins a group of steps like any other.
            group = v.w.value(f"and i64 {step}, {-at_once}")
            beyond = v.w.value(f"sub nuw nsw i64 {step}, {group}")
            place = v.address(strip, v.sum(v.product(group, self.plan.tile_rows), beyond))
            for row in range(rows):
                self._copy_element(source, row * product.left_row, place, row * at_once)
            return
        place = v.address(strip, v.product(step, self.plan.tile_rows))
        if product.left_step != 1:
            for row in range(rows):
                for number in range(steps):
                    offset = row * product.left_row + number * product.left_step
                    self._copy_element(source, offset, place, row * at_once + number)
            return
        for first, count in self._squares(rows):
            for at in range(0, steps, count * at_once):
                self._turn(source, place, first, count, at)

    def _turn(self, source: str, place: str, first: int, rows: int, step: int) -> None:
        """A square of `rows` rows, `steps_at_once` steps in each of its places."""
        v, at_once, lanes = self.v, self.at_once, rows * self.at_once
        vectors = [
            v.load(v.address(source, row * self.product.left_row + step), lanes)
            for row in range(first, first + rows)
        ]
        for number, vector in enumerate(transposed(v, vectors, rows, unit=at_once)):
            offset = (step + number * at_once) * self.plan.tile_rows + first * at_once
            v.store(vector, v.address(place, offset), lanes)

    def _copy_element(self, source: str, offset: int, place: str, target: int) -> None:
        v = self.v
        v.store_element(v.load_element(v.address(source, offset)), v.address(place, target))
