"""The lexer: source text to tokens and reports, in one linear pass that never fails.

It always takes the longest match. Its one piece of context is the guard arrow, which is tried
only at the start of a statement: behind `{`, `;`, `}` or nothing.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from mapal.diagnostics import Diagnostic
from mapal.syntax.newcomers import equals_hint, unknown_character_hint
from mapal.syntax.tokens import KEYWORDS, PUNCTUATION, Token

MAXIMUM_INTEGER = 2**64 - 1

_LAYOUT = re.compile(r"[ \t\r\n]+")
_LINE_COMMENT = re.compile(r"//[^\n]*")
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_NUMBER = re.compile(r"[0-9]+(\.[0-9]+)?")
_GUARD = re.compile(r"-(true|false|_|[0-9]+)->")
_STRING_TEXT = re.compile(r'[^"\\\n]+')
_UNKNOWN = re.compile(r"""[^ \t\r\nA-Za-z0-9_"(){}\[\],:;.+\-*/%=!<>&|?@]+""")
_SURROGATE = re.compile("[\ud800-\udfff]+")

_LONG_PUNCTUATION = frozenset(text for text in PUNCTUATION if len(text) == 2)
_ESCAPES = {"\\": "\\", '"': '"', "n": "\n", "t": "\t"}
_GUARD_PREDECESSORS = ("{", ";", "}")


class LexResult(NamedTuple):
    """The tokens in order, the end of the input as a token of its own (it has no ordinal), and
    the reports in source order."""

    tokens: tuple[Token, ...]
    end: Token
    diagnostics: tuple[Diagnostic, ...]


def tokenize(source: str) -> LexResult:
    """Split a source text into tokens. Total: every text has a result."""
    return _Lexer(source).run()


def integer_value(digits: str) -> tuple[int, bool]:
    """The number that decimal digits spell, clamped to 2^64-1, and whether it was clamped."""
    digits = digits.lstrip("0") or "0"
    # Python refuses to convert very long numerals, which cannot be in range anyway.
    if len(digits) > 20 or int(digits) > MAXIMUM_INTEGER:
        return MAXIMUM_INTEGER, True
    return int(digits), False


