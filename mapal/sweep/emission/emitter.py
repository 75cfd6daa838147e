"""The state of emission: what one program and one function under construction share.

`Emitter` wraps the public function builder. It keeps the values that can be read in the current
region, most recent last, and takes operands from them by number. Steps that would make a run
too long are refused by `afford`: each function has an allowance of evaluated operations, and
what stands in loops and bodies counts as often as it runs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from mapal.ir.builder import GraphBuilder
from mapal.ir.function_builder import FRESH, Destination, FunctionBuilder, Ret
from mapal.ir.graph import FunctionKind, Key, Value
from mapal.ir.ops import BinaryCode, FunctionId, ObjectId, RegionId
from mapal.ir.types import (
    BOOL,
    I32,
    IO,
    Array,
    Scalar,
    Struct,
    Tuple,
    Type,
    contains_token,
    is_integer,
)
from mapal.sweep.catalogue import literal
from mapal.sweep.script import Block, Step

Fits = Callable[[Type], bool]
BodyMaker = Callable[["Emitter"], None]

EARLY_KEYS = 2048
"""How many keys are kept free for what is written before a guard or loop and stands inside."""


class Numbers:
    """The numbers of a step, read one after the other; zeros follow the last."""

    def __init__(self, numbers: Sequence[int]) -> None:
        self._numbers = numbers
        self._at = 0

    def next(self) -> int:
        self._at += 1
        return self._numbers[self._at - 1] if self._at <= len(self._numbers) else 0

    def below(self, count: int) -> int:
        """The next number modulo `count`."""
        return self.next() % count

    def chance(self, one_in: int) -> bool:
        """True for one number of `one_in`, and not for zero."""
        return self.next() % one_in == one_in - 1


@dataclass(frozen=True, slots=True)
class Callee:
    """A finished helper: the types of its parameters and result, whether it prints, and
    what a call costs."""

    function: FunctionId
    parameters: tuple[Type, ...]
    result: Type | None
    prints: bool
    cost: int


@dataclass(frozen=True, slots=True)
class PendingBody:
    """A body that is declared and not built yet."""

    function: FunctionId
    captures: int
    arguments: int
    result: Type
    allowance: int
    total: bool
    make: BodyMaker


@dataclass(slots=True)
class ProgramState:
    """What the functions of one program share. `run_block` emits steps (it is passed in, so
    that steps can hold steps without a cycle of modules)."""

    builder: GraphBuilder
    trap_free: bool
    fused: bool
    run_block: Callable[[Emitter, Block], None]
    callees: list[Callee] = field(default_factory=list)
    pending: list[PendingBody] = field(default_factory=list)
    shapes: dict[str, int] = field(default_factory=dict)
    key: int = 0
    early: bool = False
    bodies: int = 0

    def next_key(self) -> Key:
        self.key += 1
        return ((self.key, self.key),)

    def note(self, shape: str) -> None:
        """Counts a shape that the emission knows it made."""
        self.shapes[shape] = self.shapes.get(shape, 0) + 1


class Emitter:
    """Emits into one function."""

    def __init__(
        self,
        program: ProgramState,
        builder: FunctionBuilder,
        *,
        allowance: int,
        total: bool = False,
    ) -> None:
        self.program = program
        self.b = builder
        self.values: list[tuple[ObjectId, Type]] = []
        self.token: ObjectId | None = None
        self.may_print = False
        self.total = total
        self.times = 1
        self.loops = 0
        self.left = allowance
        self.spent = 0

    # Bookkeeping --------------------------------------------------------------------

    @property
    def trap_free(self) -> bool:
        return self.program.trap_free or self.total

    def key(self) -> Key:
        return self.program.next_key()

    def note(self, shape: str) -> None:
        self.program.note(shape)

    def afford(self, cost: int = 1) -> bool:
        """Whether the allowance covers `cost` operations here; if so, takes them off."""
        whole = cost * self.times
        if whole > self.left:
            return False
        self.left -= whole
        self.spent += whole
        return True

    def repeats(self, most: int, per_pass: int) -> int:
        """How often something of `per_pass` operations may be repeated here, up to `most`."""
        return min(most, self.left // max(1, per_pass * self.times))

    @contextmanager
    def region(self, region: RegionId, *, times: int = 1, arm: bool = False) -> Iterator[None]:
        """Emits into another region; what becomes known there is forgotten at the end. An arm
        of a guard takes no effects."""
        known, before, may_print = len(self.values), self.times, self.may_print
        self.times *= times
        self.may_print = may_print and not arm
        with self.b.in_region(region):
            yield
        del self.values[known:]
        self.times, self.may_print = before, may_print

    @contextmanager
    def written_before(self, reserved: int) -> Iterator[None]:
        """Takes the keys from `reserved` on, which lie before those of the guard or loop. What
        is in there already is written where it stands."""
        if self.program.early:
            yield
            return
        before, self.program.key = self.program.key, reserved
        self.program.early = True
        yield
        self.program.early = False
        self.program.key = max(before, self.program.key)

    def reserve_keys(self) -> int:
        """Keeps keys free for two uses; where they begin."""
        first = self.program.key
        if not self.program.early:
            self.program.key += 2 * EARLY_KEYS
        return first

    def run(self, block: Block) -> None:
        """Emits the steps of a block."""
        self.program.run_block(self, block)

    # Values -------------------------------------------------------------------------

    def know(self, obj: ObjectId) -> ObjectId:
        """Makes a value available to the following steps."""
        self.values.append((obj, self.b.ty(obj)))
        return obj

    def pick(self, fits: Fits, number: int) -> ObjectId | None:
        """A known value of a fitting type: number 0 means the most recent one."""
        found = [obj for obj, ty in reversed(self.values) if fits(ty)]
        return found[number % len(found)] if found else None

    def pick_type(self, ty: Type, number: int) -> ObjectId | None:
        return self.pick(lambda found: found == ty, number)

    def pick_array(self, number: int) -> tuple[ObjectId, Array] | None:
        array = self.pick(lambda ty: isinstance(ty, Array), number)
        if array is None:
            return None
        ty = self.b.ty(array)
        assert isinstance(ty, Array)
        return array, ty

    def constant(self, value: Value, ty: Scalar) -> ObjectId:
        return self.b.constant(value, ty, self.key())

    def number(self, value: int, ty: Scalar = I32) -> ObjectId:
        """A small number as a constant of any numeric type."""
        return self.constant(float(value) if ty.is_float else value, ty)

    def demand(self, ty: Type, number: int = 0) -> ObjectId:
        """A known value of exactly this type, or else a new one."""
        found = self.pick_type(ty, number)
        return found if found is not None else self.make(ty, number)

    def make(self, ty: Type, number: int = 0) -> ObjectId:
        """A new value of a type, from known components where there are any."""
        match ty:
            case Scalar():
                return self.constant(literal(ty, number), ty)
            case Array(element=element, length=length) if length > 4:
                filler = self.demand(element, number)
                return self.b.fill(filler, self.number(length), self.key())
            case Array(element=element, length=length):
                parts = [self.demand(element, number + at) for at in range(length)]
                return self.b.pack_array(parts, self.key())
            case Tuple(items=items):
                return self.b.pack([self.demand(item, number) for item in items], self.key())
            case Struct(items=items):
                parts = [self.demand(item, number) for item in items]
                return self.b.pack_struct(ty, parts, self.key())
            case _:
                raise TypeError(f"no values of type {ty}")

    def binary(
        self, code: BinaryCode, a: ObjectId, b: ObjectId, dest: Destination = FRESH
    ) -> ObjectId:
        return self.b.binary(code, a, b, self.key(), dest)

    def scalar_ty(self, obj: ObjectId) -> Scalar:
        ty = self.b.ty(obj)
        assert isinstance(ty, Scalar)
        return ty

    def condition(self, n: Numbers) -> ObjectId:
        """A known `bool`, or a comparison of a known number with a small one."""
        if n.chance(3):
            known = self.pick_type(BOOL, n.next())
            if known is not None:
                return known
        number = self.pick(lambda ty: isinstance(ty, Scalar) and ty.is_numeric, n.next())
        if number is None:
            number = self.number(1)
        code = (BinaryCode.LT, BinaryCode.NEQ, BinaryCode.GE, BinaryCode.EQ)[n.below(4)]
        return self.binary(code, number, self.number(n.below(5), self.scalar_ty(number)))

    def position(self, length: int, n: Numbers) -> ObjectId:
        """An index into an array of `length`: a constant in range, a known integer brought into
        range, or, where traps are welcome, any integer."""
        way = n.below(8)
        known = self.pick(is_integer, n.next())
        if self.total or way < 4 or known is None:
            return self.number(n.below(length))
        if self.trap_free or way < 6:
            return self._within(known, length)
        if way == 6:
            return self.number(length + n.below(3) - 1)
        return known

    def _within(self, known: ObjectId, length: int) -> ObjectId:
        """A known integer brought into the range of an array."""
        ty = self.scalar_ty(known)
        if not ty.is_signed and length > 255:
            return self.number(0)
        modulus = self.number(length, ty)
        rest = self.binary(BinaryCode.MOD, known, modulus)
        if not ty.is_signed:
            return rest
        return self.binary(BinaryCode.MAX, rest, self.number(0, ty))

    def divisor(self, ty: Scalar, n: Numbers) -> ObjectId:
        """A divisor: a constant other than 0, or, where traps are welcome, any known value."""
        if not self.trap_free and n.below(3) == 2:
            known = self.pick_type(ty, n.next())
            if known is not None:
                return known
        choices = (2, 3, 1, 7, -1, 10, -2) if ty.is_signed else (2, 3, 1, 7, 10, 255, 16)
        return self.number(choices[n.below(len(choices))], ty)

    # Functions ----------------------------------------------------------------------

    def body(
        self,
        kind: FunctionKind,
        captures: Sequence[Type],
        arguments: Sequence[Type],
        result: Type,
        allowance: int,
        make: BodyMaker,
    ) -> FunctionId:
        """Declares a body, to be built when this function is finished."""
        program = self.program
        program.bodies += 1
        parts = (*captures, *arguments)
        taken = parts[0] if len(parts) == 1 else Tuple(parts)
        name = f"body{program.bodies}"
        function = program.builder.declare(kind, name, taken, result, program.next_key())
        program.pending.append(
            PendingBody(
                function,
                len(captures),
                len(arguments),
                result,
                allowance,
                self.total or kind is FunctionKind.REDUCE_BODY,
                make,
            )
        )
        return function

    def step_body(self, block: Block, choice: int) -> BodyMaker:
        """The maker of a body of these steps; its result is the `choice`-th known value."""

        def make(inner: Emitter) -> None:
            inner.run(block)
            inner.give(choice)

        return make

    def give(self, choice: int = 0) -> None:
        """Writes the result of this function, in one of the ways that there are."""
        result, known = self.b.ty(self.b.result), choice // 3
        match choice % 3, result:
            case 1, Tuple() | Struct():
                for slot, item in enumerate(result.items):
                    self.b.output(self.demand(item, known), self.key(), slot)
            case 2, Tuple():
                parts = [self.demand(item, known) for item in result.items]
                self.b.pack(parts, self.key(), Ret())
            case 1 | 2, Scalar() if result.is_numeric:
                value, zero = self.demand(result, known), self.number(0, result)
                self.binary(BinaryCode.ADD, value, zero, Ret())
            case _:
                self.b.output(self.demand(result, known), self.key())


def holds_data(ty: Type) -> bool:
    """Whether values of a type can be carried, captured and returned."""
    return not contains_token(ty) and ty != IO


__all__ = ["BodyMaker", "Callee", "Emitter", "Numbers", "PendingBody", "ProgramState", "Step"]
