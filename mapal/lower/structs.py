"""The declared types of a program, and what is wrong with their declarations (language 10,
step 2)."""

from __future__ import annotations

from mapal.diagnostics import Diagnostic
from mapal.ir.types import MAXIMUM_DEPTH, SCALARS, Struct, Type, depth
from mapal.lower.cycles import components, on_cycles
from mapal.lower.reports import problem
from mapal.lower.type_names import TypeNames, UnknownTypeError, mentioned, resolve_type
from mapal.syntax import ast


def declare_types(types: list[ast.TypeItem]) -> tuple[TypeNames, list[Diagnostic]]:
    """All types, and the reports: L1004; then L1010 and L1005 per type; then L1007; then the
    field types."""
    problems: list[Diagnostic] = []
    items: dict[str, ast.TypeItem] = {}
    for item in types:
        if item.name in items or item.name in SCALARS:
            problems.append(_duplicate(item))
        else:
            items[item.name] = item
    for item in types:
        problems.extend(_field_name_problems(item))
    contains = {
        name: [
            other
            for field in item.fields
            for other in mentioned(field.annotation)
            if other in items
        ]
        for name, item in items.items()
    }
    recursive = on_cycles(contains)
    problems.extend(_recursive(item) for name, item in items.items() if name in recursive)
    names = TypeNames(broken=set(recursive))
    found: dict[str, list[Diagnostic]] = {}
    for component in components(contains):
        for name in component:
            found[name] = _declare(items[name], names)
    for item in types:
        is_first = items.get(item.name) is item
        problems.extend(found[item.name] if is_first else _resolved_fields(item, names)[1])
    return names, problems


def _declare(item: ast.TypeItem, names: TypeNames) -> list[Diagnostic]:
    """Adds one type, after those it contains; the problems of its field types."""
    fields, problems = _resolved_fields(item, names)
    known = tuple((name, ty) for name, ty in fields.items() if ty is not None)
    if item.name in names.broken or not fields or len(known) < len(item.fields):
        names.broken.add(item.name)
        return problems
    struct = Struct(item.name, known)
    if depth(struct) > MAXIMUM_DEPTH:
        names.broken.add(item.name)
        message = f"type `{item.name}` nests {depth(struct)} levels deep"
        hint = f"types nest at most {MAXIMUM_DEPTH} levels"
        return [*problems, problem("L1209", message, _name(item), hint)]
    names.structs[item.name] = struct
    return problems


def _resolved_fields(
    item: ast.TypeItem, names: TypeNames
) -> tuple[dict[str, Type | None], list[Diagnostic]]:
    fields: dict[str, Type | None] = {}
    problems: list[Diagnostic] = []
    for field in item.fields:
        try:
            fields.setdefault(field.name, resolve_type(field.annotation, names))
        except UnknownTypeError as error:
            problems.append(error.diagnostic)
    return fields, problems


def _field_name_problems(item: ast.TypeItem) -> list[Diagnostic]:
    if not item.fields:
        hint = f"give it one: `type {item.name} {{ value: i32 }}`"
        return [problem("L1010", f"type `{item.name}` has no field", _name(item), hint)]
    seen: set[str] = set()
    problems: list[Diagnostic] = []
    for field in item.fields:
        if field.name in seen:
            message = f"type `{item.name}` has a field `{field.name}` already"
            problems.append(problem("L1005", message, field.tokens, "give it another name"))
        seen.add(field.name)
    return problems


def _duplicate(item: ast.TypeItem) -> Diagnostic:
    scalar = item.name in SCALARS
    message = (
        f"`{item.name}` is a type of the language"
        if scalar
        else f"there is a type `{item.name}` already"
    )
    return problem("L1004", message, _name(item), "give it another name")


def _recursive(item: ast.TypeItem) -> Diagnostic:
    return problem(
        "L1007",
        f"type `{item.name}` contains itself",
        _name(item),
        "a value would have no end; refer to other values by their index in an array",
    )


def _name(item: ast.TypeItem) -> ast.Tokens:
    return (item.name_token, item.name_token)
