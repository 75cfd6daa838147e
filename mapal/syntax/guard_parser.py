"""Parsing of braces in stage position: guards with their arms, and fanouts."""

from __future__ import annotations

from abc import abstractmethod
from typing import Literal

from mapal.syntax import ast
from mapal.syntax.simple_statement_parser import Context, Entry, SimpleStatementParser

_GUARD_HINT = "put it behind a value: `value -> { -true-> …; -false-> …; } -> result;`"


class GuardParser(SimpleStatementParser):
    """Arms, and the classification of braces behind an arrow by what they hold."""

    @abstractmethod
    def entries(self, opener: int, context: Context) -> list[Entry]:
        """Parse what stands in the braces that begin at `opener`, and the closing brace."""

    # Guards ------------------------------------------------------------------------------

    def stray_guard(self) -> None:
        """Report a guard arrow in an ordinary block and parse what follows it as an arm."""
        self.report(
            "P0004",
            f"the arm `{self.token.text}` stands outside a guard",
            self.position,
            self.position,
            _GUARD_HINT,
        )
        self._arm()

    def arm_entry(self, first: int) -> Entry:
        return self.made(self._arm(), first)

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
        if self.at_arrow_left():
            self.unexpected(
                "`->` or `;`", "statements stand in braces: `-true-> { name <- value; }`"
            )
        if not self.ends_in_block_form():
            self.missing_semicolon(start, "`->` or `;`", goes_on=bool(payload.stages))

    def at_spaced_guard(self) -> bool:
        """Whether a guard arrow with white space in it stands here."""
        word = self.ahead(1)
        default = word == "name" and self.tokens[self.position + 1].text == "_"
        return (word in ("true", "false") or default) and self.ahead(2) == "->"

    def spaced_arm_entry(self, first: int) -> Entry:
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
        return self.made(self._arm_payload(minus, minus, discriminant, None), first)

    def pattern_arrow(self) -> int | None:
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

    def pattern_arm_entry(self, first: int, arrow: int) -> Entry:
        self.report(
            "P0106",
            "an arm compares with `true`, `false`, an integer or `_`; there are no patterns",
            self.position,
            arrow,
            "compare an integer: `-0-> …; -1-> …; -_-> …;`",
        )
        minus = self.position
        self.position = arrow + 1
        return self.made(self._arm_payload(minus, minus, "default", None), first)

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
