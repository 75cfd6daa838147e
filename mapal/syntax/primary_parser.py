"""Parsing of primary expressions: literals, names, and what stands in brackets."""

from __future__ import annotations

from abc import abstractmethod
from typing import NoReturn

from mapal.syntax import ast
from mapal.syntax.newcomers import (
    DOUBLED_OPERATORS,
    FOREIGN_EXPRESSIONS,
    FOREIGN_STATEMENTS,
    based_number,
    exponent_digits,
    without_exponent,
)
from mapal.syntax.type_parser import TypeParser

_SCALAR_TYPES = ("i32", "i64", "u8", "f32", "f64", "bool")

_BEHIND_A_WORD = frozenset(("name", "integer", "float", "string", "true", "false", "!"))
_COLLECTION_HINT = "send an array into it: `array -> map { x -> … }`"
_OPERAND_HINTS = {
    "+": "there is no unary `+` and no `++`: write `x + 1`",
    "...": "there are no rest elements; write every element",
    ".": "a float has digits on both sides of the point: `0.5`",
    "ret": "`ret` ends a chain: `value -> ret;`",
    "loop": "`loop { … }` is a statement; the jump is `-> loop;`",
    "seq": "send a value into it: `value -> seq { … }`",
    "map": _COLLECTION_HINT,
    "fold": "send a start value and an array into it: `(0, array) -> fold { sum, x -> sum + x }`",
    "fn": "functions stand at the top level and are used as stages: `value -> name`",
    "{": "braces hold a value only behind a struct's name or an arrow: `value -> seq { … }`",
}


