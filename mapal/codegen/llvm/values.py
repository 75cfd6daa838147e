"""What the generator knows a value as: registers, places in memory, and arrays that are laws.

* a scalar is the text of a register or constant;
* a tuple or struct is a Python tuple of the values of its components;
* an array is `Memory`, the address of its contiguous elements, or a law that gives any element
  on demand (`Range`, `Broadcast`, `Zipped`, `Enumerated`, `Mapped`) and has memory only if
  something asks for its address;
* a value without a representation is None.

A `Buffer` stands for memory that somebody may write. Every `Memory` names the buffers that it
may lie in; two values share memory only if they share a buffer.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from mapal.codegen.llvm.writer import Place
from mapal.ir.ops import FunctionId
from mapal.ir.types import Type

if TYPE_CHECKING:
    from mapal.codegen.llvm.emitter import Emitter
    from mapal.codegen.llvm.scope import Holder
    from mapal.codegen.plan import Site


@dataclass(eq=False, slots=True)
class Buffer:
    """Memory with one owner. `writable` is false for what is only lent: parameters and
    constants. `written` tells that somebody updated it in place. `holders` are the objects
    whose values lie in it.

    A loop's state gets a buffer before it is known where the state will lie. When it turns out
    to lie in another buffer, the two are united and are one from then on.
    """

    writable: bool
    written: bool = False
    holders: list[Holder] = field(default_factory=list)
    _united: Buffer | None = None

    def root(self) -> Buffer:
        """The buffer that stands for all those united with this one."""
        root = self
        while root._united is not None:
            root = root._united
        return root

    def unite(self, other: Buffer) -> None:
        """Records that two buffers are the same memory."""
        mine, theirs = self.root(), other.root()
        if mine is not theirs:
            theirs.writable = theirs.writable and mine.writable
            theirs.written = theirs.written or mine.written
            theirs.holders += mine.holders
            mine._united = theirs


@dataclass(frozen=True, eq=False, slots=True)
class Memory:
    """An array that lies at an address."""

    pointer: str
    buffers: tuple[Buffer, ...]


@dataclass(eq=False, slots=True)
class Law:
    """An array that is computed element by element. `place` is where its elements would be
    stored if its address were needed; `stored` is set once they are."""

    place: Place
    site: Site | None
    stored: Memory | None = None


@dataclass(eq=False, slots=True)
class Range(Law):
    """0, 1, 2, …"""


@dataclass(eq=False, slots=True)
class Broadcast(Law):
    """The same element everywhere."""

    element: Value = None


@dataclass(eq=False, slots=True)
class Zipped(Law):
    """Pairs of the elements of two arrays."""

    left: Value = None
    right: Value = None


@dataclass(eq=False, slots=True)
class Enumerated(Law):
    """Pairs of index and element."""

    array: Value = None


@dataclass(eq=False, slots=True)
class Mapped(Law):
    """The results of `body` for the elements of an array. `operands` are its captures and the
    array; `compute` emits one element of these, where they may go by other names."""

    body: FunctionId = field(kw_only=True)
    operands: tuple[tuple[Type, Value], ...] = ()
    compute: ElementOf | None = None


ElementOf = Callable[["Emitter", Sequence["Value"], str], "Value"]
"""Emits the element of a number, an i64, from the operands."""

ArrayValue = Memory | Range | Broadcast | Zipped | Enumerated | Mapped
Value = str | ArrayValue | tuple["Value", ...] | None


def buffers_of(value: Value) -> Iterator[Buffer]:
    """Every buffer that a value may lie in or refer to, as roots; with repetitions."""
    match value:
        case Memory(buffers=buffers):
            for buffer in buffers:
                yield buffer.root()
        case tuple():
            for part in value:
                yield from buffers_of(part)
        case Zipped(left=left, right=right):
            yield from buffers_of(left)
            yield from buffers_of(right)
        case Enumerated(array=inner) | Broadcast(element=inner):
            yield from buffers_of(inner)
        case Mapped(operands=operands):
            for _, operand in operands:
                yield from buffers_of(operand)
        case _:
            return


def is_constant(value: Value) -> bool:
    """Whether a scalar is a literal."""
    return isinstance(value, str) and not value.startswith("%")


def is_computed(value: Value) -> bool:
    """Whether readers of an array compute its elements, which is for one element at a time."""
    match value:
        case Mapped():
            return True
        case Zipped(left=left, right=right):
            return is_computed(left) or is_computed(right)
        case Enumerated(array=inner) | Broadcast(element=inner):
            return is_computed(inner)
        case tuple():
            return any(map(is_computed, value))
        case _:
            return False
