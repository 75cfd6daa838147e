"""Runs a program straight from its tree: every statement in order, nothing deferred.

It shares only literal types and scalar arithmetic with the compiler: names, scopes, loops,
captures, effects and returns are done anew, the plain way. So where it ends without a trap, the
graph must give the same output. (With a trap the two differ on purpose: the graph skips work that
only an arm not selected needs.)
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from mapal.ir import scalars
from mapal.ir.formatting import format_value
from mapal.ir.ops import BinaryCode, UnaryCode
from mapal.ir.reduction import reduce_sequence
from mapal.ir.types import BOOL, F64, I32, SCALARS, STR, Scalar, Str
from mapal.lower.signatures import Declarations, declare
from mapal.lower.typing import Typing, type_literals
from mapal.syntax import ast

_BINARY = {
    "+": BinaryCode.ADD,
    "-": BinaryCode.SUB,
    "*": BinaryCode.MUL,
    "/": BinaryCode.DIV,
    "%": BinaryCode.MOD,
    "==": BinaryCode.EQ,
    "!=": BinaryCode.NEQ,
    "<": BinaryCode.LT,
    ">": BinaryCode.GT,
    "<=": BinaryCode.LE,
    ">=": BinaryCode.GE,
    "&&": BinaryCode.AND,
    "||": BinaryCode.OR,
    "min": BinaryCode.MIN,
    "max": BinaryCode.MAX,
}
_UNARY = {
    code.value.lower(): code for code in UnaryCode if code not in (UnaryCode.NEG, UnaryCode.NOT)
}
_BUILTINS = {
    *("print", "println", "time", "zip", "enumerate", "iota", "fill", "min", "max"),
    *(f"widen_{ty}" for ty in SCALARS),
    *(f"to_{ty}" for ty in SCALARS),
    *_UNARY,
}


class TrapError(Exception):
    """The program traps if all of its work runs."""


class TooLongError(Exception):
    """The program takes too many steps."""


@dataclass(frozen=True)
class Number:
    """A scalar or string with its type."""

    ty: Scalar | Str
    value: Any


@dataclass(frozen=True)
class Record:
    """A struct."""

    fields: dict[str, Any]


@dataclass
class Cell:
    """What a name stands for."""

    value: Any
    mutable: bool


@dataclass
class Scope:
    """Names of a block. `sealed` marks a collection body, whose outside is read-only."""

    parent: Scope | None = None
    sealed: bool = False
    cells: dict[str, Cell] = field(default_factory=dict)

    def find(self, name: str) -> Cell | None:
        scope: Scope | None = self
        while scope is not None:
            if name in scope.cells:
                return scope.cells[name]
            scope = scope.parent
        return None

    def is_outside(self, name: str) -> bool:
        """Whether a name belongs to the outside of a collection body."""
        scope: Scope | None = self
        sealed = False
        while scope is not None:
            if name in scope.cells:
                return sealed
            sealed = sealed or scope.sealed
            scope = scope.parent
        return False


class Evaluator:
    """Runs `main`; `output` is what was printed."""

    def __init__(self, program: ast.Program, budget: int) -> None:
        self._declarations: Declarations = declare(program).declarations
        self._typings: dict[str, Typing] = {
            name: type_literals(signature, self._declarations)
            for name, signature in self._declarations.functions.items()
        }
        self._typing = Typing()
        self._results: dict[int | None, Any] = {}
        self._budget = budget
        self.output: list[str] = []

    def call(self, name: str, arguments: list[Any]) -> Any:
        signature = self._declarations.functions[name]
        scope = Scope()
        for parameter, value in zip(signature.item.parameters, arguments, strict=True):
            scope.cells[parameter.name] = Cell(value, parameter.mutable)
        outer_typing, self._typing = self._typing, self._typings[name]
        outer_results, self._results = self._results, {}
        tail = self._block(signature.item.body, scope, None)
        results, self._results = self._results, outer_results
        self._typing = outer_typing
        if signature.result is None:
            return None
        if None in results:
            return results[None]
        if results:
            parts = [results[slot] for slot in range(len(results))]
            return self._assembled(signature.result, parts)
        return tail

    def _assembled(self, ty: Any, parts: list[Any]) -> Any:
        if hasattr(ty, "fields"):
            return Record({name: part for (name, _), part in zip(ty.fields, parts, strict=True)})
        return parts if hasattr(ty, "element") else tuple(parts)

    # Statements ---------------------------------------------------------------------

    def _block(self, block: ast.Block, scope: Scope, wire: Any) -> Any:
        for statement in block.statements:
            self._statement(statement, scope, wire)
        return None if block.tail is None else self._chain(block.tail, scope, wire)

    def _step(self) -> None:
        self._budget -= 1
        if self._budget < 0:
            raise TooLongError

    def _statement(self, statement: ast.Statement, scope: Scope, wire: Any) -> None:
        self._step()
        match statement:
            case ast.LoopStatement():
                self._loop(statement, scope)
            case ast.BindStatement(name=name, mutable=mutable, value=value):
                scope.cells[name] = Cell(self._expression(value, scope), mutable)
            case ast.UpdateStatement(name=name):
                cell = scope.find(name)
                assert cell is not None
                index = self._index(self._expression(statement.index, scope), cell.value)
                value = self._expression(statement.value, scope)
                cell.value = [*cell.value[:index], value, *cell.value[index + 1 :]]
            case ast.ChainStatement(chain=chain):
                self._chain(chain, scope, wire)

    def _index(self, index: Number, array: list[Any]) -> int:
        if not 0 <= index.value < len(array):
            raise TrapError("index_oob")
        return int(index.value)

    def _loop(self, loop: ast.LoopStatement, scope: Scope) -> None:
        """Passes until the guard says exit. The guard is the last stage of the last chain."""
        while True:
            self._step()
            body = Scope(scope)
            last = loop.body.tail
            statements = loop.body.statements
            if last is None:
                final = statements[-1]
                assert isinstance(final, ast.ChainStatement)
                last, statements = final.chain, statements[:-1]
            for statement in statements:
                self._statement(statement, body, None)
            guard = last.stages[-1]
            assert isinstance(guard, ast.GuardStage)
            condition = self._stages(last.head, last.stages[:-1], body, None)
            arm = self._selected(guard, condition)
            if self._jumps(arm):
                assert isinstance(arm.payload, ast.Block)
                inner = Scope(body)
                for statement in arm.payload.statements[: -1 if arm.payload.tail is None else None]:
                    self._statement(statement, inner, condition)
                continue
            self._exit(arm, Scope(body), scope, condition)
            return

    @staticmethod
    def _last_chain(arm: ast.Arm) -> ast.Chain:
        payload = arm.payload
        if isinstance(payload, ast.Chain):
            return payload
        if payload.tail is not None:
            return payload.tail
        final = payload.statements[-1]
        assert isinstance(final, ast.ChainStatement)
        return final.chain

    def _jumps(self, arm: ast.Arm) -> bool:
        stages = self._last_chain(arm).stages
        return bool(stages) and isinstance(stages[-1], ast.LoopStage)

    def _exit(self, arm: ast.Arm, inner: Scope, outer: Scope, condition: Any) -> None:
        last = self._last_chain(arm)
        if isinstance(arm.payload, ast.Block):
            statements = arm.payload.statements
            for statement in statements if arm.payload.tail is not None else statements[:-1]:
                self._statement(statement, inner, condition)
        final = last.stages[-1] if last.stages else None
        value = self._stages(last.head, last.stages[:-1], inner, condition)
        match final:
            case ast.BindStage(name=name, mutable=mutable):
                outer.cells[name] = Cell(value, mutable)
            case ast.ExpressionStage(value=ast.Name(name=name)) if inner.find(
                name
            ) is None and not self._is_operation(name):
                outer.cells[name] = Cell(value, mutable=False)
            case None:
                pass
            case _:
                self._stage(final, value, inner)

    def _is_operation(self, name: str) -> bool:
        return name in self._declarations.functions or name in _BUILTINS

    # Chains -------------------------------------------------------------------------

    def _chain(self, chain: ast.Chain, scope: Scope, wire: Any) -> Any:
        return self._stages(chain.head, chain.stages, scope, wire)

    def _stages(
        self,
        head: ast.Expression | None,
        stages: tuple[ast.Stage, ...],
        scope: Scope,
        wire: Any,
    ) -> Any:
        value = wire if head is None else self._expression(head, scope)
        for stage in stages:
            value = self._stage(stage, value, scope)
        return value

    def _stage(self, stage: ast.Stage, wire: Any, scope: Scope) -> Any:
        self._step()
        match stage:
            case ast.RetStage(slot=slot):
                self._results[slot] = wire
                return wire
            case ast.BindStage(name=name, mutable=mutable):
                scope.cells[name] = Cell(wire, mutable)
                return wire
            case ast.SeqStage(body=body):
                return self._block(body, scope, wire)
            case ast.GuardStage():
                arm = self._selected(stage, wire)
                inner = Scope(scope)
                if isinstance(arm.payload, ast.Block):
                    return self._block(arm.payload, inner, wire)
                return self._chain(arm.payload, inner, wire)
            case ast.FanoutStage(branches=branches):
                values = [self._chain(branch, scope, wire) for branch in branches]
                return values[0] if len(values) == 1 else tuple(values)
            case ast.OperatorStage(value=value):
                return self._expression(value, scope, wire)
            case ast.CollectionStage():
                return self._collection(stage, wire, scope)
            case ast.ExpressionStage(value=ast.Name(name=name)):
                return self._bare_name(name, wire, scope)
            case _:
                raise AssertionError(f"{stage} stands in no accepted program")

    def _selected(self, guard: ast.GuardStage, wire: Number) -> ast.Arm:
        default = None
        for arm in guard.arms:
            match arm.discriminant:
                case "integer" if arm.value == wire.value:
                    return arm
                case "true" if wire.value is True:
                    return arm
                case "false" if wire.value is False:
                    return arm
                case "default":
                    default = arm
                case _:
                    pass
        assert default is not None
        return default

    def _bare_name(self, name: str, wire: Any, scope: Scope) -> Any:
        cell = scope.find(name)
        if cell is not None and not scope.is_outside(name):
            cell.value = wire
            return wire
        if cell is None and name in self._declarations.functions:
            count = len(self._declarations.functions[name].parameters)
            return self.call(name, [wire] if count == 1 else list(wire))
        if cell is None and name in _BUILTINS:
            return self._builtin(name, wire)
        scope.cells[name] = Cell(wire, mutable=False)
        return wire

    def _builtin(self, name: str, wire: Any) -> Any:
        match name:
            case "print" | "println":
                self.output.append(
                    wire.value if wire.ty == STR else format_value(wire.value, wire.ty)
                )
                self.output.append("\n" if name == "println" else "")
                return None
            case "time":
                return Number(F64, 1.0)
            case "zip":
                return list(zip(*wire, strict=True))
            case "enumerate":
                return [(Number(I32, place), element) for place, element in enumerate(wire)]
            case "iota":
                return [Number(I32, place) for place in range(wire.value)]
            case "fill":
                return [wire[0]] * wire[1].value
            case "min" | "max":
                return self._operate(name, wire[0], wire[1])
            case _ if name in _UNARY:
                return Number(wire.ty, scalars.UNARY[_UNARY[name], wire.ty](wire.value))
            case _:
                return self._converted(wire, SCALARS[name.split("_")[1]])

    def _converted(self, number: Number, target: Scalar) -> Number:
        if number.ty == target:
            return number
        assert isinstance(number.ty, Scalar)
        return Number(target, scalars.CONVERT[number.ty, target](number.value))

    def _collection(self, stage: ast.CollectionStage, wire: Any, scope: Scope) -> Any:
        def body(*arguments: Any) -> Any:
            self._step()
            inner = Scope(scope, sealed=True)
            for parameter, value in zip(stage.parameters, arguments, strict=True):
                inner.cells[parameter.name] = Cell(value, mutable=False)
            return self._block(stage.body, inner, None)

        match stage.operator:
            case "map":
                return [body(element) for element in wire]
            case "fold":
                value, array = wire
                for element in array:
                    value = body(value, element)
                return value
            case _:
                return reduce_sequence(wire, body)

    # Expressions --------------------------------------------------------------------

    def _operate(self, operator: str, left: Number, right: Number) -> Number:
        code = _BINARY[operator]
        assert isinstance(left.ty, Scalar)
        try:
            value = scalars.BINARY[code, left.ty](left.value, right.value)
        except scalars.DivisionByZero:
            raise TrapError("div_zero") from None
        arithmetic = operator in ("+", "-", "*", "/", "%", "min", "max")
        return Number(left.ty if arithmetic else BOOL, value)

    def _literal(self, node: ast.IntegerLiteral | ast.FloatLiteral) -> Number:
        ty = self._typing.literals[node.tokens[0]]
        if isinstance(node, ast.IntegerLiteral):
            return Number(ty, node.value)
        return Number(ty, scalars.parse_float(node.text, ty))

    def _expression(self, node: ast.Expression, scope: Scope, wire: Any = None) -> Any:
        match node:
            case ast.IntegerLiteral() | ast.FloatLiteral():
                return self._literal(node)
            case ast.BoolLiteral(value=truth):
                return Number(BOOL, truth)
            case ast.StringLiteral(value=text):
                return Number(STR, text)
            case ast.UnitLiteral():
                return None
            case ast.Wire():
                return wire
            case ast.Name(name=name):
                cell = scope.find(name)
                assert cell is not None
                return cell.value
            case ast.TupleLiteral(items=items):
                return tuple(self._expression(item, scope) for item in items)
            case ast.ArrayLiteral(items=items):
                return [self._expression(item, scope) for item in items]
            case ast.StructLiteral():
                return self._struct(node, scope)
            case ast.Unary(operator=operator, operand=operand):
                return self._unary(operator, operand, scope, wire)
            case ast.Binary(first=first, rest=rest):
                value = self._expression(first, scope, wire)
                for term in rest:
                    right = self._expression(term.operand, scope)
                    value = self._operate(term.operator, value, right)
                return value
            case ast.Postfix(base=base, suffixes=suffixes):
                value = self._expression(base, scope, wire)
                for suffix in suffixes:
                    value = self._suffix(suffix, value, scope)
                return value

    def _struct(self, node: ast.StructLiteral, scope: Scope) -> Record:
        given: dict[str, Any] = {}
        for init in node.fields:
            value = init.value or ast.Name(name=init.name, tokens=init.tokens)
            given[init.name] = self._expression(value, scope)
        order = self._declarations.types.structs[node.name].fields
        return Record({name: given[name] for name, _ in order})

    def _unary(self, operator: str, operand: ast.Expression, scope: Scope, wire: Any) -> Number:
        value = self._expression(operand, scope, wire)
        if operator == "!":
            return Number(BOOL, not value.value)
        if isinstance(operand, ast.IntegerLiteral):
            return Number(value.ty, -value.value)
        return Number(value.ty, scalars.UNARY[UnaryCode.NEG, value.ty](value.value))

    def _suffix(
        self, suffix: ast.Member | ast.Slot | ast.Subscript, value: Any, scope: Scope
    ) -> Any:
        match suffix:
            case ast.Subscript(index=index):
                return value[self._index(self._expression(index, scope), value)]
            case ast.Member(name=name):
                return value.fields[name]
            case ast.Slot(index=slot):
                if isinstance(value, Record):
                    return list(value.fields.values())[slot]
                return value[slot]


def plain(value: Any) -> Any:
    """A value without types, as the interpreter gives results."""
    match value:
        case Number(value=inner):
            return inner
        case Record(fields=fields):
            return tuple(map(plain, fields.values()))
        case list():
            return [plain(item) for item in value]
        case tuple():
            return tuple(map(plain, value))
        case _:
            return value
