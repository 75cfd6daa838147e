"""Parsing of expressions: one pass of operator precedence, without recursion over operators."""

from __future__ import annotations

from typing import NoReturn, cast

from mapal.syntax import ast
from mapal.syntax.cursor import Abandon
from mapal.syntax.newcomers import (
    FOREIGN_STATEMENTS,
    based_number,
    exponent_digits,
    without_exponent,
)
from mapal.syntax.tokens import describe
from mapal.syntax.type_parser import TypeParser

_COMPARISON = 3
_STRENGTHS = {
    "||": 1,
    "&&": 2,
    "==": _COMPARISON,
    "!=": _COMPARISON,
    "<": _COMPARISON,
    ">": _COMPARISON,
    "<=": _COMPARISON,
    ">=": _COMPARISON,
    "+": 4,
    "-": 4,
    "*": 5,
    "/": 5,
    "%": 5,
}
BINARY_OPERATORS = frozenset(_STRENGTHS)

OPERAND_STARTS = frozenset(
    ("integer", "float", "string", "true", "false", "name", "(", "[", "-", "!")
)

_SCALAR_TYPES = ("i32", "i64", "u8", "f32", "f64", "bool")

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
    "guard": "a guard stands behind the value it looks at: `value -> { -true-> …; -false-> …; }`",
    "{": "braces hold a value only behind a struct's name or an arrow: `value -> seq { … }`",
}


class _Partial:
    """Operators of one strength whose next operand is still being read."""

    __slots__ = ("first", "operator_tokens", "operators", "start", "strength", "terms")

    def __init__(self, strength: int, first: ast.Expression, start: int) -> None:
        self.strength = strength
        self.first = first
        self.start = start
        self.operators: list[str] = []
        self.operator_tokens: list[int] = []
        self.terms: list[ast.Expression] = []


