"""Graphs from scripts: plain data that a generator makes and the public builder turns into a
sealed graph.

A step names an operation and picks its operands by number, modulo the number of values there
are of a fitting type; a step without operands to pick is skipped. So every script is valid,
and a failing one shrinks to a small one that can be pasted into a test. With `traps=False` a
script makes only divisions, reads and updates that cannot trap. Loops run at most 4 times.
Order keys increase with emission, as those of a source program do.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mapal.ir.builder import GraphBuilder
from mapal.ir.function_builder import Fresh, FunctionBuilder
from mapal.ir.graph import FunctionKind, Graph, Key, Value
from mapal.ir.ops import BinaryCode, FunctionId, ObjectId, UnaryCode
from mapal.ir.types import (
    BOOL,
    F32,
    F64,
    I32,
    IO,
    NUMERIC,
    STR,
    UNIT,
    WIDENINGS,
    Array,
    Scalar,
    Struct,
    Tuple,
    Type,
    is_float,
    is_integer,
)

POINT = Struct("Point", (("x", F32), ("y", F32)))
MOST_PASSES = 4


@dataclass(frozen=True)
class Step:
    """One operation. `picks` choose operands and variants; `value` is a constant's; `parts`
    are the steps inside: two arms of a guard, or body, jump and exit of a loop."""

    kind: str
    picks: tuple[int, ...] = (0, 0, 0)
    value: tuple[Scalar, Value] | None = None
    parts: tuple[tuple[Step, ...], ...] = ()


@dataclass(frozen=True)
class FunctionScript:
    """A helper or body: what it takes, what it gives, and how. A map body takes (captures…,
    element), a fold body (captures…, accumulator, element), a reduce body (captures…, element,
    element); a helper takes `captures` alone. An effectful helper takes a token before them."""

    kind: FunctionKind
    captures: tuple[Scalar, ...]
    element: Scalar
    result: Scalar
    steps: tuple[Step, ...]
    effectful: bool = False


@dataclass(frozen=True)
class Script:
    """A program. The entry takes `inputs` and gives a value of type `result`; an effectful one
    threads a token. Functions refer to earlier ones only."""

    inputs: tuple[Type, ...]
    result: Type
    steps: tuple[Step, ...]
    functions: tuple[FunctionScript, ...] = ()
    effectful: bool = False
    traps: bool = True


@dataclass(frozen=True)
class _Function:
    script: FunctionScript
    id: FunctionId


def build_graph(script: Script) -> Graph:
    """The sealed graph of a script."""
    builder = GraphBuilder()
    keys = _Keys()
    functions: list[_Function] = []
    for number, function in enumerate(script.functions):
        arguments, result = _arguments(function), _result(function)
        name = f"{function.kind.value}{number}"
        names: tuple[str, ...] = ()
        if function.kind is FunctionKind.NAMED:
            names = tuple(f"p{place}" for place in range(len(arguments)))
        identity = builder.declare(
            function.kind,
            name,
            _with_token(function.effectful, _product(arguments)),
            _with_token(function.effectful, result),
            keys.next(),
            names,
        )
        maker = _Maker(builder.build(identity), keys, tuple(functions), script.traps)
        maker.start(arguments, function.effectful)
        maker.run(function.steps)
        maker.finish(result, function.effectful)
        functions.append(_Function(function, identity))
    main = builder.declare(
        FunctionKind.NAMED,
        "main",
        _with_token(script.effectful, _product(script.inputs)),
        _with_token(script.effectful, script.result),
        keys.next(),
        tuple(f"x{place}" for place in range(len(script.inputs))),
    )
    maker = _Maker(builder.build(main), keys, tuple(functions), script.traps)
    maker.start(script.inputs, script.effectful)
    maker.run(script.steps)
    maker.finish(script.result, script.effectful)
    return builder.seal(main)


def _with_token(effectful: bool, ty: Type) -> Type:
    if not effectful:
        return ty
    return IO if ty == UNIT else Tuple((IO, ty))


def _product(components: Sequence[Type]) -> Type:
    if len(components) > 1:
        return Tuple(tuple(components))
    return components[0] if components else UNIT


def _arguments(function: FunctionScript) -> tuple[Type, ...]:
    match function.kind:
        case FunctionKind.NAMED:
            return function.captures
        case FunctionKind.MAP_BODY:
            return (*function.captures, function.element)
        case FunctionKind.FOLD_BODY:
            return (*function.captures, function.result, function.element)
        case FunctionKind.REDUCE_BODY:
            return (*function.captures, function.element, function.element)


def _result(function: FunctionScript) -> Scalar:
    return function.element if function.kind is FunctionKind.REDUCE_BODY else function.result


class _Keys:
    def __init__(self) -> None:
        self._last = 0

    def next(self) -> Key:
        self._last += 1
        return ((self._last, self._last),)


class _Maker:
    """Runs the steps of one function. `_values` holds what the current region may read."""

    def __init__(
        self, f: FunctionBuilder, keys: _Keys, functions: tuple[_Function, ...], traps: bool
    ) -> None:
        self._f = f
        self._keys = keys
        self._functions = functions
        self._traps = traps
        self._values: list[ObjectId] = []
        self._token: ObjectId | None = None

    def start(self, arguments: Sequence[Type], effectful: bool) -> None:
        """Takes the input apart into values, and the token if there is one."""
        rest = self._f.input
        if effectful:
            if not arguments:
                self._token = rest
                return
            self._token = self._f.proj(rest, 0, self._key)
            rest = self._f.proj(rest, 1, self._key)
        if len(arguments) == 1:
            self._values.append(rest)
        for slot in range(len(arguments) if len(arguments) > 1 else 0):
            self._values.append(self._f.proj(rest, slot, self._key, Fresh(f"v{slot}")))

    def finish(self, result: Type, effectful: bool) -> None:
        value = self._some(result, 0)
        if effectful:
            assert self._token is not None, "an effectful function takes a token"
            self._f.output(self._token, self._key, 0)
            self._f.output(value, self._key, 1)
        else:
            self._f.output(value, self._key)
        self._f.finish()

    def run(self, steps: Sequence[Step]) -> None:
        for step in steps:
            made = _STEPS[step.kind](self, step)
            if made is not None:
                self._values.append(made)

    @property
    def _key(self) -> Key:
        return self._keys.next()

    # Picking ------------------------------------------------------------------------

    def _of(self, wanted: Type) -> list[ObjectId]:
        return [value for value in self._values if self._f.ty(value) == wanted]

    def _pick(self, wanted: Type, number: int) -> ObjectId | None:
        found = self._of(wanted)
        return found[number % len(found)] if found else None

    def _some(self, wanted: Type, number: int) -> ObjectId:
        """The latest value of a type by default; made if there is none."""
        found = self._of(wanted)
        if found:
            return found[-1 - number % len(found)]
        match wanted:
            case Scalar(name="bool"):
                return self._f.constant(True, BOOL, self._key)
            case Scalar():
                return self._f.constant(1.5 if wanted.is_float else 3, wanted, self._key)
            case Array(element=element, length=length):
                parts = [self._some(element, place) for place in range(length)]
                return self._f.pack_array(parts, self._key)
            case Tuple(items=items):
                parts = [self._some(item, place) for place, item in enumerate(items)]
                return self._f.pack(parts, self._key)
            case Struct(items=items):
                parts = [self._some(item, place) for place, item in enumerate(items)]
                return self._f.pack_struct(wanted, parts, self._key)
            case _:
                raise AssertionError(f"no value of type {wanted}")

    def _any(self, number: int, among: tuple[type, ...]) -> ObjectId | None:
        found = [value for value in self._values if isinstance(self._f.ty(value), among)]
        return found[number % len(found)] if found else None

    def _scalar(self, number: int) -> ObjectId | None:
        return self._any(number, (Scalar,))

    # Scalars ------------------------------------------------------------------------

    def constant(self, step: Step) -> ObjectId | None:
        if step.value is None:
            return None
        ty, value = step.value
        return self._f.constant(value, ty, self._key)

    def binary(self, step: Step) -> ObjectId | None:
        left = self._scalar(step.picks[0])
        if left is None:
            return None
        ty = self._f.ty(left)
        codes = list(BinaryCode)
        if ty == BOOL:
            codes = [BinaryCode.AND, BinaryCode.OR, BinaryCode.EQ, BinaryCode.NEQ]
        else:
            codes = [code for code in codes if code not in (BinaryCode.AND, BinaryCode.OR)]
        code = codes[step.picks[2] % len(codes)]
        right = self._pick(ty, step.picks[1])
        assert right is not None, "the left operand is of that type"
        if not self._traps and is_integer(ty) and code in (BinaryCode.DIV, BinaryCode.MOD):
            right = self._f.constant(1 + step.picks[1] % 7, ty, self._key)
        return self._f.binary(code, left, right, self._key)

    def unary(self, step: Step) -> ObjectId | None:
        """Half of the time on a float, if there is one: most of these take nothing else."""
        x = self._scalar(step.picks[0])
        floats = [*self._of(F32), *self._of(F64)]
        if floats and step.picks[1] & 1:
            x = floats[step.picks[0] % len(floats)]
        if x is None:
            return None
        ty = self._f.ty(x)
        codes = [UnaryCode.NEG, UnaryCode.ABS]
        if ty == BOOL:
            codes = [UnaryCode.NOT]
        elif is_float(ty):
            codes = [code for code in UnaryCode if code is not UnaryCode.NOT]
        return self._f.unary(codes[step.picks[2] % len(codes)], x, self._key)

    def convert(self, step: Step) -> ObjectId | None:
        x = self._scalar(step.picks[0])
        if x is None or self._f.ty(x) == BOOL:
            return None
        source = self._f.ty(x)
        targets = [ty for ty in NUMERIC if ty != source]
        target = targets[step.picks[1] % len(targets)]
        if (source, target) in WIDENINGS:
            return self._f.widen(x, target, self._key)
        return self._f.convert(x, target, self._key)

    def fma(self, step: Step) -> ObjectId | None:
        ty = (F32, F64)[step.picks[2] % 2]
        x, y = self._pick(ty, step.picks[0]), self._pick(ty, step.picks[1])
        if x is None or y is None:
            return None
        negate_product, negate_addend = bool(step.picks[0] & 1), bool(step.picks[1] & 1)
        return self._f.fma(
            x, y, x, negate_product=negate_product, negate_addend=negate_addend, key=self._key
        )

    # Products and arrays ------------------------------------------------------------

    def pack(self, step: Step) -> ObjectId | None:
        parts = [self._any(pick, (Scalar, Array, Tuple, Struct)) for pick in step.picks[:2]]
        found = [part for part in parts if part is not None]
        if len(found) < 2 or sum(self._size(part) for part in found) > 64:
            return None
        return self._f.pack(found, self._key)

    def _size(self, value: ObjectId) -> int:
        """Number of scalars in a value."""
        return _scalars_in(self._f.ty(value))

    def struct(self, step: Step) -> ObjectId | None:
        parts = [self._pick(F32, pick) for pick in step.picks[:2]]
        found = [part for part in parts if part is not None]
        return self._f.pack_struct(POINT, found, self._key) if len(found) == 2 else None

    def proj(self, step: Step) -> ObjectId | None:
        x = self._any(step.picks[0], (Tuple, Struct))
        if x is None:
            return None
        ty = self._f.ty(x)
        assert isinstance(ty, Tuple | Struct)
        return self._f.proj(x, step.picks[1] % len(ty.items), self._key)

    def array(self, step: Step) -> ObjectId | None:
        first = self._any(step.picks[0], (Scalar, Struct))
        if first is None:
            return None
        ty = self._f.ty(first)
        rest = [self._pick(ty, pick) for pick in step.picks[1:]]
        return self._f.pack_array([first, *(part for part in rest if part is not None)], self._key)

    def _index_for(self, array: ObjectId, number: int) -> ObjectId:
        ty = self._f.ty(array)
        assert isinstance(ty, Array)
        chosen = self._pick(I32, number)
        if self._traps and chosen is not None:
            return chosen
        return self._f.constant(number % ty.length, I32, self._key)

    def index(self, step: Step) -> ObjectId | None:
        array = self._any(step.picks[0], (Array,))
        if array is None:
            return None
        return self._f.index(array, self._index_for(array, step.picks[1]), self._key)

    def update(self, step: Step) -> ObjectId | None:
        array = self._any(step.picks[0], (Array,))
        if array is None:
            return None
        ty = self._f.ty(array)
        assert isinstance(ty, Array)
        value = self._pick(ty.element, step.picks[2])
        if value is None:
            return None
        return self._f.update(array, self._index_for(array, step.picks[1]), value, self._key)

    def iota(self, step: Step) -> ObjectId | None:
        count = self._f.constant(1 + step.picks[0] % 5, I32, self._key)
        return self._f.iota(count, self._key)

    def fill(self, step: Step) -> ObjectId | None:
        value = self._any(step.picks[0], (Scalar, Tuple, Struct, Array))
        if value is None or self._size(value) > 16:
            return None
        count = self._f.constant(1 + step.picks[1] % 4, I32, self._key)
        return self._f.fill(value, count, self._key)

    def zip(self, step: Step) -> ObjectId | None:
        left = self._any(step.picks[0], (Array,))
        if left is None or self._size(left) > 32:
            return None
        ty = self._f.ty(left)
        assert isinstance(ty, Array)
        same = [value for value in self._values if _length(self._f.ty(value)) == ty.length]
        right = same[step.picks[1] % len(same)]
        return self._f.zip(left, right, self._key) if self._size(right) <= 32 else None

    def enumerate(self, step: Step) -> ObjectId | None:
        array = self._any(step.picks[0], (Array,))
        if array is None or self._size(array) > 32:
            return None
        return self._f.enumerate(array, self._key)

    # Functions ----------------------------------------------------------------------

    def collect(self, step: Step) -> ObjectId | None:
        """A map, fold or reduce by one of the bodies, over an array that is there or made."""
        bodies = [f for f in self._functions if f.script.kind is not FunctionKind.NAMED]
        if not bodies:
            return None
        body = bodies[step.picks[0] % len(bodies)]
        script = body.script
        arrays = [
            value
            for value in self._values
            if isinstance(ty := self._f.ty(value), Array) and ty.element == script.element
        ]
        if arrays:
            array = arrays[step.picks[1] % len(arrays)]
        else:
            array = self._some(Array(script.element, 3), step.picks[1])
        captures = [self._some(ty, step.picks[2]) for ty in script.captures]
        match script.kind:
            case FunctionKind.MAP_BODY:
                return self._f.map(body.id, captures, array, self._key)
            case FunctionKind.REDUCE_BODY:
                return self._f.reduce(body.id, captures, array, self._key)
            case _:
                seed = self._some(script.result, step.picks[2])
                return self._f.fold(body.id, captures, seed, array, self._key)

    def call(self, step: Step) -> ObjectId | None:
        usable = [
            f
            for f in self._functions
            if f.script.kind is FunctionKind.NAMED
            and (not f.script.effectful or self._token is not None)
        ]
        if not usable:
            return None
        callee = usable[step.picks[0] % len(usable)]
        parts = [self._some(ty, step.picks[1]) for ty in callee.script.captures]
        argument = parts[0] if len(parts) == 1 else self._f.pack(parts, self._key)
        if callee.script.effectful:
            assert self._token is not None
            argument = self._f.pack((self._token, argument), self._key)
        result = self._f.call(callee.id, argument, self._key)
        if not callee.script.effectful:
            return result
        self._token = self._f.proj(result, 0, self._key)
        return self._f.proj(result, 1, self._key)

    # Effects ------------------------------------------------------------------------

    def print(self, step: Step) -> None:
        if self._token is None:
            return
        value = self._scalar(step.picks[0])
        if value is None or step.picks[1] % 5 == 0:
            value = self._f.constant(f'"{step.picks[0]}" é\n', STR, self._key)
        self._token = self._f.print(self._token, value, bool(step.picks[2] & 1), self._key)

    def time(self, step: Step) -> ObjectId | None:
        if self._token is None:
            return None
        timed = self._f.time_ms(self._token, self._key)
        self._token = self._f.proj(timed, 0, self._key)
        return self._f.proj(timed, 1, self._key)

    # Guards and loops ---------------------------------------------------------------

    def guard(self, step: Step) -> ObjectId | None:
        """Two arms that may read everything before them and make values of their own."""
        cond = self._some(BOOL, step.picks[0])
        draft = self._f.begin_guard(cond, self._key)
        before, token = self._values, self._token
        self._token = None
        pools: list[list[ObjectId]] = []
        for arm, steps in zip((draft.arm_true, draft.arm_false), step.parts, strict=True):
            self._values = list(before)
            with self._f.in_region(arm):
                self.run(steps)
            pools.append(self._values)
        self._values = pools[0]
        when_true = self._any(step.picks[1], (Scalar, Array, Tuple, Struct))
        if when_true is None:
            when_true = self._f.constant(7, I32, self._key)
        self._values = pools[1]
        with self._f.in_region(draft.arm_false):
            when_false = self._some(self._f.ty(when_true), step.picks[2])
        self._values, self._token = before, token
        return self._f.phi(draft, when_true, when_false)

    def loop(self, step: Step) -> ObjectId | None:
        """A loop that counts down and carries up to two values, and the token if there is one
        and the last pick is odd."""
        token = self._token if step.picks[2] & 1 else None
        counter = self._f.constant(step.picks[0] % (MOST_PASSES + 1), I32, self._key)
        one = self._f.constant(1, I32, self._key)
        zero = self._f.constant(0, I32, self._key)
        found = [self._any(pick, (Scalar, Array, Tuple)) for pick in step.picks[:2]]
        carried = [value for value in found if value is not None]
        types = [self._f.ty(value) for value in carried]
        parts = [counter, *carried] if token is None else [token, counter, *carried]
        init = parts[0] if len(parts) == 1 else self._f.pack(parts, self._key)
        draft = self._f.begin_loop(init, self._key)
        before, outer_token = self._values, self._token
        with self._f.in_region(draft.body):
            views = [draft.merge]
            if len(parts) > 1:
                views = [self._f.proj(draft.merge, slot, self._key) for slot in range(len(parts))]
            self._token = views.pop(0) if token is not None else None
            current = views[0]
            self._values = [*before, *views]
            self.run(step.parts[0])
            cond = self._f.binary(BinaryCode.GT, current, zero, self._key)
            inside, inside_token = self._values, self._token
        with self._f.in_region(draft.jump):
            self._values = list(inside)
            self.run(step.parts[1])
            following = [self._f.binary(BinaryCode.SUB, current, one, self._key)]
            following += [self._some(ty, step.picks[1]) for ty in types]
            if self._token is not None:
                following.insert(0, self._token)
            state = following[0] if len(following) == 1 else self._f.pack(following, self._key)
        self._f.loop_back(draft, state, cond)
        with self._f.in_region(draft.exit):
            self._values, self._token = list(inside), inside_token
            self.run(step.parts[2])
            wanted = types[step.picks[0] % len(types)] if types else I32
            payload = result = self._some(wanted, step.picks[1])
            if self._token is not None:
                payload = self._f.pack((self._token, result), self._key)
        left = self._f.loop_exit(draft, payload, cond)
        self._f.end_loop(draft)
        self._values, self._token = before, outer_token
        if token is not None:
            self._token = self._f.proj(left, 0, self._key)
            left = self._f.proj(left, 1, self._key)
        return left


def _scalars_in(ty: Type) -> int:
    match ty:
        case Array(element=element, length=length):
            return length * _scalars_in(element)
        case Tuple(items=items) | Struct(items=items):
            return sum(map(_scalars_in, items))
        case _:
            return 1


def _length(ty: Type) -> int | None:
    return ty.length if isinstance(ty, Array) else None


_STEPS = {
    "constant": _Maker.constant,
    "binary": _Maker.binary,
    "unary": _Maker.unary,
    "convert": _Maker.convert,
    "fma": _Maker.fma,
    "pack": _Maker.pack,
    "struct": _Maker.struct,
    "proj": _Maker.proj,
    "array": _Maker.array,
    "index": _Maker.index,
    "update": _Maker.update,
    "iota": _Maker.iota,
    "fill": _Maker.fill,
    "zip": _Maker.zip,
    "enumerate": _Maker.enumerate,
    "collect": _Maker.collect,
    "call": _Maker.call,
    "print": _Maker.print,
    "time": _Maker.time,
    "guard": _Maker.guard,
    "loop": _Maker.loop,
}

PLAIN_STEPS = tuple(kind for kind in _STEPS if kind not in ("constant", "guard", "loop"))
"""Kinds of steps that have nothing inside and no value of their own."""

COMMON_STEPS = ("binary", "unary", "collect", "collect", "call", "print")
"""Those that a generator should make more often."""
