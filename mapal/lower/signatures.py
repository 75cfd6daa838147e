"""Declarations: the functions and types of a program, before any body is looked at.

`declare` runs the first steps of lowering in their fixed order (language 10): function headers,
types, the call graph, signatures. Effects of functions are found here too, since a function is
effectful when its body prints, reads the clock, or calls one that does.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from mapal.diagnostics import Diagnostic
from mapal.ir import entry
from mapal.ir.types import (
    IO,
    MAXIMUM_DEPTH,
    SCALARS,
    UNIT,
    Array,
    Struct,
    Tuple,
    Type,
    depth,
)
from mapal.lower.resolve import Resolution, resolve
from mapal.syntax import ast

RESERVED = frozenset(
    {
        *("print", "println", "time", "zip", "enumerate", "iota", "fill"),
        *("widen_i64", "widen_f32", "widen_f64"),
        *SCALARS,
    }
)
"""Names that no function may have; the number builtins are not among them."""


@dataclass(slots=True)
class Signature:
    """One function: `parameters` and `result` as declared; `effectful` as found."""

    item: ast.FunctionItem
    parameters: tuple[Type, ...]
    result: Type | None
    resolution: Resolution
    effectful: bool = False

    @property
    def argument(self) -> Type:
        """What the wire into a call must be."""
        if not self.parameters:
            return UNIT
        return self.parameters[0] if len(self.parameters) == 1 else Tuple(self.parameters)

    @property
    def input_type(self) -> Type:
        """The input of the graph function, the token included."""
        if not self.effectful:
            return self.argument
        return Tuple((IO, self.argument)) if self.parameters else IO

    @property
    def output_type(self) -> Type:
        """The output of the graph function, the token included."""
        if not self.effectful:
            return UNIT if self.result is None else self.result
        return IO if self.result is None else Tuple((IO, self.result))


@dataclass(slots=True)
class Declarations:
    """Everything that is declared at top level."""

    structs: dict[str, Struct] = field(default_factory=dict)
    functions: dict[str, Signature] = field(default_factory=dict)


def problem(code: str, message: str, tokens: ast.Tokens, hint: str | None = None) -> Diagnostic:
    """A diagnostic of this stage, located by tokens."""
    return Diagnostic(code=code, message=message, tokens=tokens, span=None, hint=hint)


class UnknownTypeError(Exception):
    """A type expression that names no type."""

    def __init__(self, diagnostic: Diagnostic) -> None:
        super().__init__(diagnostic.message)
        self.diagnostic = diagnostic


def resolve_type(expression: ast.TypeExpression, structs: dict[str, Struct]) -> Type:
    """The type that an expression names. Raises `UnknownTypeError`: L1102, L1208, L1209."""
    ty = _named(expression, structs)
    if depth(ty) > MAXIMUM_DEPTH:
        raise UnknownTypeError(
            problem(
                "L1209",
                f"this type nests {depth(ty)} deep",
                expression.tokens,
                f"types nest at most {MAXIMUM_DEPTH} levels",
            )
        )
    return ty


def _named(expression: ast.TypeExpression, structs: dict[str, Struct]) -> Type:
    match expression:
        case ast.NamedType(name=name, tokens=tokens):
            if name in SCALARS:
                return SCALARS[name]
            if name in structs:
                return structs[name]
            raise UnknownTypeError(
                problem("L1102", f"there is no type {name}", tokens, _type_hint(name, structs))
            )
        case ast.TupleType(items=items):
            return Tuple(tuple(_named(item, structs) for item in items))
        case ast.ArrayType(element=element, length=length, tokens=tokens):
            inner = _named(element, structs)
            if length == 0:
                raise UnknownTypeError(
                    problem("L1208", "an array has at least one element", tokens)
                )
            return Array(inner, length)


def _type_hint(name: str, structs: dict[str, Struct]) -> str:
    nearest = {
        "int": "i32",
        "float": "f32",
        "double": "f64",
        "u16": "i32",
        "u32": "i64",
        "i8": "i32",
        "i16": "i32",
        "u64": "i64",
        "str": "u8",
        "char": "u8",
    }
    if name in nearest:
        return f"the nearest type is {nearest[name]}"
    known = ", ".join([*SCALARS, *structs])
    return f"known types: {known}"


def declare(program: ast.Program) -> tuple[Declarations, list[Diagnostic], bool]:
    """The declarations, what is wrong with them, and whether lowering must stop here."""
    functions = [item for item in program.items if isinstance(item, ast.FunctionItem)]
    types = [item for item in program.items if isinstance(item, ast.TypeItem)]
    found: list[Diagnostic] = []
    by_name: dict[str, ast.FunctionItem] = {}
    resolved = _resolved_structs(types)
    for item in functions:
        found.extend(_header_problems(item, by_name, resolved.structs))
        by_name.setdefault(item.name, item)
    if "main" not in by_name:
        found.append(
            problem(
                "L1001",
                "the program has no function `main`",
                _whole(program),
                "add `fn main() { … }`",
            )
        )
    found.extend(resolved.problems)
    resolutions = {name: resolve(item, by_name) for name, item in by_name.items()}
    cycle = _recursion(by_name, resolutions)
    if cycle is not None:
        found.append(cycle)
        return Declarations(resolved.structs, {}), found, True
    declarations = Declarations(structs=resolved.structs)
    for name, item in by_name.items():
        signature = _signature(item, resolutions[name], resolved.structs, found)
        declarations.functions[name] = signature
    _find_effects(declarations)
    return declarations, found, False


def _whole(program: ast.Program) -> ast.Tokens:
    return program.tokens


def _header_problems(
    item: ast.FunctionItem,
    earlier: dict[str, ast.FunctionItem],
    structs: dict[str, Struct],
) -> list[Diagnostic]:
    at = (item.name_token, item.name_token)
    found: list[Diagnostic] = []
    if item.name in RESERVED:
        found.append(
            problem(
                "L1009",
                f"a function cannot be called {item.name}",
                at,
                "the name is a builtin's or a type's; choose another",
            )
        )
    if item.name in earlier:
        found.append(problem("L1003", f"a second function {item.name}", at))
    if item.name == "main" and item.name not in earlier:
        found.extend(_main_problems(item, structs))
    seen: set[str] = set()
    for parameter in item.parameters:
        if parameter.name in seen:
            token = (parameter.name_token, parameter.name_token)
            found.append(problem("L1006", f"a second parameter {parameter.name}", token))
        seen.add(parameter.name)
    return found


def _main_problems(item: ast.FunctionItem, structs: dict[str, Struct]) -> list[Diagnostic]:
    """L1002: what enters or leaves the program needs a `.npy` form. Types that name nothing are
    reported with the signatures."""
    hint = (
        "inputs are numbers, bools, arrays of them, or arrays of tuples or structs whose"
        " components are scalars of one type; a result may also be a tuple of these"
    )
    found: list[Diagnostic] = []
    for parameter in item.parameters:
        ty = _type_or_none(parameter.annotation, structs)
        if ty is not None and entry.npy_form(ty) is None:
            found.append(
                problem(
                    "L1002",
                    f"parameter {parameter.name} of main has type {ty}, which has no .npy form",
                    parameter.annotation.tokens,
                    hint,
                )
            )
    if item.result is not None:
        ty = _type_or_none(item.result, structs)
        if ty is not None and entry.result_forms(ty) is None:
            found.append(
                problem(
                    "L1002",
                    f"the result of main has type {ty}, which has no .npy form",
                    item.result.tokens,
                    hint,
                )
            )
    return found


def _type_or_none(expression: ast.TypeExpression, structs: dict[str, Struct]) -> Type | None:
    try:
        return resolve_type(expression, structs)
    except UnknownTypeError:
        return None


@dataclass(slots=True)
class _Structs:
    structs: dict[str, Struct]
    problems: list[Diagnostic]


def _resolved_structs(types: list[ast.TypeItem]) -> _Structs:
    """Types in dependency order; reports L1004, then L1010 and L1005 per type, L1007, and the
    field types."""
    problems: list[Diagnostic] = []
    items: dict[str, ast.TypeItem] = {}
    for item in types:
        at = (item.name_token, item.name_token)
        if item.name in items or item.name in SCALARS:
            problems.append(problem("L1004", f"a second type {item.name}", at))
        items.setdefault(item.name, item)
    for item in items.values():
        at = (item.name_token, item.name_token)
        if not item.fields:
            problems.append(problem("L1010", f"type {item.name} has no field", at))
        seen: set[str] = set()
        for entry_ in item.fields:
            if entry_.name in seen:
                problems.append(problem("L1005", f"a second field {entry_.name}", entry_.tokens))
            seen.add(entry_.name)
    order, recursive = _dependency_order(items)
    for name in recursive:
        at = (items[name].name_token, items[name].name_token)
        problems.append(problem("L1007", f"type {name} contains itself", at))
    structs: dict[str, Struct] = {}
    field_problems: dict[str, list[Diagnostic]] = {}
    for name in order:
        fields: dict[str, Type] = {}
        for entry_ in items[name].fields:
            try:
                fields.setdefault(entry_.name, resolve_type(entry_.annotation, structs))
            except UnknownTypeError as error:
                if not (
                    error.diagnostic.code == "L1102" and _mentions(entry_.annotation, recursive)
                ):
                    field_problems.setdefault(name, []).append(error.diagnostic)
        if fields:
            struct = Struct(name, tuple(fields.items()))
            if depth(struct) > MAXIMUM_DEPTH:
                at = (items[name].name_token, items[name].name_token)
                field_problems.setdefault(name, []).append(
                    problem("L1209", f"type {name} nests {depth(struct)} deep", at)
                )
            structs[name] = struct
    for name in items:
        problems.extend(field_problems.get(name, []))
    return _Structs(structs, problems)


def _mentions(expression: ast.TypeExpression, names: list[str]) -> bool:
    return any(name in names for name in _type_names(expression))


def _type_names(expression: ast.TypeExpression) -> list[str]:
    match expression:
        case ast.NamedType(name=name):
            return [name]
        case ast.TupleType(items=items):
            return [name for item in items for name in _type_names(item)]
        case ast.ArrayType(element=element):
            return _type_names(element)


def _dependency_order(items: dict[str, ast.TypeItem]) -> tuple[list[str], list[str]]:
    """Types with every type after those it contains, and the types on or behind a cycle that
    contain themselves. Iterative, since chains of types can be long."""
    contains = {
        name: [
            other
            for entry_ in item.fields
            for other in _type_names(entry_.annotation)
            if other in items
        ]
        for name, item in items.items()
    }
    return _topological(contains)


def _topological(contains: dict[str, list[str]]) -> tuple[list[str], list[str]]:
    order: list[str] = []
    state: dict[str, int] = {}
    cyclic: set[str] = set()
    for root in contains:
        if root in state:
            continue
        path: list[tuple[str, int]] = [(root, 0)]
        state[root] = 1
        while path:
            name, position = path.pop()
            if position < len(contains[name]):
                path.append((name, position + 1))
                other = contains[name][position]
                if other not in state:
                    state[other] = 1
                    path.append((other, 0))
                elif state[other] == 1:
                    on_path = [entry_[0] for entry_ in path]
                    cyclic.update(on_path[on_path.index(other) :])
            else:
                state[name] = 2
                order.append(name)
    return [name for name in order if name not in cyclic], [n for n in contains if n in cyclic]


def _recursion(
    functions: dict[str, ast.FunctionItem], resolutions: dict[str, Resolution]
) -> Diagnostic | None:
    calls = {
        name: [site.name for site in resolution.effects if site.is_call]
        for name, resolution in resolutions.items()
    }
    _, cyclic = _topological(calls)
    if not cyclic:
        return None
    first = functions[cyclic[0]]
    return problem(
        "L1008",
        "functions call each other in a circle: " + ", ".join(cyclic),
        (first.name_token, first.name_token),
        "write the repetition as a loop",
    )


def _signature(
    item: ast.FunctionItem,
    resolution: Resolution,
    structs: dict[str, Struct],
    found: list[Diagnostic],
) -> Signature:
    parameters: list[Type] = []
    for parameter in item.parameters:
        try:
            parameters.append(resolve_type(parameter.annotation, structs))
        except UnknownTypeError as error:
            found.append(error.diagnostic)
            parameters.append(UNIT)
    result: Type | None = None
    if item.result is not None:
        try:
            result = resolve_type(item.result, structs)
        except UnknownTypeError as error:
            found.append(error.diagnostic)
    signature = Signature(item, tuple(parameters), result, resolution)
    if len(parameters) > 1 and depth(signature.argument) > MAXIMUM_DEPTH:
        at = (item.name_token, item.name_token)
        found.append(problem("L1209", "the parameters together nest too deep", at))
    return signature


def _find_effects(declarations: Declarations) -> None:
    """A fixpoint from callees to callers; the call graph has no cycle."""
    callers: dict[str, list[str]] = {}
    work: list[str] = []
    for name, signature in declarations.functions.items():
        for site in signature.resolution.effects:
            if site.in_collection:
                continue
            if site.is_call:
                callers.setdefault(site.name, []).append(name)
            elif not signature.effectful:
                signature.effectful = True
                work.append(name)
    while work:
        for caller in callers.get(work.pop(), []):
            if not declarations.functions[caller].effectful:
                declarations.functions[caller].effectful = True
                work.append(caller)
