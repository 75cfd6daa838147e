"""The numbers of a matrix product: register tile, packing, blocks for the caches.

The register tile of `tile_rows` x `tile_vectors` vectors keeps its accumulators in registers for
`depth` steps. A fused multiply-add wants about four vectors a row, which leaves registers for
the row of the right matrix and one broadcast element. Separate products and sums on 512-bit
registers want one vector a row: the product takes its broadcast factor from memory.

The right matrix is packed into panels of one tile's width when it exceeds what the second-level
cache holds beside the left one; with few registers earlier, since narrow tiles take less of each
line they read. The left matrix is then read where it lies if the rows of a tile find room beside
each other in the first-level cache and the core can start the longer instructions, and is packed
block by block if not. Blocks follow Goto and van de Geijn, "Anatomy of High-Performance Matrix
Multiplication" (2008): a block of the left matrix fills half of the second-level cache, or an
eighth with one vector a row.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import gcd, lcm

from mapal.codegen.llvm.module import Processor
from mapal.ir.types import Scalar

_PACKED_STEPS = 2
"""Steps that a tile does at once where the left matrix is packed: a strip is copied faster by pairs
of elements. More gained nothing and took LLVM longer."""

_MANY_REGISTERS = 32

_LINE_BYTES = 64

_USUAL_L1_BYTES = 32 * 1024
_USUAL_L1_LINES = (64, 64, 8)
_USUAL_L2_BYTES = 512 * 1024
"""Where a profile knows no such cache; of the first one line, sets and ways."""

_DEPTH_BYTES = 4096
"""Steps of a packed piece, as bytes of one row: few pieces, so that results are rarely taken out
of the registers and put back."""

_BLOCK_ROWS = 64
"""Rows that a block has at least if the right matrix is far, however small the second-level cache
is: every block takes that matrix through the caches once."""

_NEAR = 12
"""How many times the second-level cache a piece of the right matrix may have that is expected to
stay in the third."""


@dataclass(frozen=True, slots=True)
class ColumnGroup:
    """`count` neighbouring tiles from column `first` on, each of `vectors` vectors of `lanes`
    elements, of which the last has `live` columns."""

    first: int
    count: int
    vectors: int
    lanes: int
    live: int

    @property
    def width(self) -> int:
        """Columns of one tile."""
        return (self.vectors - 1) * self.lanes + self.live


@dataclass(frozen=True, slots=True)
class ProductPlan:
    """How a product of `rows` x `steps` and `steps` x `columns` elements is computed."""

    rows: int
    columns: int
    steps: int
    lanes: int
    tile_rows: int
    tile_vectors: int
    is_packed: bool
    is_left_packed: bool
    fetches_ahead: bool
    is_transposed: bool
    cache: str
    depth: int
    block_rows: int
    groups: tuple[ColumnGroup, ...]

    @property
    def tile_columns(self) -> int:
        """Columns of a whole tile, and the distance of two steps in a packed panel."""
        return self.tile_vectors * self.lanes

    @property
    def row_tiles(self) -> int:
        return -(-self.rows // self.tile_rows)

    def row_tiles_at_once(self, group: ColumnGroup) -> int:
        """Tiles of rows that one function computes of a group of columns: as many as the registers
        of a whole tile hold. Where matrices are packed, the last columns are few among many."""
        return 1 if self.is_packed else max(1, self.tile_vectors // group.vectors)

    @property
    def most_row_tiles_at_once(self) -> int:
        """Slices consist of so many tiles of rows, or of a multiple."""
        return lcm(*(self.row_tiles_at_once(group) for group in self.groups))

    @property
    def first_panels(self) -> Iterator[tuple[int, ColumnGroup]]:
        """Each group of columns with the number of its first panel."""
        at = 0
        for group in self.groups:
            yield at, group
            at += group.count

    @property
    def panels(self) -> int:
        """Packed panels side by side."""
        return sum(group.count for group in self.groups)

    @property
    def depths(self) -> int:
        """How many times the steps are cut."""
        return -(-self.steps // self.depth)

    @property
    def last_depth(self) -> int:
        return self.steps - (self.depths - 1) * self.depth

    @property
    def shape(self) -> str:
        """For the emission plan."""
        tile = f"matrix product, tile {self.tile_rows}x{self.tile_vectors}x{self.lanes}"
        return f"{tile}, packed" if self.is_packed else tile

    @property
    def steps_at_once(self) -> int:
        """Steps that a tile does before it looks whether there are more."""
        return _PACKED_STEPS if self.is_left_packed else 1

    @property
    def strips(self) -> int:
        """Strips of a block of the left matrix."""
        return -(-self.block_rows // self.tile_rows)

    @property
    def strip_elements(self) -> int:
        """Elements of one strip."""
        return self.tile_rows * _rounded_up(self.depth, self.steps_at_once)

    @property
    def reason(self) -> str:
        """For the emission plan."""
        packed = "packed rows" if self.is_left_packed else "rows"
        blocks = f"depth {self.depth}, blocks of {self.block_rows} {packed}"
        blocks += ", panels fetched ahead" if self.fetches_ahead else ""
        if self.is_transposed:
            return f"the right matrix is transposed; {blocks}"
        if self.is_packed:
            return f"the right matrix exceeds the {self.cache} cache; {blocks}"
        return "the matrices stay in the caches where they lie"


def product_plan(
    profile: Processor,
    ty: Scalar,
    rows: int,
    columns: int,
    steps: int,
    *,
    is_fused: bool,
    left_row: int | None = None,
    is_transposed: bool = False,
) -> ProductPlan:
    """The plan for a product whose elements have type `ty`. Rows of the left matrix are `left_row`
    elements apart and their steps neighbours; None if the steps are apart. A right matrix that is
    transposed, so that its columns are not neighbours, is always packed."""
    lanes = max(1, profile.vector_bytes // ty.bytes)
    tile_rows, tile_vectors = _tile(profile, rows, is_fused=is_fused)
    l1 = profile.l1d.bytes if profile.l1d is not None else _USUAL_L1_BYTES
    l2 = profile.l2.bytes if profile.l2 is not None else _USUAL_L2_BYTES
    has_many = profile.vector_registers >= _MANY_REGISTERS
    # Separate products and sums in few registers start as many instructions as a core can: elements
    # far apart make them too long for it, and it starts no more.
    has_slack = is_fused or has_many
    cache, room = "second-level", l2 if is_fused else l2 * 6 // 10
    if not has_many:
        cache, room = ("second-level", min(l2, 8 * l1)) if is_fused else ("first-level", l1)
    is_large = steps * columns * ty.bytes > room and rows >= 2 * tile_rows
    is_packed = is_large or is_transposed
    kind = "matmul" if is_packed else "matmul-direct"
    fixed = profile.tiles.get(f"{kind}-{ty.name}-{'fused' if is_fused else 'exact'}")
    tile_rows, tile_vectors = fixed.get("rows", tile_rows), fixed.get("vectors", tile_vectors)
    tile_vectors = min(tile_vectors, -(-columns // lanes))
    masks = profile.triple.startswith("x86_64") and profile.vector_bytes >= 32 and ty.bytes >= 4
    plan = ProductPlan(
        rows=rows,
        columns=columns,
        steps=steps,
        lanes=lanes,
        tile_rows=min(tile_rows, rows),
        tile_vectors=tile_vectors,
        is_packed=is_packed,
        is_left_packed=is_packed
        and (
            left_row is None or not has_slack or _collide(profile, tile_rows, left_row * ty.bytes)
        ),
        # Panels as narrow as a line are soon used up: the next one should be near by then.
        fetches_ahead=is_packed and has_slack and tile_vectors * lanes * ty.bytes <= _LINE_BYTES,
        is_transposed=is_transposed,
        cache=cache,
        depth=steps,
        block_rows=rows,
        groups=tuple(_groups(columns, lanes, tile_vectors, masks=masks, is_packed=is_packed)),
    )
    if not is_packed:
        return plan
    depth = _evenly(steps, fixed.get("depth", _DEPTH_BYTES // ty.bytes), _PACKED_STEPS)
    is_near = depth * columns * ty.bytes <= _NEAR * l2
    if not is_near and "depth" not in fixed:
        depth = _evenly(steps, min(depth, l2 // 2 // _BLOCK_ROWS // ty.bytes), _PACKED_STEPS)
    # One vector a row takes more of the left matrix for each of the right one: small blocks
    # leave the second-level cache to both, if the right one then comes from the third.
    share = 8 if tile_vectors == 1 and is_near else 2
    block_rows = fixed.get("row_block", l2 // share // (depth * ty.bytes))
    block_rows = _evenly(rows, max(tile_rows, block_rows), tile_rows)
    return replace(plan, depth=depth, block_rows=block_rows)


def _collide(profile: Processor, rows: int, distance: int) -> bool:
    """Whether so many rows, `distance` bytes apart, push each other out of the first-level cache:
    lines that a power of two keeps apart share a set of it."""
    line, sets, ways = _USUAL_L1_LINES
    if profile.l1d is not None:
        line, sets, ways = profile.l1d.line_bytes, profile.l1d.sets, profile.l1d.ways
    apart = max(1, sets * line // max(line, gcd(distance, sets * line)))
    return -(-rows // apart) > ways


def _tile(profile: Processor, rows: int, *, is_fused: bool) -> tuple[int, int]:
    """Rows and vectors a row of the register tile."""
    registers = profile.vector_registers
    if registers >= _MANY_REGISTERS and profile.vector_bytes >= 64 and not is_fused:
        return (24, 1) if rows % 24 == 0 else (16, 1)
    if registers < _MANY_REGISTERS:
        return 6, 2
    if not is_fused:
        return 8, 3
    # Rows that are left over want functions of their own.
    return (5, 4) if rows % 6 and rows % 5 == 0 else (6, 4)


def _evenly(total: int, most: int, step: int) -> int:
    """The size of equal pieces of at most about `most`, a multiple of `step`."""
    pieces = -(-total // most)
    return _rounded_up(-(-total // pieces), step)


def _rounded_up(count: int, step: int) -> int:
    return -(-count // step) * step


def _groups(
    columns: int, lanes: int, vectors: int, *, masks: bool, is_packed: bool
) -> list[ColumnGroup]:
    """Whole tiles, then the vectors that are left, then a narrower vector for the rest, under a
    mask where there are any: two vectors take longer. One tile does all that is left where the rest
    takes a whole vector, and where panels are packed, since only results want a mask then."""
    groups: list[ColumnGroup] = []
    at = 0

    def add(count: int, vectors: int, lanes: int, live: int) -> None:
        nonlocal at
        if count and vectors:
            groups.append(ColumnGroup(at, count, vectors, lanes, live))
            at += count * ((vectors - 1) * lanes + live)

    add(columns // (lanes * vectors), vectors, lanes, lanes)
    last = columns % lanes
    if masks and columns - at > lanes and last and (is_packed or last > lanes // 2):
        add(1, -(-(columns - at) // lanes), lanes, last)
    add(1, (columns - at) // lanes, lanes, lanes)
    while at < columns:
        rest = columns - at
        fitting = 1 << (rest.bit_length() - 1)
        if masks and rest > fitting:
            add(1, 1, 2 * fitting, rest)
        else:
            add(1, 1, fitting, fitting)
    return groups


@dataclass(frozen=True, slots=True, kw_only=True)
class Product:
    """A product to emit. Strides are distances in elements: of rows and steps of the left matrix,
    of steps and columns of the right one, which is packed unless its columns lie side by side.
    Elements start at `left_base` and `right_base`. `seed` is the literal that every cell starts
    with."""

    element: Scalar
    plan: ProductPlan
    left_base: int
    left_row: int
    left_step: int
    right_base: int
    right_step: int
    right_column: int
    seed: str
    is_fused: bool
    symbol: str

    @property
    def packed_elements(self) -> int:
        """Elements of the packed right matrix."""
        return self.plan.steps * self.plan.panels * self.plan.tile_columns