class ExpressionParser(TypeParser):
    """Expressions, from operators down to literals."""

    def expression(self) -> ast.Expression:
        """Parse an expression; one nesting level."""
        self.enter()
        start = self.position
        result = self._operators(self._operand(), start)
        self.leave()
        return result

    def operator_stage_value(self) -> ast.Expression:
        """Parse what follows an arrow from a binary operator on; the wire is its left operand."""
        operator = self.position
        return self._operators(ast.Wire(tokens=(operator, operator)), operator)

    # Operators -----------------------------------------------------------------------

    def _operators(self, operand: ast.Expression, start: int) -> ast.Expression:
        """Combine an operand that begins at `start` with the operators that follow it."""
        partials: list[_Partial] = []
        while True:
            operator = self._binary_operator()
            strength = _STRENGTHS.get(operator, 0)
            while partials and partials[-1].strength > strength:
                partial = partials.pop()
                operand, start = self._finish(partial, operand), partial.start
            if strength == 0:
                return operand
            if partials and partials[-1].strength == strength:
                partials[-1].terms.append(operand)
            else:
                partials.append(_Partial(strength, operand, start))
            partials[-1].operators.append(operator)
            partials[-1].operator_tokens.append(self.advance())
            start = self.position
            operand = self._operand()

    def _binary_operator(self) -> str:
        """The operator at the current token, or some other text. A lone `&` or `|`, reported by
        the lexer, stands for the doubled one."""
        if self.kind == "error" and self.token.text in ("&", "|"):
            return self.token.text * 2
        return self.kind

    def _finish(self, partial: _Partial, last: ast.Expression) -> ast.Binary:
        """The node for operators of one strength whose last operand was just read."""
        partial.terms.append(last)
        if partial.strength == _COMPARISON and len(partial.terms) > 1:
            self._report_chained_comparison(partial)
        return ast.Binary(
            tokens=self.span_tokens(partial.start),
            first=partial.first,
            rest=tuple(
                ast.BinaryTerm(
                    tokens=term.tokens,
                    operator=cast(ast.BinaryOperator, operator),
                    operator_token=token,
                    operand=term,
                )
                for operator, token, term in zip(
                    partial.operators, partial.operator_tokens, partial.terms, strict=True
                )
            ),
        )

    def _report_chained_comparison(self, partial: _Partial) -> None:
        first, second = partial.operator_tokens[:2]
        end = partial.operator_tokens[2] if len(partial.operator_tokens) > 2 else self.position
        left = self.text_of(partial.start, first - 1)
        middle = self.text_of(first + 1, second - 1)
        right = self.text_of(second + 1, end - 1)
        hint = "compare twice and join the results with `&&`"
        if left and middle and right and self.tokens[partial.start].kind not in BINARY_OPERATORS:
            operators = partial.operators
            hint = f"write `{left} {operators[0]} {middle} && {middle} {operators[1]} {right}`"
        self.report("P0007", "comparisons do not chain", second, second, hint)

    # Operands ------------------------------------------------------------------------

    def _operand(self) -> ast.Expression:
        """Parse unary operators, a primary and its suffixes."""
        first = self.position
        while self.kind in ("-", "!"):
            self.enter()
            self.advance()
        end_of_operators = self.position
        result = self._postfix()
        for operator in range(end_of_operators - 1, first - 1, -1):
            self.leave()
            result = ast.Unary(
                tokens=self.span_tokens(operator),
                operator="-" if self.kinds[operator] == "-" else "!",
                operator_token=operator,
                operand=result,
            )
        return result

    def _postfix(self) -> ast.Expression:
        first = self.position
        base = self._primary()
        callable_base = self.kinds[first] == "name"
        suffixes: list[ast.Member | ast.Slot | ast.Subscript] = []
        while True:
            kind = self.kind
            if kind == ".":
                self._dot(suffixes)
            elif kind == "[":
                suffixes.append(self._subscript())
            elif kind == "?":
                self._question_mark()
            elif kind == "(" and callable_base and not self.on_new_line():
                self._call(first)
                callable_base = False
            elif kind == ":" and self.ahead(1) == ":" and self.adjacent(self.position + 1):
                self.path(first)
            else:
                break
        if not suffixes:
            return base
        return ast.Postfix(tokens=self.span_tokens(first), base=base, suffixes=tuple(suffixes))

    def _dot(self, suffixes: list[ast.Member | ast.Slot | ast.Subscript]) -> None:
        """Parse `.name` or `.k` and append it."""
        dot = self.advance()
        token = self.token
        if token.kind == "name":
            self.advance()
            suffixes.append(ast.Member(tokens=(dot, dot + 1), name=token.text))
        elif token.kind == "integer":
            assert isinstance(token.value, int), "an integer token has an integer value"
            self.advance()
            suffixes.append(ast.Slot(tokens=(dot, dot + 1), index=token.value))
        elif token.kind == "float":
            first, _, second = token.text.partition(".")
            before = self.text_of(dot - 1, dot - 1) or "value"
            self.report_unexpected(
                "a component's number or a field's name",
                f"`{token.text}` is read as a float: write `({before}.{first}).{second}`",
            )
            self.advance()
        elif self.kinds[dot - 1] == "integer" and self.adjacent(dot):
            self.report(
                "P0001",
                f"expected digits behind the point of a float, found {describe(token)}",
                self.position,
                self.position,
                f"write `{self.tokens[dot - 1].text}.0`",
            )
            if token.kind == ".":
                raise Abandon
        else:
            self.unexpected("a field's name or a component's number", "write `.name` or `.0`")

    def _subscript(self) -> ast.Subscript:
        hint = "write one index for each pair of brackets: `array[i][j]`"
        if self.on_new_line():
            hint = "end the statement on the line before with `;`"
        first = self.open_delimiter()
        if self.kind == "]":
            self.unexpected("an index", "write `array[0]`")
        index = self._bracketed(first)
        self.close_delimiter("]", "`]`", hint if self.kind == "," else None)
        return ast.Subscript(tokens=self.span_tokens(first), index=index)

    def _question_mark(self) -> None:
        """Report a `?` behind an operand; a conditional expression gives up its statement."""
        question = self.position
        conditional = self.ahead(1) in OPERAND_STARTS
        self.report(
            "P0101",
            "there is no `?` operator",
            question,
            question,
            "choose with a guard: `(condition) -> { -true-> …; -false-> …; } -> result;`"
            if conditional
            else "remove it: no value of Core can be absent",
        )
        while self.kind == "?":
            self.advance()
        if conditional:
            raise Abandon

    def _call(self, first: int) -> None:
        """Report `f(…)`, with the flow to write instead, and parse the arguments."""
        opener = self.position
        closer = self.closers[opener]
        name = self.text_of(first, opener - 1) or "function"
        self.report(
            "P0108",
            f"`{name}(…)` is no call: in Mapal a value flows into a function",
            first,
            max(opener, closer),
            self._call_hint(first, opener, closer, name),
        )
        self.open_delimiter()
        while self.kind != ")":
            self._bracketed(opener)
            if not self.accept(","):
                break
        self.close_delimiter(")", "`,` or `)`")

    def _call_hint(self, first: int, opener: int, closer: int, name: str) -> str:
        word = self.tokens[first].text
        if opener == first + 1 and word in FOREIGN_STATEMENTS and word not in ("print", "println"):
            argument = self.text_of(opener + 1, closer - 1) if word == "return" else None
            return f"write `{argument} -> ret;`" if argument else FOREIGN_STATEMENTS[word]
        arguments = self.text_of(opener + 1, closer - 1)
        behind_arrow = first > 0 and self.kinds[first - 1] == "->"
        if closer == opener + 1:
            if behind_arrow:
                return f"write `-> {name}`"
            return "write `() -> time`" if name == "time" else f"write `value -> {name}`"
        if arguments is None:
            return f"write `(first, second) -> {name}`"
        if behind_arrow:
            return f"pack all arguments before the arrow: `(value, {arguments}) -> {name}`"
        single = opener + 2 == closer or not self._has_comma(opener, closer)
        return f"write `{arguments} -> {name}`" if single else f"write `({arguments}) -> {name}`"

    def _has_comma(self, opener: int, closer: int) -> bool:
        """Whether a comma stands directly between delimiters whose text fits into a hint."""
        position = opener + 1
        while position < closer:
            if self.kinds[position] == ",":
                return True
            position = max(position, self.closers[position]) + 1
        return False

    def _bracketed(self, opener: int) -> ast.Expression:
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

    # Primaries -----------------------------------------------------------------------

    def _primary(self) -> ast.Expression:
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
        return _OPERAND_HINTS.get(self.kind)

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
        items = [self._bracketed(first)]
        tuple_written = False
        while self.accept(","):
            tuple_written = True
            if self.kind == ")":
                break
            items.append(self._bracketed(first))
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
            items.append(self._bracketed(first))
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
            value = self._bracketed(opener)
        return ast.FieldInit(tokens=self.span_tokens(first), name=name, value=value)
