"""Parsing of whole programs: functions and types at the top level."""

from __future__ import annotations

from mapal.syntax import ast
from mapal.syntax.cursor import ITEM_KEYWORDS, Abandon
from mapal.syntax.newcomers import FOREIGN_ITEMS
from mapal.syntax.statement_parser import StatementParser
from mapal.syntax.tokens import describe


class ItemParser(StatementParser):
    """The top level of a program."""

    def program(self) -> ast.Program:
        """Parse all tokens."""
        items: list[ast.Item] = []
        while self.kind != "end":
            item = self._item()
            if item is not None:
                items.append(item)
        return ast.Program(tokens=(0, max(0, len(self.tokens) - 2)), items=tuple(items))

    def _item(self) -> ast.Item | None:
        """Parse one item; None for something else, which is reported and passed over."""
        if self.kind in ITEM_KEYWORDS or self.kind == "@":
            self.begin_item()
        match self.kind:
            case "fn":
                return self._function()
            case "type":
                return self._type_item()
            case "@":
                self.annotation()
            case "executor":
                self.report_item_word()
                self.advance()
                self._skip_to_item()
            case "pub":
                self.report_item_word()
                self.advance()
                if self.kinds[self.position] == "(":
                    self.skip_balanced()
            case "use":
                self.report_item_word()
                self.advance()
                self._skip_use()
            case _:
                self._no_item()
        return None

    def _no_item(self) -> None:
        """Report what stands between items, up to the next one, as one mistake."""
        start = self.position
        while self.kind == "error":
            self.advance()
        if self.kind in ITEM_KEYWORDS or self.kind in ("end", "@"):
            return
        if self.position == start:
            self.begin_statement()
        explained = self.explained_by_lexer()
        found = self.position
        notes = self.brace_notes()
        closes_too_early = self._skip_to_item()
        if closes_too_early:
            self.forget_consequences()
        if explained or (closes_too_early and self.item_is_malformed()):
            return
        token = self.tokens[found]
        message = f"expected `fn` or `type`, found {describe(token)}"
        hint = FOREIGN_ITEMS.get(
            token.text, "statements stand inside a function: `fn main() { … }`"
        )
        if token.kind == "}":
            message = "this `}` closes nothing"
        if closes_too_early:
            hint = "one `}` is too many, or one `{` is missing, in the function before"
        self.report("P0012", message, found, found, hint, notes if closes_too_early else ())

    def _skip_to_item(self) -> bool:
        """Move to the next item; whether a `}` without its `{` was passed."""
        surplus = False
        while self.kind not in ITEM_KEYWORDS and self.kind not in ("end", "@"):
            surplus = surplus or self.kind == "}"
            self.skip_balanced()
        return surplus

    def _skip_use(self) -> None:
        while self.kind not in ("end", ";") and self.kind not in ITEM_KEYWORDS:
            self.skip_balanced()
        self.accept(";")

    # Functions -------------------------------------------------------------------------

    def _function(self) -> ast.FunctionItem | None:
        first = self.position
        checkpoint = self.checkpoint()
        header_end = len(self.tokens)
        try:
            self.advance()
            name_token = self.position
            name = self.expect_name("the function's name", "write `fn name() { … }`")
            if self.kind == "<":
                self.generic_arguments(name_token)
            parameters = self._parameters(name)
            header_end = self.position
            result = self._result_type()
            if self.kind != "{":
                self.unexpected(
                    "`{` and the function's body" if result else "`->` or `{`",
                    f"write `fn {name}(…) {{ … }}`",
                )
        except Abandon:
            self.restore(checkpoint)
            self._body_of_broken_function(behind_parameters=self.position >= header_end)
            return None
        body = self.block()
        return ast.FunctionItem(
            tokens=self.span_tokens(first),
            name=name,
            name_token=name_token,
            parameters=parameters,
            result=result,
            body=body,
        )

    def _body_of_broken_function(self, behind_parameters: bool) -> None:
        """Parse the body behind a header that made no sense, for the reports inside it. Braces
        behind an arrow are a statement's, unless the arrow may be that of the result type."""
        stops = ("{", "end", ";", "->") if behind_parameters else ("{", "end", ";")
        while self.kind not in stops and self.kind not in ITEM_KEYWORDS:
            self.skip_balanced()
        if self.kind != "{":
            self._skip_to_item()
            return
        self.block()

    def _parameters(self, name: str) -> tuple[ast.Parameter, ...]:
        if self.kind != "(":
            self.unexpected("`(` and the parameters", f"write `fn {name}() {{ … }}`")
        self.open_delimiter()
        parameters: list[ast.Parameter] = []
        while self.kind != ")":
            parameters.append(self._parameter())
            if not self.accept(","):
                break
        self.close_delimiter(")", "`,` or `)`")
        return tuple(parameters)

    def _parameter(self) -> ast.Parameter:
        first = self.position
        mutable = self.accept("mut")
        name_token = self.position
        name = self.expect_name("a parameter's name", "a parameter is `name: type`")
        hint = f"every parameter has a type: `{name}: i32`"
        if self.kind == "name":
            hint = f"the name stands first: `{self.token.text}: {name}`"
        self.expect(":", "`:` and the parameter's type", hint)
        annotation = self.type_expression()
        return ast.Parameter(
            tokens=self.span_tokens(first),
            name=name,
            name_token=name_token,
            mutable=mutable,
            annotation=annotation,
        )

    def _result_type(self) -> ast.TypeExpression | None:
        if self.kind == ":":
            self.report_unexpected("`->` or `{`", "the result type stands behind `->`")
            self.advance()
            return self.type_expression()
        return self.type_expression() if self.accept("->") else None

    # Types -----------------------------------------------------------------------------

    def _type_item(self) -> ast.TypeItem | None:
        first = self.position
        checkpoint = self.checkpoint()
        try:
            self.advance()
            name_token = self.position
            name = self.expect_name("the type's name", "write `type Name { field: i32 }`")
            if self.kind == "<":
                self.generic_arguments(name_token)
            if self.kind != "{":
                self.unexpected("`{` and the fields", f"write `type {name} {{ field: i32 }}`")
            opener = self.open_delimiter()
            fields: list[ast.Field] = []
            while self.kind not in ("}", "end") and not self.at_item():
                field = self._recovering_field()
                if field is not None:
                    fields.append(field)
            self.close_block(opener)
        except Abandon:
            self.restore(checkpoint)
            self._skip_to_item()
            return None
        return ast.TypeItem(
            tokens=self.span_tokens(first), name=name, name_token=name_token, fields=tuple(fields)
        )

    def _recovering_field(self) -> ast.Field | None:
        checkpoint = self.checkpoint()
        self.begin_statement()
        try:
            field = self._field()
        except Abandon:
            self.restore(checkpoint)
            while self.kind not in ("}", ",", ";", "end") and not self.at_item():
                self.skip_balanced()
            field = None
        else:
            self.restore(checkpoint)
            if self.kind == ";":
                self.report_unexpected("`,`, a field or `}`", "fields are separated by commas")
        if self.kind in (",", ";"):
            self.advance()
        return field

    def _field(self) -> ast.Field | None:
        first = self.position
        if self.kind == "-" and self.ahead(1) == "name":
            self._variant()
            return None
        name = self.expect_name("a field or `}`", "a field is `name: type`")
        self.expect(":", "`:` and the field's type", f"write `{name}: i32`")
        annotation = self.type_expression()
        return ast.Field(tokens=self.span_tokens(first), name=name, annotation=annotation)

    def _variant(self) -> None:
        self.report(
            "P0105",
            "there are no sum types: a `type` is a product of fields `name: type`",
            self.position,
            self.position + 1,
            "tell the cases apart by an integer field and a guard",
        )
        self.advance()
        self.advance()
        if self.kind in ("{", "("):
            self.skip_balanced()
