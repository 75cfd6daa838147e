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
    places_of,
    without_memory,
)
from mapal.analysis.accesses.records import LoopFrame, LoopKind
from mapal.analysis.accesses.symbols import Symbols, constant, minus
from mapal.analysis.liveness import contains_array
from mapal.diagnostics import CompilerBug
from mapal.ir import ops
from mapal.ir.ops import FunctionId, MorphismId, ObjectId
from mapal.ir.order import OperationItem
from mapal.ir.types import Array, Scalar, Struct, Tuple, Type

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


def element(symbols: Symbols, known: Sequence, position: Linear | None, ty: Type) -> Fact:
    """What is known of one element, of type `ty`. A part of an array lies inside of its memory."""
    each = known.each
    symbol = known.position
    if symbol is not None:
        each = mapped(
            each,
            lambda part: Number(part.interval, _at(symbols, part.form, symbol, position)),
            lambda form: _at(symbols, form, symbol, position),
        )
    if isinstance(ty, Array) and isinstance(known.source, Stored):
        source = known.source
        row = each if isinstance(each, Sequence) else Sequence(None)
        inside = Stored(source.storage, source.array, (*source.prefix, position))
        return Sequence(row.each, row.position, inside)
    return each


def _at(
    symbols: Symbols, form: Linear | None, symbol: Sym, position: Linear | None
) -> Linear | None:
    """A form over the position of an element, for the element at a position."""
    if form is None or position is None:
        return None
    return symbols.substituted(form, symbol, position)


def taken(walk: Walk, site: MorphismId, known: Sequence, position: Linear, ty: Type) -> Fact:
    """One element that is used here. Arrays inside of a product cannot be followed."""
    fact = element(walk.symbols, known, position, ty)
    if not isinstance(ty, Array) and contains_array(walk.graph, ty) and not _is_followed(ty, fact):
        walk.escape(site, places_of(known.source))
    return fact


def _is_followed(ty: Type, fact: Fact) -> bool:
    """Whether the fact tells where each array of a product lies."""
    if not isinstance(ty, Tuple | Struct) or not isinstance(fact, tuple):
        return False
    return all(
        isinstance(item, Scalar) or (isinstance(part, Sequence) and isinstance(part.source, Stored))
        for item, part in zip(ty.items, fact, strict=True)
    )


def _index(walk: Walk, item: OperationItem) -> Fact:
    array = item.operands[0]
    known, found = walk.sequence(array), checked(walk, item)
    ty = walk.graph.ty(array)
    assert isinstance(ty, Array)
    if isinstance(ty.element, Array):
        # No cell is read yet.
        return element(walk.symbols, known, found, ty.element)
    _read(walk, item.morphism.id, known.source, found)
    return taken(walk, item.morphism.id, known, found, ty.element)


def checked(walk: Walk, item: OperationItem) -> Linear:
    """The index as a form. Behind the access it is in range: otherwise the program has
    trapped."""
    array, position = item.operands[:2]
    length = walk.length(array)
    found = walk.number(position)
    assert found.form is not None
    if not walk.walker.prove(item.morphism.id, found.form, found.interval, length):
        inside = (found.form, minus(constant(length - 1), found.form))
        if not all(walk.symbols.assume_nonnegative(form) for form in inside):
            walk.has_ended = True
    within = arithmetic.meet(found.interval, 0, length - 1)
    if within != found.interval:
        walk.set(position, Number(within, found.form))
    return found.form


def _update(walk: Walk, item: OperationItem) -> Fact:
    array, _, value = item.operands
    known, found = walk.sequence(array), checked(walk, item)
    read_whole(walk, item.morphism.id, value)
    source = known.source
    if not isinstance(source, Stored) or source.prefix:
        read_source(walk, item.morphism.id, known)
        # A copy in memory of its own, which the update then changes.
        source = walk.new_array(item.target)
    made = Stored(source.storage, walk.new_array(item.target).array)
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
    else:
        read_arrays(walk, site, walk.fact(obj))


