"""The parser's place in the token sequence: look-ahead, reports and recovery.

Three rules keep one mistake from being reported twice. A report is made only if a token was
consumed since the one before it. What the lexer reported is not reported again: an unexpected
token is passed over in silence if it, or one before it in the same statement, is an error
token. And after a report inside a statement the parser goes on behind that statement.
"""

from __future__ import annotations

from functools import cached_property
from itertools import accumulate
from typing import NoReturn

from mapal.diagnostics import Diagnostic, SourceText
from mapal.syntax.ast import Tokens
from mapal.syntax.brace_layout import misaligned_braces
from mapal.syntax.delimiters import match_delimiters
from mapal.syntax.lexer import LexResult
from mapal.syntax.newcomers import FOREIGN_OPERATORS
from mapal.syntax.tokens import Token, describe

MAXIMUM_NESTING = 128
"""Blocks, bracketed and top-level expressions, unary operators, struct literals and types
inside one another."""

ITEM_KEYWORDS = frozenset(("fn", "type", "executor", "pub", "use"))
_FLOW_MARKS = frozenset((";", "->", "<-", "guard"))


_BRACE_CONSEQUENCES = frozenset(("P0004", "P0006", "P0115"))
"""Reports that say where something stands, which is moot where braces do not match."""


class Abandon(Exception):  # noqa: N818  (control flow inside the parser, never seen outside)
    """The construct being parsed makes no sense any more; its statement or item takes over."""


