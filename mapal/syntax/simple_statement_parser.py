"""Parsing of statements without blocks of their own: bindings, updates and chains."""

from __future__ import annotations

from typing import Literal, NamedTuple

from mapal.syntax import ast
from mapal.syntax.cursor import Abandon
from mapal.syntax.expression_parser import OPERAND_STARTS
from mapal.syntax.newcomers import FOREIGN_OPERATORS, FOREIGN_STATEMENTS, FOREIGN_TYPES
from mapal.syntax.stage_parser import StageParser

Context = Literal["plain", "stage"]
"""Where a block stands: a stage's braces may hold arms."""


class Entry(NamedTuple):
    """One thing in a block. `node` is None for something that was reported and discarded;
    a chain that ends without `;` before the closing brace is the tail."""

    node: ast.Statement | ast.Arm | ast.Chain | None
    first: int
    last: int
    semicolon: bool


class SimpleStatementParser(StageParser):
    """Bindings with `<-`, element updates, and chains as statements."""

    _went_on_at = -1
    """Where parsing went on, within a line, behind a statement without its `;`: what stands
    there may well be no statement of its own."""

    def made(self, node: ast.Statement | ast.Arm | None, first: int) -> Entry:
        last = max(first, self.position - 1)
        return Entry(node, first, last, self.kinds[last] == ";")

    # Bindings --------------------------------------------------------------------------

    def at_equals(self) -> bool:
        """Whether a lone `=` stands here; the lexer reported it, and it is read as `<-`."""
        return self.kind == "error" and self.token.text == "="

    def mutable_binding(self) -> ast.Statement | None:
        first = self.advance()
        if self.kind == "name" and self.ahead(1) == "[":
            name = self.text_of(self.position, self.position) or "array"
            self.report(
                "P0013",
                "`mut` declares a name; an element update does not take it",
                first,
                first,
                f"write `{name}[index] <- value;` (`{name}` itself is declared `mut`)",
            )
            chain = self.chain()
            if not self.at_arrow_left():
                raise Abandon
            return self._update(chain)
        if self.kind != "name":
            self.unexpected("a name behind `mut`", "write `mut name <- value;`")
        return self.binding(first, mutable=True)

    def at_arrow_left(self) -> bool:
        return self.kind == "<-" or self.at_equals()

    def binding(self, first: int, mutable: bool) -> ast.BindStatement:
        """Parse `name [: type] <- value;` from the name on."""
        name_token = self.position
        name = self.token.text
        self.advance()
        annotation = self.type_expression() if self.accept(":") else None
        if not self.at_arrow_left():
            self.unexpected("`<-` and a value", f"write `{name} <- value;`")
        self.advance()
        value_start = self.position
        value = self.expression()
        self._end_of_binding(first, value_start, name)
        return ast.BindStatement(
            tokens=self.span_tokens(first),
            name=name,
            name_token=name_token,
            mutable=mutable,
            annotation=annotation,
            value=value,
        )

    def _end_of_binding(self, first: int, value_start: int, name: str) -> None:
        """Consume the `;` of a `<-` statement or report what stands there instead."""
        if self.accept(";"):
            return
        value = self.text_of(value_start, self.position - 1) or "value"
        if self.kind == "<-":
            self.report(
                "P0008",
                "a statement binds one name: it has one `<-`",
                self.position,
                self.position,
                f"bind the names one after the other: `{value} <- …;`, then `{name} <- {value};`",
            )
            self.skip_statement()
        elif self.kind == "->":
            self.unexpected(
                "`;`",
                f"`<-` takes an expression: write the chain as `{value} -> … -> {name};`",
            )
        else:
            self.missing_semicolon(first, "an operator or `;`", goes_on=True)

    def _update(self, chain: ast.Chain) -> ast.Statement | None:
        """Parse `<- value;` behind something that is not a plain name."""
        head = chain.head
        first = chain.tokens[0]
        if chain.stages or head is None:
            self.unexpected(
                "`->` or `;`", "a statement is either a chain with `->` or a binding with `<-`"
            )
        if (
            not isinstance(head, ast.Postfix)
            or not isinstance(head.base, ast.Name)
            or head.base.tokens[0] != first
        ):
            self.unexpected(
                "`->` or `;`",
                "the left of `<-` is a name or one element of an array: `name <- value;`, "
                "`name[index] <- value;`",
            )
        subscripts = [s for s in head.suffixes if isinstance(s, ast.Subscript)]
        name = head.base.name
        if len(subscripts) > 1:
            second = subscripts[1].tokens
            self.report(
                "P0015",
                "an update goes to one element of a named array, not to an element of an element",
                second[0],
                second[1],
                f"update the row and put it back: `{name}[i] -> mut row;`, "
                f"`row[j] <- value;`, `{name}[i] <- row;`",
            )
        elif len(subscripts) != len(head.suffixes):
            self.unexpected(
                "`->` or `;`",
                f"a component cannot be updated: build the product anew and send it to `{name}`",
            )
        self.advance()
        value_start = self.position
        value = self.expression()
        self._end_of_binding(first, value_start, name)
        return ast.UpdateStatement(
            tokens=self.span_tokens(first),
            name=name,
            name_token=head.tokens[0],
            index=subscripts[0].index,
            value=value,
        )

    # Chains as statements --------------------------------------------------------------

    def chain_entry(self, first: int, context: Context) -> Entry:
        reports = len(self.diagnostics)
        start = self.position
        if not self.at_chain():
            self.unexpected("a statement or `}`", self.operand_hint())
        chain = self.chain()
        if self.kind == ";":
            silent = len(self.diagnostics) > reports or start == self._went_on_at
            if not chain.stages and not silent and context == "plain":
                self._bare_expression(start)
            self.advance()
        elif self.kind in ("}", "end") or self.at_item():
            return Entry(chain, first, self.position - 1, False)
        elif self.at_arrow_left():
            return self.made(self._update(chain), first)
        elif self.kind == ":" and isinstance(chain.head, ast.Postfix) and not chain.stages:
            return self.made(self._annotated_update(chain), first)
        elif not self.ends_in_block_form():
            wanted = "`->` or `;`" if chain.stages else "an operator, `->` or `;`"
            self.missing_semicolon(start, wanted, goes_on=bool(chain.stages))
        return self.made(ast.ChainStatement(tokens=self.span_tokens(start), chain=chain), first)

    def _bare_expression(self, first: int) -> None:
        last = self.position - 1
        text = self.text_of(first, last) or "value"
        hint = f"let it flow somewhere, `{text} -> name;`; for the block's value leave out the `;`"
        word = self.tokens[first].text
        value = self.text_of(first + 1, last)
        if word == "return" and value:
            hint = f"write `{value} -> ret;`"
        elif word in ("return", "break", "continue"):
            hint = FOREIGN_STATEMENTS[word]
        self.report(
            "P0003",
            "the value of this expression goes nowhere",
            first,
            last,
            hint,
        )

    def missing_semicolon(self, first: int, wanted: str, goes_on: bool) -> None:
        """Report a statement that does not end; go on with the next one if `goes_on` or a line
        begins here, and otherwise give the statement up."""
        text = self.text_of(first, self.position - 1)
        hint = f"end the statement with `;`: `{text};`" if text else "end the statement with `;`"
        if self.kind == "name" and self.token.text in FOREIGN_OPERATORS and not self.on_new_line():
            hint, goes_on = FOREIGN_OPERATORS[self.token.text], False
        before = self.tokens[self.position - 1].text
        if self.kind == "name" and before in FOREIGN_TYPES and not self.on_new_line():
            hint = f"the name stands first: `{self.token.text}: {FOREIGN_TYPES[before]}`"
        new_line = self.on_new_line()
        self.report_unexpected(wanted, hint)
        begins = self.kind in OPERAND_STARTS or self.kind in ("mut", "loop", "guard", "}", "end")
        if not (begins and (goes_on or new_line)):
            raise Abandon
        if not new_line:
            self._went_on_at = self.position

    def _annotated_update(self, chain: ast.Chain) -> ast.Statement | None:
        colon = self.advance()
        self.type_expression()
        self.report(
            "P0014",
            "an element update has no type: the element has the one of its array",
            colon,
            self.position - 1,
            f"write `{self.text_of(chain.tokens[0], colon - 1) or 'array[index]'} <- value;`",
        )
        if not self.at_arrow_left():
            raise Abandon
        return self._update(chain)