class PrimaryParser(TypeParser):
    """Primaries. The expressions inside them belong to the expression parser, which completes
    this class."""

    @abstractmethod
    def expression(self) -> ast.Expression:
        """Parse an expression; one nesting level."""

    def primary(self) -> ast.Expression:
        first = self.position
        tokens = (first, first)
        token = self.token
        match token.kind:
            case "integer" | "float":
                self.advance()
                if self.kind == "name" and self.adjacent(self.position):
                    return self._malformed_number(first)
                if isinstance(token.value, int):
                    return ast.IntegerLiteral(tokens=tokens, value=token.value)
                return ast.FloatLiteral(tokens=tokens, text=token.text)
            case "string":
                self.advance()
                return ast.StringLiteral(tokens=tokens, value=str(token.value))
            case "true" | "false":
                self.advance()
                return ast.BoolLiteral(tokens=tokens, value=token.kind == "true")
            case "name":
                if self.ahead(1) == "{":
                    return self._struct_literal()
                if token.text in FOREIGN_EXPRESSIONS and self.ahead(1) in _BEHIND_A_WORD:
                    self.unexpected("an expression", FOREIGN_STATEMENTS[token.text])
                self.advance()
                return ast.Name(tokens=tokens, name=token.text)
            case "(":
                return self._parenthesised()
            case "[":
                return self._array_literal()
            case _:
                return self._no_operand()

    def _no_operand(self) -> NoReturn:
        self.unexpected("an expression", self.operand_hint())

    def operand_hint(self) -> str | None:
        """What to write where the current token stands and an operand was needed."""
        position = self.position
        if self.kind == "." and self.ahead(1) == "integer":
            return f"write `0.{self.tokens[position + 1].text}`"
        sign = self.kinds[position if self.kind == "+" else position - 1]
        minus = sign == "-" and position > 2 and self.kinds[position - 2] == "-"
        name = position - (3 if minus else 2)
        if (minus or self.kind == "+") and name >= 0 and self.kinds[name] == "name":
            text = self.tokens[name].text
            return f"there is no `{sign}{sign}`: write `{text} {sign} 1 -> {text};`"
        doubled = DOUBLED_OPERATORS.get((self.kinds[position - 1], self.kind))
        return doubled if position and doubled else _OPERAND_HINTS.get(self.kind)

    def _malformed_number(self, first: int) -> ast.Expression:
        """Report a number with a name stuck to it: an exponent, a base, a suffix."""
        number, name = self.tokens[first], self.token
        last = self.position
        exponent = exponent_digits(name.text)
        sign = 1
        if exponent == "" and self.ahead(1) in ("-", "+") and self.ahead(2) == "integer":
            sign = -1 if self.ahead(1) == "-" else 1
            last += 2
            exponent = self.tokens[last].text
        hint = "put a space or an operator between them"
        if exponent:
            plain = without_exponent(number.text, sign * int(exponent[:5]))
            hint = "there is no exponent form" + (f": write `{plain}`" if plain else "")
        elif number.text == "0" and (value := based_number(name.text)) is not None:
            hint = f"there is only the decimal form: write `{value}`"
        elif name.text in _SCALAR_TYPES:
            hint = (
                f"a literal has no suffix: bind it with a type, `{number.text} -> x: {name.text}`"
            )
        elif name.text.replace("_", "").isdigit():
            hint = (
                f"there are no digit separators: write `{number.text}{name.text.replace('_', '')}`"
            )
        self.report_unexpected("an operator, `->` or `;` behind the number", hint)
        self.position = last
        self.advance()
        return ast.FloatLiteral(tokens=(first, last), text="0.0")

    def _parenthesised(self) -> ast.Expression:
        first = self.open_delimiter()
        if self.kind == ")":
            self.close_delimiter(")", "`)`")
            return ast.UnitLiteral(tokens=(first, first + 1))
        items = [self.bracketed(first)]
        tuple_written = False
        while self.accept(","):
            tuple_written = True
            if self.kind == ")":
                break
            items.append(self.bracketed(first))
        if tuple_written and len(items) == 1 and self.kind == ")":
            self.report_unexpected(
                "a second component",
                "a tuple has two or more components; for a single value leave out the comma",
            )
        self.close_delimiter(")", "an operator, `,` or `)`")
        if not tuple_written:
            return items[0]
        return ast.TupleLiteral(tokens=self.span_tokens(first), items=tuple(items))

    def _array_literal(self) -> ast.Expression:
        first = self.open_delimiter()
        if self.kind == "]":
            self.report_unexpected("an element", "an array has one element or more")
        items: list[ast.Expression] = []
        while self.kind != "]":
            if self.kind == "...":
                self.report(
                    "P0107",
                    "there are no rest elements: an array literal lists each element",
                    self.position,
                    self.position,
                    "write the elements out, or make the array with `n -> iota -> map { i -> … }`",
                )
                self.advance()
            items.append(self.bracketed(first))
            if not self.accept(","):
                break
        hint = None
        if self.kind == ";":
            hint = "an array of equal elements is `(value, 16) -> fill`"
        self.close_delimiter("]", "an operator, `,` or `]`", hint)
        return ast.ArrayLiteral(tokens=self.span_tokens(first), items=tuple(items))

    def _struct_literal(self) -> ast.Expression:
        self.enter()
        first = self.position
        name = self.token.text
        self.advance()
        opener = self.open_delimiter()
        fields: list[ast.FieldInit] = []
        while self.kind != "}":
            fields.append(self._field_init(opener))
            if self.kind == ";" and self._more_fields():
                self.report_unexpected("`,` or `}`", "fields are separated by commas")
                self.advance()
            elif not self.accept(","):
                break
        self.close_delimiter("}", "an operator, `,` or `}`")
        self.leave()
        return ast.StructLiteral(tokens=self.span_tokens(first), name=name, fields=tuple(fields))

    def _more_fields(self) -> bool:
        return self.ahead(1) == "}" or (
            self.ahead(1) == "name" and self.ahead(2) in (":", ",", "}")
        )

    def _field_init(self, opener: int) -> ast.FieldInit:
        first = self.position
        name = self.expect_name("a field's name", "a struct literal is `Name { field: value }`")
        value = None
        if self.accept(":"):
            value = self.bracketed(opener)
        return ast.FieldInit(tokens=self.span_tokens(first), name=name, value=value)

    def bracketed(self, opener: int) -> ast.Expression:
        """Parse an expression inside delimiters, where a `<-` can only be a slip."""
        first = self.position
        value = self.expression()
        if self.kind == "<-":
            arrow = self.advance()
            left = self.text_of(first, arrow - 1) or "a"
            second = self.position
            self.expression()
            right = self.text_of(second, self.position - 1) or "b"
            self.report(
                "P0009",
                "`<-` binds a name and cannot stand inside brackets",
                arrow,
                arrow,
                f"to compare with a negative number write `{left} < -{right}`",
            )
        elif self.kind == "->" and self.closers[opener] >= 0:
            self.unexpected(
                "an operator or the closing bracket",
                "a chain cannot stand inside brackets: bind its result first, "
                "`value -> stage -> name;`, and write the name here",
            )
        return value
