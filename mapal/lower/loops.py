"""Lowering of loops (language 6.6).

The state holds the token, if the loop has an effect, and the carried names in order of
declaration. Both arms start from the names as they are at the guard. The exit value holds the
token, what the exit arm delivers, and the names that an enclosing loop carries too.
"""

from __future__ import annotations

from dataclasses import dataclass

from mapal.diagnostics import Diagnostic
from mapal.ir import ops
from mapal.ir.graph import Key, RegionKind
from mapal.ir.ops import UnaryCode
from mapal.ir.types import BOOL
from mapal.lower import chains
from mapal.lower.context import Context, over
from mapal.lower.dependence import depend_on
from mapal.lower.depths import product_depth, require_depth
from mapal.lower.draft import DraftLoop, DraftValue, MakeTuple, Operation
from mapal.lower.expressions import reject_string
from mapal.lower.reports import StopLowering, stop
from mapal.lower.resolve import Declare, Local
from mapal.lower.results import return_whole
from mapal.lower.shapes import LoopShape, loop_shape
from mapal.syntax import ast


@dataclass(slots=True)
class _Delivery:
    """What an exit arm does with its value: returns it, binds it, or drops it."""

    value: DraftValue | None
    returns: ast.RetStage | None = None
    binds: ast.BindStage | None = None
    declares: Local | None = None


def loop(context: Context, node: ast.LoopStatement) -> None:
    """Lowers one loop statement."""
    token = node.tokens[0]
    shape = context.resolution.shapes.get(token)
    if shape is None:
        found = loop_shape(node)
        assert isinstance(found, Diagnostic)
        raise _as_stop(found)
    carried = context.resolution.carried[token]
    if not carried:
        raise stop(
            "L1502",
            "the loop rebinds no `mut` name from outside it",
            node.tokens,
            "declare a `mut` name before the loop and rebind it inside",
        )
    context.facts.risky = True
    has_effect = token in context.signature.loops_with_effects
    _Loop(context, node, shape, carried, has_effect).lower()


def _as_stop(diagnostic: Diagnostic) -> Exception:
    return StopLowering(diagnostic)


