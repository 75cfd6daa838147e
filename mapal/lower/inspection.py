"""What each name of a program stands for, and its type: for tools that show programs.

Unlike lowering this never stops: a name whose type cannot be found out, because something is
wrong before it, is there without one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import Enum

from mapal.ir.types import SCALARS, Array, Struct, Tuple, Type
from mapal.lower.context import ProgramState
from mapal.lower.lowering import lower_function, walking_room
from mapal.lower.reports import StopLowering
from mapal.lower.resolve import (
    Builtin,
    CallFunction,
    Declare,
    Local,
    Rebind,
    Resolution,
    resolve,
)
from mapal.lower.signatures import Declarations, Signature, declare
from mapal.lower.typing import type_literals
from mapal.lower.unify import field_slot
from mapal.syntax import ast


class NameKind(Enum):
    """What a name is the name of. The name of a wire is the arrow that it flows along."""

    FUNCTION = "function"
    TYPE = "type"
    SCALAR = "scalar"
    FIELD = "field"
    LOCAL = "local"
    BUILTIN = "builtin"
    LITERAL = "literal"
    WIRE = "wire"


@dataclass(frozen=True, slots=True)
class NameUse:
    """A name at one place. `declared` is the token that declares it, None for what the language
    brings along; `type` is that of a local, field, literal or wire, if it is known."""

    kind: NameKind
    name: str
    declared: int | None = None
    type: Type | None = None
    mutable: bool = False


@dataclass(frozen=True, slots=True)
class Inspection:
    """`uses` maps the ordinal of a token to what it names; `functions` and `types` map names to
    their first declarations."""

    uses: Mapping[int, NameUse]
    functions: Mapping[str, ast.FunctionItem]
    types: Mapping[str, ast.TypeItem]


def inspect(program: ast.Program) -> Inspection:
    """Everything that names stand for in a program, right or wrong. Of one that does not parse
    the tree holds only what could be made out, and so does the result."""
    with walking_room():
        return _Inspector(program).inspection()


class _Inspector:
    def __init__(self, program: ast.Program) -> None:
        self._program = program
        self._functions: dict[str, ast.FunctionItem] = {}
        self._types: dict[str, ast.TypeItem] = {}
        for item in program.items:
            if isinstance(item, ast.FunctionItem):
                self._functions.setdefault(item.name, item)
            else:
                self._types.setdefault(item.name, item)
        self._uses: dict[int, NameUse] = {}
        self._local_types: dict[int, Type] = {}

    def inspection(self) -> Inspection:
        declared = declare(self._program)
        self._structs = declared.declarations.types.structs
        if not declared.stops:
            self._find_types(declared.declarations)
        for item in self._program.items:
            match item:
                case ast.FunctionItem():
                    self._function(item)
                case ast.TypeItem():
                    self._type(item)
        return Inspection(self._uses, self._functions, self._types)

    # Types ----------------------------------------------------------------------------

    def _find_types(self, declarations: Declarations) -> None:
        """Lower each function as far as it goes; locals bound on the way have their types."""
        state = ProgramState(declarations)
        broken = declarations.types.broken
        for signature in declarations.every_function:
            self._parameters(signature)
            if not _is_whole(signature.item):
                continue
            typing = type_literals(signature, declarations)
            for token, scalar in typing.literals.items():
                self._uses[token] = NameUse(NameKind.LITERAL, str(scalar), type=scalar)
            first = declarations.functions[signature.item.name] is signature
            unknown = signature.unknown or signature.result_unknown
            if typing.problems or unknown or not first or _mentions(signature.item, broken):
                continue
            try:
                lower_function(state, signature, typing)
            except StopLowering:
                continue
        self._local_types.update(state.types)
        for token, ty in state.wires.items():
            self._uses[token] = NameUse(NameKind.WIRE, "->", type=ty)

    def _parameters(self, signature: Signature) -> None:
        for slot, parameter in enumerate(signature.item.parameters):
            if slot not in signature.unknown:
                self._local_types[parameter.name_token] = signature.parameters[slot]

    # Items ----------------------------------------------------------------------------

    def _function(self, item: ast.FunctionItem) -> None:
        self._uses[item.name_token] = NameUse(NameKind.FUNCTION, item.name, item.name_token)
        resolution = resolve(item, self._functions)
        self._names(resolution)
        self._nodes(item, resolution)

    def _type(self, item: ast.TypeItem) -> None:
        self._uses[item.name_token] = NameUse(NameKind.TYPE, item.name, item.name_token)
        for field in item.fields:
            self._uses[field.tokens[0]] = self._field_use(item.name, field.name)
        self._nodes(item, None)

    def _names(self, resolution: Resolution) -> None:
        for token, local in (*resolution.declared.items(), *resolution.reads.items()):
            self._uses[token] = self._local_use(local)
        for token, rebind in resolution.updates.items():
            self._uses[token] = self._local_use(rebind.local)
        for token, meaning in resolution.meanings.items():
            match meaning:
                case Rebind(local=local) | Declare(local=local):
                    self._uses[token] = self._local_use(local)
                case CallFunction(name=name):
                    declared = self._functions[name].name_token
                    self._uses[token] = NameUse(NameKind.FUNCTION, name, declared)
                case Builtin(name=name):
                    self._uses[token] = NameUse(NameKind.BUILTIN, name)

    def _local_use(self, local: Local) -> NameUse:
        ty = self._local_types.get(local.token)
        return NameUse(NameKind.LOCAL, local.name, local.token, ty, local.mutable)

    def _field_use(self, type_name: str, name: str) -> NameUse:
        struct = self._structs.get(type_name)
        slot = None if struct is None else field_slot(struct, name)
        ty = None if struct is None or slot is None else struct.items[slot]
        return NameUse(NameKind.FIELD, name, self._field_token(type_name, name), ty)

    def _field_token(self, type_name: str, name: str) -> int | None:
        item = self._types.get(type_name)
        fields = () if item is None else item.fields
        return next((field.tokens[0] for field in fields if field.name == name), None)

    # Names that have no scope -------------------------------------------------------------

    def _nodes(self, item: ast.Item, resolution: Resolution | None) -> None:
        """Names of types and fields anywhere in an item."""
        for node in _nodes(item):
            match node:
                case ast.NamedType(name=name, tokens=tokens):
                    self._type_name(name, tokens[0])
                case ast.StructLiteral(name=name, fields=fields, tokens=tokens):
                    self._type_name(name, tokens[0])
                    for init in fields:
                        if init.value is not None:
                            self._uses[init.tokens[0]] = self._field_use(name, init.name)
                case ast.Postfix() if resolution is not None:
                    self._members(node, resolution)

    def _type_name(self, name: str, token: int) -> None:
        if name in SCALARS:
            self._uses[token] = NameUse(NameKind.SCALAR, name)
        elif name in self._types:
            self._uses[token] = NameUse(NameKind.TYPE, name, self._types[name].name_token)

    def _members(self, node: ast.Postfix, resolution: Resolution) -> None:
        """Follow the type of a name through components, elements and fields."""
        if not isinstance(node.base, ast.Name):
            return
        local = resolution.reads.get(node.base.tokens[0])
        ty = None if local is None else self._local_types.get(local.token)
        for suffix in node.suffixes:
            match suffix, ty:
                case ast.Member(name=name, tokens=tokens), Struct(name=struct):
                    use = self._field_use(struct, name)
                    self._uses[tokens[1]] = use
                    ty = use.type
                case ast.Slot(index=index), (Tuple() | Struct()) if index < len(ty.items):
                    ty = ty.items[index]
                case ast.Subscript(), Array(element=element):
                    ty = element
                case _:
                    return


def _is_whole(item: ast.FunctionItem) -> bool:
    """Whether the parser made something of all that is written in a function."""
    return not any(_is_remnant(node) for node in _nodes(item))


def _is_remnant(node: ast.Node) -> bool:
    """Whether a node lacks what every text that parses has in its place."""
    match node:
        case ast.Chain(head=None, stages=()) | ast.ArrayLiteral(items=()):
            return True
        case ast.GuardStage(arms=()) | ast.FanoutStage(branches=()):
            return True
        case _:
            return False


def _mentions(item: ast.FunctionItem, types: set[str]) -> bool:
    """Whether a function names one of some types."""
    return bool(types) and any(
        isinstance(node, ast.NamedType) and node.name in types for node in _nodes(item)
    )


def _nodes(root: ast.Node) -> Iterator[ast.Node]:
    """A node and all below it, in no particular order."""
    pending: list[object] = [root]
    while pending:
        found = pending.pop()
        if isinstance(found, tuple):
            pending.extend(found)
        elif isinstance(found, ast.Node):
            yield found
            pending.extend(getattr(found, name) for name in found.__struct_fields__)
