"""Parsing of blocks, statements and arms, with recovery at each statement."""

from __future__ import annotations

from typing import Literal, NamedTuple

from mapal.syntax import ast
from mapal.syntax.cursor import Abandon
from mapal.syntax.expression_parser import OPERAND_STARTS
from mapal.syntax.newcomers import DECLARATORS, FOREIGN_OPERATORS, FOREIGN_STATEMENTS
from mapal.syntax.stage_parser import StageParser

Context = Literal["plain", "stage"]
"""Where a block stands: a stage's braces may hold arms."""

_GUARD_HINT = "put it behind a value: `value -> { -true-> …; -false-> …; } -> result;`"


class Entry(NamedTuple):
    """One thing in a block. `node` is None for something that was reported and discarded;
    a chain that ends without `;` before the closing brace is the tail."""

    node: ast.Statement | ast.Arm | ast.Chain | None
    first: int
    last: int
    semicolon: bool


class StatementParser(StageParser):
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
            self.unclosed(opener)
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
                    return self._arm_entry(first)
                self._stray_guard()
            case "-" if context == "stage" and self._spaced_guard():
                return self._spaced_arm_entry(first)
            case "-" if context == "stage" and (arrow := self._pattern_arrow()) is not None:
                return self._pattern_arm_entry(first, arrow)
            case ";":
                self.report_unexpected("a statement or `}`", "remove this `;`")
                self.advance()
            case "loop":
                node = self._loop_statement()
            case "mut":
                node = self._mutable_binding()
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
                return self._chain_entry(first, context)
        return self._made(node, first)

    def _made(self, node: ast.Statement | ast.Arm | None, first: int) -> Entry:
        last = max(first, self.position - 1)
        return Entry(node, first, last, self.kinds[last] == ";")

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
            return self._made(self._binding(first, mutable=False), first)
        if following == ":" and not self.adjacent_colons(self.position + 1):
            if self.ahead(2) in ("{", "loop"):
                self._label()
                return self._made(None, first)
            return self._made(self._binding(first, mutable=False), first)
        if following == "{" and self.flows_inside(self.position + 1):
            self._labelled_braces(word)
            return self._made(None, first)
        if word in FOREIGN_STATEMENTS:
            self._foreign_statement(word)
            if self.position > first:
                return self._entry(context)
        return self._chain_entry(first, context)

    def _labelled_braces(self, word: str) -> None:
        """Report `name { … }` with a statement inside, and parse the statements; but fields that
        end with `;` are a struct literal, whatever the rule says."""
        hint = FOREIGN_STATEMENTS.get(word)
        fields = self.ahead(2) == "name" and self.ahead(3) == ":"
        if fields:
            hint = f"for a struct literal separate the fields by commas: `{word} {{ x: 1, y: 2 }}`"
        self._report_label(self.position, self.position, hint)
        self.advance()
        if fields:
            raise Abandon
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

    def _foreign_hint(self, word: str) -> str:
        """The hint for a foreign statement, with its own text for `return` and `print`."""
        if word in ("return", "print", "println"):
            last = self.position + 1
            while last < self.position + 24 and self.kinds[last] not in (";", "}", "end"):
                last += 1
            text = self.text_of(self.position + 1, last - 1)
            if text is not None:
                return f"write `{text} -> {'ret' if word == 'return' else word};`"
        return FOREIGN_STATEMENTS[word]

    # Bindings --------------------------------------------------------------------------

    def at_equals(self) -> bool:
        """Whether a lone `=` stands here; the lexer reported it, and it is read as `<-`."""
        return self.kind == "error" and self.token.text == "="

    def _mutable_binding(self) -> ast.Statement | None:
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
            return self._update(chain, self.position) if self._at_arrow_left() else None
        if self.kind != "name":
            self.unexpected("a name behind `mut`", "write `mut name <- value;`")
        return self._binding(first, mutable=True)

    def _at_arrow_left(self) -> bool:
        return self.kind == "<-" or self.at_equals()

    def _binding(self, first: int, mutable: bool) -> ast.BindStatement:
        """Parse `name [: type] <- value;` from the name on."""
        name_token = self.position
        name = self.token.text
        self.advance()
        annotation = self.type_expression() if self.accept(":") else None
        if not self._at_arrow_left():
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
            self._missing_semicolon(first, "an operator or `;`", goes_on=True)

    def _update(self, chain: ast.Chain, arrow: int) -> ast.Statement | None:
        """Parse `<- value;` behind something that is not a plain name."""
        head = chain.head
        first = chain.tokens[0]
        if chain.stages or head is None:
            self.unexpected(
                "`->` or `;`", "a statement is either a chain with `->` or a binding with `<-`"
            )
        plain = isinstance(head, ast.Postfix) and isinstance(head.base, ast.Name)
        if not isinstance(head, ast.Postfix) or not plain or head.tokens[0] != first:
            self.unexpected(
                "`->` or `;`",
                "the left of `<-` is a name or one element of an array: `name <- value;`, "
                "`name[index] <- value;`",
            )
        assert isinstance(head.base, ast.Name), "checked above"
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

    def _chain_entry(self, first: int, context: Context) -> Entry:
        reports = len(self.diagnostics)
        start = self.position
        if not self.at_chain():
            self.unexpected("a statement or `}`", self.operand_hint())
        chain = self.chain()
        if self.kind == ";":
            if not chain.stages and len(self.diagnostics) == reports and context == "plain":
                self._bare_expression(start)
            self.advance()
        elif self.kind in ("}", "end") or self.at_item():
            return Entry(chain, first, self.position - 1, False)
        elif self._at_arrow_left():
            return self._made(self._update(chain, self.position), first)
        elif self.kind == ":" and isinstance(chain.head, ast.Postfix) and not chain.stages:
            return self._made(self._annotated_update(chain), first)
        elif not self.ends_in_block_form():
            wanted = "`->` or `;`" if chain.stages else "an operator, `->` or `;`"
            self._missing_semicolon(start, wanted, goes_on=bool(chain.stages))
        return self._made(ast.ChainStatement(tokens=self.span_tokens(start), chain=chain), first)

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

    def _missing_semicolon(self, first: int, wanted: str, goes_on: bool) -> None:
        """Report a statement that does not end; go on with the next one if `goes_on` or a line
        begins here, and otherwise give the statement up."""
        text = self.text_of(first, self.position - 1)
        hint = f"end the statement with `;`: `{text};`" if text else "end the statement with `;`"
        if self.kind == "name" and self.token.text in FOREIGN_OPERATORS and not self.on_new_line():
            hint, goes_on = FOREIGN_OPERATORS[self.token.text], False
        new_line = self.on_new_line()
        self.report_unexpected(wanted, hint)
        begins = self.kind in OPERAND_STARTS or self.kind in ("mut", "loop", "guard", "}", "end")
        if not (begins and (goes_on or new_line)):
            raise Abandon

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
        if not self._at_arrow_left():
            raise Abandon
        return self._update(chain, self.position)

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

    # Guards ------------------------------------------------------------------------------

    def _stray_guard(self) -> None:
        """Report a guard arrow in an ordinary block and parse what follows it as an arm."""
        self.report(
            "P0004",
            f"the arm `{self.token.text}` stands outside a guard",
            self.position,
            self.position,
            _GUARD_HINT,
        )
        self._arm()

    def _arm_entry(self, first: int) -> Entry:
        return self._made(self._arm(), first)

    def _arm(self) -> ast.Arm:
        token = self.token
        guard = self.advance()
        if isinstance(token.value, int):
            return self._arm_payload(guard, guard, "integer", token.value)
        if token.value == "true":
            return self._arm_payload(guard, guard, "true", None)
        if token.value == "false":
            return self._arm_payload(guard, guard, "false", None)
        return self._arm_payload(guard, guard, "default", None)

    def _arm_payload(
        self,
        first: int,
        guard: int,
        discriminant: Literal["true", "false", "default", "integer"],
        value: int | None,
    ) -> ast.Arm:
        payload: ast.Block | ast.Chain
        if self.kind == "{":
            payload = self.block()
            last = self.position - 1
            self.accept(";")
        else:
            if not self.at_chain():
                self.unexpected("the value of the arm", self._payload_hint())
            start = self.position
            payload = self.chain()
            last = self.position - 1
            self._end_of_payload(start, payload)
        return ast.Arm(
            tokens=(first, last),
            discriminant=discriminant,
            value=value,
            guard_token=guard,
            payload=payload,
        )

    def _payload_hint(self) -> str | None:
        if self.kind in ("loop", "mut", "seq"):
            return "statements stand in braces: `-true-> { … }`"
        if self.kind in (";", "}", "guard"):
            return "every arm has a value: `-true-> 1;`"
        return None

    def _end_of_payload(self, start: int, payload: ast.Chain) -> None:
        if self.accept(";") or self.kind in ("}", "guard", "end") or self.at_item():
            return
        if self._at_arrow_left():
            self.unexpected(
                "`->` or `;`", "statements stand in braces: `-true-> { name <- value; }`"
            )
        if not self.ends_in_block_form():
            self._missing_semicolon(start, "`->` or `;`", goes_on=bool(payload.stages))

    def _spaced_guard(self) -> bool:
        """Whether a guard arrow with white space in it stands here."""
        word = self.ahead(1)
        default = word == "name" and self.tokens[self.position + 1].text == "_"
        return (word in ("true", "false") or default) and self.ahead(2) == "->"

    def _spaced_arm_entry(self, first: int) -> Entry:
        minus = self.position
        word = self.tokens[minus + 1].text
        self.report(
            "P0005",
            "a guard arrow is written without spaces",
            minus,
            minus + 2,
            f"write `-{word}->`",
        )
        self.position = minus + 3
        discriminant: Literal["true", "false", "default"] = "default"
        if word == "true":
            discriminant = "true"
        elif word == "false":
            discriminant = "false"
        return self._made(self._arm_payload(minus, minus, discriminant, None), first)

    def _pattern_arrow(self) -> int | None:
        """The position of the arrow of a pattern arm that begins here: a constructor or a list
        pattern, tight between `-` and `->`. Only a capital letter tells a constructor without
        components from a negated name."""
        position = self.position + 1
        if not self.adjacent(position):
            return None
        if self.kinds[position] == "name":
            constant = self.tokens[position].text[0].isupper()
            position += 1
            if self.kinds[position] in ("(", "{"):
                position = self.closers[position] + 1
            elif not constant:
                return None
        elif self.kinds[position] == "[":
            position = self.closers[position] + 1
        else:
            return None
        if position > 0 and self.kinds[position] == "->" and self.adjacent(position):
            return position
        return None

    def _pattern_arm_entry(self, first: int, arrow: int) -> Entry:
        self.report(
            "P0106",
            "an arm compares with `true`, `false`, an integer or `_`; there are no patterns",
            self.position,
            arrow,
            "compare an integer: `-0-> …; -1-> …; -_-> …;`",
        )
        minus = self.position
        self.position = arrow + 1
        return self._made(self._arm_payload(minus, minus, "default", None), first)

    # Braces in stage position ------------------------------------------------------------

    def block_stage(self) -> ast.GuardStage | ast.FanoutStage | None:
        first = self.position - 1
        self.enter()
        opener = self.open_delimiter()
        entries = self.entries(opener, "stage")
        self.leave()
        tokens = self.span_tokens(first)
        if not entries:
            self.report(
                "P0010",
                "the braces hold nothing",
                opener,
                tokens[1],
                "write arms, `{ -true-> …; -false-> …; }`, or branches, `{ -> f; -> g; }`",
            )
            return None
        arms = [entry.node for entry in entries if isinstance(entry.node, ast.Arm)]
        others = [e for e in entries if e.node is not None and not isinstance(e.node, ast.Arm)]
        if arms:
            for entry in others:
                self._report_statement_among_arms(entry)
            return ast.GuardStage(tokens=tokens, arms=tuple(arms))
        branches = [chain for entry in others if (chain := _branch(entry)) is not None]
        if len(branches) == len(others):
            return ast.FanoutStage(tokens=tokens, branches=tuple(branches)) if branches else None
        if len(others) == len(entries):
            self._report_anonymous_block(opener, tokens[1], others)
        return None

    def _report_statement_among_arms(self, entry: Entry) -> None:
        headless = self.kinds[entry.first] == "->"
        self.report(
            "P0006",
            "a guard holds arms only, and this is none",
            entry.first,
            entry.last,
            "put it inside the braces of the arm, `-true-> { … }`"
            if headless
            else "move it before the guard or into the braces of an arm, `-true-> { … }`",
            always=True,
        )

    def _looks_like_arm(self, first: int) -> bool:
        """Whether a statement is an arm but for the minus of its guard arrow."""
        token = self.tokens[first]
        compared = token.kind in ("true", "false", "integer") or token.text == "_"
        return compared and self.kinds[first + 1] == "->"

    def _report_anonymous_block(self, opener: int, closer: int, entries: list[Entry]) -> None:
        hint = "for statements in order write `-> seq { … }`"
        if all(self._looks_like_arm(entry.first) for entry in entries):
            text = self.tokens[entries[0].first].text
            hint = f"an arm begins with a guard arrow: `-{text}-> …;`"
        elif all(self.kinds[entry.first] == "->" for entry in entries):
            hint = "end every branch with `;`: `{ -> f; -> g; }`"
        self.report(
            "P0115",
            "braces behind an arrow hold arms, or branches that begin with `->` and end with `;`",
            opener,
            closer,
            hint,
        )


def _branch(entry: Entry) -> ast.Chain | None:
    """The chain of a fanout branch: headless and ended by its `;`."""
    node = entry.node
    if isinstance(node, ast.ChainStatement) and node.chain.head is None and entry.semicolon:
        return node.chain
    return None
