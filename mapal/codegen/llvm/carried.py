"""State that a loop carries: phis for numbers, buffers for arrays.

A carried array starts where its first value lies. What happens on the back edge decides what
else it needs, and is known only when the body has been emitted; so the lines before the loop
and the phis at its head are written last:

* handed on unchanged, or updated in place: nothing; an update in place makes the array start
  in memory of the loop's own, with one copy, unless the first value's memory is free to take
  or nobody sees the first value;
* replaced: two buffers outside the loop. The next value is computed into, or copied to, the
  one that does not hold the current value, and the two change roles.

So a pass leaves nothing behind in the slots of its sites, and memory does not grow.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from mapal.codegen.layout import register_type
from mapal.codegen.llvm import memory
from mapal.codegen.llvm.emitter import Emitter
from mapal.codegen.llvm.moves import Move, is_at, perform
from mapal.codegen.llvm.scope import Destination, Wish, is_free
from mapal.codegen.llvm.values import Buffer, Memory, Value, buffers_of
from mapal.codegen.llvm.writer import Place, phi_text
from mapal.ir.types import Array, Scalar, Struct, Tuple, Type, has_no_representation


@dataclass(eq=False, slots=True)
class _CarriedScalar:
    ty: Scalar
    start: str
    name: str
    following: str = ""


@dataclass(eq=False, slots=True)
class _CarriedArray:
    """`may_take` tells whether the loop may write the first value's memory; if not, `wanted`
    is where the loop's own copy should lie. `target` is the buffer that does not hold the
    current value, `other` the address of the one that will be the target next."""

    ty: Array
    start: Memory
    may_take: bool
    wanted: Destination | None
    current: Memory
    target: Destination
    other: str
    is_replaced: bool = False

    @property
    def buffer(self) -> Buffer:
        return self.current.buffers[0]


_Leaf = _CarriedScalar | _CarriedArray


class Carried:
    """The state of one loop. Make it where the loop starts, then branch to the head and call
    `at_head` first thing there; `value` is the state in the loop. At the end of a pass call
    `back` and branch to the head; when the loop is complete, call `close`."""

    def __init__(
        self,
        e: Emitter,
        ty: Type,
        init: Value,
        others: Sequence[Value],
        wish: Wish,
        overwritten: frozenset[int] = frozenset(),
    ) -> None:
        """`others` are values that the loop reads besides: memory that they share with the
        first state is not the loop's to write. `wish` is where the state should end up. Of the
        components `overwritten` (0 where the state is one array) nobody sees the first value: it
        is not stored."""
        self._e = e
        self._ty = ty
        self._leaves: list[_Leaf] = []
        self._taken: list[Destination] = []
        self._shared = _shared_buffers([*_flat(ty, init), *others])
        self.value = self._open_state(init, wish, overwritten)
        self._before = e.w.reserve()
        self._incoming = e.w.label
        self._phis: Place | None = None
        self._latch = ""

    def at_head(self) -> None:
        self._phis = self._e.w.reserve()

    @property
    def targets(self) -> Wish:
        """Where the next state should be computed."""
        return _rebuilt(self._ty, (_target(leaf) for leaf in self._leaves))

    def back(self, state: Value) -> Value:
        """Takes the next state at the end of a pass. The result is that state where it now
        lies, for a loop that ends here."""
        e = self._e
        pending: list[Move] = []
        for leaf, value in zip(self._leaves, _flat(self._ty, state), strict=True):
            if isinstance(leaf, _CarriedScalar):
                assert isinstance(value, str)
                leaf.following = value
            elif not is_at(e, value, leaf.current.pointer):
                leaf.is_replaced = True
                pending.append(Move(leaf.ty, value, leaf.target))
        perform(e, pending)
        self._latch = e.w.label
        return _rebuilt_value(self._ty, map(_following, self._leaves))

    def close(self) -> None:
        """Writes what had to wait."""
        assert self._phis is not None
        for leaf in self._leaves:
            if isinstance(leaf, _CarriedScalar):
                self._phi(leaf.name, register_type(leaf.ty), leaf.start, leaf.following)
            else:
                self._close_array(leaf)

    # Opening ------------------------------------------------------------------------

    def _open_state(self, init: Value, wish: Wish, overwritten: frozenset[int]) -> Value:
        if isinstance(self._ty, Tuple | Struct) and isinstance(init, tuple):
            wishes = wish if isinstance(wish, tuple) else (None,) * len(init)
            parts = enumerate(zip(self._ty.items, init, wishes, strict=True))
            return tuple(self._open(*part, slot in overwritten) for slot, part in parts)
        return self._open(self._ty, init, wish, 0 in overwritten)

    def _open(self, ty: Type, init: Value, wish: Wish, is_overwritten: bool = False) -> Value:
        if has_no_representation(ty):
            return None
        if isinstance(ty, Tuple | Struct):
            assert isinstance(init, tuple)
            wishes = wish if isinstance(wish, tuple) else (None,) * len(init)
            parts = zip(ty.items, init, wishes, strict=True)
            return tuple(self._open(item, part, wanted) for item, part, wanted in parts)
        if isinstance(ty, Scalar):
            assert isinstance(init, str)
            scalar = _CarriedScalar(ty, init, self._e.w.fresh())
            self._leaves.append(scalar)
            return scalar.name
        assert isinstance(ty, Array)
        wanted = wish if isinstance(wish, Destination) else None
        return self._open_array(ty, init, wanted, is_overwritten)

    def _open_array(
        self, ty: Array, init: Value, wish: Destination | None, is_overwritten: bool
    ) -> Memory:
        e = self._e
        if wish is not None and (wish in self._taken or not is_free(wish.buffer, now=True)):
            wish = None
        own = Buffer(writable=True)
        has_place = isinstance(init, Memory) and self._shared.isdisjoint(buffers_of(init))
        may_take = has_place and all(b.writable and is_free(b, now=False) for b in buffers_of(init))
        if isinstance(init, Memory) and has_place and (may_take or not is_overwritten):
            start = init
            if may_take:
                wish = None
        else:
            start = _offered(wish) or e.fresh_memory(e.layouts.of(ty))
            may_take = True
            if not is_overwritten:
                memory.copy_array(e, ty, init, start.pointer)
        # What may turn out to be the state's memory counts as such from now on.
        buffers = [own, *(start.buffers if may_take else ())]
        if wish is not None:
            self._taken.append(wish)
            buffers.append(wish.buffer)
        current = Memory(e.w.fresh(), tuple(dict.fromkeys(buffers)))
        target = Destination(e.w.fresh(), Buffer(writable=True))
        wanted = None if may_take else wish
        leaf = _CarriedArray(ty, start, may_take, wanted, current, target, e.w.fresh())
        self._leaves.append(leaf)
        return current

    # Closing ------------------------------------------------------------------------

    def _close_array(self, leaf: _CarriedArray) -> None:
        start = self._start(leaf)
        name = leaf.current.pointer
        if leaf.is_replaced:
            self._phi(name, "ptr", start, leaf.target.pointer)
        else:
            self._define_before(name, start)
            self._e.alias(name, start)
        if leaf.is_replaced or leaf.target.uses:
            layout = self._e.layouts.of(leaf.ty)
            first, second = self._e.slot(layout), self._e.slot(layout)
            self._phi(leaf.target.pointer, "ptr", first, leaf.other)
            self._phi(leaf.other, "ptr", second, leaf.target.pointer)

    def _start(self, leaf: _CarriedArray) -> str:
        """The address of the first value: its own, or that of a copy that may be written."""
        if leaf.buffer.root().written and not leaf.may_take:
            copy = (
                _offered(leaf.wanted) or self._e.fresh_memory(self._e.layouts.of(leaf.ty))
            ).pointer
            with self._e.w.inside(self._before):
                memory.copy_bytes(self._e, copy, leaf.start.pointer, leaf.ty)
            return copy
        for buffer in buffers_of(leaf.start):
            leaf.buffer.unite(buffer)
        return leaf.start.pointer

    def _phi(self, name: str, ty: str, start: str, following: str) -> None:
        assert self._phis is not None
        incoming = [(start, self._incoming), (following, self._latch)]
        self._phis.lines.append(f"  {name} = {phi_text(ty, incoming)}")

    def _define_before(self, name: str, pointer: str) -> None:
        self._before.lines.append(f"  {name} = getelementptr i8, ptr {pointer}, i64 0")


def _shared_buffers(values: list[Value]) -> set[Buffer]:
    """Memory in which more than one of several values lies."""
    seen: set[Buffer] = set()
    shared: set[Buffer] = set()
    for value in values:
        found = set(buffers_of(value))
        shared |= seen & found
        seen |= found
    return shared


def _offered(wish: Destination | None) -> Memory | None:
    if wish is None:
        return None
    wish.uses.append(None)
    return Memory(wish.pointer, (wish.buffer,))


def _target(leaf: _Leaf) -> Destination | None:
    return leaf.target if isinstance(leaf, _CarriedArray) else None


def _following(leaf: _Leaf) -> Value:
    if isinstance(leaf, _CarriedScalar):
        return leaf.following
    if leaf.is_replaced:
        return Memory(leaf.target.pointer, (leaf.target.buffer,))
    return leaf.current


def _flat(ty: Type, value: Value) -> Iterator[Value]:
    """The leaves of a value, as `Carried` lists them."""
    if has_no_representation(ty):
        return
    if isinstance(ty, Tuple | Struct):
        assert isinstance(value, tuple)
        for item, part in zip(ty.items, value, strict=True):
            yield from _flat(item, part)
    else:
        yield value


def _rebuilt(ty: Type, leaves: Iterator[Destination | None]) -> Wish:
    if has_no_representation(ty):
        return None
    if isinstance(ty, Tuple | Struct):
        return tuple(_rebuilt(item, leaves) for item in ty.items)
    return next(leaves)


def _rebuilt_value(ty: Type, leaves: Iterator[Value]) -> Value:
    if has_no_representation(ty):
        return None
    if isinstance(ty, Tuple | Struct):
        return tuple(_rebuilt_value(item, leaves) for item in ty.items)
    return next(leaves)
