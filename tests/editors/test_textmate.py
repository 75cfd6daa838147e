"""The TextMate grammar agrees with the lexer, and with what names are."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from mapal.diagnostics import SourceText
from mapal.format import find_trivia
from mapal.language_server.analysis import analyse
from mapal.lower.inspection import NameKind
from mapal.lower.resolve import BUILTINS
from mapal.syntax import Token, parse, tokenize
from mapal.syntax.tokens import KEYWORDS, PUNCTUATION
from tests.editors.textmate import Grammar, Scoped
from tests.test_docs import EXAMPLES as PAGE
from tests.test_docs import whole

ROOT = Path(__file__).parents[2]
DOCUMENT = json.loads((ROOT / "editors/textmate/mapal.tmLanguage.json").read_text(encoding="utf-8"))
GRAMMAR = Grammar(DOCUMENT)
FILES = sorted(
    path
    for folder in ("projects/*/src", "tests/examples")
    for path in ROOT.glob(f"{folder}/*.mapal")
)

SCOPES = {
    **dict.fromkeys(("->", "<-"), "keyword.operator.arrow.mapal"),
    **dict.fromkeys("+-*/%", "keyword.operator.arithmetic.mapal"),
    **dict.fromkeys(("==", "!=", "<", ">", "<=", ">="), "keyword.operator.comparison.mapal"),
    **dict.fromkeys(("&&", "||", "!"), "keyword.operator.logical.mapal"),
    **dict.fromkeys((",", ":"), "punctuation.separator.mapal"),
    ";": "punctuation.terminator.mapal",
    ".": "punctuation.accessor.mapal",
    **dict.fromkeys("{}", "punctuation.section.braces.mapal"),
    **dict.fromkeys("()", "punctuation.section.parentheses.mapal"),
    **dict.fromkeys("[]", "punctuation.section.brackets.mapal"),
    **dict.fromkeys(("true", "false"), "constant.language.boolean.mapal"),
    **dict.fromkeys(("loop", "ret", "seq", "map", "fold"), "keyword.control.mapal"),
    "mut": "storage.modifier.mapal",
    "fn": "storage.type.function.mapal",
    "type": "storage.type.type.mapal",
    "integer": "constant.numeric.integer.mapal",
    "float": "constant.numeric.float.mapal",
    "string": "string.quoted.double.mapal",
    "guard": "keyword.control.guard.mapal",
    **dict.fromkeys(("executor", "pub", "use", "void"), "invalid.illegal.reserved.mapal"),
    **dict.fromkeys(("?", "@"), "invalid.illegal.mapal"),
    "...": "punctuation.accessor.mapal",
}
"""The scope of each kind of token; names have their own rules."""


def expressions(node: Any) -> Iterator[str]:
    if isinstance(node, dict):
        for key, value in node.items():
            if key in ("match", "begin", "end"):
                yield value
            else:
                yield from expressions(value)
    elif isinstance(node, list):
        for value in node:
            yield from expressions(value)


def test_expressions_are_of_both_dialects() -> None:
    found = list(expressions(DOCUMENT))
    assert len(found) > 20
    for expression in found:
        re.compile(expression)
        for construct in ("(?P", "(?i", "\\A", "\\Z", "\\h", "(?>", "++", "*+", "?+", "\\K"):
            assert construct not in expression


def test_every_part_is_used() -> None:
    included = {part["include"][1:] for part in DOCUMENT["patterns"]}
    assert included == set(DOCUMENT["repository"])


def test_every_kind_of_token_has_a_scope() -> None:
    assert set(SCOPES) >= KEYWORDS | PUNCTUATION


def test_builtins() -> None:
    (stage,) = (
        rule for rule in DOCUMENT["repository"]["stages"]["patterns"] if "print" in rule["match"]
    )
    assert set(re.findall(r"[a-z_0-9]{3,}", stage["match"])) == BUILTINS


class Pieces:
    """The scoped pieces of a text, found by byte offsets."""

    def __init__(self, source: str) -> None:
        self._text = SourceText(source)
        self._lines = GRAMMAR.lines(source)

    def over(self, start: int, end: int) -> list[Scoped]:
        """The pieces between two offsets on one line."""
        first, last = self._text.position(start), self._text.position(end)
        assert first.line == last.line
        return [
            piece
            for piece in self._lines[first.line - 1]
            if piece.start < last.column - 1 and piece.end > first.column - 1
        ]

    def scope(self, token: Token) -> str:
        """The scope of a token, which has one piece (a string: one without its escapes)."""
        scopes = {piece.scope for piece in self.over(token.start, token.end)}
        if token.kind == "string":
            scopes.discard("constant.character.escape.mapal")
        (scope,) = scopes
        return scope


def check_scopes(source: str) -> None:
    """Compare the scopes of a text with its tokens, its names and its comments."""
    analysis = analyse(source)
    pieces = Pieces(source)
    for ordinal, token in enumerate(analysis.tokens):
        use = analysis.inspection.uses.get(ordinal)
        scope = pieces.scope(token)
        if token.kind != "name":
            assert scope == SCOPES[token.kind], (token, scope)
            continue
        expected = {"variable.other.mapal", "entity.name.type.mapal"}
        if token.text == "reduce" and analysis.tokens[ordinal + 1].kind == "{":
            expected = {"keyword.control.mapal"}
        elif use is not None and use.kind is NameKind.BUILTIN:
            expected = {"support.function.builtin.mapal"}
        elif use is not None and use.kind is NameKind.SCALAR:
            expected = {"support.type.primitive.mapal"}
        elif use is not None and use.kind is NameKind.TYPE:
            expected = {"entity.name.type.mapal"}
        elif ordinal and analysis.tokens[ordinal - 1].kind == "fn":
            expected = {"entity.name.function.mapal"}
        elif token.text in BUILTINS:
            expected.add("support.function.builtin.mapal")
        assert scope in expected, (token, scope)
    comments = sum(
        piece.scope.startswith("comment.") for line in GRAMMAR.lines(source) for piece in line
    )
    assert comments == len(find_trivia(source, tokenize(source).tokens).texts())


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_programs(path: Path) -> None:
    source = path.read_text(encoding="utf-8")
    if "{{" in source:
        source = re.sub(r"\{\{[^}]*\}\}", "64", source)
    assert parse(source).diagnostics == ()
    check_scopes(source)


def test_the_page_of_the_language() -> None:
    checked = 0
    for example in PAGE:
        source = whole(example.source)
        if not parse(source).diagnostics:
            check_scopes(source)
            checked += 1
    assert checked > 40


def scopes_of(line: str) -> list[tuple[str, str]]:
    """The pieces of one line and their scopes, shortened."""
    (pieces,) = GRAMMAR.lines(line)
    return [(line[piece.start : piece.end], piece.scope.removesuffix(".mapal")) for piece in pieces]


CASES = {
    r'"a\n\q//" // "b"': [
        ('"', "string.quoted.double"),
        ("a", "string.quoted.double"),
        ("\\n", "constant.character.escape"),
        ("\\q", "invalid.illegal.escape"),
        ("//", "string.quoted.double"),
        ('"', "string.quoted.double"),
        ('// "b"', "comment.line.double-slash"),
    ],
    "{-7->x": [
        ("{", "punctuation.section.braces"),
        ("-7->", "keyword.control.guard"),
        ("x", "variable.other"),
    ],
    "n * -7->x": [
        ("n", "variable.other"),
        ("*", "keyword.operator.arithmetic"),
        ("-", "keyword.operator.arithmetic"),
        ("7", "constant.numeric.integer"),
        ("->", "keyword.operator.arrow"),
        ("x", "variable.other"),
    ],
    "1 -> max: i32": [
        ("1", "constant.numeric.integer"),
        ("->", "keyword.operator.arrow"),
        ("max", "variable.other"),
        (":", "punctuation.separator"),
        ("i32", "support.type.primitive"),
    ],
    "x -> reduce; print": [
        ("x", "variable.other"),
        ("->", "keyword.operator.arrow"),
        ("reduce", "variable.other"),
        (";", "punctuation.terminator"),
        ("print", "variable.other"),
    ],
    "looped -> mapped -> printed": [
        ("looped", "variable.other"),
        ("->", "keyword.operator.arrow"),
        ("mapped", "variable.other"),
        ("->", "keyword.operator.arrow"),
        ("printed", "variable.other"),
    ],
    "x = pub": [
        ("x", "variable.other"),
        ("=", "invalid.illegal"),
        ("pub", "invalid.illegal.reserved"),
    ],
    "t.0.1 <- 2.5": [
        ("t", "variable.other"),
        (".", "punctuation.accessor"),
        ("0.1", "constant.numeric.float"),
        ("<-", "keyword.operator.arrow"),
        ("2.5", "constant.numeric.float"),
    ],
}


@pytest.mark.parametrize("line", CASES)
def test_line(line: str) -> None:
    assert scopes_of(line) == CASES[line]


def test_a_string_ends_with_its_line() -> None:
    first, second = GRAMMAR.lines('"open\nx')
    assert [piece.scope for piece in first] == ["string.quoted.double.mapal"] * 2
    assert [piece.scope for piece in second] == ["variable.other.mapal"]
