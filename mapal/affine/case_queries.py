"""The queries of case files: from the arguments in JSON to the answer in JSON."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import gcd
from typing import Any, TypeAlias

from mapal.affine import case_values as read
from mapal.affine.access import may_touch_same_cell, rmw_exempt, value_pinned, vec_runs_disjoint
from mapal.affine.boxes import covers_box, within_box
from mapal.affine.case_values import MalformedError
from mapal.affine.conflict import CrossThread, SameThread, pair_conflict, separates
from mapal.affine.counting import AtLeast, AtMost, Exact, fiber_cardinality, fiber_cardinality_ub
from mapal.affine.coverage import Unknown, read_covered_before
from mapal.affine.crosscheck import StricterQueryError, crosscheck, crosschecking
from mapal.affine.equation import (
    SideRanges,
    Terms,
    equation_of,
    forced_pairs,
    infeasible,
    terms_of,
)
from mapal.affine.paths import compare_paths, path_before, same_statement, stmt_head
from mapal.affine.progression import (
    AP,
    ap_covered_chunk,
    ap_of_form,
    ap_subset,
    ceil_div,
    floor_div,
)
from mapal.affine.projection import Projection, is_injective, is_surjective
from mapal.affine.radix import injective_map

Arguments: TypeAlias = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer as case files write it, and its reason where the query has one."""

    value: Any
    reason: Any = None


@dataclass(frozen=True, slots=True)
class Query:
    """How to read the arguments of a query, those it may lack with a value, and how to ask it."""

    required: Mapping[str, Callable[[object], Any]]
    optional: Mapping[str, tuple[Callable[[object], Any], Any]]
    ask: Callable[[Arguments], Answer]

    def answer(self, arguments: object) -> Answer:
        """The answer. Raises `MalformedError` for arguments that are missing, unknown or of a wrong
        form."""
        given = dict(read.record(arguments))
        # Windows for enumerators: no query may see them.
        given.pop("oracle", None)
        found: dict[str, Any] = {name: default for name, (_, default) in self.optional.items()}
        for name in self.required:
            if name not in given:
                raise MalformedError(f"in: {name} is missing")
        for name, value in given.items():
            if name in self.required:
                decode = self.required[name]
            elif name in self.optional:
                decode = self.optional[name][0]
            else:
                raise MalformedError(f"in: {name} is no argument of this query")
            try:
                found[name] = decode(value)
            except MalformedError as fault:
                raise MalformedError(f"in.{name}: {fault}") from None
        try:
            return self.ask(found)
        except ValueError as fault:
            raise MalformedError(f"in: {fault}") from None


def _plain(function: Callable[[Arguments], Any]) -> Callable[[Arguments], Answer]:
    return lambda a: Answer(function(a))


def _two_sided(a: Arguments) -> SideRanges:
    return SideRanges(a["ranges"], a["ranges_left"], a["ranges_right"])


def _terms(found: Terms) -> list[Any]:
    return [[c, list(variable)] for variable, c in sorted(found.items())]


def _terms_of(a: Arguments) -> Any:
    found = terms_of(a["index"], side=a["side"], dup=a["dup"], ranges=SideRanges(a["ranges"]))
    return None if found is None else {"terms": _terms(found[0]), "const": found[1]}


def _equation_of(a: Arguments) -> Any:
    found = equation_of(
        a["left"],
        a["right"],
        dup_left=a["dup_left"],
        dup_right=a["dup_right"],
        ranges=_two_sided(a),
    )
    return None if found is None else {"terms": _terms(found.terms), "rhs": found.rhs}


def _forced_pairs(a: Arguments) -> Any:
    found = forced_pairs(a["terms"], a["rhs"], ranges=_two_sided(a))
    return [list(pair) for pair in found]