def read_arrays(walk: Walk, site: MorphismId, fact: Fact) -> None:
    """Records that the arrays in a value are read."""
    match fact:
        case Sequence():
            read_source(walk, site, fact)
        case tuple():
            for part in fact:
                read_arrays(walk, site, part)
        case _:
            pass


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
    if isinstance(op, ops.Iota):
        return Sequence(numbers, symbol, None)
    inner = [walk.sequence(operand) for operand in operands]
    parts = tuple(
        element(symbols, known, position, element_type(walk.graph.ty(operand)))
        for known, operand in zip(inner, operands, strict=True)
    )
    sources = tuple(known.source for known in inner)
    if isinstance(op, ops.Enumerate):
        return Sequence((numbers, *parts), symbol, Joined((None, *sources)))
    return Sequence(parts, symbol, Joined(sources))


def element_type(ty: Type) -> Type:
    assert isinstance(ty, Array)
    return ty.element


# Collections ------------------------------------------------------------------------


def _collection(walk: Walk, item: OperationItem) -> Fact:
    """A collection's body at this site. An accumulator may be anything at first, so what holds
    after one application holds after all of them."""
    op, site = item.morphism.op, item.morphism.id
    operands, captured = _operands(walk, item)
    array = operands.pop()
    if isinstance(op, ops.Fold):
        _read_seed(walk, item)
    length = array[1]
    known = array[0]
    kind = {ops.Map: LoopKind.MAP, ops.Fold: LoopKind.FOLD}.get(type(op), LoopKind.REDUCE)
    mark = len(walk.symbols.age)
    symbol = walk.symbols.fresh(kind.value[0], 0, max(length - 1, 0))
    position = Linear({symbol: 1}, 0)
    each = taken(walk, site, known, position, array[2])
    # The result outlives the loop that fills it.
    array_number = walk.new_array(item.target).array if isinstance(op, ops.Map) else -1
    with walk.walker.loop(LoopFrame(kind, symbol, True, site)):
        _read(walk, site, known.source, position)
        match op:
            case ops.Map(body=body):
                made = Stored(array_number, array_number)
                result = _body(walk, site, body, [*captured, each])
                # The arrays that a body's result holds are stored into the element, and lie there
                # from then on.
                read_arrays(walk, site, result)
                result = without_memory(result)
                walk.walker.record(
                    site, Part.WRITE, made.storage, made.array, (position,), write=True
                )
                general = generalised(walk.symbols, result, mark, symbol)
                return Sequence(general, symbol, made)
            case ops.Fold(body=body):
                _accumulate(walk, site)
                result = _body(walk, site, body, [*captured, None, each])
            case ops.Reduce(body=body):
                _accumulate(walk, site)
                result = join(each, _body(walk, site, body, [*captured, None, None]))
            case _:
                raise CompilerBug(f"{op} is no collection")
    return generalised(walk.symbols, result, mark, None)


def _operands(
    walk: Walk, item: OperationItem
) -> tuple[list[tuple[Sequence, int, Type]], list[Fact]]:
    """The array, and the facts about the captures."""
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
        return [(found, source.length, source.element)], []
    known, ty = walk.sequence(operands[-1]), walk.graph.ty(operands[-1])
    assert isinstance(ty, Array)
    captured = operands[:-2] if isinstance(op, ops.Fold) else operands[:-1]
    for operand in captured:
        if isinstance(walk.graph.ty(operand), Array):
            walk.sequence(operand)
    return [(known, ty.length, ty.element)], [walk.fact(operand) for operand in captured]


def _read_seed(walk: Walk, item: OperationItem) -> None:
    """The first accumulator, and of a pair that holds it and the array both."""
    operands = item.operands
    read_whole(walk, item.morphism.id, operands[-2] if len(operands) > 1 else operands[0])


def _accumulate(walk: Walk, site: MorphismId) -> None:
    """The accumulator as a cell that each application reads and writes."""
    target = walk.graph.morphisms[site].target
    made = walk.walker.table.array(target, (), walk.walker.loops[:-1], walk.walker.arms)
    walk.walker.record(site, Part.RHS, made, made, (), rmw=True)
    walk.walker.record(site, Part.WRITE, made, made, (), write=True, rmw=True)


def _body(walk: Walk, site: MorphismId, body: FunctionId, arguments: list[Fact]) -> Fact:
    taken: Fact = tuple(arguments) if len(arguments) > 1 else arguments[0]
    if body in walk.walker.outlined:
        for argument in arguments:
            read_arrays(walk, site, argument)
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
