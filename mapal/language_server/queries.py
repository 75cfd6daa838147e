"""Answers about an analysed text: what is here, where it is declared, what there is.

Places are byte ranges here; only the server knows editors' units.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from mapal.format import find_trivia
from mapal.language_server.analysis import Analysis
from mapal.language_server.words import BUILTINS, KEYWORDS, SCALARS
from mapal.lower.inspection import NameKind, NameUse
from mapal.syntax import ast

Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Hover:
    """Code and prose about the token at `span`."""

    code: str
    prose: str
    span: Span


@dataclass(frozen=True, slots=True)
class Symbol:
    """A declaration for an outline: `span` is all of it, `name_span` its name."""

    name: str
    kind: NameKind
    detail: str
    span: Span
    name_span: Span
    children: list[Symbol] = field(default_factory=list)


def hover(analysis: Analysis, offset: int) -> Hover | None:
    """What there is to say about the token at a byte offset."""
    ordinal = analysis.token_at(offset)
    if ordinal is None:
        return None
    use = analysis.inspection.uses.get(ordinal)
    found = _keyword(analysis, ordinal) if use is None else _named(analysis, use)
    if found is None:
        return None
    return Hover(*found, _span(analysis, ordinal))


def definition(analysis: Analysis, offset: int) -> Span | None:
    """The name in the declaration of what is named at a byte offset."""
    ordinal = analysis.token_at(offset)
    use = None if ordinal is None else analysis.inspection.uses.get(ordinal)
    if use is None or use.declared is None:
        return None
    return _span(analysis, use.declared)


def symbols(analysis: Analysis) -> list[Symbol]:
    """The functions and types of a text, in source order."""
    found: list[Symbol] = []
    for item in analysis.program.items:
        span = analysis.locations.span_of(item.tokens)
        name_span = _span(analysis, item.name_token)
        match item:
            case ast.FunctionItem():
                detail = _signature(item).removeprefix(f"fn {item.name}")
                found.append(Symbol(item.name, NameKind.FUNCTION, detail, span, name_span))
            case ast.TypeItem():
                fields = [_field(analysis, part) for part in item.fields]
                found.append(Symbol(item.name, NameKind.TYPE, "", span, name_span, fields))
    return found


def _field(analysis: Analysis, part: ast.Field) -> Symbol:
    detail = type_text(part.annotation)
    span = analysis.locations.span_of(part.tokens)
    return Symbol(part.name, NameKind.FIELD, detail, span, _span(analysis, part.tokens[0]))


def _span(analysis: Analysis, ordinal: int) -> Span:
    return analysis.locations.spans[ordinal]


# Texts --------------------------------------------------------------------------------


def _keyword(analysis: Analysis, ordinal: int) -> tuple[str, str] | None:
    return KEYWORDS.get(analysis.tokens[ordinal].text)


def _named(analysis: Analysis, use: NameUse) -> tuple[str, str] | None:
    known = "" if use.type is None else f": {use.type}"
    match use.kind:
        case NameKind.FUNCTION:
            item = analysis.inspection.functions[use.name]
            return _signature(item), _comment_before(analysis, item)
        case NameKind.TYPE:
            declared = analysis.inspection.types[use.name]
            return _type_declaration(declared), _comment_before(analysis, declared)
        case NameKind.SCALAR:
            return use.name, SCALARS[use.name]
        case NameKind.BUILTIN:
            return BUILTINS[use.name]
        case NameKind.LITERAL:
            return use.name, ""
        case NameKind.WIRE:
            return f"{use.type} ->", ""
        case NameKind.LOCAL:
            return f"{'mut ' * use.mutable}{use.name}{known}", ""
        case NameKind.FIELD:
            return f"{use.name}{known}", ""


def _signature(item: ast.FunctionItem) -> str:
    parameters = ", ".join(
        f"{'mut ' * parameter.mutable}{parameter.name}: {type_text(parameter.annotation)}"
        for parameter in item.parameters
    )
    result = "" if item.result is None else f" -> {type_text(item.result)}"
    return f"fn {item.name}({parameters}){result}"


def _type_declaration(item: ast.TypeItem) -> str:
    fields = ", ".join(f"{part.name}: {type_text(part.annotation)}" for part in item.fields)
    return f"type {item.name} {{ {fields} }}"


def type_text(expression: ast.TypeExpression) -> str:
    """A type as it is written."""
    match expression:
        case ast.NamedType(name=name):
            return name
        case ast.TupleType(items=items):
            return f"({', '.join(map(type_text, items))})"
        case ast.ArrayType(element=element, length=length):
            return f"[{type_text(element)}; {length}]"


def _comment_before(analysis: Analysis, item: ast.Item) -> str:
    """The comment lines directly above a declaration."""
    trivia = find_trivia(analysis.source, analysis.tokens)
    first = item.tokens[0]
    if trivia.blank_before[first]:
        return ""
    lines: list[str] = []
    for comment in reversed(trivia.leading[first]):
        lines.append(comment.text.removeprefix("//").strip())
        if comment.blank_before:
            break
    return "\n".join(reversed(lines))
