"""Declarations: the functions and types of a program, before any body is looked at.

`declare` runs the first steps of lowering in their fixed order (language 10): function headers,
types, the call graph, signatures. What is wrong in one of them does not hide what is wrong in
the others: a type that nobody knows is remembered as unknown.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from mapal.diagnostics import Diagnostic
from mapal.ir import entry
from mapal.ir.types import IO, MAXIMUM_DEPTH, SCALARS, UNIT, Tuple, Type, depth
from mapal.lower.call_graph import effectful_functions, recursion
from mapal.lower.reports import problem
from mapal.lower.resolve import Resolution, resolve
from mapal.lower.structs import declare_types
from mapal.lower.type_names import TypeNames, UnknownTypeError, resolve_type
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
    """One function: `parameters` and `result` as declared; an unknown type stands as unit, and
    its parameter is in `unknown` or `result_unknown` is set. Loops are named by their first
    token."""

    item: ast.FunctionItem
    parameters: tuple[Type, ...]
    result: Type | None
    resolution: Resolution
    unknown: frozenset[int] = frozenset()
    result_unknown: bool = False
    effectful: bool = False
    loops_with_effects: frozenset[int] = frozenset()

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
    """Everything that is declared at top level. `functions` holds the first of each name,
    `every_function` the others too, in source order."""

    types: TypeNames = field(default_factory=TypeNames)
    functions: dict[str, Signature] = field(default_factory=dict)
    every_function: list[Signature] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Declared:
    """The declarations and what is wrong with them; `stops` tells that bodies must not be
    looked at."""

    declarations: Declarations
    problems: tuple[Diagnostic, ...]
    stops: bool = False


def declare(program: ast.Program) -> Declared:
    """Steps 1 to 4 of lowering."""
    functions = [item for item in program.items if isinstance(item, ast.FunctionItem)]
    types, type_problems = declare_types(
        [item for item in program.items if isinstance(item, ast.TypeItem)]
    )
    by_name: dict[str, ast.FunctionItem] = {}
    found: list[Diagnostic] = []
    for item in functions:
        found.extend(_header_problems(item, by_name, types))
        by_name.setdefault(item.name, item)
    if "main" not in by_name:
        found.append(_no_main(program))
    found.extend(type_problems)
    declarations = Declarations(types)
    resolutions = {name: resolve(item, by_name) for name, item in by_name.items()}
    cycle = recursion(by_name, resolutions)
    if cycle is not None:
        return Declared(declarations, (*found, cycle), stops=True)
    effectful = effectful_functions(resolutions)
    for item in functions:
        is_first = by_name[item.name] is item
        resolution = resolutions[item.name] if is_first else resolve(item, by_name)
        signature, problems = _signature(item, resolution, types, effectful)
        found.extend(problems)
        declarations.every_function.append(signature)
        if is_first:
            declarations.functions[item.name] = signature
    return Declared(declarations, tuple(found))


def _no_main(program: ast.Program) -> Diagnostic:
    return problem(
        "L1001",
        "the program has no function `main`",
        program.tokens,
        "add `fn main() { … }`, which is what runs",
    )


def _header_problems(
    item: ast.FunctionItem, earlier: dict[str, ast.FunctionItem], types: TypeNames
) -> list[Diagnostic]:
    at = (item.name_token, item.name_token)
    found: list[Diagnostic] = []
    if item.name in RESERVED:
        found.append(
            problem(
                "L1009",
                f"a function cannot be called `{item.name}`",
                at,
                "the name is that of a builtin or a type; choose another",
            )
        )
    if item.name in earlier:
        message = f"there is a function `{item.name}` already"
        found.append(problem("L1003", message, at, "give it another name"))
    elif item.name == "main":
        found.extend(_main_problems(item, types))
    seen: set[str] = set()
    for parameter in item.parameters:
        if parameter.name in seen:
            message = f"`{item.name}` has a parameter `{parameter.name}` already"
            token = (parameter.name_token, parameter.name_token)
            found.append(problem("L1006", message, token, "give it another name"))
        seen.add(parameter.name)
    return found


def _main_problems(item: ast.FunctionItem, types: TypeNames) -> list[Diagnostic]:
    """L1002: what enters or leaves the program needs a `.npy` form. Types that name nothing are
    reported with the signatures."""
    hint = (
        "inputs are numbers, bools, arrays of them, or arrays of tuples or structs whose"
        " components are scalars of one type; a result may also be a tuple of these"
    )
    found: list[Diagnostic] = []
    for parameter in item.parameters:
        ty = _type_or_none(parameter.annotation, types)
        if ty is not None and entry.npy_form(ty) is None:
            message = f"parameter `{parameter.name}` has type `{ty}`, which has no .npy form"
            found.append(problem("L1002", message, parameter.annotation.tokens, hint))
    if item.result is not None:
        ty = _type_or_none(item.result, types)
        if ty is not None and entry.result_forms(ty) is None:
            message = f"the result has type `{ty}`, which has no .npy form"
            found.append(problem("L1002", message, item.result.tokens, hint))
    return found


def _type_or_none(expression: ast.TypeExpression, types: TypeNames) -> Type | None:
    try:
        return resolve_type(expression, types)
    except UnknownTypeError:
        return None


def _signature(
    item: ast.FunctionItem,
    resolution: Resolution,
    types: TypeNames,
    effectful: frozenset[str],
) -> tuple[Signature, list[Diagnostic]]:
    found: list[Diagnostic] = []

    def known(expression: ast.TypeExpression) -> Type | None:
        try:
            return resolve_type(expression, types)
        except UnknownTypeError as error:
            found.append(error.diagnostic)
            return None

    parameters = [known(parameter.annotation) for parameter in item.parameters]
    result = None if item.result is None else known(item.result)
    signature = Signature(
        item,
        tuple(UNIT if ty is None else ty for ty in parameters),
        UNIT if result is None and item.result is not None else result,
        resolution,
        unknown=frozenset(place for place, ty in enumerate(parameters) if ty is None),
        result_unknown=item.result is not None and result is None,
        effectful=item.name in effectful,
        loops_with_effects=_loops_with_effects(resolution, effectful),
    )
    if max(depth(signature.input_type), depth(signature.output_type)) > MAXIMUM_DEPTH:
        message = f"the parameters or the result of `{item.name}` nest too deep together"
        at = (item.name_token, item.name_token)
        found.append(problem("L1209", message, at, f"types nest at most {MAXIMUM_DEPTH} levels"))
    return signature, found


def _loops_with_effects(resolution: Resolution, effectful: frozenset[str]) -> frozenset[int]:
    return frozenset(
        loop
        for site in resolution.effects
        if not site.in_collection and (not site.is_call or site.name in effectful)
        for loop in site.loops
    )
