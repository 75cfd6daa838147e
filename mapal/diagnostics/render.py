"""Diagnostics as text for people and as objects for programs.

The text is `FILE:LINE:COLUMN: error[CODE]: MESSAGE`, the source line, a line with carets,
notes and a hint. Long lines are clipped around the place, so the output stays readable and
its size proportional to the number of diagnostics, whatever the source looks like.
"""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Iterable
from typing import TypedDict

from mapal.diagnostics.diagnostic import Diagnostic
from mapal.diagnostics.locations import LocationTable, span_of
from mapal.diagnostics.source import SourceText

_INDENT = "    "
_SHOWN_BEFORE = 60
_SHOWN_AFTER = 80
_SHOWN_ON_ONE_LINE = 10


class DiagnosticObject(TypedDict):
    """One line of `mapal check --format json`. Lines and columns count from 1; the end is the
    place just behind the last character."""

    file: str
    line: int
    column: int
    end_line: int
    end_column: int
    code: str
    severity: str
    message: str
    hint: str | None


def render(
    diagnostic: Diagnostic,
    *,
    file: str,
    source: str | bytes | SourceText,
    locations: LocationTable | None,
) -> str:
    """One diagnostic as text for people, ending with a newline. Pass a `SourceText` when many
    diagnostics of one source are rendered."""
    text = source if isinstance(source, SourceText) else SourceText(source)
    start, end = span_of(diagnostic, locations)
    position = text.position(start)
    lines = [
        f"{file}:{position.line}:{position.column}: "
        f"error[{diagnostic.code}]: {printable(diagnostic.message)}",
        *_excerpt(text, position.line, start, end),
    ]
    lines += [f"note: {printable(note)}" for note in diagnostic.notes]
    if diagnostic.hint is not None:
        lines.append(f"hint: {printable(diagnostic.hint)}")
    return "\n".join(lines) + "\n"


def render_all(
    diagnostics: Iterable[Diagnostic],
    *,
    file: str,
    source: str | bytes,
    locations: LocationTable | None,
    limit: int | None = 100,
) -> str:
    """Every diagnostic as text, but at most `limit` of them (None: all), and at most ten on one
    line of the source unless all are wanted; a last line counts the others."""
    text = SourceText(source)
    reports = list(diagnostics)
    shown = reports if limit is None else _first_reports(reports, text, locations, limit)
    parts = [render(report, file=file, source=text, locations=locations) for report in shown]
    hidden = len(reports) - len(shown)
    if hidden:
        parts.append(f"{file}: {hidden} more error{'s' if hidden > 1 else ''} not shown\n")
    return "".join(parts)


def _first_reports(
    reports: list[Diagnostic], text: SourceText, locations: LocationTable | None, limit: int
) -> list[Diagnostic]:
    shown: list[Diagnostic] = []
    on_line: Counter[int] = Counter()
    for report in reports:
        line = text.position(span_of(report, locations)[0]).line
        on_line[line] += 1
        if on_line[line] <= _SHOWN_ON_ONE_LINE:
            shown.append(report)
            if len(shown) == limit:
                break
    return shown


def to_json_object(
    diagnostic: Diagnostic,
    *,
    file: str,
    source: str | bytes | SourceText,
    locations: LocationTable | None,
) -> DiagnosticObject:
    """One diagnostic as an object of plain values; notes follow the message in it."""
    text = source if isinstance(source, SourceText) else SourceText(source)
    start, end = span_of(diagnostic, locations)
    first, last = text.position(start), text.position(end)
    return {
        "file": file,
        "line": first.line,
        "column": first.column,
        "end_line": last.line,
        "end_column": last.column,
        "code": diagnostic.code,
        "severity": "error",
        "message": "\n".join((diagnostic.message, *diagnostic.notes)),
        "hint": diagnostic.hint,
    }


def printable(text: str) -> str:
    """The text with characters that would steer a terminal written as escapes."""
    if text.isprintable():
        return text
    return "".join(
        character if character.isprintable() or character in "\n\t" else ascii(character)[1:-1]
        for character in text
    )


def _excerpt(text: SourceText, line: int, start: int, end: int) -> list[str]:
    """The source line around a span and the carets below what lies on it."""
    line_start, line_end = text.line_bounds(line)
    start = min(start, line_end)
    end = max(start, min(end, line_end))
    # Cut the bytes first: at most four bytes make one character.
    before = _decode(text.data[max(line_start, start - 4 * _SHOWN_BEFORE) : start])
    marked = _decode(text.data[start : min(end, start + 4 * _SHOWN_AFTER)])
    after = _decode(text.data[end : min(line_end, end + 4 * _SHOWN_AFTER)])

    clipped_left = start - line_start > 4 * _SHOWN_BEFORE or len(before) > _SHOWN_BEFORE
    before = before[-_SHOWN_BEFORE:]
    room = _SHOWN_AFTER
    clipped_right = end - start > 4 * _SHOWN_AFTER or len(marked) > room
    marked = marked[:room]
    rest = "" if clipped_right else after[: room - len(marked)]
    clipped_right = clipped_right or len(after) > len(rest) or line_end - end > 4 * _SHOWN_AFTER

    left = ("…" if clipped_left else "") + _visible(before)
    right = _visible(rest) + ("…" if clipped_right else "")
    shown = _visible(marked)
    gap = "".join("\t" if character == "\t" else " " * _width(character) for character in left)
    carets = "^" * max(1, sum(map(_width, shown)))
    return [f"{_INDENT}{left}{shown}{right}".rstrip(), f"{_INDENT}{gap}{carets}"]


def _decode(data: bytes) -> str:
    return data.decode("utf-8", "replace")


def _visible(text: str) -> str:
    """Source text that is safe on a terminal, one character for each of its characters."""
    return "".join(
        character if character.isprintable() or character == "\t" else "\N{REPLACEMENT CHARACTER}"
        for character in text
    )


def _width(character: str) -> int:
    """Columns that a terminal gives to a character."""
    if unicodedata.combining(character):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1