class _Lexer:
    def __init__(self, source: str) -> None:
        self._source = source
        self._position = 0
        self._tokens: list[Token] = []
        self._diagnostics: list[Diagnostic] = []
        self._ascii = source.isascii()
        self._known_character = 0
        self._known_byte = 0
        self._unclosed_comment = False

    def run(self) -> LexResult:
        source = self._source
        while self._position < len(source):
            character = source[self._position]
            if character in " \t\r\n":
                self._position = self._end_of(_LAYOUT)
            elif character in "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_":
                self._name()
            elif character in "0123456789":
                self._number()
            elif character == '"':
                self._string()
            elif source.startswith("//", self._position):
                self._position = self._end_of(_LINE_COMMENT)
            elif source.startswith("/*", self._position):
                self._block_comment()
            else:
                self._punctuation(character)
        size = self._byte(len(source))
        end = Token("end", "", size, size, damaged=self._unclosed_comment)
        self._diagnostics.sort(key=lambda diagnostic: diagnostic.span or (0, 0))
        return LexResult(tuple(self._tokens), end, tuple(self._diagnostics))

    def _byte(self, character: int) -> int:
        """The byte offset of a character offset. Offsets asked for never decrease by more than
        one token, so the work is linear in all."""
        if self._ascii:
            return character
        known = self._known_character
        if character < known:
            return self._known_byte - _size(self._source[character:known])
        self._known_byte += _size(self._source[known:character])
        self._known_character = character
        return self._known_byte

    def _end_of(self, pattern: re.Pattern[str]) -> int:
        found = pattern.match(self._source, self._position)
        return found.end() if found else self._position

    def _token(
        self, kind: str, end: int, value: int | str | None = None, damaged: bool = False
    ) -> Token:
        """Append the token from the current position to `end` and move behind it."""
        start = self._position
        token = Token(
            kind, self._source[start:end], self._byte(start), self._byte(end), value, damaged
        )
        self._tokens.append(token)
        self._position = end
        return token

    def _report(self, code: str, message: str, start: int, end: int, hint: str | None) -> None:
        """Report on a range of bytes."""
        self._diagnostics.append(Diagnostic(code, message, None, (start, end), hint))

    def _name(self) -> None:
        end = self._end_of(_NAME)
        text = self._source[self._position : end]
        if text in KEYWORDS:
            self._token(text, end)
        elif text == "category":
            token = self._token("type", end)
            self._report(
                "L0004",
                "the keyword `category` is retired; a named product is declared with `type`",
                token.start,
                token.end,
                "write `type`",
            )
        else:
            self._token("name", end, text)

    def _number(self) -> None:
        found = _NUMBER.match(self._source, self._position)
        assert found is not None, "called at a digit"
        if found.group(1) is not None:
            self._token("float", found.end(), found.group())
            return
        value, clamped = integer_value(found.group())
        token = self._token("integer", found.end(), value)
        if clamped:
            self._report_clamped(token)

    def _report_clamped(self, token: Token) -> None:
        self._report(
            "L0008",
            f"the number exceeds {MAXIMUM_INTEGER}, the greatest integer that can be written",
            token.start,
            token.end,
            "write a smaller number, or a float such as `1.0`",
        )

    def _string(self) -> None:
        source, start = self._source, self._position
        parts: list[str] = []
        position = start + 1
        closed = False
        while position < len(source):
            character = source[position]
            if character == '"':
                position += 1
                closed = True
                break
            if character == "\n":
                break
            if character != "\\":
                found = _STRING_TEXT.match(source, position)
                assert found is not None, "at an ordinary character"
                parts.append(self._without_surrogates(found))
                position = found.end()
                continue
            escaped = source[position + 1 : position + 2]
            if escaped in ("", "\n"):
                position += 1
                break
            if escaped not in _ESCAPES:
                self._report(
                    "L0003",
                    f'`\\{escaped}` is no escape; a string knows `\\\\`, `\\"`, `\\n` and `\\t`',
                    self._byte(position),
                    self._byte(position + 2),
                    f"write `\\\\{escaped}` for a backslash, or `{escaped}` alone",
                )
            parts.append(_ESCAPES.get(escaped, escaped))
            position += 2
        token = self._token("string", position, "".join(parts), damaged=not closed)
        if not closed:
            self._report(
                "L0002",
                "the string is not closed on the line that it begins on",
                token.start,
                token.end,
                'close it with `"`; a line break in the text is written `\\n`',
            )

    def _without_surrogates(self, text: re.Match[str]) -> str:
        """Part of a string; half a surrogate pair, which no UTF-8 text holds, is reported."""
        if self._ascii:
            return text.group()
        for found in _SURROGATE.finditer(self._source, text.start(), text.end()):
            self._report_unknown(found.group(), self._byte(found.start()), self._byte(found.end()))
        return _SURROGATE.sub("", text.group())

    def _block_comment(self) -> None:
        start = self._position
        close = self._source.find("*/", start + 2)
        self._unclosed_comment = close < 0
        end = len(self._source) if close < 0 else close + 2
        self._position = end
        self._report(
            "L0007",
            "there are no block comments" + ("; this one is not even closed" if close < 0 else ""),
            self._byte(start),
            self._byte(end),
            "begin each line of the comment with `//`",
        )

    def _punctuation(self, character: str) -> None:
        source, start = self._source, self._position
        if character == "-" and self._guard_may_stand_here():
            found = _GUARD.match(source, start)
            if found is not None:
                self._guard(found)
                return
        pair = source[start : start + 2]
        if source.startswith("...", start):
            self._token("...", start + 3)
        elif pair in _LONG_PUNCTUATION:
            self._token(pair, start + 2)
        elif character in PUNCTUATION:
            self._token(character, start + 1)
        elif character == "=":
            hint = equals_hint(source, start)
            token = self._token("error", start + 1)
            self._report(
                "L0005",
                "`=` alone means nothing; `<-` binds a name and `==` compares",
                token.start,
                token.end,
                hint,
            )
        elif character in "&|":
            token = self._token("error", start + 1)
            self._report(
                "L0006",
                f"`{character}` alone means nothing; the logical operator is "
                f"`{character}{character}`",
                token.start,
                token.end,
                self._bar_or_ampersand_hint(character),
            )
        else:
            token = self._token("error", self._end_of(_UNKNOWN))
            self._report_unknown(token.text, token.start, token.end)

    def _bar_or_ampersand_hint(self, character: str) -> str:
        """What to write for the token just made."""
        before = [token.text for token in self._tokens[-4:-1]]
        if character == "|" and (before[-1:] == ["{"] or before[:2] == ["{", "|"]):
            return "write the parameters without bars: `{ x -> … }`"
        if character == "|" and self._source.startswith(">", self._position):
            return "the arrow is `->`"
        return f"write `{character}{character}`"

    def _guard_may_stand_here(self) -> bool:
        return not self._tokens or self._tokens[-1].kind in _GUARD_PREDECESSORS

    def _guard(self, found: re.Match[str]) -> None:
        text = found.group(1)
        if not text.isdigit():
            self._token("guard", found.end(), text)
            return
        value, clamped = integer_value(text)
        token = self._token("guard", found.end(), value)
        if clamped:
            self._report_clamped(token)

    def _report_unknown(self, text: str, start: int, end: int) -> None:
        shown = ascii(text[:8])[1:-1] if not text.isprintable() else text[:8]
        shown += "…" if len(text) > 8 else ""
        self._report(
            "L0001",
            f"no token begins with `{shown}`",
            start,
            end,
            unknown_character_hint(text),
        )


def _size(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))
