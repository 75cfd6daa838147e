"""Parsing of blocks, statements and arms, with recovery at each statement."""

from __future__ import annotations

from mapal.syntax import ast
from mapal.syntax.cursor import Abandon
from mapal.syntax.guard_parser import GuardParser
from mapal.syntax.newcomers import DECLARATORS, FOREIGN_STATEMENTS, FOREIGN_TYPES
from mapal.syntax.simple_statement_parser import Context, Entry


class StatementParser(GuardParser):
    """Blocks and what they hold."""

    # Blocks ----------------------------------------------------------------------------

    def block(self) -> ast.Block:
        if self.kind != "{":
            self.unexpected("`{`")
        self.enter()
        opener = self.open_delimiter()
        statements, tail = self.block_contents(opener)
        self.leave()
        return ast.Block(tokens=self.span_tokens(opener), statements=statements, tail=tail)

    def block_contents(self, opener: int) -> tuple[tuple[ast.Statement, ...], ast.Chain | None]:
        statements: list[ast.Statement] = []
        tail: ast.Chain | None = None
        for entry in self.entries(opener, "plain"):
            if isinstance(entry.node, ast.Chain):
                tail = entry.node
            elif entry.node is not None and not isinstance(entry.node, ast.Arm):
                statements.append(entry.node)
        return tuple(statements), tail

    def entries(self, opener: int, context: Context) -> list[Entry]:
        """Parse what stands in the braces that begin at `opener`, and the closing brace."""
        entries: list[Entry] = []
        while self.kind not in ("}", "end"):
            if self.at_item():
                if self.brace_missing():
                    break
                self._nested_item()
                continue
            entries.append(self._recovering_entry(context))
        self.close_block(opener)
        return entries

    def close_block(self, opener: int) -> None:
        """Consume the closing brace; where it is missing, report and go on as if it stood here."""
        if self.kind == "}":
            self.advance()
        else:
            self.unclosed_brace(opener)
        self.forget_delimiter()

    def _nested_item(self) -> None:
        word = self.token.text
        self.report(
            "P0001",
            f"expected a statement or `}}`, found the keyword `{word}`: "
            f"{'functions' if self.kind == 'fn' else 'types'} are declared at the top level",
            self.position,
            self.position,
            "move the declaration out of this function",
        )
        self.advance()
        while self.kind not in ("{", "}", "end", ";") and not self.at_item():
            self.skip_balanced()
        if self.kind in ("{", ";"):
            self.skip_balanced()

    def _recovering_entry(self, context: Context) -> Entry:
        """Parse one entry; after an error inside it, move behind it."""
        checkpoint = self.checkpoint()
        first = self.position
        self.begin_statement()
        try:
            entry = self._entry(context)
        except Abandon:
            self.restore(checkpoint)
            self.skip_statement()
            return Entry(None, first, max(first, self.position - 1), True)
        self.restore(checkpoint)
        return entry

    # Entries ---------------------------------------------------------------------------

    def _entry(self, context: Context) -> Entry:
        first = self.position
        while self.kind == "error" and not self.at_equals():
            self.advance()
        node: ast.Statement | ast.Arm | None = None
        match self.kind:
            case "}" | "end":
                pass
            case "guard":
                if context == "stage":
                    return self.arm_entry(first)
                self.stray_guard()
            case "-" if context == "stage" and self.at_spaced_guard():
                return self.spaced_arm_entry(first)
            case "-" if context == "stage" and (arrow := self.pattern_arrow()) is not None:
                return self.pattern_arm_entry(first, arrow)
            case ";":
                self.report_unexpected("a statement or `}`", "remove this `;`")
                self.advance()
            case "loop":
                node = self._loop_statement()
            case "mut":
                node = self.mutable_binding()
            case ":":
                self._label()
            case "void":
                self._void_statement()
            case "use" | "pub" | "executor" | "@":
                self._misplaced_item_word()
            case "seq" | "map" | "fold" | "ret" | "type":
                self.unexpected("a statement", self._stage_word_hint())
            case "name":
                return self._name_entry(first, context)
            case _:
                return self.chain_entry(first, context)
        return self.made(node, first)

    def _stage_word_hint(self) -> str | None:
        match self.kind:
            case "seq":
                return "send a value into it, `value -> seq { … }`, or write the statements alone"
            case "map":
                return "send an array into it: `array -> map { x -> … }`"
            case "fold":
                return (
                    "send a start value and an array into it: "
                    "`(0, array) -> fold { sum, x -> sum + x }`"
                )
            case "ret":
                return "`ret` ends a chain: `value -> ret;`"
            case _:
                return None

    def _name_entry(self, first: int, context: Context) -> Entry:
        """A statement that begins with a name."""
        following = self.ahead(1)
        word = self.token.text
        if following == "<-" or (
            following == "error" and self.tokens[self.position + 1].text == "="
        ):
            return self.made(self.binding(first, mutable=False), first)
        if following == ":" and not self.adjacent_colons(self.position + 1):
            if self.ahead(2) in ("{", "loop"):
                self._label()
                return self.made(None, first)
            return self.made(self.binding(first, mutable=False), first)
        if following == "{" and self.flows_inside(self.position + 1):
            self._labelled_braces(word)
            return self.made(None, first)
        if word in FOREIGN_STATEMENTS:
            self._foreign_statement(word)
        elif word in FOREIGN_TYPES and self._at_foreign_declaration():
            self.advance()
        if self.position > first:
            return self._entry(context)
        return self.chain_entry(first, context)

    def _labelled_braces(self, word: str) -> None:
        """Report `name { … }` with a statement inside, and parse the statements; but fields that
        end with `;` are a struct literal, whatever the rule says."""
        hint = FOREIGN_STATEMENTS.get(word)
        fields = self.ahead(2) == "name" and self.ahead(3) == ":"
        arms = self.ahead(2) in ("guard", "->")
        if arms:
            hint = f"if the braces are a guard or a fanout, write `{word} -> {{ … }}`"
        elif fields:
            hint = f"for a struct literal separate the fields by commas: `{word} {{ x: 1, y: 2 }}`"
        self._report_label(self.position, self.position, hint)
        self.advance()
        if fields:
            raise Abandon
        if arms:
            self.entries(self.open_delimiter(), "stage")
        else:
            self.block()

    def _foreign_statement(self, word: str) -> None:
        """Report a statement that begins as in another language. A declaration only loses its
        first word; anything else is given up. Returns without effect where the word may be an
        ordinary name."""
        following = self.ahead(1)
        if word in DECLARATORS and following in ("name", "mut"):
            target = self.position + (2 if following == "mut" else 1)
            equals = target
            while (
                self.kinds[equals] in ("name", ":", "[", "]", ";", "integer")
                and equals < target + 8
            ):
                equals += 1
            if self.kinds[equals] != "error":
                self.report(
                    "P0001",
                    f"`{word}` is no word of Mapal; a binding needs none",
                    self.position,
                    self.position,
                    f"leave out `{word}`; {FOREIGN_STATEMENTS[word]}",
                )
            self.advance()
        elif following in ("name", "integer", "float", "string", "true", "false", "!", "[") and (
            following != "[" or word == "return"
        ):
            self.report(
                "P0001",
                f"`{word}` begins no statement in Mapal",
                self.position,
                self.position,
                self._foreign_hint(word),
            )
            raise Abandon
        elif following == "(" and word not in ("print", "println", "return", "not"):
            self.report(
                "P0108",
                f"`{word} (…)` is neither a call nor a statement in Mapal",
                self.position,
                self.position,
                FOREIGN_STATEMENTS[word],
            )
            raise Abandon

    def _at_foreign_declaration(self) -> bool:
        """Whether `int x = …` stands here; the lexer reported its `=` with what to write."""
        return (
            self.ahead(1) == "name"
            and self.ahead(2) == "error"
            and self.tokens[self.position + 2].text == "="
        )

    def _foreign_hint(self, word: str) -> str:
        """The hint for a foreign statement, with its own text for `return` and `print`."""
        if word in ("return", "print", "println"):
            last = self.position + 1
            while last < self.position + 24 and self.kinds[last] not in (";", "}", "end"):
                last += 1
            text = self.text_of(self.position + 1, last - 1)
            if text is not None and self.kinds[last] in (";", "}", "end"):
                return f"write `{text} -> {'ret' if word == 'return' else word};`"
        return FOREIGN_STATEMENTS[word]

    # Other statements --------------------------------------------------------------------

    def _loop_statement(self) -> ast.LoopStatement:
        first = self.advance()
        if self.kind != "{":
            self.unexpected("`{` behind `loop`", FOREIGN_STATEMENTS["while"])
        body = self.block()
        return ast.LoopStatement(tokens=self.span_tokens(first), body=body)

    def _void_statement(self) -> None:
        self.report_void()
        self.advance()
        if self.kind == "{":
            self.void_block()
        elif self.at_chain():
            self.chain()
        self.accept(";")

    def void_block(self) -> None:
        self.enter()
        opener = self.open_delimiter()
        for entry in self.entries(opener, "plain"):
            if isinstance(entry.node, ast.BindStatement | ast.UpdateStatement | ast.LoopStatement):
                self.report(
                    "P0117",
                    "a `void` block holds chains only",
                    entry.first,
                    entry.last,
                    "move the statement out of the block",
                    always=True,
                )
        self.leave()

    def _label(self) -> None:
        """Report `:name …` or `name: …` before a block or loop, and parse what it labels."""
        first = self.position
        self.advance()
        last = self.position if self.kind in ("name", ":") else first
        self._report_label(first, last, None)
        if last > first:
            self.advance()
        if self.kind == "loop":
            self._loop_statement()
        elif self.kind == "{":
            self.block()
        else:
            raise Abandon

    def _report_label(self, first: int, last: int, hint: str | None) -> None:
        self.report(
            "P0110",
            "there are no labels and no labelled blocks",
            first,
            last,
            hint or "remove the label; statements need no block, and `-> loop` is the only jump",
        )

    def _misplaced_item_word(self) -> None:
        if self.kind == "@":
            self.annotation()
            return
        self.report_item_word()
        raise Abandon

    def report_item_word(self) -> None:
        """Report `executor`, `pub` or `use`."""
        if self.kind == "executor":
            self.report(
                "P0111",
                "there are no executors: where work runs is chosen when the program is built",
                self.position,
                self.position,
                "remove the declaration",
            )
        else:
            self.report(
                "P0112",
                f"there is no `{self.token.text}`: a program is one file, all of it visible",
                self.position,
                self.position,
                "remove the word"
                if self.kind == "pub"
                else "remove the line and declare here what it would bring in",
            )

    def annotation(self) -> None:
        """Report `@name` or `@name(…)` and move behind it."""
        first = self.position
        last = first + 1 if self.ahead(1) == "name" else first
        self.report("P0102", "there are no annotations", first, last, "remove it")
        self.advance()
        if self.accept("name") and self.kind == "(":
            self.skip_balanced()
