"""What an operation makes of facts, and which cells it reads and writes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mapal.affine import Part, Stmt, Sym
from mapal.affine.index import Linear
from mapal.analysis.accesses import arithmetic
from mapal.analysis.accesses.facts import (
    UNSEEN,
    Fact,
    Joined,
    Number,
    Sequence,
    Source,
    Stored,
    join,
    mapped,
    number,
)
from mapal.analysis.accesses.records import LoopFrame, LoopKind
from mapal.analysis.accesses.symbols import Symbols, constant, minus
from mapal.diagnostics import CompilerBug
from mapal.ir import ops
from mapal.ir.ops import FunctionId, MorphismId, ObjectId
from mapal.ir.order import OperationItem
from mapal.ir.types import Array, Tuple

if TYPE_CHECKING:
    from mapal.analysis.accesses.walk import Walk


def operation(walk: Walk, item: OperationItem) -> Fact:
    """The fact about the result; records what the operation accesses."""
    op, operands = item.morphism.op, item.operands
    match op:
        case ops.Proj(index=index):
            product = walk.fact(operands[0])
            return product[index] if isinstance(product, tuple) else None
        case ops.Output():
            read_whole(walk, item.morphism.id, operands[0])
            return walk.fact(operands[0])
        case ops.Binary() | ops.Unary() | ops.Widen() | ops.Convert():
            return _arithmetic(walk, item)
        case ops.Index():
            return _index(walk, item)
        case ops.Update():
            return _update(walk, item)
        case ops.Zip() | ops.Enumerate() | ops.Iota() | ops.Fill():
            return _law(walk, item)
        case ops.Call(function=function):
            read_whole(walk, item.morphism.id, operands[0])
            walk.walker.note_call(function, walk.fact(operands[0]))
            return None
        case ops.Map() | ops.Fold() | ops.Reduce():
            return _collection(walk, item)
        case ops.Print():
            for operand in operands:
                read_whole(walk, item.morphism.id, operand)
            return None
        case _:
            return None


def _arithmetic(walk: Walk, item: OperationItem) -> Fact:
    op, operands = item.morphism.op, item.operands
    ty, result = walk.scalar(operands[0]), walk.scalar(item.target)
    if not (ty.is_integer and result.is_integer):
        return None
    a = walk.number(operands[0])
    match op:
        case ops.Binary(code=code):
            return arithmetic.combined(walk.symbols, code, ty, a, walk.number(operands[1]))
        case ops.Unary(code=unary_code):
            return arithmetic.changed(walk.symbols, unary_code, ty, a)
        case _:
            return arithmetic.as_type(a, result)


# Elements ---------------------------------------------------------------------------


def element(symbols: Symbols, known: Sequence, position: Linear | None) -> Fact:
    """What is known of one element. A part of an array lies inside of its memory."""
    each = known.each
    if known.position is not None:
        each = mapped(each, lambda part: _at(symbols, part, known.position, position))
    if isinstance(each, Sequence) and isinstance(known.source, Stored):
        source = known.source
        inside = Stored(source.storage, source.array, (*source.prefix, position))
        return Sequence(each.each, each.position, inside)
    return each


def _at(symbols: Symbols, part: Number, symbol: Sym | None, position: Linear | None) -> Number:
    if part.form is None or symbol is None:
        return part
    form = None if position is None else symbols.substituted(part.form, symbol, position)
    return Number(part.interval, form)


def _index(walk: Walk, item: OperationItem) -> Fact:
    array = item.operands[0]
    known, found = walk.sequence(array), checked(walk, item)
    ty = walk.graph.ty(array)
    assert isinstance(ty, Array)
    if isinstance(ty.element, Array):
        return _row(walk, known, found)
    _read(walk, item.morphism.id, known.source, found)
    return element(walk.symbols, known, found)


def _row(walk: Walk, known: Sequence, position: Linear) -> Fact:
    """An element that is an array. Its cells are not read yet."""
    each = element(walk.symbols, known, position)
    if isinstance(each, Sequence):
        return each
    if isinstance(known.source, Stored):
        source = known.source
        return Sequence(
            None, None, Stored(source.storage, source.array, (*source.prefix, position))
        )
    return None


def checked(walk: Walk, item: OperationItem) -> Linear:
    """The index as a form. Behind the access it is in range: otherwise the program has
    trapped."""
    array, position = item.operands[:2]
    length = walk.length(array)
    found = walk.number(position)
    assert found.form is not None
    if not walk.walker.prove(item.morphism.id, found.form, found.interval, length):
        walk.symbols.assume_nonnegative(found.form)
        walk.symbols.assume_nonnegative(minus(constant(length - 1), found.form))
        walk.set(position, Number(arithmetic.meet(found.interval, 0, length - 1), found.form))
    return found.form


def _update(walk: Walk, item: OperationItem) -> Fact:
    array, _, value = item.operands
    known, found = walk.sequence(array), checked(walk, item)
    read_whole(walk, item.morphism.id, value)
    source = known.source
    if not isinstance(source, Stored):
        read_source(walk, item.morphism.id, known)
        source = walk.new_array(item.target)
        made = source
    else:
        number_of = walk.new_array(item.target).array
        made = Stored(source.storage, number_of, source.prefix)
    walk.walker.record(
        item.morphism.id,
        Part.WRITE,
        source.storage,
        source.array,
        (*source.prefix, found),
        write=True,
    )
    new = mapped(walk.fact(value), lambda part: Number(part.interval))
    old = mapped(known.each, lambda part: Number(part.interval))
    return Sequence(join(old, new), None, made)


# Memory -----------------------------------------------------------------------------


def _read(walk: Walk, site: MorphismId, source: Source, position: Linear | None) -> None:
    """Records the read of one element, where it lies."""
    match source:
        case Stored(storage=storage, array=array, prefix=prefix):
            walk.walker.record(site, Part.RHS, storage, array, (*prefix, position))
        case Joined(parts=parts):
            for part in parts:
                _read(walk, site, part, position)


def read_whole(walk: Walk, site: MorphismId, obj: ObjectId) -> None:
    """Records that all of a value is read: the arrays in it."""
    if isinstance(walk.graph.ty(obj), Array):
        read_source(walk, site, walk.sequence(obj))
        return
    fact = walk.fact(obj)
    for part in fact if isinstance(fact, tuple) else ():
        if isinstance(part, Sequence):
            read_source(walk, site, part)


def read_source(walk: Walk, site: MorphismId, known: Sequence) -> None:
    """Records that all of an array is read."""
    work: list[Source] = [known.source]
    while work:
        match work.pop():
            case Stored(storage=storage, array=array, prefix=prefix):
                walk.walker.record(site, Part.RHS, storage, array, prefix, whole=True)
            case Joined(parts=parts):
                work += parts
            case _:
                pass


# Laws -------------------------------------------------------------------------------


def _law(walk: Walk, item: OperationItem) -> Fact:
    """Arrays whose elements are computed where they are used."""
    op, operands, symbols = item.morphism.op, item.operands, walk.symbols
    if isinstance(op, ops.Fill):
        return Sequence(walk.fact(operands[0]), None, None)
    length = walk.length(item.target)
    symbol = symbols.fresh("p", 0, max(length - 1, 0))
    position = Linear({symbol: 1}, 0)
    numbers = number(0, max(length - 1, 0), position)
    match op:
        case ops.Iota():
            return Sequence(numbers, symbol, None)
        case ops.Enumerate():
            inner = walk.sequence(operands[0])
            each: Fact = (numbers, element(symbols, inner, position))
            return Sequence(each, symbol, Joined((None, inner.source)))
        case _:
            left, right = walk.sequence(operands[0]), walk.sequence(operands[1])
            each = (element(symbols, left, position), element(symbols, right, position))
            return Sequence(each, symbol, Joined((left.source, right.source)))


# Collections ------------------------------------------------------------------------


def _collection(walk: Walk, item: OperationItem) -> Fact:
    """A collection's body at this site. An accumulator may be anything at first, so what holds
    after one application holds after all of them."""
    op, site = item.morphism.op, item.morphism.id
    operands, captured = _operands(walk, item)
    array = operands.pop()
    length = array[1]
    known = array[0]
    kind = {ops.Map: LoopKind.MAP, ops.Fold: LoopKind.FOLD}.get(type(op), LoopKind.REDUCE)
    mark = len(walk.symbols.age)
    symbol = walk.symbols.fresh(kind.value[0], 0, max(length - 1, 0))
    position = Linear({symbol: 1}, 0)
    each = element(walk.symbols, known, position)
    with walk.walker.loop(LoopFrame(kind, symbol, True, site)):
        _read(walk, site, known.source, position)
        match op:
            case ops.Map(body=body):
                result = _body(walk, body, [*captured, each])
                made = walk.new_array(item.target)
                walk.walker.record(
                    site, Part.WRITE, made.storage, made.array, (position,), write=True
                )
                general = generalised(walk.symbols, result, mark, symbol)
                return Sequence(general, symbol, made)
            case ops.Fold(body=body):
                _accumulate(walk, site)
                result = _body(walk, body, [*captured, None, each])
            case ops.Reduce(body=body):
                _accumulate(walk, site)
                result = join(each, _body(walk, body, [*captured, None, None]))
            case _:
                raise CompilerBug(f"{op} is no collection")
    return generalised(walk.symbols, result, mark, None)


def _operands(walk: Walk, item: OperationItem) -> tuple[list[tuple[Sequence, int]], list[Fact]]:
    """The array with its length, and the facts about the captures."""
    op, operands = item.morphism.op, item.operands
    if isinstance(op, ops.Fold) and op.captures == 0:
        ty = walk.graph.ty(operands[0])
        assert isinstance(ty, Tuple)
        pair = walk.fact(operands[0])
        found = pair[1] if isinstance(pair, tuple) else None
        source = ty.items[1]
        assert isinstance(source, Array)
        if not isinstance(found, Sequence):
            found = Sequence(None)
        if found.source is UNSEEN:
            found = Sequence(found.each, found.position, walk.new_array(operands[0]))
        return [(found, source.length)], []
    known, length = walk.sequence(operands[-1]), walk.length(operands[-1])
    captured = operands[:-2] if isinstance(op, ops.Fold) else operands[:-1]
    for operand in captured:
        if isinstance(walk.graph.ty(operand), Array):
            walk.sequence(operand)
    return [(known, length)], [walk.fact(operand) for operand in captured]


def _accumulate(walk: Walk, site: MorphismId) -> None:
    """The accumulator as a cell that each application reads and writes."""
    made = walk.walker.table.array(walk.graph.morphisms[site].target, ())
    walk.walker.record(site, Part.RHS, made, made, (), rmw=True)
    walk.walker.record(site, Part.WRITE, made, made, (), write=True, rmw=True)


def _body(walk: Walk, body: FunctionId, arguments: list[Fact]) -> Fact:
    taken: Fact = tuple(arguments) if len(arguments) > 1 else arguments[0]
    if body in walk.walker.outlined:
        walk.walker.note_call(body, taken)
        return None
    function = walk.graph.functions[body]
    with walk.walker.below(Stmt(0)):
        return walk.inner(function, taken)


def generalised(symbols: Symbols, fact: Fact, mark: int, symbol: Sym | None) -> Fact:
    """What is known of a body's result for every position: its symbols do not outlive it."""
    kept: set[Sym | None] = set() if symbol is None else {symbol}

    def stays(name: Sym) -> bool:
        return symbols.age[name] < mark or symbols.origin(name) in kept

    def general(part: Number) -> Number:
        if part.form is None or all(map(stays, part.form.terms)):
            return part
        low, high = symbols.span(part.form)
        return Number(arithmetic.meet(part.interval, low, high))

    match fact:
        case Number():
            return general(fact)
        case Sequence():
            kept.add(fact.position)
            return Sequence(mapped(fact.each, general), fact.position, fact.source)
        case tuple():
            return tuple(generalised(symbols, part, mark, symbol) for part in fact)
        case _:
            return None
