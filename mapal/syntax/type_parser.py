"""Parsing of types."""

from __future__ import annotations

from mapal.syntax import ast
from mapal.syntax.cursor import Cursor


class TypeParser(Cursor):
    """`i32`, `(T1, T2)`, `[T; n]`, and the forms outside Core that look like types."""

    def type_expression(self) -> ast.TypeExpression:
        """Parse one type."""
        self.enter()
        if self.kind == "name":
            result: ast.TypeExpression = self._named_type()
        elif self.kind == "(":
            result = self._tuple_type()
        elif self.kind == "[":
            result = self._array_type()
        else:
            self.unexpected("a type", self._type_hint())
        self.leave()
        return result

    def _type_hint(self) -> str:
        if self.kind == "void":
            return "leave out `-> void`: a function without a result type gives nothing"
        return "a type is a name such as `i32`, a tuple `(i32, f64)` or an array `[i32; 4]`"

    def _named_type(self) -> ast.NamedType:
        first = self.position
        name = self.token.text
        self.advance()
        if self.kind == "<":
            self.generic_arguments(first)
        elif self.kind == ":" and self.ahead(1) == ":" and self.adjacent(self.position + 1):
            self.path(first)
        elif self.kind == "[" and not self.on_new_line():
            text = self.text_of(first, first) or "i32"
            self.unexpected("the end of the type", f"an array type is `[{text}; 16]`")
        return ast.NamedType(tokens=(first, first), name=name)

    def generic_arguments(self, first: int) -> None:
        """Report `<…>` behind a type name or a declared name, and pass over it."""
        self.report(
            "P0103",
            f"`{self.tokens[first].text}` takes no type arguments: there are no generics",
            first,
            self.position,
            "declare one type for each use, with its element types written out",
        )
        depth = 0
        while self.kind not in ("end", ";", "{", "}", ")"):
            if self.kind == "<":
                depth += 1
            elif self.kind == ">":
                depth -= 1
            self.skip_balanced()
            if depth == 0:
                return

    def path(self, first: int) -> None:
        """Report `::` behind a name, and pass over the rest of the path."""
        last = self.position + 2 if self.ahead(2) == "name" else self.position + 1
        self.report(
            "P0109",
            "there are no `::` paths: a program is one file with one name space for functions",
            self.position,
            self.position + 1,
            f"write `{self.tokens[last].text}` alone" if self.ahead(2) == "name" else None,
        )
        while self.kind == ":" and self.ahead(1) == ":":
            self.advance()
            self.advance()
            self.accept("name")

    def _tuple_type(self) -> ast.TypeExpression:
        first = self.open_delimiter()
        if self.kind == ")":
            self.unexpected(
                "a type", "nothing has no type: leave out the parameter or the result type"
            )
        items = [self.type_expression()]
        while self.accept(","):
            if self.kind == ")":
                break
            items.append(self.type_expression())
        if len(items) == 1 and self.kind == ")":
            self.report_unexpected(
                "`,` and a second type",
                "a tuple has two or more components; for a single one write its type alone",
            )
        self.close_delimiter(")", "`,` or `)`")
        return ast.TupleType(tokens=self.span_tokens(first), items=tuple(items))

    def _array_type(self) -> ast.ArrayType:
        first = self.open_delimiter()
        element = self.type_expression()
        length = 1
        if self.kind == "]":
            text = self.text_of(first + 1, self.position - 1) or "i32"
            self.report(
                "P0104",
                "an array type needs its length: there are no dynamic arrays",
                first,
                self.position,
                f"write `[{text}; 16]` with the number of elements",
            )
        else:
            self.expect(";", "`;` and the array's length", "an array type is `[i32; 16]`")
            if self.kind != "integer":
                self.unexpected(
                    "the array's length, an integer literal",
                    "a length is a plain number such as `16`; computed ones are not supported",
                )
            value = self.token.value
            assert isinstance(value, int), "an integer token has an integer value"
            length = value
            self.advance()
        self.close_delimiter("]", "`]`")
        return ast.ArrayType(tokens=self.span_tokens(first), element=element, length=length)
