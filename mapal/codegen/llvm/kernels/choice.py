"""Which kernel computes a Map: the first shape in this list that fits."""

from __future__ import annotations

from collections.abc import Callable

from mapal.analysis.tile_plan import strided_tile_plan, tile_plan
from mapal.analysis.work import work_of
from mapal.codegen.llvm.emitter import Emitter
from mapal.codegen.llvm.kernels.convolution import convolution
from mapal.codegen.llvm.kernels.matrix_product import matrix_product
from mapal.codegen.llvm.kernels.row_folds import row_folds
from mapal.codegen.llvm.kernels.side_by_side import side_by_side
from mapal.codegen.llvm.kernels.site import Kernel, MapSite
from mapal.codegen.llvm.kernels.small_products import small_products
from mapal.codegen.llvm.kernels.strided_move import strided_move
from mapal.codegen.llvm.kernels.transposition import transposition
from mapal.codegen.llvm.kernels.window import window
from mapal.codegen.llvm.values import Mapped
from mapal.ir.graph import Graph
from mapal.ir.ops import FunctionId

_USUAL_BYTES = 8
"""Of a number."""

SHAPES: tuple[Callable[[Emitter, MapSite], Kernel | None], ...] = (
    matrix_product,
    row_folds,
    window,
    convolution,
    small_products,
    transposition,
    strided_move,
    side_by_side,
)


def kernel_of_map(e: Emitter, site: MapSite) -> Kernel | None:
    """The kernel for a Map; None if it is a plain loop with the body in place."""
    if not (e.uses_kernels and e.module.has_kernels):
        return None
    if isinstance(site.operands[-1][1], Mapped):
        return None
    for shape in SHAPES:
        kernel = shape(e, site)
        if kernel is not None:
            return kernel
    return None


def work_with_kernels(e: Emitter, body: FunctionId) -> int:
    """Operations of one application of a body, as `work_of` counts them; but what becomes a
    kernel in it does as many at once as a vector holds."""
    work = work_of(e.graph, body)
    if not (e.uses_kernels and e.module.has_kernels) or not _has_products(e.graph, body):
        return work
    return max(1, work // max(1, e.module.profile.vector_bytes // _USUAL_BYTES))


def _has_products(graph: Graph, body: FunctionId) -> bool:
    return bool(tile_plan(graph, body)) or bool(strided_tile_plan(graph, body))
