"""The state of lowering one function or collection body, and the primitives on its draft."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from mapal.diagnostics import Diagnostic
from mapal.ir import ops
from mapal.ir.graph import Key, RegionKind
from mapal.ir.graph import Value as Literal
from mapal.ir.types import (
    STR,
    Scalar,
    Struct,
    Tuple,
    Type,
    has_no_representation,
)
from mapal.lower.depths import depth_made, require_depth
from mapal.lower.draft import (
    DraftFunction,
    DraftOp,
    DraftRegion,
    DraftValue,
    MakeTuple,
    Operation,
)
from mapal.lower.reports import stop
from mapal.lower.resolve import Local, Resolution, Scope
from mapal.lower.signatures import Declarations, Signature
from mapal.lower.typing import Typing
from mapal.syntax import ast


def at(token: int) -> Key:
    """The order key of a construct of one token."""
    return ((token, token),)


def over(tokens: ast.Tokens) -> Key:
    """The order key of a construct."""
    return (tokens,)


@dataclass(slots=True)
class TrapFacts:
    """What decides whether a `reduce` body may trap (L1619): `risky` is the text itself, `calls`
    are functions whose text counts too."""

    risky: bool = False
    calls: set[str] = field(default_factory=set)

    def include(self, other: TrapFacts) -> None:
        self.risky = self.risky or other.risky
        self.calls |= other.calls


@dataclass(frozen=True, slots=True)
class Binding:
    """What a local stands for now. A carried name is dead after its loop."""

    value: DraftValue
    dead: bool = False


_Change = tuple[Local, Binding | None] | tuple[Scope, str]
"""How to undo one change: the former binding of a local, or a name that died in a scope."""


class UnboundError(Exception):
    """A name whose binding statement was reported: nothing can be said about its use."""


@dataclass(slots=True)
class ReduceSite:
    """A `reduce` whose body must be total; judged when all functions are known."""

    function: str
    facts: TrapFacts
    tokens: ast.Tokens


@dataclass(slots=True)
class ProgramState:
    """What the functions of one program share. `types` holds the type of every local bound so
    far, by the token that declares it, and `wires` that of what flows into a stage, by its
    arrow."""

    declarations: Declarations
    drafts: list[DraftFunction] = field(default_factory=list)
    facts: dict[str, TrapFacts] = field(default_factory=dict)
    reduces: list[ReduceSite] = field(default_factory=list)
    body_reports: list[Diagnostic] = field(default_factory=list)
    types: dict[int, Type] = field(default_factory=dict)
    wires: dict[int, Type] = field(default_factory=dict)


class Context:
    """Lowers into one draft. `outer` is the context around a collection body."""

    def __init__(
        self,
        program: ProgramState,
        signature: Signature,
        typing: Typing,
        draft: DraftFunction,
        outer: Context | None = None,
    ) -> None:
        self.program = program
        self.signature = signature
        self.resolution: Resolution = signature.resolution
        self.typing = typing
        self.draft = draft
        self.outer = outer
        self.region = draft.root
        self.token: DraftValue | None = None
        self.bindings: dict[Local, Binding] = {}
        self.captures: dict[Local, tuple[DraftValue, DraftValue]] = {}
        self.arm_depth = 0
        self.loops: list[list[Local]] = []
        self.returned: ast.Tokens | None = None
        self.result: tuple[DraftValue, Key] | None = None
        self.facts = TrapFacts()
        self._dead_names: set[tuple[Scope, str]] = set()
        self._changes: list[_Change] = []
        self._index = 0

    # Draft --------------------------------------------------------------------------

    @property
    def last_index(self) -> int:
        """The index of the last unit made; units are numbered from 1 in order of creation."""
        return self._index

    def next_index(self) -> int:
        self._index += 1
        return self._index

    def new_region(self, kind: RegionKind, *, rest: bool = False) -> DraftRegion:
        outer = self.region
        first_rest = (outer.first_rest or outer) if outer.rest else None
        return DraftRegion(kind, outer, rest, first_rest)

    @contextmanager
    def inside(self, region: DraftRegion) -> Iterator[None]:
        """Lowers into another region; the former one is restored."""
        before, self.region = self.region, region
        try:
            yield
        finally:
            self.region = before

    def literal(self, value: Literal, ty: Type, key: Key) -> DraftValue:
        return DraftValue(ty, None, key, literal=value)

    def operate(self, op: DraftOp, operands: list[DraftValue], ty: Type, key: Key) -> DraftValue:
        """Appends one operation to the current region; its result."""
        require_depth(depth_made(op, operands, ty), key)
        result = DraftValue(ty, None, key)
        unit = Operation(self.next_index(), op, operands, result, self.region, key)
        result.unit = unit
        self.draft.units.append(unit)
        return result

    def tuple_of(self, parts: list[DraftValue], key: Key) -> DraftValue:
        """The tuple of two or more values, or the one value itself."""
        if len(parts) == 1:
            return parts[0]
        ty = Tuple(tuple(part.ty for part in parts))
        return self.operate(MakeTuple(), parts, ty, key)

    def component(self, product: DraftValue, slot: int, key: Key) -> DraftValue:
        """A component that an operation takes from its wire: of a tuple just assembled, the
        value itself; the tuple then vanishes if nobody else reads it."""
        unit = product.unit
        if isinstance(unit, Operation) and isinstance(unit.op, MakeTuple):
            unit.absorbed = True
            return unit.operands[slot]
        return self.project(product, slot, key)

    def project(self, product: DraftValue, slot: int, key: Key) -> DraftValue:
        """A component of a tuple or struct."""
        assert isinstance(product.ty, Tuple | Struct)
        return self.operate(ops.Proj(slot), [product], product.ty.items[slot], key)

    # Names --------------------------------------------------------------------------

    def declare(self, local: Local, value: DraftValue) -> None:
        """Binds a new local. One that takes the name of a dead carried name is dead too."""
        dead = (local.scope, local.name) in self._dead_names
        self._set(local, Binding(value, dead))
        _name(value, local)

    def rebind(self, local: Local, value: DraftValue) -> None:
        """Makes a local stand for a new value from here on."""
        self._set(local, Binding(value, self.bindings[local].dead))
        _name(value, local)

    def kill(self, local: Local) -> None:
        """Ends a carried name after its loop."""
        self._set(local, Binding(self.bindings[local].value, dead=True))
        name = (local.scope, local.name)
        if name not in self._dead_names:
            self._dead_names.add(name)
            self._changes.append(name)

    def _set(self, local: Local, binding: Binding) -> None:
        self._changes.append((local, self.bindings.get(local)))
        self.bindings[local] = binding
        self.program.types[local.token] = binding.value.ty

    @contextmanager
    def undone(self) -> Iterator[None]:
        """What happens to names and the token inside is undone afterwards, for another arm."""
        token, mark = self.token, len(self._changes)
        yield
        self.token = token
        while len(self._changes) > mark:
            match self._changes.pop():
                case (Scope() as scope, str() as name):
                    self._dead_names.discard((scope, name))
                case (Local() as local, None):
                    del self.bindings[local]
                case (Local() as local, Binding() as binding):
                    self.bindings[local] = binding

    def read(self, local: Local, tokens: ast.Tokens) -> DraftValue:
        """The value of a local, captured if it belongs to an enclosing function."""
        binding = self.bindings.get(local)
        if binding is None:
            return self._capture(local, tokens)
        self.require_alive(local, tokens)
        return binding.value

    def binding(self, local: Local) -> Binding:
        """What a local of this function or body stands for."""
        if local not in self.bindings:
            raise UnboundError(local.name)
        return self.bindings[local]

    def require_alive(self, local: Local, tokens: ast.Tokens) -> None:
        binding = self.bindings.get(local)
        if binding is not None and binding.dead:
            raise stop(
                "L1107",
                f"`{local.name}` was carried by a loop and has no value after it",
                tokens,
                "let the loop exit with the value: `-false-> value -> name;`",
            )

    def _capture(self, local: Local, tokens: ast.Tokens) -> DraftValue:
        if local in self.captures:
            return self.captures[local][1]
        if self.outer is None:
            raise UnboundError(local.name)
        value = self.outer.read(local, tokens)
        if value.ty == STR:
            raise stop(
                "L1206",
                f"the string `{local.name}` cannot be captured",
                tokens,
                "strings can only be printed",
            )
        if has_no_representation(value.ty):
            raise stop(
                "L1301",
                f"`{local.name}` holds no value to capture",
                tokens,
                "it is the result of a function that declares none",
            )
        if value.literal is not None:
            return value
        inner = DraftValue(value.ty, local.name, over(tokens), argument=0)
        self.captures[local] = (value, inner)
        return inner

    # Effects ------------------------------------------------------------------------

    def begin_effect(self, what: str, tokens: ast.Tokens) -> DraftValue:
        """The token for an effect; reports one in an arm or after the return."""
        if self.arm_depth:
            raise stop(
                "L1404",
                f"`{what}` has an effect, and stands in an arm that selects a value",
                tokens,
                "select the value, and print it after the guard",
            )
        if self.returned is not None:
            raise stop(
                "L1307",
                f"`{what}` has an effect after the return of the function",
                tokens,
                "return last",
            )
        assert self.token is not None, "an effectful function has a token"
        return self.token

    def scalar_of(self, token: int) -> Scalar:
        """The type that literal typing gave to a literal."""
        return self.typing.literals[token]


def _name(value: DraftValue, local: Local) -> None:
    """Lets pictures of the graph show a value under its first name."""
    if value.name is None and value.literal is None:
        value.name = local.name
