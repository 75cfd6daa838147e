"""Literal typing: gives every numeric literal of a function its type, before lowering.

One walk in source order, with the facts of bodies that the language reports at this step:
parameter counts, missing tails, effects in collection bodies, writes to captured names, calls
without parameters, annotations that name no type, and incomplete returns.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from mapal.diagnostics import Diagnostic
from mapal.ir.types import (
    BOOL,
    STR,
    Array,
    Scalar,
    Struct,
    Tuple,
    Type,
    component,
    product_arity,
)
from mapal.lower.builtin_types import body_parameters, builtin_type, mapped
from mapal.lower.reports import problem
from mapal.lower.resolve import (
    Builtin,
    CallFunction,
    Declare,
    Local,
    Rebind,
    Resolution,
    ScopeKind,
)
from mapal.lower.returns import return_problem
from mapal.lower.shapes import LoopShape
from mapal.lower.signatures import Declarations, Signature
from mapal.lower.type_names import UnknownTypeError, resolve_type
from mapal.lower.unify import (
    ConflictError,
    Open,
    Variable,
    components,
    element,
    field_type,
    find,
    look,
    open_array,
    open_tuple,
    unify,
)
from mapal.syntax import ast


@dataclass(slots=True)
class Typing:
    """`literals` maps the token of a numeric literal to its type; `annotations` the first token
    of a type expression to the type."""

    literals: dict[int, Scalar] = field(default_factory=dict)
    annotations: dict[int, Type] = field(default_factory=dict)
    problems: list[Diagnostic] = field(default_factory=list)


def type_literals(signature: Signature, declarations: Declarations) -> Typing:
    """Types the literals of one function."""
    walker = _Walker(signature, declarations)
    walker.function(signature.item)
    return walker.finish()


class _Walker:
    def __init__(self, signature: Signature, declarations: Declarations) -> None:
        self._signature = signature
        self._declarations = declarations
        self._resolution: Resolution = signature.resolution
        self._types: dict[Local, Open] = {}
        self._variables: dict[int, Variable] = {}
        self._bodies: list[int] = []
        self._typing = Typing()

    def finish(self) -> Typing:
        typing = self._typing
        for token, variable in self._variables.items():
            root = find(variable)
            settled = root.settled or root.default
            typing.literals[token] = settled
            if root.looked_at is not None and root.looked_at != settled:
                typing.problems.append(
                    problem(
                        "L1201",
                        f"this literal was used as `{root.looked_at}` before it became `{settled}`",
                        variable.tokens,
                        "annotate the binding: `-> name: T`",
                    )
                )
                root.looked_at = None
        self._effects_in_bodies()
        typing.problems.sort(key=lambda found: found.tokens or (0, 0))
        incomplete = return_problem(self._signature)
        if incomplete is not None:
            typing.problems.append(incomplete)
        return typing

    def _effects_in_bodies(self) -> None:
        for site in self._resolution.effects:
            effectful = not site.is_call or self._declarations.functions[site.name].effectful
            if site.in_collection and effectful:
                self._report(
                    "L1605",
                    f"`{site.name}` has an effect, and stands in a collection body",
                    site.tokens,
                    "compute the array first and print in a loop",
                )

    def _report(self, code: str, message: str, tokens: ast.Tokens, hint: str) -> None:
        self._typing.problems.append(problem(code, message, tokens, hint))

    def _unify(self, a: Open, b: Open) -> None:
        try:
            unify(a, b)
        except ConflictError as conflict:
            kind = "a float" if conflict.variable.is_float else "an integer"
            self._report(
                "L1203",
                f"this is {kind} literal, but {conflict.demand}",
                conflict.variable.tokens,
                conflict.hint,
            )

    # Statements ---------------------------------------------------------------------

    def function(self, item: ast.FunctionItem) -> None:
        unknown = self._signature.unknown
        for place, ty in enumerate(self._signature.parameters):
            local = self._resolution.declared[item.parameters[place].name_token]
            self._types[local] = None if place in unknown else ty
        self._block(item.body, None)

    def _block(self, block: ast.Block, wire: Open) -> Open:
        for statement in block.statements:
            self._statement(statement, wire)
        return None if block.tail is None else self._chain(block.tail, wire)

    def _statement(self, statement: ast.Statement, wire: Open) -> None:
        match statement:
            case ast.LoopStatement():
                self._loop(statement)
            case ast.BindStatement():
                value = self._expression(statement.value)
                self._bind(statement.name_token, value, statement.annotation)
            case ast.UpdateStatement():
                self._expression(statement.index)
                value = self._expression(statement.value)
                target = self._resolution.updates.get(statement.name_token)
                if target is None:
                    return
                if target.captured:
                    self._captured_write(target.local, statement.tokens)
                self._unify(value, element(self._types.get(target.local)))
            case ast.ChainStatement():
                self._chain(statement.chain, wire)

    def _captured_write(self, local: Local, tokens: ast.Tokens) -> None:
        self._report(
            "L1108",
            f"a collection body cannot change `{local.name}`, which is outside it",
            tokens,
            "let the body yield a value, or use a loop",
        )

    def _bind(self, name_token: int, value: Open, annotation: ast.TypeExpression | None) -> None:
        local = self._resolution.declared[name_token]
        self._types[local] = value
        if annotation is None:
            return
        try:
            ty = resolve_type(annotation, self._declarations.types)
        except UnknownTypeError as error:
            self._typing.problems.append(error.diagnostic)
            return
        if ty is not None:
            self._typing.annotations[annotation.tokens[0]] = ty
        self._unify(value, ty)
        self._types[local] = ty

    def _loop(self, loop: ast.LoopStatement) -> None:
        shape = self._resolution.shapes.get(loop.tokens[0])
        if not isinstance(shape, LoopShape):
            self._block(loop.body, None)
            return
        for statement in shape.statements:
            self._statement(statement, None)
        wire = self._chain(shape.condition, None)
        self._payload(shape.jump.payload, wire)
        self._payload(shape.exit.payload, wire)

    def _payload(self, payload: ast.Block | ast.Chain, wire: Open) -> Open:
        if isinstance(payload, ast.Block):
            return self._block(payload, wire)
        return self._chain(payload, wire)

    # Chains -------------------------------------------------------------------------

    def _chain(self, chain: ast.Chain, wire: Open) -> Open:
        value = wire if chain.head is None else self._expression(chain.head)
        for stage in chain.stages:
            value = self._stage(stage, value)
        return value

    def _stage(self, stage: ast.Stage, wire: Open) -> Open:
        match stage:
            case ast.RetStage(slot=slot):
                self._unify(wire, self._returned(slot))
                return None
            case ast.LoopStage():
                return None
            case ast.BindStage():
                self._bind(stage.name_token, wire, stage.annotation)
                return self._types[self._resolution.declared[stage.name_token]]
            case ast.SeqStage():
                return look(self._block(stage.body, wire))
            case ast.CollectionStage():
                return self._collection(stage, wire)
            case ast.GuardStage():
                return self._guard(stage, wire)
            case ast.FanoutStage():
                values = [self._chain(branch, wire) for branch in stage.branches]
                if len(values) == 1:
                    return look(values[0])
                return look(open_tuple(tuple(values)))
            case ast.OperatorStage():
                return self._expression(stage.value, wire)
            case ast.ExpressionStage(value=ast.Name(name=name, tokens=tokens)):
                return self._bare_name(name, tokens, wire)
            case ast.ExpressionStage():
                self._expression(stage.value)
                return None

    def _returned(self, slot: int | None) -> Open:
        result = self._signature.result
        if result is None or self._signature.result_unknown:
            return None
        if slot is None:
            return result
        arity = product_arity(result)
        if arity is None or slot >= arity or not isinstance(result, Tuple | Struct | Array):
            return None
        return component(result, slot)

    def _bare_name(self, name: str, tokens: ast.Tokens, wire: Open) -> Open:
        match self._resolution.meanings[tokens[0]]:
            case Rebind(local=local, captured=captured):
                if captured:
                    self._captured_write(local, tokens)
                self._unify(wire, self._types.get(local))
                return wire
            case Declare(local=local):
                self._types[local] = wire
                return wire
            case CallFunction():
                return self._call(name, tokens, wire)
            case Builtin():
                return builtin_type(name, wire, self._unify)

    def _call(self, name: str, tokens: ast.Tokens, wire: Open) -> Open:
        signature = self._declarations.functions[name]
        if not signature.parameters:
            self._report(
                "L1201",
                f"`{name}` has no parameters and cannot be called",
                tokens,
                "give it a parameter",
            )
        elif not signature.unknown:
            self._unify(wire, signature.argument)
        return None if signature.result_unknown else signature.result

    def _guard(self, stage: ast.GuardStage, wire: Open) -> Open:
        first: Open = None
        for number, arm in enumerate(stage.arms):
            value = self._payload(arm.payload, wire)
            if number == 0:
                first = value
            else:
                self._unify(first, value)
        return first

    def _collection(self, stage: ast.CollectionStage, wire: Open) -> Open:
        wanted = 1 if stage.operator == "map" else 2
        if len(stage.parameters) != wanted:
            self._report(
                "L1601",
                f"`{stage.operator}` takes {wanted} parameter{'s' * (wanted > 1)},"
                f" not {len(stage.parameters)}",
                stage.parameters[0].tokens,
                {"map": "write `map { x -> … }`", "fold": "write `fold { acc, x -> … }`"}.get(
                    stage.operator, "write `reduce { a, b -> … }`"
                ),
            )
        taken = body_parameters(stage.operator, wire)
        for number, parameter in enumerate(stage.parameters):
            local = self._resolution.declared[parameter.tokens[0]]
            self._types[local] = taken[number] if number < len(taken) else None
        self._bodies.append(stage.operator_token)
        tail = self._block(stage.body, None)
        self._bodies.pop()
        if stage.body.tail is None:
            self._report(
                "L1604",
                f"the body of `{stage.operator}` yields no value",
                stage.tokens,
                "end it with an expression, without `;`",
            )
        if stage.operator == "map":
            return mapped(tail)
        self._unify(taken[0], tail)
        return taken[0]

    # Expressions --------------------------------------------------------------------

    def _read(self, token: int) -> Open:
        local = self._resolution.reads.get(token)
        if local is None:
            return None
        ty = self._types.get(local)
        return look(ty) if self._is_capture(local) else ty

    def _is_capture(self, local: Local) -> bool:
        """Whether the innermost collection body being walked does not hold the local."""
        if not self._bodies:
            return False
        scope = local.scope
        while scope.kind is not ScopeKind.COLLECTION:
            if scope.parent is None:
                return True
            scope = scope.parent
        return scope.token != self._bodies[-1]

    def _variable(self, is_float: bool, tokens: ast.Tokens) -> Variable:
        variable = Variable(is_float, tokens)
        self._variables[tokens[0]] = variable
        return variable

    def _expression(self, expression: ast.Expression, wire: Open = None) -> Open:
        match expression:
            case ast.IntegerLiteral(tokens=tokens):
                return self._variable(False, tokens)
            case ast.FloatLiteral(tokens=tokens):
                return self._variable(True, tokens)
            case ast.BoolLiteral():
                return BOOL
            case ast.StringLiteral():
                return STR
            case ast.UnitLiteral():
                return None
            case ast.Wire():
                return wire
            case ast.Name(tokens=tokens):
                return self._read(tokens[0])
            case ast.TupleLiteral(items=items):
                return open_tuple(tuple(self._expression(item) for item in items))
            case ast.ArrayLiteral(items=items):
                parts = [self._expression(item) for item in items]
                for part in parts[1:]:
                    self._unify(parts[0], part)
                return open_array(parts[0], len(parts))
            case ast.StructLiteral():
                return self._struct(expression)
            case ast.Unary(operator=operator, operand=operand):
                value = self._expression(operand, wire)
                return BOOL if operator == "!" else value
            case ast.Binary(first=first, rest=rest):
                return self._binary(first, rest, wire)
            case ast.Postfix():
                return self._postfix(expression, wire)

    def _struct(self, literal: ast.StructLiteral) -> Open:
        struct = self._declarations.types.structs.get(literal.name)
        for init in literal.fields:
            value = (
                self._read(init.tokens[0]) if init.value is None else self._expression(init.value)
            )
            self._unify(value, field_type(struct, init.name))
        return struct

    def _binary(self, first: ast.Expression, rest: tuple[ast.BinaryTerm, ...], wire: Open) -> Open:
        value = self._expression(first, wire)
        for term in rest:
            right = self._expression(term.operand)
            self._unify(value, right)
            if term.operator not in ("+", "-", "*", "/", "%"):
                value = BOOL
        return value

    def _postfix(self, expression: ast.Postfix, wire: Open) -> Open:
        value = self._expression(expression.base, wire)
        for suffix in expression.suffixes:
            match suffix:
                case ast.Subscript(index=index):
                    self._expression(index)
                    value = look(element(value))
                case ast.Member(name=name):
                    value = field_type(value, name)
                case ast.Slot(index=slot):
                    parts = value.items if isinstance(value, Struct) else components(value)
                    value = look(parts[slot]) if parts and slot < len(parts) else None
        return value
