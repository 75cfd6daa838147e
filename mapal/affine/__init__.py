"""Questions about index maps: can two accesses meet in a cell, is every cell written, is a read
covered by earlier writes, is an index in bounds, how many points share a cell.

Every positive answer is a proof by linear arithmetic over boxes of integers. Every other answer
means "not proved", with a reason, and leaves the program as written. All functions are pure and
deterministic, and know nothing of programs but index vectors and access records.
"""

from mapal.affine.access import (
    Access,
    may_touch_same_cell,
    rmw_exempt,
    value_pinned,
    vec_runs_disjoint,
)
from mapal.affine.boxes import covers_box, within_box
from mapal.affine.conflict import (
    CrossThread,
    Disjoint,
    Example,
    SameThread,
    Verdict,
    pair_conflict,
    separates,
)
from mapal.affine.counting import AtLeast, AtMost, Exact, fiber_cardinality, fiber_cardinality_ub
from mapal.affine.coverage import Coverage, Covered, Unknown, read_covered_before
from mapal.affine.crosscheck import (
    StricterQueryError,
    crosscheck,
    crosschecking,
    is_crosschecking,
)
from mapal.affine.equation import (
    Equation,
    SideRanges,
    Var,
    equation_of,
    forced_pairs,
    infeasible,
    terms_of,
)
from mapal.affine.implied import is_nonnegative
from mapal.affine.index import (
    Affine,
    AxisIndex,
    Concat,
    Dynamic,
    Fixed,
    IndexVector,
    Interval,
    Iter,
    SubAxis,
    Sym,
)
from mapal.affine.paths import (
    Arg,
    Part,
    Stmt,
    compare_paths,
    path_before,
    same_statement,
    stmt_head,
)
from mapal.affine.progression import (
    AP,
    ap_covered_chunk,
    ap_of_form,
    ap_subset,
    ceil_div,
    floor_div,
)
from mapal.affine.projection import Projection, is_injective, is_surjective
from mapal.affine.radix import injective_map, radix_rule

__all__ = [
    "AP",
    "Access",
    "Affine",
    "Arg",
    "AtLeast",
    "AtMost",
    "AxisIndex",
    "Concat",
    "Coverage",
    "Covered",
    "CrossThread",
    "Disjoint",
    "Dynamic",
    "Equation",
    "Exact",
    "Example",
    "Fixed",
    "IndexVector",
    "Interval",
    "Iter",
    "Part",
    "Projection",
    "SameThread",
    "SideRanges",
    "Stmt",
    "StricterQueryError",
    "SubAxis",
    "Sym",
    "Unknown",
    "Var",
    "Verdict",
    "ap_covered_chunk",
    "ap_of_form",
    "ap_subset",
    "ceil_div",
    "compare_paths",
    "covers_box",
    "crosscheck",
    "crosschecking",
    "equation_of",
    "fiber_cardinality",
    "fiber_cardinality_ub",
    "floor_div",
    "forced_pairs",
    "infeasible",
    "injective_map",
    "is_crosschecking",
    "is_injective",
    "is_nonnegative",
    "is_surjective",
    "may_touch_same_cell",
    "pair_conflict",
    "path_before",
    "radix_rule",
    "read_covered_before",
    "rmw_exempt",
    "same_statement",
    "separates",
    "stmt_head",
    "terms_of",
    "value_pinned",
    "vec_runs_disjoint",
    "within_box",
]
