"""Name resolution: what every name in a function means, decided once from the text.

Everything after this reads tables instead of scopes: which local a name reads, whether a bare
name on a wire rebinds, calls, applies a builtin or makes a binding (language 4.3), which
locals a loop carries, and where effects stand. Tables are keyed by token ordinals, which are
unique in a file.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum

from mapal.lower.shapes import LoopShape, loop_shape
from mapal.syntax import ast

EFFECT_BUILTINS = frozenset({"print", "println", "time"})
NUMBER_BUILTINS = frozenset(
    {
        *("to_i32", "to_i64", "to_u8", "to_f32", "to_f64"),
        *("sqrt", "abs", "min", "max", "floor", "ceil", "round", "trunc"),
    }
)
OTHER_BUILTINS = frozenset(
    {"zip", "enumerate", "iota", "fill", "widen_i64", "widen_f32", "widen_f64"}
)
BUILTINS = EFFECT_BUILTINS | NUMBER_BUILTINS | OTHER_BUILTINS


class ScopeKind(Enum):
    FUNCTION = "function"
    ARM = "arm"
    LOOP = "loop"
    ROUTE = "route"
    COLLECTION = "collection"


@dataclass(eq=False, slots=True)
class Scope:
    """A lexical scope. `token` is the first token of the construct that opens it."""

    kind: ScopeKind
    parent: Scope | None
    token: int
    names: dict[str, Local] = field(default_factory=dict)


@dataclass(eq=False, slots=True)
class Local:
    """One binding of a name; `scope` is where it lives."""

    name: str
    mutable: bool
    token: int
    scope: Scope


@dataclass(frozen=True, slots=True)
class Rebind:
    """A flow into, or an element update of, an existing local. `in_arm` tells that a
    value-selecting arm stands between it and the local; `captured` that a collection body
    does; `order` ascends with the walk."""

    local: Local
    in_arm: bool
    captured: bool


@dataclass(frozen=True, slots=True)
class Declare:
    local: Local


@dataclass(frozen=True, slots=True)
class CallFunction:
    name: str


@dataclass(frozen=True, slots=True)
class Builtin:
    name: str


Meaning = Rebind | Declare | CallFunction | Builtin


@dataclass(frozen=True, slots=True)
class EffectSite:
    """A stage that has an effect if `name` is an effect builtin or an effectful function."""

    name: str
    is_call: bool
    tokens: ast.Tokens
    in_collection: bool
    in_arm: bool
    in_fanout: bool
    loops: tuple[int, ...]


@dataclass(slots=True)
class Resolution:
    """The tables of one function.

    `reads` maps a name in an expression to its local (absent: not a local). `meanings` maps
    the name token of a bare-name stage. `declared` maps the name token of the other binding
    forms and of parameters. `updates` maps the name token of an element update. `carried` maps
    the first token of a loop to the locals that it carries, in order of declaration.
    `captures` maps the operator token of a collection stage to the enclosing locals it reads.
    """

    reads: dict[int, Local] = field(default_factory=dict)
    meanings: dict[int, Meaning] = field(default_factory=dict)
    declared: dict[int, Local] = field(default_factory=dict)
    updates: dict[int, Rebind] = field(default_factory=dict)
    carried: dict[int, list[Local]] = field(default_factory=dict)
    shapes: dict[int, LoopShape] = field(default_factory=dict)
    effects: list[EffectSite] = field(default_factory=list)


def resolve(function: ast.FunctionItem, functions: Mapping[str, object]) -> Resolution:
    """Resolves the names of one function; `functions` are the names of all functions."""
    resolver = _Resolver(functions)
    resolver.function(function)
    for locals_ in resolver.result.carried.values():
        locals_.sort(key=lambda local: local.token)
    return resolver.result


class _Resolver:
    def __init__(self, functions: Mapping[str, object]) -> None:
        self.result = Resolution()
        self._functions = functions
        self._scope = Scope(ScopeKind.FUNCTION, None, 0)
        self._fanouts = 0
        self._captured: set[tuple[int, Local]] = set()

    # Scopes -------------------------------------------------------------------------

    def _declare(self, name: str, mutable: bool, token: int, scope: Scope) -> Local:
        local = Local(name, mutable, token, scope)
        scope.names[name] = local
        return local

    def _find(self, name: str) -> Local | None:
        scope: Scope | None = self._scope
        while scope is not None:
            if name in scope.names:
                return scope.names[name]
            scope = scope.parent
        return None

    def _between(self, local: Local) -> list[Scope]:
        """The scopes from the current one out to the one that holds `local`, without it."""
        crossed: list[Scope] = []
        scope: Scope | None = self._scope
        while scope is not None and scope is not local.scope:
            crossed.append(scope)
            scope = scope.parent
        return crossed

    def _open(self, kind: ScopeKind, token: int) -> None:
        self._scope = Scope(kind, self._scope, token)

    def _close(self) -> None:
        assert self._scope.parent is not None
        self._scope = self._scope.parent

    def _enclosing(self) -> list[Scope]:
        scopes: list[Scope] = []
        scope: Scope | None = self._scope
        while scope is not None:
            scopes.append(scope)
            scope = scope.parent
        return scopes

    # Items and statements -----------------------------------------------------------

    def function(self, item: ast.FunctionItem) -> None:
        self._scope = Scope(ScopeKind.FUNCTION, None, item.tokens[0])
        for parameter in item.parameters:
            self.result.declared[parameter.name_token] = self._declare(
                parameter.name, parameter.mutable, parameter.name_token, self._scope
            )
        self._block(item.body)

    def _block(self, block: ast.Block) -> None:
        for statement in block.statements:
            self._statement(statement)
        if block.tail is not None:
            self._chain(block.tail)

    def _statement(self, statement: ast.Statement) -> None:
        match statement:
            case ast.LoopStatement():
                self._loop(statement)
            case ast.BindStatement():
                self._expression(statement.value)
                self.result.declared[statement.name_token] = self._declare(
                    statement.name, statement.mutable, statement.name_token, self._scope
                )
            case ast.UpdateStatement():
                self._expression(statement.index)
                self._expression(statement.value)
                local = self._find(statement.name)
                if local is not None:
                    self.result.updates[statement.name_token] = self._rebind(local)
            case ast.ChainStatement():
                self._chain(statement.chain)

    def _rebind(self, local: Local) -> Rebind:
        crossed = self._between(local)
        in_arm = any(scope.kind is ScopeKind.ARM for scope in crossed)
        captured = any(scope.kind is ScopeKind.COLLECTION for scope in crossed)
        if local.mutable and not captured:
            for scope in crossed:
                if scope.kind is ScopeKind.LOOP:
                    carried = self.result.carried.setdefault(scope.token, [])
                    if local not in carried:
                        carried.append(local)
        return Rebind(local, in_arm, captured)

    def _loop(self, loop: ast.LoopStatement) -> None:
        token = loop.tokens[0]
        self.result.carried.setdefault(token, [])
        shape = loop_shape(loop)
        self._open(ScopeKind.LOOP, token)
        if not isinstance(shape, LoopShape):
            self._block(loop.body)
            self._close()
            return
        self.result.shapes[token] = shape
        for statement in shape.statements:
            self._statement(statement)
        self._chain(shape.condition)
        self._route(shape.jump)
        around = self._scope.parent
        assert around is not None
        fresh = self._exit_route(shape, around)
        self._close()
        if fresh is not None:
            fresh.scope.names[fresh.name] = fresh

    def _route(self, arm: ast.Arm) -> None:
        self._open(ScopeKind.ROUTE, arm.guard_token)
        self._payload(arm.payload)
        self._close()

    def _exit_route(self, shape: LoopShape, around: Scope) -> Local | None:
        """Walks the exit arm; a fresh name at its end belongs to the scope around the loop."""
        self._open(ScopeKind.ROUTE, shape.exit.guard_token)
        payload = shape.exit.payload
        last = shape.exit_chain
        fresh: Local | None = None
        if isinstance(payload, ast.Block):
            for statement in payload.statements:
                if not (isinstance(statement, ast.ChainStatement) and statement.chain is last):
                    self._statement(statement)
        if last is not None:
            fresh = self._exit_chain(last, around)
        self._close()
        return fresh

    def _exit_chain(self, chain: ast.Chain, around: Scope) -> Local | None:
        if chain.head is not None:
            self._expression(chain.head)
        for stage in chain.stages[:-1]:
            self._stage(stage)
        if not chain.stages:
            return None
        final = chain.stages[-1]
        match final:
            case ast.BindStage():
                local = Local(final.name, final.mutable, final.name_token, around)
                self.result.declared[final.name_token] = local
                return local
            case ast.ExpressionStage(value=ast.Name(name=name, tokens=tokens)):
                is_fresh = (
                    self._find(name) is None
                    and name not in self._functions
                    and name not in BUILTINS
                )
                if is_fresh:
                    local = Local(name, False, tokens[0], around)
                    self.result.meanings[tokens[0]] = Declare(local)
                    return local
            case _:
                pass
        self._stage(final)
        return None

    def _payload(self, payload: ast.Block | ast.Chain) -> None:
        if isinstance(payload, ast.Block):
            self._block(payload)
        else:
            self._chain(payload)

    # Chains and stages --------------------------------------------------------------

    def _chain(self, chain: ast.Chain) -> None:
        if chain.head is not None:
            self._expression(chain.head)
        for stage in chain.stages:
            self._stage(stage)

    def _stage(self, stage: ast.Stage) -> None:
        match stage:
            case ast.RetStage() | ast.LoopStage():
                pass
            case ast.BindStage():
                self.result.declared[stage.name_token] = self._declare(
                    stage.name, stage.mutable, stage.name_token, self._scope
                )
            case ast.SeqStage():
                self._block(stage.body)
            case ast.CollectionStage():
                self._open(ScopeKind.COLLECTION, stage.operator_token)
                for parameter in stage.parameters:
                    self.result.declared[parameter.tokens[0]] = self._declare(
                        parameter.name, False, parameter.tokens[0], self._scope
                    )
                self._block(stage.body)
                self._close()
            case ast.GuardStage():
                for arm in stage.arms:
                    self._open(ScopeKind.ARM, arm.guard_token)
                    self._payload(arm.payload)
                    self._close()
            case ast.FanoutStage():
                self._fanouts += 1
                for branch in stage.branches:
                    self._chain(branch)
                self._fanouts -= 1
            case ast.OperatorStage():
                self._expression(stage.value)
            case ast.ExpressionStage(value=ast.Name(name=name, tokens=tokens)):
                self._bare_name(name, tokens)
            case ast.ExpressionStage():
                self._expression(stage.value)

    def _bare_name(self, name: str, tokens: ast.Tokens) -> None:
        local = self._find(name)
        if local is not None and not self._makes_fresh_local(local):
            self.result.meanings[tokens[0]] = self._rebind(local)
        elif local is None and name in self._functions:
            self.result.meanings[tokens[0]] = CallFunction(name)
            self._effect(name, tokens, is_call=True)
        elif local is None and name in BUILTINS:
            self.result.meanings[tokens[0]] = Builtin(name)
            if name in EFFECT_BUILTINS:
                self._effect(name, tokens, is_call=False)
        else:
            made = self._declare(name, False, tokens[0], self._scope)
            self.result.meanings[tokens[0]] = Declare(made)

    def _makes_fresh_local(self, local: Local) -> bool:
        """Whether a flow into an enclosing local makes a local of a collection body: it does
        when no body between the two has read it (language 6.9)."""
        bodies = [scope for scope in self._between(local) if scope.kind is ScopeKind.COLLECTION]
        return bool(bodies) and not any((scope.token, local) in self._captured for scope in bodies)

    def _effect(self, name: str, tokens: ast.Tokens, *, is_call: bool) -> None:
        scopes = self._enclosing()
        kinds = [scope.kind for scope in scopes]
        self.result.effects.append(
            EffectSite(
                name,
                is_call,
                tokens,
                ScopeKind.COLLECTION in kinds,
                ScopeKind.ARM in kinds,
                self._fanouts > 0,
                tuple(scope.token for scope in scopes if scope.kind is ScopeKind.LOOP),
            )
        )

    # Expressions --------------------------------------------------------------------

    def _read(self, name: str, token: int) -> None:
        local = self._find(name)
        if local is None:
            return
        self.result.reads[token] = local
        for scope in self._between(local):
            if scope.kind is ScopeKind.COLLECTION:
                self._captured.add((scope.token, local))

    def _expression(self, expression: ast.Expression) -> None:
        match expression:
            case ast.Name(name=name, tokens=tokens):
                self._read(name, tokens[0])
            case ast.TupleLiteral(items=items) | ast.ArrayLiteral(items=items):
                for item in items:
                    self._expression(item)
            case ast.StructLiteral(fields=fields):
                for init in fields:
                    if init.value is None:
                        self._read(init.name, init.tokens[0])
                    else:
                        self._expression(init.value)
            case ast.Unary(operand=operand):
                self._expression(operand)
            case ast.Binary(first=first, rest=rest):
                self._expression(first)
                for term in rest:
                    self._expression(term.operand)
            case ast.Postfix(base=base, suffixes=suffixes):
                self._expression(base)
                for suffix in suffixes:
                    if isinstance(suffix, ast.Subscript):
                        self._expression(suffix.index)
            case _:
                pass
