"""The primitives that build one function body.

Each primitive checks its operands (existence, owner, region) and types, mints the packs that
its operation reads, and puts everything into the current region with the key it is given.
Where a value goes is its destination: a fresh object, or the function's result.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from mapal.ir import ops
from mapal.ir.drafts import BuilderError, GuardDraft, LoopDraft
from mapal.ir.function_edges import FRESH, Destination, Fresh, FunctionEdges, Ret
from mapal.ir.graph import FunctionKind, Key, ObjectKind, RegionKind, Value
from mapal.ir.ops import BinaryCode, FunctionId, MorphismId, ObjectId, UnaryCode
from mapal.ir.types import (
    BOOL,
    F64,
    I32,
    IO,
    WIDENINGS,
    Array,
    Scalar,
    Struct,
    Tuple,
    Type,
    contains_str,
    contains_token,
    is_float,
    is_numeric,
    is_printable,
)
from mapal.ir.values import is_literal_of

if TYPE_CHECKING:
    pass

__all__ = ["FRESH", "LONGEST_RANGE", "Destination", "Fresh", "FunctionBuilder", "Ret"]

LONGEST_RANGE = 2**31 - 1
"""`Iota` and `Enumerate` count in i32."""


class FunctionBuilder(FunctionEdges):
    """Builds one function; made by `GraphBuilder.build`. Errors are `BuilderError`."""

    # Values -------------------------------------------------------------------------

    def constant(self, value: Value, ty: Type, key: Key) -> ObjectId:
        """A literal of a scalar type or `str`. Its Python type must be the one for that type
        (a `bool` is no integer), and the value one that the type holds. There is one NaN."""
        if not is_literal_of(value, ty):
            raise BuilderError("ValueTyMismatch", f"{value!r} is no {ty}")
        if isinstance(value, float) and math.isnan(value):
            value = math.nan
        return self._graph.add_object(self._draft.id, ty, ObjectKind.CONSTANT, value, None, key)

    def proj(self, x: ObjectId, index: int, key: Key, dest: Destination = FRESH) -> ObjectId:
        """Component `index` of a tuple or struct."""
        ty = self.ty(x)
        if not isinstance(ty, Tuple | Struct):
            raise BuilderError("NotAProduct", f"{ty} has no components to project")
        if not 0 <= index < len(ty.items):
            raise BuilderError("SlotOutOfRange", f"{ty} has no component {index}")
        return self._edge(ops.Proj(index), x, ty.items[index], key, dest)

    def pack(self, components: Sequence[ObjectId], key: Key, dest: Destination = FRESH) -> ObjectId:
        """A tuple of two or more components."""
        if not components:
            raise BuilderError("EmptyProduct", "a tuple needs components")
        if len(components) == 1:
            raise BuilderError("SingletonTuple", "a tuple needs two components")
        return self._assemble(Tuple(tuple(map(self.ty, components))), components, key, dest)

    def pack_struct(
        self, ty: Struct, components: Sequence[ObjectId], key: Key, dest: Destination = FRESH
    ) -> ObjectId:
        """A struct; components in field order."""
        if not isinstance(ty, Struct):
            raise BuilderError("NotAProduct", f"{ty} is no struct")
        if not components:
            raise BuilderError("EmptyProduct", "a struct needs fields")
        if len(components) != len(ty.fields):
            raise BuilderError("ArityMismatch", f"{ty} has {len(ty.fields)} fields")
        for (name, wanted), part in zip(ty.fields, components, strict=True):
            self._same(wanted, self.ty(part), f"field {name}")
        return self._assemble(ty, components, key, dest)

    def pack_array(
        self, components: Sequence[ObjectId], key: Key, dest: Destination = FRESH
    ) -> ObjectId:
        """An array literal; all components of one type."""
        if not components:
            raise BuilderError("EmptyProduct", "an array needs elements")
        element = self.ty(components[0])
        for part in components:
            self._same(element, self.ty(part), "array element")
        return self._assemble(Array(element, len(components)), components, key, dest)

    # Scalars ------------------------------------------------------------------------

    def unary(self, code: UnaryCode, x: ObjectId, key: Key, dest: Destination = FRESH) -> ObjectId:
        """Negation, logical not, and the unary number operations."""
        ty = self.ty(x)
        match code:
            case UnaryCode.NOT:
                fits = ty == BOOL
            case UnaryCode.NEG | UnaryCode.ABS:
                fits = is_numeric(ty)
            case _:
                fits = is_float(ty)
        if not fits:
            raise BuilderError("TypeMismatch", f"{code.value} does not take {ty}")
        return self._edge(ops.Unary(code), x, ty, key, dest)

    def binary(
        self, code: BinaryCode, a: ObjectId, b: ObjectId, key: Key, dest: Destination = FRESH
    ) -> ObjectId:
        """Arithmetic, comparison, logic, minimum and maximum of two operands of one type."""
        ty = self.ty(a)
        self._same(ty, self.ty(b), code.value)
        if code in ops.LOGIC:
            fits = ty == BOOL
        elif code in ops.EQUALITIES:
            fits = isinstance(ty, Scalar)
        else:
            fits = is_numeric(ty)
        if not fits:
            raise BuilderError("TypeMismatch", f"{code.value} does not take {ty}")
        result = ty if code in ops.ARITHMETIC else BOOL
        return self._packed(ops.Binary(code), (a, b), result, key, dest)

    def fma(
        self,
        x: ObjectId,
        y: ObjectId,
        z: ObjectId,
        *,
        negate_product: bool,
        negate_addend: bool,
        key: Key,
        dest: Destination = FRESH,
    ) -> ObjectId:
        """`±(x*y) ± z`, rounded once."""
        ty = self.ty(x)
        if not is_float(ty):
            raise BuilderError("TypeMismatch", f"Fma does not take {ty}")
        self._same(ty, self.ty(y), "Fma")
        self._same(ty, self.ty(z), "Fma")
        return self._packed(ops.Fma(negate_product, negate_addend), (x, y, z), ty, key, dest)

    def widen(self, x: ObjectId, ty: Type, key: Key, dest: Destination = FRESH) -> ObjectId:
        """One of the conversions in `types.WIDENINGS`."""
        if (self.ty(x), ty) not in WIDENINGS:
            raise BuilderError("InvalidWiden", f"{self.ty(x)} does not widen to {ty}")
        return self._edge(ops.Widen(), x, ty, key, dest)

    def convert(self, x: ObjectId, ty: Type, key: Key, dest: Destination = FRESH) -> ObjectId:
        """A numeric conversion that is no widening and no identity."""
        source = self.ty(x)
        if not is_numeric(source) or not is_numeric(ty) or source == ty:
            raise BuilderError("InvalidConvert", f"{source} does not convert to {ty}")
        if (source, ty) in WIDENINGS:
            raise BuilderError("InvalidConvert", f"{source} widens to {ty}")
        return self._edge(ops.Convert(), x, ty, key, dest)

    # Arrays -------------------------------------------------------------------------

    def index(
        self, array: ObjectId, index: ObjectId, key: Key, dest: Destination = FRESH
    ) -> ObjectId:
        """Element of an array; traps at run time when out of range."""
        element = self._indexed(array, index).element
        return self._packed(ops.Index(), (array, index), element, key, dest)

    def update(
        self,
        array: ObjectId,
        index: ObjectId,
        value: ObjectId,
        key: Key,
        dest: Destination = FRESH,
    ) -> ObjectId:
        """The array with one element replaced."""
        ty = self._indexed(array, index)
        self._same(ty.element, self.ty(value), "element")
        return self._packed(ops.Update(), (array, index, value), ty, key, dest)

    def zip(self, a: ObjectId, b: ObjectId, key: Key, dest: Destination = FRESH) -> ObjectId:
        """Two arrays of one length to the array of pairs."""
        left, right = self._array(a), self._array(b)
        if left.length != right.length:
            raise BuilderError("TypeMismatch", f"zip of {left} and {right}")
        result = Array(Tuple((left.element, right.element)), left.length)
        return self._packed(ops.Zip(), (a, b), result, key, dest)

    def enumerate(self, array: ObjectId, key: Key, dest: Destination = FRESH) -> ObjectId:
        """Elements with their index as i32."""
        ty = self._array(array)
        if ty.length > LONGEST_RANGE:
            raise BuilderError("EnumerateIndexOverflow", f"{ty} is too long to count in i32")
        result = Array(Tuple((I32, ty.element)), ty.length)
        return self._edge(ops.Enumerate(), array, result, key, dest)

    def iota(self, count: ObjectId, key: Key, dest: Destination = FRESH) -> ObjectId:
        """The range 0 … count-1 of a constant count."""
        length = self._static_count(count)
        if length > LONGEST_RANGE:
            raise BuilderError("EnumerateIndexOverflow", f"a range of {length} exceeds i32")
        return self._edge(ops.Iota(), count, Array(I32, length), key, dest)

    def fill(self, x: ObjectId, count: ObjectId, key: Key, dest: Destination = FRESH) -> ObjectId:
        """`count` times the same value."""
        length = self._static_count(count)
        if contains_str(self.ty(x)):
            raise BuilderError("StrOutsidePrint", "a string cannot fill an array")
        if contains_token(self.ty(x)):
            raise BuilderError("TypeMismatch", "a token cannot fill an array")
        return self._packed(ops.Fill(), (x, count), Array(self.ty(x), length), key, dest)

    # Functions and bodies -----------------------------------------------------------

    def call(
        self, function: FunctionId, argument: ObjectId, key: Key, dest: Destination = FRESH
    ) -> ObjectId:
        """Application of a named function."""
        callee = self._callee(function)
        if callee.kind is not FunctionKind.NAMED:
            raise BuilderError("CallToBody", f"{callee.name} is a body")
        self._same(self._graph.objects[callee.input].ty, self.ty(argument), "argument")
        result = self._graph.objects[callee.output].ty
        return self._edge(ops.Call(function), argument, result, key, dest)

    def map(
        self,
        body: FunctionId,
        captures: Sequence[ObjectId],
        array: ObjectId,
        key: Key,
        dest: Destination = FRESH,
        *,
        late: bool = False,
    ) -> ObjectId:
        """The body applied to each element. `late` for a map in the place of a loop."""
        ty = self._array(array)
        element = self._body(body, FunctionKind.MAP_BODY, captures, (ty.element,))
        op, result = ops.Map(body, len(captures)), Array(element, ty.length)
        return self._collect(op, captures, (array,), result, key, dest, late)

    def fold(
        self,
        body: FunctionId,
        captures: Sequence[ObjectId],
        seed: ObjectId,
        array: ObjectId,
        key: Key,
        dest: Destination = FRESH,
        *,
        late: bool = False,
    ) -> ObjectId:
        """The left fold from `seed`. `late` for a fold in the place of a loop."""
        ty, accumulator = self._array(array), self.ty(seed)
        result = self._body(body, FunctionKind.FOLD_BODY, captures, (accumulator, ty.element))
        self._same(accumulator, result, "accumulator")
        op = ops.Fold(body, len(captures))
        return self._collect(op, captures, (seed, array), accumulator, key, dest, late)

    def fold_product(
        self,
        body: FunctionId,
        product: ObjectId,
        key: Key,
        dest: Destination = FRESH,
        *,
        late: bool = False,
    ) -> ObjectId:
        """The left fold without captures of a (seed, array) that is there already."""
        ty = self.ty(product)
        if not isinstance(ty, Tuple) or len(ty.items) != 2 or not isinstance(ty.items[1], Array):
            raise BuilderError("NotAProduct", f"{ty} is no seed with an array")
        accumulator, array = ty.items[0], ty.items[1]
        result = self._body(body, FunctionKind.FOLD_BODY, (), (accumulator, array.element))
        self._same(accumulator, result, "accumulator")
        return self._edge(ops.Fold(body, 0), product, accumulator, key, dest, late=late)

    def reduce(
        self,
        body: FunctionId,
        captures: Sequence[ObjectId],
        array: ObjectId,
        key: Key,
        dest: Destination = FRESH,
    ) -> ObjectId:
        """The tree reduction of an array."""
        ty = self._array(array)
        element = ty.element
        result = self._body(body, FunctionKind.REDUCE_BODY, captures, (element, element))
        self._same(element, result, "element")
        op = ops.Reduce(body, len(captures))
        return self._collect(op, captures, (array,), element, key, dest)

    # Effects ------------------------------------------------------------------------

    def print(self, token: ObjectId, value: ObjectId, newline: bool, key: Key) -> ObjectId:
        """Prints a number, `bool` or string; the new token."""
        self._token(token)
        if not is_printable(self.ty(value)):
            raise BuilderError("TypeMismatch", f"{self.ty(value)} cannot be printed")
        return self._packed(ops.Print(newline), (token, value), IO, key, FRESH)

    def time_ms(self, token: ObjectId, key: Key) -> ObjectId:
        """Reads the clock: (token, milliseconds)."""
        self._token(token)
        return self._edge(ops.TimeMs(), token, Tuple((IO, F64)), key, FRESH)

    def output(self, x: ObjectId, key: Key, slot: int | None = None) -> ObjectId:
        """Hands a value to the Return object, whole or as one component."""
        if slot is None:
            return self._edge(ops.Output(), x, self.ty(x), key, Ret())
        self._returned(self._return_slot(slot), self.ty(x))
        self._return_pair(x, slot, key)
        return x

    # Guards -------------------------------------------------------------------------

    def begin_guard(self, cond: ObjectId, key: Key, rest: bool = False) -> GuardDraft:
        """Opens a guard in the current region; its arms are regions to build into."""
        self._operand(cond)
        self._same(BOOL, self.ty(cond), "condition")
        guard = self._graph.next_guard()
        function = self._draft.id
        arm_true = self._graph.add_region(function, RegionKind.ARM_TRUE, self._region, guard)
        arm_false = self._graph.add_region(function, RegionKind.ARM_FALSE, self._region, guard)
        draft = GuardDraft(guard, self._region, cond, arm_true, arm_false, rest, key)
        self._draft.guards.append(draft)
        self._guards[guard] = draft
        return draft

    def phi(
        self,
        guard: GuardDraft,
        when_true: ObjectId,
        when_false: ObjectId,
        dest: Destination = FRESH,
    ) -> ObjectId:
        """Closes a guard; its value is that of the selected arm."""
        if guard.phi is not None or self._guards.get(guard.id) is not guard:
            raise BuilderError("BadRegion", "the guard is closed or another function's")
        ty = self.ty(when_true)
        self._same(ty, self.ty(when_false), "arms of a guard")
        if contains_token(ty):
            raise BuilderError("TokenInPhi", "a guard cannot select a token")
        if contains_str(ty):
            raise BuilderError("StrOutsidePrint", "a guard cannot select a string")
        with self.in_region(guard.region):
            pack = self._mint(Tuple((ty, ty, BOOL)), guard.key)
            with self.in_region(guard.arm_true):
                self._pair(when_true, pack, 0, 3, guard.key)
            with self.in_region(guard.arm_false):
                self._pair(when_false, pack, 1, 3, guard.key)
            self._pair(guard.cond, pack, 2, 3, guard.key)
            guard.phi = MorphismId(len(self._graph.morphisms))
            return self._edge(ops.Phi(guard.id), pack, ty, guard.key, dest, check=False)

    # Loops --------------------------------------------------------------------------

    def begin_loop(self, init: ObjectId, key: Key) -> LoopDraft:
        """Opens a loop in the current region with its first state."""
        self._operand(init)
        loop = self._graph.next_loop()
        function, graph = self._draft.id, self._graph
        merge = graph.add_object(function, self.ty(init), ObjectKind.LOOP_MERGE, None, None, key)
        enter = graph.add_morphism(function, ops.LoopEnter(loop), init, merge, self._region, key)
        body = graph.add_region(function, RegionKind.LOOP_BODY, self._region, loop)
        jump = graph.add_region(function, RegionKind.JUMP, body, loop)
        leave = graph.add_region(function, RegionKind.EXIT, body, loop)
        self._homes[merge] = body
        draft = LoopDraft(loop, self._region, merge, body, jump, leave, enter, key)
        self._draft.loops.append(draft)
        self._loops[loop] = draft
        return draft

    def loop_back(self, loop: LoopDraft, next_state: ObjectId, cond: ObjectId) -> None:
        """The back edge: the next state, taken while `cond` holds."""
        self._ours(loop)
        if loop.back is not None:
            raise BuilderError("LoopShape", "a loop has one back edge")
        ty = self._graph.objects[loop.merge].ty
        self._same(ty, self.ty(next_state), "next state")
        self._same(BOOL, self.ty(cond), "condition")
        loop.cond = cond
        route = self._route(loop, loop.jump, next_state, cond)
        loop.back = self._graph.add_morphism(
            self._draft.id, ops.LoopBack(loop.id), route, loop.merge, loop.body, loop.key
        )

    def loop_exit(
        self, loop: LoopDraft, payload: ObjectId, cond: ObjectId, dest: Destination = FRESH
    ) -> ObjectId:
        """The exit edge: the loop's value, taken when `cond` does not hold."""
        self._ours(loop)
        if loop.leave is not None or loop.cond != cond:
            raise BuilderError("LoopShape", "a loop has one exit, on the condition of its back")
        route = self._route(loop, loop.exit, payload, cond)
        with self.in_region(loop.region):
            loop.leave = MorphismId(len(self._graph.morphisms))
            return self._edge(
                ops.LoopExit(loop.id), route, self.ty(payload), loop.key, dest, check=False
            )

    def end_loop(self, loop: LoopDraft) -> None:
        """Closes a loop, which must have its two edges."""
        self._ours(loop)
        if loop.back is None:
            raise BuilderError("LoopWithoutBack", "the loop has no back edge")
        if loop.leave is None:
            raise BuilderError("LoopWithoutExit", "the loop has no exit")

    def finish(self) -> None:
        """Ends the function: no open guard or loop, and a complete result."""
        if any(guard.phi is None for guard in self._draft.guards):
            raise BuilderError("OpenGuard", f"{self._draft.name} has an open guard")
        if any(loop.back is None or loop.leave is None for loop in self._draft.loops):
            raise BuilderError("OpenLoop", f"{self._draft.name} has an open loop")
        self._graph.close(self._draft.id)
