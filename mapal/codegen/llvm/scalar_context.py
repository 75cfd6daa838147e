"""What operations on scalars need to know of the place they are written to."""

from __future__ import annotations

import math
import struct
from typing import Protocol

from mapal.codegen.llvm.floats import Floats
from mapal.ir.graph import Key, Value
from mapal.ir.types import BOOL, Scalar


class ScalarContext(Protocol):
    """Where scalar operations are written."""

    def value(self, instruction: str) -> str:
        """Appends an instruction; the name of its result."""
        ...

    def intrinsic(self, name: str, result: str, parameters: str) -> str:
        """The symbol of an LLVM intrinsic."""
        ...

    def require(self, condition: str, kind: int, key: Key) -> None:
        """Traps unless the condition holds."""
        ...

    def fused(self, ty: Scalar) -> str:
        """The symbol of a correctly rounded multiply-add."""
        ...

    def float_remainder(self, ty: Scalar, a: str, b: str) -> str:
        """The exact remainder of C `fmod`."""
        ...

    def known_remainder(self, number: str, divisor: int) -> str | None:
        """The remainder of an integer that is not negative, where it is a literal."""
        ...

    @property
    def selects_numbers(self) -> bool:
        """Whether the machine has minimumNumber and maximumNumber as instructions."""
        ...

    @property
    def floats(self) -> Floats:
        """What is known of floats of the function."""
        ...

    def opaque_zero(self, base: str) -> str:
        """A negative zero of a floating-point type that LLVM does not see to be one."""
        ...

    @property
    def saturates(self) -> bool:
        """Whether the machine converts to integers with saturation, also in vectors."""
        ...

    def lanes(self, base: str) -> str:
        """The type of values whose elements have the LLVM type `base`."""
        ...

    def suffix(self, base: str) -> str:
        """How names of intrinsics write that type."""
        ...

    def constant(self, base: str, text: str) -> str:
        """An operand all of whose elements are a constant."""
        ...

    def literal_of(self, operand: str) -> str | None:
        """The constant that an operand is; None if it is computed."""
        ...


def literal(value: Value, ty: Scalar) -> str:
    """A constant operand. Floats are written as the bits of the double that equals them."""
    if ty == BOOL:
        return "true" if value else "false"
    if ty.is_float:
        assert isinstance(value, float)
        if math.isnan(value):
            return "0x7FF8000000000000"
        return f"0x{struct.pack('>d', value).hex().upper()}"
    return str(value)
