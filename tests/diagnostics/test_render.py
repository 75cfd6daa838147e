"""Diagnostics as text and as objects."""

import pytest

from mapal.diagnostics import (
    Diagnostic,
    LocationTable,
    SourceText,
    printable,
    render,
    render_all,
    to_json_object,
)


def at(start: int, end: int, **more: object) -> Diagnostic:
    return Diagnostic("P0001", "expected `;`", None, (start, end), **more)  # type: ignore[arg-type]


def shown(source: str | bytes, start: int, end: int) -> list[str]:
    return render(at(start, end), file="f", source=source, locations=None).splitlines()[1:]


def test_header_excerpt_notes_and_hint() -> None:
    report = at(7, 9, hint="write `;`", notes=("first", "second"))
    assert render(report, file="a/b.mapal", source="one\ntwo three\n", locations=None) == (
        "a/b.mapal:2:4: error[P0001]: expected `;`\n"
        "    two three\n"
        "       ^^\n"
        "note: first\n"
        "note: second\n"
        "hint: write `;`\n"
    )


def test_tokens_are_looked_up() -> None:
    report = Diagnostic("L1101", "unknown", (1, 2), None)
    table = LocationTable(((0, 1), (2, 3), (4, 5)))
    assert render(report, file="f", source=b"a b c d", locations=table) == (
        "f:1:3: error[L1101]: unknown\n    a b c d\n      ^^^\n"
    )


@pytest.mark.parametrize(
    ("source", "start", "end", "expected"),
    [
        ("", 0, 0, ["", "    ^"]),
        ("ab", 2, 2, ["    ab", "      ^"]),
        ("ab\n", 3, 3, ["", "    ^"]),
        ("\tab\tc", 4, 5, ["    \tab\tc", "    \t  \t^"]),
        ("一b c", 5, 6, ["    一b c", "        ^"]),
        ("e\u0301x y", 3, 4, ["    e\u0301x y", "     ^"]),
        ("ab\ncd", 1, 4, ["    ab", "     ^"]),
        ("a\r\nb", 0, 3, ["    a", "    ^"]),
        ("\x1b[31m x", 6, 7, ["    \ufffd[31m x", "          ^"]),
    ],
)
def test_carets_stand_below_the_span(
    source: str, start: int, end: int, expected: list[str]
) -> None:
    assert shown(source, start, end) == expected


def test_undecodable_bytes_are_shown_as_replacements() -> None:
    assert shown(b"\xff\xfe x", 3, 4) == ["    \ufffd\ufffd x", "       ^"]


@pytest.mark.parametrize("unit", ["x", "é", "𝄞"])
def test_long_lines_are_clipped_around_the_span(unit: str) -> None:
    size = len(unit.encode())
    source = unit * 500 + "here" + unit * 500
    line, carets = shown(source, 500 * size, 500 * size + 4)
    assert line == "    …" + unit * 60 + "here" + unit * 76 + "…"
    assert carets == " " * 65 + "^^^^"


def test_long_spans_are_clipped() -> None:
    line, carets = shown("x" * 1000, 0, 1000)
    assert line == "    " + "x" * 80 + "…"
    assert carets == "    " + "^" * 80


def test_messages_cannot_steer_the_terminal() -> None:
    report = Diagnostic("L0001", "found \x1b[2J", None, (0, 0), "remove \x07")
    text = render(report, file="f", source="", locations=None)
    assert "found \\x1b[2J" in text
    assert "remove \\x07" in text
    assert printable("plain — text\n") == "plain — text\n"


def test_many_reports_end_in_a_count() -> None:
    source = "x\n" * 30
    reports = [at(2 * line, 2 * line + 1) for line in range(30)]
    text = render_all(reports, file="f", source=source, locations=None, limit=28)
    assert text.count("error[") == 28
    assert text.endswith("f: 2 more errors not shown\n")
    text = render_all(reports, file="f", source=source, locations=None, limit=29)
    assert text.endswith("f: 1 more error not shown\n")
    text = render_all(reports, file="f", source=source, locations=None, limit=None)
    assert text.count("error[") == 30
    assert render_all([], file="f", source=source, locations=None) == ""


def test_many_reports_on_one_line_are_few() -> None:
    reports = [at(column, column + 1) for column in range(50)] + [at(51, 52)]
    text = render_all(reports, file="f", source="x" * 50 + "\ny", locations=None)
    assert text.count("f:1:") == 10
    assert text.count("f:2:1: error") == 1
    assert text.endswith("f: 40 more errors not shown\n")


def test_json_object() -> None:
    report = at(1, 6, hint="h", notes=("n",))
    assert to_json_object(report, file="f", source="aé\nbc", locations=None) == {
        "file": "f",
        "line": 1,
        "column": 2,
        "end_line": 2,
        "end_column": 3,
        "code": "P0001",
        "severity": "error",
        "message": "expected `;`\nn",
        "hint": "h",
    }
    text = SourceText("aé\nbc")
    assert to_json_object(at(0, 1), file="f", source=text, locations=None)["hint"] is None