class _Loop:
    def __init__(
        self,
        context: Context,
        node: ast.LoopStatement,
        shape: LoopShape,
        carried: list[Local],
        has_effect: bool,
    ) -> None:
        self._context = context
        self._node = node
        self._shape = shape
        self._carried = carried
        self._has_effect = has_effect
        self._key: Key = over(node.tokens)

    def lower(self) -> None:
        context, shape = self._context, self._shape
        made = self._begin()
        outer_carried = context.loops[-1] if context.loops else []
        context.loops.append(self._carried)
        with context.inside(made.body):
            self._open_state(made)
            for statement in shape.statements:
                chains.statement(context, statement, None)
            wire = self._condition(made)
            with context.inside(made.jump), context.undone():
                self._jump(made, wire)
            with context.inside(made.exit), context.undone():
                delivery = self._exit(wire)
                parts = self._payload(made, delivery, outer_carried)
        context.loops.pop()
        made.last = context.last_index
        self._check_dependence(made)
        self._close(made, delivery, parts, outer_carried)

    def _begin(self) -> DraftLoop:
        context = self._context
        # A dead name is reported where the body reads or rebinds it.
        values = [context.binding(local).value for local in self._carried]
        if self._has_effect:
            values.insert(0, context.begin_effect("loop", self._node.tokens))
        init = context.tuple_of(values, self._key)
        state = DraftValue(init.ty, None, self._key)
        result = DraftValue(init.ty, None, self._key)
        index = context.next_index()
        body = context.new_region(RegionKind.LOOP_BODY)
        with context.inside(body):
            jump = context.new_region(RegionKind.JUMP)
            leave = context.new_region(RegionKind.EXIT)
        made = DraftLoop(index, init, context.region, body, jump, leave, self._key, state, result)
        state.merge_of = made
        state.unit = made
        result.unit = made
        context.draft.units.append(made)
        return made

    def _open_state(self, made: DraftLoop) -> None:
        context = self._context
        views = self._views(made.state, len(self._carried) + self._has_effect)
        if self._has_effect:
            context.token = views.pop(0)
        for local, view in zip(self._carried, views, strict=True):
            context.rebind(local, view)

    def _views(self, product: DraftValue, count: int) -> list[DraftValue]:
        if count == 1:
            return [product]
        return [self._context.project(product, slot, self._key) for slot in range(count)]

    def _condition(self, made: DraftLoop) -> DraftValue:
        context, shape = self._context, self._shape
        wire = chains.chain(context, shape.condition, None, wants=True)
        wire = chains.require_wire(wire, shape.guard.tokens)
        if wire.ty != BOOL:
            raise stop(
                "L1406",
                f"the guard that ends a loop tests a bool, not `{wire.ty}`",
                shape.guard.tokens,
                "compare: `(i < n) -> { … }`",
            )
        made.cond = wire
        if not shape.jump_on:
            made.cond = context.operate(
                ops.Unary(UnaryCode.NOT), [wire], BOOL, over(shape.guard.tokens)
            )
        return wire

    def _jump(self, made: DraftLoop, wire: DraftValue) -> None:
        context, payload = self._context, self._shape.jump.payload
        if isinstance(payload, ast.Block):
            statements = payload.statements
            if payload.tail is None:
                statements = statements[:-1]
            for statement in statements:
                chains.statement(context, statement, wire)
        parts = [context.bindings[local].value for local in self._carried]
        if self._has_effect:
            assert context.token is not None
            parts.insert(0, context.token)
        made.next_state = context.tuple_of(parts, self._key)

    # The exit arm -------------------------------------------------------------------

    def _exit(self, wire: DraftValue) -> _Delivery:
        context, shape = self._context, self._shape
        payload = shape.exit.payload
        last = shape.exit_chain
        assert last is not None, "the shape of the loop has an exit chain"
        if isinstance(payload, ast.Block):
            for statement in payload.statements:
                if not (isinstance(statement, ast.ChainStatement) and statement.chain is last):
                    chains.statement(context, statement, wire)
        return self._deliver(last, wire)

    def _deliver(self, chain: ast.Chain, wire: DraftValue) -> _Delivery:
        """Lowers the last chain of the exit arm."""
        context = self._context
        final = chain.stages[-1] if chain.stages else None
        if isinstance(final, ast.RetStage):
            return self._deliver_return(chain, final, wire)
        fresh = self._fresh_name(final)
        if isinstance(final, ast.BindStage) or fresh is not None:
            assert final is not None
            value = self._value_before(chain, wire)
            if value is None:
                raise stop(
                    "L1305",
                    "the loop exits without a value to bind",
                    final.tokens,
                    "let a value flow into the name: `-false-> value -> name;`",
                )
            binds = final if isinstance(final, ast.BindStage) else None
            return _Delivery(value, binds=binds, declares=fresh)
        value = chains.chain(context, chain, wire, wants=False)
        if value is None:
            raise stop(
                "L1305",
                "the exit arm yields no value",
                chain.tokens,
                "write `{ …; -> ret; }`, or end it with a value",
            )
        return _Delivery(None)

    def _fresh_name(self, final: ast.Stage | None) -> Local | None:
        if not isinstance(final, ast.ExpressionStage) or not isinstance(final.value, ast.Name):
            return None
        meaning = self._context.resolution.meanings.get(final.value.tokens[0])
        return meaning.local if isinstance(meaning, Declare) else None

    def _value_before(self, chain: ast.Chain, wire: DraftValue) -> DraftValue | None:
        """The value that reaches the last stage of the exit chain."""
        shortened = ast.Chain(head=chain.head, stages=chain.stages[:-1], tokens=chain.tokens)
        return chains.chain(self._context, shortened, wire, wants=True)

    def _deliver_return(self, chain: ast.Chain, final: ast.RetStage, wire: DraftValue) -> _Delivery:
        context = self._context
        if len(context.loops) > 1:
            raise stop(
                "L1504",
                "a loop inside another cannot return",
                final.tokens,
                "give the value a name, and return it after the outer loop",
            )
        if context.arm_depth or context.outer is not None:
            raise stop(
                "L1405",
                "a value-selecting arm or a body cannot return",
                final.tokens,
                "let the loop exit into a name, and yield that",
            )
        bare = chain.head is None and len(chain.stages) == 1
        if bare and context.signature.result is None:
            return _Delivery(None, returns=final)
        value = self._value_before(chain, wire)
        if value is None:
            raise stop(
                "L1306",
                "there is no value to return here",
                final.tokens,
                "send a value to it: `value -> ret`",
            )
        if context.signature.effectful and not self._has_effect:
            raise stop(
                "L1201",
                "this loop has no effect, and cannot return from a function that has one",
                final.tokens,
                "bind the exit value and return it after the loop",
            )
        return _Delivery(value, returns=final)

    # The value of the loop ----------------------------------------------------------

    def _payload(self, made: DraftLoop, delivery: _Delivery, outer_carried: list[Local]) -> int:
        """Packs the exit value; the number of its parts."""
        context = self._context
        parts: list[DraftValue] = []
        if self._has_effect:
            assert context.token is not None
            parts.append(context.token)
        if delivery.value is not None:
            last = self._shape.exit_chain
            assert last is not None
            parts.append(reject_string(delivery.value, last.tokens))
        parts.extend(
            context.bindings[local].value for local in self._carried if local in outer_carried
        )
        made.payload = context.tuple_of(parts, self._key) if parts else made.state
        made.result.ty = made.payload.ty
        require_depth(product_depth((made.state.ty, BOOL)), self._key)
        require_depth(product_depth((made.result.ty, BOOL)), self._key)
        return len(parts)

    def _check_dependence(self, made: DraftLoop) -> None:
        assert made.cond is not None
        assert made.next_state is not None
        if not depend_on([made.cond], made, self._context.draft.units):
            raise stop(
                "L1503",
                "the loop's condition never changes",
                self._shape.guard.tokens,
                "let it depend on a name that the loop rebinds",
            )
        unit = made.next_state.unit
        components = [made.next_state]
        if isinstance(unit, Operation) and isinstance(unit.op, MakeTuple):
            components = unit.operands
        if not depend_on(components, made, self._context.draft.units):
            raise stop(
                "L1503",
                "nothing that the loop carries depends on the pass before",
                self._node.tokens,
                "rebind a carried name to something made of carried names, as `i + 1 -> i;` does",
            )

    def _close(
        self,
        made: DraftLoop,
        delivery: _Delivery,
        parts: int,
        outer_carried: list[Local],
    ) -> None:
        context = self._context
        values = self._views(made.result, parts) if parts else []
        if self._has_effect:
            context.token = values.pop(0)
        delivered = values.pop(0) if delivery.value is not None else None
        for local in self._carried:
            if local in outer_carried:
                context.rebind(local, values.pop(0))
            else:
                context.kill(local)
        self._hand_out(delivery, delivered)

    def _hand_out(self, delivery: _Delivery, delivered: DraftValue | None) -> None:
        context = self._context
        if delivery.returns is not None:
            return_whole(context, delivered, delivery.returns.tokens)
        elif delivery.binds is not None:
            assert delivered is not None
            stage = delivery.binds
            chains.bind(context, delivered, stage.name_token, stage.annotation, stage.tokens)
        elif delivery.declares is not None:
            assert delivered is not None
            context.declare(delivery.declares, delivered)
