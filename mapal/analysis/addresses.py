"""Addresses of reads as affine forms over named terminals: `base + sum(coefficient * terminal)`.

Only sums and products with non-negative literals are looked through, with coefficients that fit
in 64 bits; everything else is no affine form.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from mapal.ir import ops
from mapal.ir.graph import Graph, ObjectKind
from mapal.ir.ops import BinaryCode, ObjectId

Terminal = tuple[str, int]
"""A name and, of a quotient or remainder, its literal divisor; 0 for others."""

LARGEST = 2**63 - 1


@dataclass(frozen=True, slots=True)
class Affine:
    """`terms` holds no zero coefficients."""

    base: int
    terms: Mapping[Terminal, int]

    def coefficient(self, terminal: Terminal) -> int:
        return self.terms.get(terminal, 0)

    def plus(self, other: Affine) -> Affine | None:
        terms = dict(self.terms)
        for terminal, factor in other.terms.items():
            terms[terminal] = terms.get(terminal, 0) + factor
        return _bounded(Affine(self.base + other.base, terms))

    def times(self, factor: int) -> Affine | None:
        if factor == 0:
            return Affine(0, {})
        terms = {terminal: factor * old for terminal, old in self.terms.items()}
        return _bounded(Affine(self.base * factor, terms))


def _bounded(form: Affine) -> Affine | None:
    numbers = (form.base, *form.terms.values())
    return form if all(number <= LARGEST for number in numbers) else None


def affine(graph: Graph, obj: ObjectId, leaf: Callable[[ObjectId], Affine | None]) -> Affine | None:
    """The form of an integer; None if it has none. `leaf` knows the forms of terminals."""
    forms: dict[ObjectId, Affine | None] = {}
    work = [(obj, False)]
    while work:
        at, is_ready = work.pop()
        if at in forms:
            continue
        operands = _summands(graph, at)
        if operands is None or not is_ready:
            found = _constant(graph, at) or leaf(at)
            if found is not None or operands is None:
                forms[at] = found
                continue
            work.append((at, True))
            work += [(operand, False) for operand in operands]
            continue
        forms[at] = _combined(graph, at, forms[operands[0]], forms[operands[1]])
    return forms[obj]


def _summands(graph: Graph, obj: ObjectId) -> tuple[ObjectId, ObjectId] | None:
    definer = graph.definer(obj)
    if definer is None or not isinstance(definer.op, ops.Binary):
        return None
    if definer.op.code not in (BinaryCode.ADD, BinaryCode.MUL):
        return None
    left, right = graph.operands(definer)
    return left, right


def _combined(
    graph: Graph, obj: ObjectId, left: Affine | None, right: Affine | None
) -> Affine | None:
    if left is None or right is None:
        return None
    definer = graph.definer(obj)
    if definer is not None and definer.op == ops.Binary(BinaryCode.ADD):
        return left.plus(right)
    if not right.terms:
        return left.times(right.base)
    return right.times(left.base) if not left.terms else None


def _constant(graph: Graph, obj: ObjectId) -> Affine | None:
    record = graph.objects[obj]
    if record.kind is not ObjectKind.CONSTANT or type(record.value) is not int:
        return None
    return Affine(record.value, {}) if record.value >= 0 else None


def component(graph: Graph, obj: ObjectId, product: ObjectId) -> int | None:
    """Which component of a product an object is, read directly."""
    definer = graph.definer(obj)
    if definer is None or not isinstance(definer.op, ops.Proj) or definer.source != product:
        return None
    return definer.op.index


def division(graph: Graph, obj: ObjectId) -> tuple[BinaryCode, ObjectId, int] | None:
    """The operation, dividend and literal divisor of a quotient or remainder."""
    definer = graph.definer(obj)
    if definer is None or not isinstance(definer.op, ops.Binary):
        return None
    code = definer.op.code
    if code not in (BinaryCode.DIV, BinaryCode.MOD):
        return None
    dividend, divisor = graph.operands(definer)
    literal = _constant(graph, divisor)
    return None if literal is None else (code, dividend, literal.base)


def split_element(graph: Graph, obj: ObjectId, product: ObjectId, element: int) -> Affine | None:
    """The quotient or remainder of a component of a product by a literal, as a terminal."""
    found = division(graph, obj)
    if found is None or component(graph, found[1], product) != element:
        return None
    code, _, divisor = found
    return Affine(0, {("quotient" if code is BinaryCode.DIV else "remainder", divisor): 1})
