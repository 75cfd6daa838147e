"""Small graphs by hand, one per construct, for the tests of this folder."""

from __future__ import annotations

from mapal.ir.builder import GraphBuilder
from mapal.ir.function_builder import Fresh, FunctionBuilder, Ret
from mapal.ir.graph import FunctionKind, Graph, Key
from mapal.ir.ops import BinaryCode, FunctionId, ObjectId, UnaryCode
from mapal.ir.types import BOOL, F32, F64, I32, IO, STR, U8, Array, Struct, Tuple, Type


def at(first: int, last: int | None = None) -> Key:
    """A key of one range of tokens."""
    return ((first, first if last is None else last),)


def one_function(
    input_ty: Type, output_ty: Type, parameters: tuple[str, ...] = ()
) -> tuple[GraphBuilder, FunctionId, FunctionBuilder]:
    """A builder with `main` declared and opened."""
    builder = GraphBuilder()
    key = at(0, 99)
    main = builder.declare(FunctionKind.NAMED, "main", input_ty, output_ty, key, parameters)
    return builder, main, builder.build(main)


def straight_line() -> Graph:
    """`(a * b) + 1`"""
    builder, main, f = one_function(Tuple((I32, I32)), I32, ("a", "b"))
    a = f.proj(f.input, 0, at(1), Fresh("a"))
    b = f.proj(f.input, 1, at(2), Fresh("b"))
    product = f.binary(BinaryCode.MUL, a, b, at(3))
    one = f.constant(1, I32, at(4))
    f.binary(BinaryCode.ADD, product, one, at(5), Ret())
    f.finish()
    return builder.seal(main)


def printing() -> Graph:
    """Prints every printable type, and the time."""
    builder, main, f = one_function(IO, IO)
    token = f.input
    values = (
        f.constant('a "quoted" \n é \u2028 text @ 7', STR, at(1)),
        f.constant(-7, I32, at(2)),
        f.constant(255, U8, at(3)),
        f.constant(True, BOOL, at(4)),
        f.constant(0.1, F64, at(5)),
        f.constant(-0.0, F64, at(6)),
        f.constant(float("nan"), F32, at(7)),
        f.constant(float("-inf"), F32, at(8)),
        f.constant(1e300, F64, at(9)),
    )
    for place, value in enumerate(values):
        token = f.print(token, value, place % 2 == 0, at(20 + place))
    timed = f.time_ms(token, at(40))
    token = f.proj(timed, 0, at(41))
    token = f.print(token, f.proj(timed, 1, at(42)), True, at(43))
    f.output(token, at(44))
    f.finish()
    return builder.seal(main)


def guarded() -> Graph:
    """`d == 0 ? 0 : (d == 1 ? 1 : 100 / d)`, the inner guard in a rest arm."""
    builder, main, f = one_function(I32, I32, ("d",))
    zero, one = f.constant(0, I32, at(1)), f.constant(1, I32, at(2))
    hundred = f.constant(100, I32, at(3))
    is_zero = f.binary(BinaryCode.EQ, f.input, zero, at(4))
    is_one = f.binary(BinaryCode.EQ, f.input, one, at(5))
    outer = f.begin_guard(is_zero, at(6, 20), rest=True)
    with f.in_region(outer.arm_false):
        inner = f.begin_guard(is_one, at(8, 19))
        with f.in_region(inner.arm_false):
            quotient = f.binary(BinaryCode.DIV, hundred, f.input, at(10))
        value = f.phi(inner, one, quotient)
    f.phi(outer, zero, value, Ret())
    f.finish()
    return builder.seal(main)


def sum_loop(f: FunctionBuilder, limit: ObjectId, first: int) -> ObjectId:
    """The sum of 1 … limit, carried as (i, sum)."""
    one = f.constant(1, I32, at(first))
    zero = f.constant(0, I32, at(first))
    loop = f.begin_loop(f.pack((one, zero), at(first)), at(first, first + 9))
    with f.in_region(loop.body):
        i = f.proj(loop.merge, 0, at(first + 1), Fresh("i"))
        total = f.proj(loop.merge, 1, at(first + 2), Fresh("sum"))
        goes_on = f.binary(BinaryCode.LE, i, limit, at(first + 3))
    with f.in_region(loop.jump):
        following = f.binary(BinaryCode.ADD, i, one, at(first + 4))
        grown = f.binary(BinaryCode.ADD, total, i, at(first + 5))
        state = f.pack((following, grown), at(first + 6))
    f.loop_back(loop, state, goes_on)
    result = f.loop_exit(loop, total, goes_on)
    f.end_loop(loop)
    return result


def looping() -> Graph:
    """A loop after a loop, the second in the limit of the first."""
    builder, main, f = one_function(I32, I32, ("n",))
    first = sum_loop(f, f.input, 10)
    second = sum_loop(f, first, 30)
    f.unary(UnaryCode.NEG, second, at(50), Ret())
    f.finish()
    return builder.seal(main)


