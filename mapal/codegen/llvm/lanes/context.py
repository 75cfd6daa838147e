"""Where code in lanes is written: the vector side of scalar operations, and masks."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from mapal.codegen.layout import register_type
from mapal.codegen.llvm.emitter import Emitter
from mapal.codegen.llvm.floats import Floats
from mapal.codegen.llvm.lanes.values import LaneValue, Linear, Pattern, Varying
from mapal.codegen.llvm.scalars import SUFFIXES
from mapal.diagnostics import CompilerBug
from mapal.ir.graph import Key
from mapal.ir.types import BOOL, Scalar, Struct, Tuple, Type, has_no_representation

ALL = "splat (i1 true)"
NONE = "zeroinitializer"


class Lanes:
    """`width` lanes in an emitter. `mask` is a vector of i1 that tells which lanes count, None
    for all; at least one does. A context for `scalars`."""

    def __init__(self, e: Emitter, width: int) -> None:
        self.e = e
        self.w = e.w
        self.width = width
        self.mask: str | None = None

    # Types ----------------------------------------------------------------------------

    def lanes(self, base: str) -> str:
        """The vector type of elements of an LLVM type."""
        return f"<{self.width} x {base}>"

    def suffix(self, base: str) -> str:
        """How names of intrinsics write that vector type."""
        return f"v{self.width}{SUFFIXES[base]}"

    def type_of(self, ty: Scalar) -> str:
        """The vector type of a scalar in registers."""
        return self.lanes(register_type(ty))

    # The context of scalar operations -------------------------------------------------

    def value(self, instruction: str) -> str:
        return self.w.value(instruction)

    def intrinsic(self, name: str, result: str, parameters: str) -> str:
        return self.e.module.intrinsic(name, result, parameters)

    def require(self, condition: str, kind: int, key: Key) -> None:
        raise CompilerBug(f"a trap of kind {kind} at {key} in lanes")

    def fused(self, ty: Scalar) -> str:
        register = self.type_of(ty)
        parameters = ", ".join([register] * 3)
        return self.intrinsic(f"llvm.fma.{self.suffix(register_type(ty))}", register, parameters)

    def float_remainder(self, ty: Scalar, a: str, b: str) -> str:
        raise CompilerBug(f"a remainder of {ty} in lanes")

    def known_remainder(self, number: str, divisor: int) -> str | None:
        return None

    @property
    def selects_numbers(self) -> bool:
        return self.e.selects_numbers

    @property
    def floats(self) -> Floats:
        return self.e.floats

    def opaque_zero(self, base: str) -> str:
        return self.splat(base, self.e.opaque_zero(base))

    @property
    def saturates(self) -> bool:
        return self.e.saturates

    def constant(self, base: str, text: str) -> str:
        return f"splat ({base} {text})"

    def literal_of(self, operand: str) -> str | None:
        if not operand.startswith("splat ("):
            return None
        return operand[:-1].split(" ")[-1]

    # Values ---------------------------------------------------------------------------

    def splat(self, base: str, scalar: str) -> str:
        """A vector of equal elements of an LLVM type."""
        if not scalar.startswith("%"):
            return self.constant(base, scalar)
        vector = self.lanes(base)
        single = self.value(f"insertelement {vector} poison, {base} {scalar}, i64 0")
        zeros = f"<{self.width} x i32> zeroinitializer"
        return self.value(f"shufflevector {vector} {single}, {vector} poison, {zeros}")

    def steps(self, base: str, stride: int) -> str:
        """The constant vector 0, stride, 2 * stride, …"""
        return self.numbers(base, self.rises(stride))

    def rises(self, stride: int) -> tuple[int, ...]:
        """0, stride, 2 * stride, …, as many as there are lanes."""
        return tuple(lane * stride for lane in range(self.width))

    def numbers(self, base: str, numbers: tuple[int, ...]) -> str:
        """A constant vector of integers, which wrap."""
        bits = int(base[1:])
        wrapped = (number % (1 << bits) for number in numbers)
        signed = (n - (1 << bits) if n >> (bits - 1) else n for n in wrapped)
        return "<" + ", ".join(f"{base} {n}" for n in signed) + ">"

    def vector(self, ty: Scalar, value: LaneValue) -> str:
        """A scalar as a vector, whatever form it has."""
        base = register_type(ty)
        match value:
            case Varying(register=register):
                return register
            case Linear(base=start, stride=stride):
                return self._risen(base, start, self.rises(stride))
            case Pattern(base=start, offsets=offsets):
                return self._risen(base, start, offsets)
            case str():
                return self.splat(base, value)
        raise CompilerBug(f"{value!r} is no scalar")

    def _risen(self, base: str, start: str, offsets: tuple[int, ...]) -> str:
        if not start.startswith("%"):
            return self.numbers(base, tuple(int(start) + offset for offset in offsets))
        first, steps = self.splat(base, start), self.numbers(base, offsets)
        return self.value(f"add {self.lanes(base)} {first}, {steps}")

    def leaves(self, ty: Type, value: LaneValue) -> list[tuple[Scalar, LaneValue]]:
        """The scalars of a value that holds no arrays."""
        if has_no_representation(ty):
            return []
        if isinstance(ty, Scalar):
            return [(ty, value)]
        assert isinstance(ty, Tuple | Struct)
        assert isinstance(value, tuple)
        pairs = zip(ty.items, value, strict=True)
        return [leaf for item, part in pairs for leaf in self.leaves(item, part)]

    def rebuilt(self, ty: Type, leaves: Iterator[LaneValue]) -> LaneValue:
        """A value of scalars in order."""
        if has_no_representation(ty):
            return None
        if isinstance(ty, Tuple | Struct):
            return tuple(self.rebuilt(item, leaves) for item in ty.items)
        return next(leaves)

    # Masks ----------------------------------------------------------------------------

    @contextmanager
    def under(self, mask: str | None) -> Iterator[None]:
        """Only these lanes count inside."""
        before, self.mask = self.mask, mask
        try:
            yield
        finally:
            self.mask = before

    def both(self, mask: str | None, condition: str) -> str:
        """The lanes of a mask in which a condition holds."""
        if mask is None:
            return condition
        return self.value(f"and {self.type_of(BOOL)} {mask}, {condition}")

    def negated(self, condition: str) -> str:
        return self.value(f"xor {self.type_of(BOOL)} {condition}, {ALL}")

    def any(self, mask: str) -> str:
        """Whether a mask has a lane, as an i1."""
        bits = self.value(f"bitcast {self.type_of(BOOL)} {mask} to i{self.width}")
        return self.value(f"icmp ne i{self.width} {bits}, 0")

    def select(self, ty: Scalar, condition: str, yes: str, no: str) -> str:
        """Lane by lane, one of two vectors."""
        if yes == no:
            return yes
        vector = self.type_of(ty)
        return self.value(f"select {self.type_of(BOOL)} {condition}, {vector} {yes}, {vector} {no}")
