"""The operations of the graph (what a morphism does), as immutable values.

The types of operands and results are those of the morphism's endpoints and not repeated in
the operation. `Pair` and `Proj` build and take apart products; the loop operations and `Phi`
name the record that owns them.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import NewType

ObjectId = NewType("ObjectId", int)
MorphismId = NewType("MorphismId", int)
FunctionId = NewType("FunctionId", int)
RegionId = NewType("RegionId", int)
GuardId = NewType("GuardId", int)
LoopId = NewType("LoopId", int)


class BinaryCode(Enum):
    """Operations on two operands of one type."""

    ADD = "Add"
    SUB = "Sub"
    MUL = "Mul"
    DIV = "Div"
    MOD = "Mod"
    MIN = "Min"
    MAX = "Max"
    EQ = "Eq"
    NEQ = "Neq"
    LT = "Lt"
    GT = "Gt"
    LE = "Le"
    GE = "Ge"
    AND = "And"
    OR = "Or"


ARITHMETIC = frozenset(
    {
        BinaryCode.ADD,
        BinaryCode.SUB,
        BinaryCode.MUL,
        BinaryCode.DIV,
        BinaryCode.MOD,
        BinaryCode.MIN,
        BinaryCode.MAX,
    }
)
EQUALITIES = frozenset({BinaryCode.EQ, BinaryCode.NEQ})
ORDERINGS = frozenset({BinaryCode.LT, BinaryCode.GT, BinaryCode.LE, BinaryCode.GE})
LOGIC = frozenset({BinaryCode.AND, BinaryCode.OR})


class UnaryCode(Enum):
    """Operations on one operand that keep its type."""

    NEG = "Neg"
    NOT = "Not"
    SQRT = "Sqrt"
    ABS = "Abs"
    FLOOR = "Floor"
    CEIL = "Ceil"
    ROUND = "Round"
    TRUNC = "Trunc"


@dataclass(frozen=True, slots=True)
class Pair:
    """Component `slot` of a product with `arity` components."""

    slot: int
    arity: int


@dataclass(frozen=True, slots=True)
class Proj:
    """Component `index` of a tuple or struct."""

    index: int


@dataclass(frozen=True, slots=True)
class Binary:
    code: BinaryCode


@dataclass(frozen=True, slots=True)
class Unary:
    code: UnaryCode


@dataclass(frozen=True, slots=True)
class Fma:
    """`±(x*y) ± z` rounded once; a sign is negative where its flag is set."""

    negate_product: bool
    negate_addend: bool


@dataclass(frozen=True, slots=True)
class Widen:
    """An exact or correctly rounded conversion of `types.WIDENINGS`."""


@dataclass(frozen=True, slots=True)
class Convert:
    """Any other numeric conversion."""


@dataclass(frozen=True, slots=True)
class Phi:
    """The value of a guard: slot 0 of its pack when the condition (slot 2) is true, else 1."""

    guard: GuardId


@dataclass(frozen=True, slots=True)
class Call:
    function: FunctionId


@dataclass(frozen=True, slots=True)
class Map:
    """Applies `body` to every element; the first `captures` slots of the source are
    captures, the last one is the array (the source itself when there are none)."""

    body: FunctionId
    captures: int


@dataclass(frozen=True, slots=True)
class Fold:
    """Left fold; the source is (captures…, accumulator, array)."""

    body: FunctionId
    captures: int


@dataclass(frozen=True, slots=True)
class Reduce:
    """Combines the elements in the fixed tree of their number; the source is
    (captures…, array), or the array itself when there are no captures."""

    body: FunctionId
    captures: int


@dataclass(frozen=True, slots=True)
class Index:
    """Element of (array, index)."""


@dataclass(frozen=True, slots=True)
class Update:
    """(array, index, value): the array with one element replaced."""


@dataclass(frozen=True, slots=True)
class Zip:
    """(array, array) to the array of pairs."""


@dataclass(frozen=True, slots=True)
class Enumerate:
    """Array to the array of (index as i32, element)."""


@dataclass(frozen=True, slots=True)
class Iota:
    """A constant count n to the range 0 … n-1."""


@dataclass(frozen=True, slots=True)
class Fill:
    """(value, constant count) to an array of that value."""


@dataclass(frozen=True, slots=True)
class Print:
    """(token, printable value) to the token."""

    newline: bool


@dataclass(frozen=True, slots=True)
class TimeMs:
    """Token to (token, milliseconds as f64)."""


@dataclass(frozen=True, slots=True)
class LoopEnter:
    """Initial state to the loop's merge."""

    loop: LoopId


@dataclass(frozen=True, slots=True)
class LoopBack:
    """(next state, condition) to the merge; taken while the condition is true."""

    loop: LoopId


@dataclass(frozen=True, slots=True)
class LoopExit:
    """(exit value, condition) to the exit object; taken when the condition is false."""

    loop: LoopId


@dataclass(frozen=True, slots=True)
class Output:
    """A value, unchanged, to the Return object."""


Op = (
    Pair
    | Proj
    | Binary
    | Unary
    | Fma
    | Widen
    | Convert
    | Phi
    | Call
    | Map
    | Fold
    | Reduce
    | Index
    | Update
    | Zip
    | Enumerate
    | Iota
    | Fill
    | Print
    | TimeMs
    | LoopEnter
    | LoopBack
    | LoopExit
    | Output
)

Collection = Map | Fold | Reduce


def takes_minted_pack(op: Op) -> bool:
    """Whether the operation's source is a product that it made for itself, so that its
    operands are the feeders of that product."""
    match op:
        case Binary() | Fma() | Phi() | Index() | Update() | Zip() | Fill() | Print():
            return True
        case LoopBack() | LoopExit():
            return True
        case Map(captures=count) | Fold(captures=count) | Reduce(captures=count):
            return count > 0
        case _:
            return False
