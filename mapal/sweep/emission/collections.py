"""Steps that apply functions: `map`, `fold`, `reduce` with and without captures, calls."""

from __future__ import annotations

from mapal.ir.graph import FunctionKind
from mapal.ir.ops import BinaryCode, FunctionId, ObjectId
from mapal.ir.types import I32, Array, Scalar, Tuple, Type, is_numeric
from mapal.sweep.catalogue import NUMBERS, TYPES
from mapal.sweep.emission.emitter import BodyMaker, Callee, Emitter, Numbers
from mapal.sweep.emission.products import LARGEST_VALUE, is_modest, scalars_in
from mapal.sweep.script import Block

LARGEST_BODY = 120
"""Operations that one activation of a body may take."""

_LEAST_BODY = 6


def _source(e: Emitter, n: Numbers) -> tuple[ObjectId, Array]:
    """An array to work on: a known one, or one of a number type, made if there is none."""
    found = e.pick_array(n.next()) if n.below(2) else None
    if found is not None:
        return found
    element = NUMBERS[n.below(len(NUMBERS))]
    array = e.pick(lambda ty: isinstance(ty, Array) and ty.element == element, n.next())
    if array is None:
        array = e.know(e.make(Array(element, 1 + n.below(5)), n.next()))
    ty = e.b.ty(array)
    assert isinstance(ty, Array)
    return array, ty


def _captures(e: Emitter, n: Numbers) -> list[ObjectId]:
    """None, one, two or three values for a body to capture."""
    count = (0, 1, 0, 2, 1, 3)[n.below(6)]
    picked = [e.pick(lambda ty: is_modest(ty), n.next()) for _ in range(count)]
    return [obj for obj in picked if obj is not None]


def _note_captures(e: Emitter, what: str, captures: list[ObjectId]) -> None:
    e.note(what)
    if e.total and what != "reduce":
        e.note(f"{what} in a reduce body")
    for capture in captures:
        kind = "array" if isinstance(e.b.ty(capture), Array) else "value"
        e.note(f"{what} with a captured {kind}")


def _share(e: Emitter, repeats: int) -> int:
    """The allowance of a body that runs so often; 0 if there is none left."""
    share = min(LARGEST_BODY, e.repeats(LARGEST_BODY, 2 * repeats))
    if share < _LEAST_BODY or not e.afford(share * repeats):
        return 0
    return share


def map_array(e: Emitter, n: Numbers, blocks: tuple[Block, ...]) -> None:
    """A `map` whose result type is that of the element or another one."""
    array, ty = _source(e, n)
    captures = _captures(e, n)
    result = ty.element if n.below(2) else TYPES[n.below(len(TYPES))]
    if scalars_in(result) * ty.length > LARGEST_VALUE or not is_modest(Array(result, ty.length)):
        result = ty.element
    share = _share(e, ty.length)
    if not share:
        return
    types = [e.b.ty(capture) for capture in captures]
    make = e.step_body(blocks[0] if blocks else (), n.next())
    body = e.body(FunctionKind.MAP_BODY, types, [ty.element], result, share, make)
    e.know(e.b.map(body, captures, array, e.key()))
    _note_captures(e, "map", captures)
    if n.chance(4):
        _share_body(e, body, captures, ty, share, n)


def _share_body(
    e: Emitter, body: FunctionId, captures: list[ObjectId], ty: Array, share: int, n: Numbers
) -> None:
    """A second site for a body, on another array of such elements."""

    def fits(other: Type) -> bool:
        return isinstance(other, Array) and other.element == ty.element

    array = e.pick(fits, n.next())
    if array is None:
        return
    other = e.b.ty(array)
    assert isinstance(other, Array)
    if e.afford(share * other.length):
        e.know(e.b.map(body, captures, array, e.key()))
        e.note("body of two sites")


def fold_array(e: Emitter, n: Numbers, blocks: tuple[Block, ...]) -> None:
    array, ty = _source(e, n)
    captures = _captures(e, n)
    seed = _seed(e, ty.element, n)
    share = _share(e, ty.length)
    if seed is None or not share:
        return
    accumulator = e.b.ty(seed)
    types = [e.b.ty(capture) for capture in captures]
    make = e.step_body(blocks[0] if blocks else (), n.next())
    body = e.body(
        FunctionKind.FOLD_BODY, types, [accumulator, ty.element], accumulator, share, make
    )
    if isinstance(accumulator, Tuple):
        e.note("fold of a tuple accumulator")
    e.know(e.b.fold(body, captures, seed, array, e.key()))
    _note_captures(e, "fold", captures)