class Cursor:
    """A position in the tokens of one source, and what was reported so far."""

    def __init__(self, source: str, lexed: LexResult) -> None:
        self.source = source
        self.tokens = (*lexed.tokens, lexed.end)
        self.kinds = [token.kind for token in self.tokens]
        self.position = 0
        self.diagnostics: list[Diagnostic] = []
        self.closers = match_delimiters(self.kinds)
        self._depth = 0
        self._open: list[int] = []
        self._reported_position = -1
        self._statement_start = 0
        self._item_start = 0
        self._item_reports = 0
        # Flow marks and error tokens before each position, for look-ahead in constant time.
        self._marks_before = [0, *accumulate(kind in _FLOW_MARKS for kind in self.kinds)]
        self._errors_before = [0, *accumulate(kind == "error" for kind in self.kinds)]
        self._ascii = source.isascii()
        self._bytes = b"" if self._ascii else source.encode("utf-8", "surrogatepass")

    # Looking -------------------------------------------------------------------------

    @property
    def kind(self) -> str:
        """The kind of the current token."""
        return self.kinds[self.position]

    @property
    def token(self) -> Token:
        """The current token."""
        return self.tokens[self.position]

    def ahead(self, distance: int) -> str:
        """The kind of a later token; `end` behind the last."""
        position = self.position + distance
        return self.kinds[position] if position < len(self.kinds) else "end"

    def adjacent(self, position: int) -> bool:
        """Whether the token at `position` begins where the one before it ends."""
        return self.tokens[position - 1].end == self.tokens[position].start

    def on_new_line(self) -> bool:
        """Whether the current token, not the first, begins on a later line than the one before
        it ends."""
        return "\n" in self.text_between(self.tokens[self.position - 1].end, self.token.start)

    def text_between(self, start: int, end: int) -> str:
        """The source text of a range of bytes."""
        if self._ascii:
            return self.source[start:end]
        return self._bytes[start:end].decode("utf-8", "surrogatepass")

    def text_of(self, first: int, last: int, limit: int = 60) -> str | None:
        """The source text of tokens `first` to `last` for a hint; None if it is empty, long or
        spans lines."""
        if last < first:
            return None
        start, end = self.tokens[first].start, self.tokens[last].end
        if end - start > limit:
            return None
        text = self.text_between(start, end)
        return None if "\n" in text or "//" in text else text

    def flows_inside(self, opener: int) -> bool:
        """Whether a `;`, `->`, `<-` or guard arrow stands at any depth inside the delimiters
        that open at a position (to the end of the file if they never close)."""
        closer = self.closers[opener]
        end = closer if closer >= 0 else len(self.kinds)
        return self._marks_before[end] > self._marks_before[opener]

    # Moving --------------------------------------------------------------------------

    def advance(self) -> int:
        """Consume the current token and return its ordinal; the end is never consumed."""
        position = self.position
        if position < len(self.kinds) - 1:
            self.position += 1
        return position

    def accept(self, kind: str) -> bool:
        """Consume the current token if it is of a kind."""
        if self.kinds[self.position] != kind:
            return False
        self.advance()
        return True

    def expect(self, kind: str, wanted: str | None = None, hint: str | None = None) -> int:
        """Consume a token of a kind and return its ordinal; otherwise report and abandon."""
        if self.kinds[self.position] != kind:
            self.unexpected(wanted or f"`{kind}`", hint)
        return self.advance()

    def expect_name(self, wanted: str, hint: str | None = None) -> str:
        """Consume a name and return it; otherwise report and abandon."""
        if self.kind != "name":
            self.unexpected(wanted, hint)
        text = self.token.text
        self.advance()
        return text

    def open_delimiter(self) -> int:
        """Consume an opening delimiter and remember that it is open."""
        opener = self.advance()
        self._open.append(opener)
        return opener

    def close_delimiter(self, kind: str, wanted: str, hint: str | None = None) -> int:
        """Consume the closer of the innermost open delimiter and return its ordinal; report an
        unclosed delimiter, or an unexpected token if the closer does come later."""
        if self.kind != kind:
            opener = self._open[-1]
            if self.closers[opener] < 0:
                self.unclosed(opener)
                raise Abandon
            if hint is None and self.kind == "name":
                hint = FOREIGN_OPERATORS.get(self.token.text)
            self.unexpected(wanted, hint)
        self._open.pop()
        return self.advance()

    def forget_delimiter(self) -> None:
        """The innermost open delimiter is dealt with."""
        self._open.pop()

    def brace_missing(self) -> bool:
        """Whether one of the open braces has no closer anywhere."""
        return any(self.closers[opener] < 0 for opener in self._open if self.kinds[opener] == "{")

    def enter(self) -> None:
        """Go one nesting level deeper, or report that the limit is reached and abandon."""
        self._depth += 1
        if self._depth > MAXIMUM_NESTING:
            self.report(
                "P0011",
                f"the program nests deeper than {MAXIMUM_NESTING} levels here",
                self.position,
                self.position,
                "bind an inner part to a name with `part -> name;`, or move it into a function",
            )
            raise Abandon

    def leave(self) -> None:
        """Go back one nesting level."""
        self._depth -= 1

    # Reporting -----------------------------------------------------------------------

    def report(
        self,
        code: str,
        message: str,
        first: int,
        last: int,
        hint: str | None = None,
        notes: tuple[str, ...] = (),
        always: bool = False,
    ) -> None:
        """Report on tokens `first` to `last`, unless no token was consumed since the previous
        report; `always` makes the report in any case."""
        if not always:
            if self._reported_position == self.position:
                return
            self._reported_position = self.position
        span = (self.tokens[first].start, max(self.tokens[last].end, self.tokens[first].start))
        self.diagnostics.append(Diagnostic(code, message, None, span, hint, notes))

    def unexpected(self, wanted: str, hint: str | None = None) -> NoReturn:
        """Report the current token where `wanted` was needed, and abandon the construct."""
        self.report_unexpected(wanted, hint)
        raise Abandon

    def report_unexpected(self, wanted: str, hint: str | None = None) -> None:
        """Report the current token where `wanted` was needed, and stay."""
        if not self.explained_by_lexer():
            message = f"expected {wanted}, found {describe(self.token)}"
            self.report("P0001", message, self.position, self.position, hint)
        self._reported_position = self.position

    def unclosed(self, opener: int) -> None:
        """Report that a delimiter of an expression or type is never closed, where its closer was
        needed."""
        if not self.explained_by_lexer():
            self._report_unclosed(opener, ())
        self._reported_position = self.position

    def unclosed_brace(self, opener: int) -> None:
        """Report that braces are never closed, where the current token cannot stand inside them;
        unless a brace that should not be there was reported in this item already."""
        self.forget_consequences()
        if not self._beside_damage() and not self._surplus_brace_reported():
            self._report_unclosed(opener, self.brace_notes())
        self._reported_position = self.position

    def _report_unclosed(self, opener: int, notes: tuple[str, ...]) -> None:
        closer = {"(": ")", "[": "]", "{": "}"}[self.kinds[opener]]
        here = describe(self.token)
        self.report(
            "P0002",
            f"`{self.kinds[opener]}` is never closed: `{closer}` is missing before {here}",
            opener,
            opener,
            f"write `{closer}` " + ("where it ends" if self.kind == "end" else f"before {here}"),
            notes,
        )

    def _surplus_brace_reported(self) -> bool:
        return any(
            report.code == "P0001" and report.message.endswith("found `{`")
            for report in self.diagnostics[self._item_reports :]
        )

    def explained_by_lexer(self) -> bool:
        """Whether the lexer's reports already account for trouble at the current token."""
        before = self._errors_before[self.position + 1] - self._errors_before[self._statement_start]
        return before > 0 or self._beside_damage()

    def _beside_damage(self) -> bool:
        """Whether the lexer had to guess where the current token or the one before it ends."""
        return self.token.damaged or (self.position > 0 and self._previous.damaged)

    @property
    def _previous(self) -> Token:
        return self.tokens[self.position - 1]

    # Recovering ----------------------------------------------------------------------

    def checkpoint(self) -> tuple[int, int, int]:
        """The nesting and the statement to come back to when a statement inside is abandoned."""
        return (self._depth, len(self._open), self._statement_start)

    def begin_item(self) -> None:
        """The current token begins a declaration."""
        self.begin_statement()
        self._item_start = self.position
        self._item_reports = len(self.diagnostics)

    def brace_notes(self) -> tuple[str, ...]:
        """Where the braces since the beginning of the current item went wrong, by their layout."""
        note = misaligned_braces(
            self._source_text, self.tokens, self.closers, self._item_start, self.position
        )
        return (note,) if note else ()

    @cached_property
    def _source_text(self) -> SourceText:
        return SourceText(self.source)

    def forget_consequences(self) -> None:
        """The braces of the current item do not match: what else was reported about the place of
        arms and statements in it is likely to follow from that, and goes unsaid."""
        own = self.diagnostics[self._item_reports :]
        del self.diagnostics[self._item_reports :]
        self.diagnostics += [report for report in own if report.code not in _BRACE_CONSEQUENCES]
        if own and own[-1].code in _BRACE_CONSEQUENCES:
            # What was said at this place is taken back, so there is room for the reason.
            self._reported_position = -1

    def item_is_malformed(self) -> bool:
        """Whether text was reported in the current item that a missing or surplus brace may have
        caused."""
        return any(
            report.code in ("P0001", "P0002", "P0110")
            for report in self.diagnostics[self._item_reports :]
        )

    def begin_statement(self) -> None:
        """The current token begins a statement or item: trouble before it is another's."""
        self._statement_start = self.position

    def restore(self, checkpoint: tuple[int, int, int]) -> None:
        """Come back to a checkpoint. If a delimiter that was opened since is closed further on,
        move behind its closer: the damage lies inside it."""
        depth, opened, self._statement_start = checkpoint
        self._depth = depth
        if len(self._open) > opened:
            closer = self.closers[self._open[opened]]
            if closer >= self.position:
                self.position = closer + 1
            del self._open[opened:]

    def skip_statement(self) -> None:
        """Move behind the current statement: behind its `;`, behind the braces that end it, or
        before the `}` of the block around it or the start of an item."""
        while True:
            kind = self.kind
            if kind in ("end", "}") or self.at_item():
                return
            if kind == ";":
                self.advance()
                return
            closed = self.closers[self.position] >= 0
            self.skip_balanced()
            if kind == "{" and closed and not self.continues_statement():
                return

    def continues_statement(self) -> bool:
        """Whether the current token, behind a closing brace, goes on with the statement."""
        return self.kind in ("->", ";", ".", "[", ")", "]", ",") or (
            self.kind == "name" and self.token.text in ("else", "elif")
        )

    def at_item(self) -> bool:
        """Whether an item begins here; inside a function it tells that a `}` is missing."""
        kind = self.kind
        return kind == "fn" or (kind == "type" and self.ahead(1) == "name")

    def skip_balanced(self) -> None:
        """Move behind the current token, or behind the closer of the delimiter it opens."""
        closer = self.closers[self.position]
        self.position = closer if closer >= 0 else self.position
        self.advance()

    def span_tokens(self, first: int) -> Tokens:
        """From an ordinal to the last consumed token. Where nothing was consumed since, which
        only a report explains, that token alone."""
        last = max(0, self.position - 1)
        return (min(first, last), last)