def effectful_nest() -> Graph:
    """A loop that prints on every pass, and an inner one that prints in its jump arm, with the
    token and a counter as state of both."""
    builder, main, f = one_function(IO, IO)
    zero, three = f.constant(0, I32, at(1)), f.constant(3, I32, at(1))
    one = f.constant(1, I32, at(1))
    outer = f.begin_loop(f.pack((f.input, zero), at(2)), at(2, 40))
    with f.in_region(outer.body):
        token = f.proj(outer.merge, 0, at(3))
        i = f.proj(outer.merge, 1, at(3), Fresh("i"))
        token = f.print(token, i, False, at(4))
        goes_on = f.binary(BinaryCode.LT, i, three, at(5))
    with f.in_region(outer.jump):
        inner = f.begin_loop(f.pack((token, i), at(10)), at(10, 30))
        with f.in_region(inner.body):
            inner_token = f.proj(inner.merge, 0, at(11))
            j = f.proj(inner.merge, 1, at(11), Fresh("j"))
            inner_goes_on = f.binary(BinaryCode.GT, j, zero, at(12))
        with f.in_region(inner.jump):
            printed = f.print(inner_token, j, True, at(13))
            fewer = f.binary(BinaryCode.SUB, j, one, at(14))
            inner_state = f.pack((printed, fewer), at(15))
        f.loop_back(inner, inner_state, inner_goes_on)
        left = f.loop_exit(inner, inner_token, inner_goes_on)
        f.end_loop(inner)
        more = f.binary(BinaryCode.ADD, i, one, at(31))
        state = f.pack((left, more), at(32))
    f.loop_back(outer, state, goes_on)
    f.loop_exit(outer, token, goes_on, Ret())
    f.end_loop(outer)
    f.finish()
    return builder.seal(main)


POINT = Struct("Point", (("x", F32), ("y", F32)))


def collections() -> Graph:
    """Map with and without captures, fold, reduce, zip, enumerate, iota, fill, index, update,
    an array literal, a struct, conversions and a call."""
    builder = GraphBuilder()
    numbers = Array(I32, 4)
    main = builder.declare(
        FunctionKind.NAMED, "main", I32, Tuple((I32, POINT, numbers, I32)), at(0, 99), ("k",)
    )
    double = builder.declare(FunctionKind.NAMED, "double", I32, I32, at(100, 110), ("x",))
    scale = builder.declare(FunctionKind.MAP_BODY, "scale", Tuple((I32, I32)), I32, at(20))
    square = builder.declare(FunctionKind.MAP_BODY, "square", I32, I32, at(21))
    dot = builder.declare(
        FunctionKind.FOLD_BODY, "dot", Tuple((I32, Tuple((I32, I32)))), I32, at(22)
    )
    add = builder.declare(FunctionKind.REDUCE_BODY, "add", Tuple((I32, I32)), I32, at(23))

    f = builder.build(double)
    f.binary(BinaryCode.ADD, f.input, f.input, at(105), Ret())
    f.finish()
    for body, code in ((scale, BinaryCode.MUL), (add, BinaryCode.ADD)):
        f = builder.build(body)
        left, right = f.proj(f.input, 0, at(20)), f.proj(f.input, 1, at(20))
        f.binary(code, left, right, at(20), Ret())
        f.finish()
    f = builder.build(square)
    f.binary(BinaryCode.MUL, f.input, f.input, at(21), Ret())
    f.finish()
    f = builder.build(dot)
    pair = f.proj(f.input, 1, at(22))
    left, right = f.proj(pair, 0, at(22)), f.proj(pair, 1, at(22))
    product = f.binary(BinaryCode.MUL, left, right, at(22))
    f.binary(BinaryCode.ADD, f.proj(f.input, 0, at(22)), product, at(22), Ret())
    f.finish()

    f = builder.build(main)
    four, zero = f.constant(4, I32, at(1)), f.constant(0, I32, at(2))
    literal = f.pack_array((zero, f.input, four, zero), at(3))
    filled = f.fill(f.input, four, at(4))
    scaled = f.map(scale, (f.input,), literal, at(5))
    squared = f.map(square, (), f.iota(four, at(6)), at(7))
    zipped = f.zip(scaled, squared, at(8))
    f.enumerate(zipped, at(9))
    folded = f.fold(dot, (), zero, zipped, at(10))
    reduced = f.reduce(add, (), filled, at(11))
    updated = f.update(literal, zero, reduced, at(12))
    f.index(updated, f.input, at(13))
    doubled = f.call(double, folded, at(14), Ret(0))
    real = f.widen(doubled, F64, at(15))
    single = f.convert(real, F32, at(16))
    fused = f.fma(single, single, single, negate_product=False, negate_addend=True, key=at(17))
    f.pack_struct(POINT, (single, fused), at(18), Ret(1))
    f.output(updated, at(19), 2)
    f.output(reduced, at(19), 3)
    f.finish()
    return builder.seal(main)


ALL = (straight_line, printing, guarded, looping, effectful_nest, collections)