def _seed(e: Emitter, element: Type, n: Numbers) -> ObjectId | None:
    """A first accumulator: like the elements, a pair of known values, or any known value."""
    match n.below(4):
        case 0 | 1:
            return e.demand(element, n.next())
        case 2:
            parts = [e.pick(is_modest, n.next()), e.demand(I32, n.next())]
            pair = [part for part in parts if part is not None]
            if len(pair) == 2 and is_modest(Tuple(tuple(map(e.b.ty, pair)))):
                return e.b.pack(pair, e.key())
    return e.pick(is_modest, n.next())


def _combining(code: BinaryCode) -> BodyMaker:
    """The body of one operation on its last two parameters."""

    def make(inner: Emitter) -> None:
        (a, _), (b, _) = inner.values[-2:]
        inner.know(inner.binary(code, a, b))
        inner.give()

    return make


def reduce_array(e: Emitter, n: Numbers, blocks: tuple[Block, ...]) -> None:
    """A `reduce` by one operation or by a body of total steps."""
    array, ty = _source(e, n)
    element = ty.element
    captures = _captures(e, n)
    share = _share(e, ty.length)
    if not share:
        return
    types = [e.b.ty(capture) for capture in captures]
    codes = (BinaryCode.ADD, BinaryCode.MAX, BinaryCode.MUL, BinaryCode.MIN, BinaryCode.SUB)
    code = codes[n.below(len(codes))]
    if isinstance(element, Scalar) and is_numeric(element) and n.below(2):
        make = _combining(code)
        e.note(f"reduce by {code.value}")
        e.note(f"reduce of {element}")
    else:
        make = e.step_body(blocks[0] if blocks else (), n.next())
    body = e.body(FunctionKind.REDUCE_BODY, types, [element, element], element, share, make)
    e.know(e.b.reduce(body, captures, array, e.key()))
    _note_captures(e, "reduce", captures)


def fold_in_map(e: Emitter, n: Numbers, blocks: tuple[Block, ...]) -> None:
    """A captured `map` whose body folds an array that it captures, with the element and another
    capture captured by the fold: two levels."""
    outer, outer_ty = _source(e, n)
    inner_array, inner_ty = e.pick_array(n.next()) or (outer, outer_ty)
    other = e.pick(is_modest, n.next())
    share = _share(e, outer_ty.length * (1 + inner_ty.length // 4))
    if other is None or not share:
        return
    numbers = [n.next() for _ in range(4)]

    def make(body: Emitter) -> None:
        (folded, _), (captured, _), (element, element_ty) = body.values[-3:]
        inner = Numbers(numbers)
        seed = body.demand(element_ty, inner.next())
        per_pass = max(2, share // (2 * inner_ty.length + 2))
        types = [body.b.ty(captured), element_ty]
        maker = body.step_body(blocks[0] if blocks else (), inner.next())
        arguments = [element_ty, inner_ty.element]
        code = body.body(FunctionKind.FOLD_BODY, types, arguments, element_ty, per_pass, maker)
        body.know(body.b.fold(code, [captured, element], seed, folded, body.key()))
        body.give()

    captures = [inner_array, other]
    types = [e.b.ty(capture) for capture in captures]
    element = outer_ty.element
    body = e.body(FunctionKind.MAP_BODY, types, [element], element, share, make)
    e.know(e.b.map(body, captures, outer, e.key()))
    e.note("fold in a captured map")


# Calls ----------------------------------------------------------------------------------------


def call(e: Emitter, n: Numbers, blocks: tuple[Block, ...]) -> None:
    """A call of a helper, on known values of its parameters' types."""
    printing = [c for c in e.program.callees if c.prints]
    pure = [c for c in e.program.callees if not c.prints]
    wants_print = n.chance(2) and e.may_print and e.token is not None
    choices = printing if wants_print and printing else pure
    if not choices or e.total:
        return
    emit_call(e, choices[n.below(len(choices))], n)


def emit_call(e: Emitter, callee: Callee, n: Numbers) -> ObjectId | None:
    """Calls a helper; the call's value, if it has one and the allowance covers it."""
    if not e.afford(1 + callee.cost):
        return None
    arguments = [e.demand(ty, n.next()) for ty in callee.parameters]
    return call_with(e, callee, arguments)


def call_with(e: Emitter, callee: Callee, arguments: list[ObjectId]) -> ObjectId | None:
    """Calls a helper with these arguments."""
    argument: ObjectId | None = None
    if arguments:
        argument = arguments[0] if len(arguments) == 1 else e.b.pack(arguments, e.key())
    if not callee.prints:
        assert argument is not None, "helpers that do not print have parameters"
        e.note("call")
        result = e.b.call(callee.function, argument, e.key())
        return e.know(result)
    assert e.token is not None
    taken = e.token if argument is None else e.b.pack([e.token, argument], e.key())
    result = e.b.call(callee.function, taken, e.key())
    e.note("call that prints")
    if callee.result is None:
        e.token = result
        return None
    e.token = e.b.proj(result, 0, e.key())
    return e.know(e.b.proj(result, 1, e.key()))