def _pair_conflict(a: Arguments) -> Answer:
    verdict = pair_conflict(
        a["left"],
        a["right"],
        dup_left=a["dup_left"],
        dup_right=a["dup_right"],
        pairs=a["pairs"],
        ranges=_two_sided(a),
    )
    if isinstance(verdict, CrossThread):
        return Answer("Cross_thread", verdict.reason)
    return Answer("Same_thread" if isinstance(verdict, SameThread) else "Disjoint")


def _separates(a: Arguments) -> bool:
    return separates(
        a["map"], concurrent=a["concurrent"], syms=a["syms"], ranges=SideRanges(a["ranges"])
    )


def _injective_map(a: Arguments) -> bool:
    widths = dict(a["widths"])
    return injective_map(a["map"], width=lambda symbol: widths.get(symbol, 1))


def _count(found: Exact | AtLeast | AtMost) -> list[Any]:
    kind = {Exact: "exact", AtLeast: "at_least", AtMost: "at_most"}[type(found)]
    return [kind, found.count]


def _projection(a: Arguments) -> Projection:
    return Projection(a["components"], a["lhs"], a["lhs_dims"])


def _progression(found: AP | None) -> Any:
    return None if found is None else found._asdict()


def _chunk(a: Arguments) -> Any:
    found = ap_covered_chunk(a["r"], a["w"])
    return None if found is None else list(found)


def _coverage(a: Arguments) -> Answer:
    found = read_covered_before(
        a["read"],
        a["writes"],
        thread=a["thread"],
        static_range=a["static_range"],
        count_guarded=a["count_guarded"],
    )
    if isinstance(found, Unknown):
        return Answer("Unknown", {"code": found.code, "writes": list(found.writes)})
    return Answer("Covered")


class _Counter(logging.Handler):
    """Counts lines instead of writing them."""

    def __init__(self) -> None:
        super().__init__()
        self.lines = 0

    def emit(self, record: logging.LogRecord) -> None:
        del record
        self.lines += 1


def _crosscheck(a: Arguments) -> str:
    handler = _Counter()
    logger = logging.getLogger("mapal.affine.crosscheck")
    logger.addHandler(handler)
    propagate, logger.propagate = logger.propagate, False
    try:
        with crosschecking(a["enabled"]):
            crosscheck("case", "case", lambda: bool(a["procedural_safe"]), a["query_safe"], "case")
    except StricterQueryError:
        return "raise"
    finally:
        logger.removeHandler(handler)
        logger.propagate = propagate
    return "log" if handler.lines else "ok"


_NO_RANGES: tuple[Callable[[object], Any], Any] = (read.ranges, {})
_RANGES = {"ranges": _NO_RANGES}
_TWO_SIDED = {**_RANGES, "ranges_left": _NO_RANGES, "ranges_right": _NO_RANGES}
_STATIC = {"static_range": _NO_RANGES}
_NUMBERS = {"a": read.integer, "b": read.integer}
_BOX = {"map": read.vector, "dims": read.list_of(read.integer)}
_SYMBOLS = read.list_of(read.symbol)
_FIBER = {"map": read.vector, "domain": read.sized_once}
_PROJECTION = {
    "components": read.list_of(read.list_of(read.sized)),
    "lhs": read.vector,
    "lhs_dims": read.list_of(read.integer),
}
_PATHS = {"p": read.path, "q": read.path}
_EQUATION = {"terms": read.terms, "rhs": read.integer}
_SIDED = {
    "left": read.vector,
    "right": read.vector,
    "dup_left": _SYMBOLS,
    "dup_right": _SYMBOLS,
}

