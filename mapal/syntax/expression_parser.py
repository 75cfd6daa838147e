"""Parsing of expressions: one pass of operator precedence, without recursion over operators."""

from __future__ import annotations

from typing import cast

from mapal.syntax import ast
from mapal.syntax.cursor import Abandon
from mapal.syntax.newcomers import FOREIGN_STATEMENTS, conversion_hint
from mapal.syntax.primary_parser import PrimaryParser
from mapal.syntax.tokens import describe

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


class ExpressionParser(PrimaryParser):
    """Expressions: operators, and the suffixes of their operands."""

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
        base = self.primary()
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
                "the array 0, 1, …, n-1 is `n -> iota`"
                if token.kind == "."
                else f"write `{self.tokens[dot - 1].text}.0`",
            )
            if token.kind == ".":
                raise Abandon
        else:
            self.unexpected("a field's name or a component's number", self._member_hint(dot))

    def _member_hint(self, dot: int) -> str:
        """What to write for something behind a point that is no part of a value."""
        word = self.token.text
        if word in ("map", "fold", "seq") and self.kinds[dot - 1] == "name":
            return (
                f"a stage stands behind an arrow: `{self.tokens[dot - 1].text} -> {word} {{ … }}`"
            )
        return "write `.name` or `.0`"

    def _subscript(self) -> ast.Subscript:
        hint = "write one index for each pair of brackets: `array[i][j]`"
        if self.on_new_line():
            hint = "end the statement on the line before with `;`"
        first = self.open_delimiter()
        if self.kind == "]":
            self.unexpected("an index", "write `array[0]`")
        index = self.bracketed(first)
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
            self.bracketed(opener)
            if not self.accept(","):
                break
        self.close_delimiter(")", "`,` or `)`")

    def _call_hint(self, first: int, opener: int, closer: int, name: str) -> str:
        word = self.tokens[first].text
        if opener == first + 1 and word in FOREIGN_STATEMENTS and word not in ("print", "println"):
            argument = self.text_of(opener + 1, closer - 1) if word == "return" else None
            return f"write `{argument} -> ret;`" if argument else FOREIGN_STATEMENTS[word]
        arguments = self.text_of(opener + 1, closer - 1)
        base, point, method = name.rpartition(".")
        if point:
            value = base if arguments is None else f"({base}, {arguments})"
            return f"there are no methods: write `{value} -> {method}`"
        behind_arrow = first > 0 and self.kinds[first - 1] == "->"
        if closer == opener + 1:
            if behind_arrow:
                return f"write `-> {name}`"
            return "write `() -> time`" if name == "time" else f"write `value -> {name}`"
        if arguments is None:
            return f"write `(first, second) -> {name}`"
        if behind_arrow:
            return f"pack all arguments before the arrow: `(value, {arguments}) -> {name}`"
        if opener + 2 < closer and self._has_comma(opener, closer):
            arguments = f"({arguments})"
        elif (conversion := conversion_hint(name, arguments)) is not None:
            return conversion
        if word[:1].isupper():
            return f"a record is made with `{name} {{ field: value }}`"
        return f"write `{arguments} -> {name}`"

    def _has_comma(self, opener: int, closer: int) -> bool:
        """Whether a comma stands directly between delimiters whose text fits into a hint."""
        position = opener + 1
        while position < closer:
            if self.kinds[position] == ",":
                return True
            position = max(position, self.closers[position]) + 1
        return False