QUERIES: dict[str, Query] = {
    "gcd": Query(_NUMBERS, {}, _plain(lambda a: gcd(a["a"], a["b"]))),
    "floor_div": Query(_NUMBERS, {}, _plain(lambda a: floor_div(a["a"], a["b"]))),
    "ceil_div": Query(_NUMBERS, {}, _plain(lambda a: ceil_div(a["a"], a["b"]))),
    "terms_of": Query(
        {"index": read.index, "side": read.side, "dup": _SYMBOLS}, _RANGES, _plain(_terms_of)
    ),
    "equation_of": Query(
        {**_SIDED, "left": read.index, "right": read.index}, _TWO_SIDED, _plain(_equation_of)
    ),
    "infeasible": Query(
        _EQUATION,
        _TWO_SIDED,
        _plain(lambda a: infeasible(a["terms"], a["rhs"], ranges=_two_sided(a))),
    ),
    "forced_pairs": Query(_EQUATION, _TWO_SIDED, _plain(_forced_pairs)),
    "injective_map": Query(
        {"map": read.vector, "widths": read.sized_once}, {}, _plain(_injective_map)
    ),
    "pair_conflict": Query(
        {**_SIDED, "pairs": read.list_of(read.pair)}, _TWO_SIDED, _pair_conflict
    ),
    "separates": Query(
        {"map": read.vector, "concurrent": _SYMBOLS, "syms": _SYMBOLS}, _RANGES, _plain(_separates)
    ),
    "within_box": Query(
        _BOX, _RANGES, _plain(lambda a: within_box(a["map"], a["dims"], ranges=a["ranges"]))
    ),
    "covers_box": Query(
        _BOX, _RANGES, _plain(lambda a: covers_box(a["map"], a["dims"], ranges=a["ranges"]))
    ),
    "fiber_cardinality": Query(
        _FIBER, {}, _plain(lambda a: _count(fiber_cardinality(a["map"], a["domain"])))
    ),
    "fiber_cardinality_ub": Query(
        _FIBER, {}, _plain(lambda a: _count(fiber_cardinality_ub(a["map"], a["domain"])))
    ),
    "is_surjective": Query(_PROJECTION, {}, _plain(lambda a: is_surjective(_projection(a)))),
    "is_injective": Query(_PROJECTION, {}, _plain(lambda a: is_injective(_projection(a)))),
    "compare_paths": Query(_PATHS, {}, _plain(lambda a: compare_paths(a["p"], a["q"]))),
    "path_before": Query(_PATHS, {}, _plain(lambda a: path_before(a["p"], a["q"]))),
    "same_statement": Query(_PATHS, {}, _plain(lambda a: same_statement(a["p"], a["q"]))),
    "stmt_head": Query({"p": read.path}, {}, _plain(lambda a: stmt_head(a["p"]))),
    "may_touch_same_cell": Query(
        {"a": read.access, "b": read.access},
        _STATIC,
        _plain(lambda a: may_touch_same_cell(a["a"], a["b"], static_range=a["static_range"])),
    ),
    "ap_of_form": Query(
        {
            "terms": read.list_of(read.progression_term),
            "offset": read.integer,
            "exact": read.boolean,
        },
        {},
        _plain(lambda a: _progression(ap_of_form(a["terms"], a["offset"], exact=a["exact"]))),
    ),
    "ap_subset": Query(
        {"r": read.progression, "w": read.progression},
        {},
        _plain(lambda a: ap_subset(a["r"], a["w"])),
    ),
    "ap_covered_chunk": Query({"r": read.progression, "w": read.progression}, {}, _plain(_chunk)),
    "read_covered_before": Query(
        {"read": read.access, "writes": read.list_of(read.access)},
        {**_STATIC, "thread": (_SYMBOLS, ()), "count_guarded": (read.boolean, False)},
        _coverage,
    ),
    "vec_runs_disjoint": Query(
        {"access": read.access, "minor_dim": read.integer},
        {},
        _plain(lambda a: vec_runs_disjoint(a["access"], a["minor_dim"])),
    ),
    "value_pinned": Query(
        {"write": read.access, "thread": _SYMBOLS},
        {},
        _plain(lambda a: value_pinned(a["write"], a["thread"])),
    ),
    "rmw_exempt": Query({"read": read.access}, {}, _plain(lambda a: rmw_exempt(a["read"]))),
    "crosscheck": Query(
        {"enabled": read.boolean, "procedural_safe": read.boolean, "query_safe": read.boolean},
        {},
        _plain(_crosscheck),
    ),
}
