"""Tokens, their spans, and every report of the lexer."""

import pytest

from mapal.syntax import tokenize
from mapal.syntax.lexer import MAXIMUM_INTEGER


def kinds(source: str) -> list[str]:
    return [token.kind for token in tokenize(source).tokens]


def values(source: str) -> list[int | str | None]:
    return [token.value for token in tokenize(source).tokens]


def reports(source: str) -> list[tuple[str, int, int]]:
    found = []
    for report in tokenize(source).diagnostics:
        assert report.span is not None
        found.append((report.code, *report.span))
    return found


def test_layout_and_comments_separate_tokens_and_are_none() -> None:
    source = "a\t// -> no\r\n  b/**/c"
    assert [(t.text, t.start, t.end) for t in tokenize(source).tokens] == [
        ("a", 0, 1),
        ("b", 14, 15),
        ("c", 19, 20),
    ]


def test_keywords_are_not_names_and_builtins_are() -> None:
    assert kinds("fn type mut loop ret seq map fold true false") == [
        "fn", "type", "mut", "loop", "ret", "seq", "map", "fold", "true", "false",
    ]  # fmt: skip
    assert kinds("executor pub use void") == ["executor", "pub", "use", "void"]
    assert set(kinds("print reduce iota i32 bool _ _x Fn maps to_f64 x9")) == {"name"}


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("i<-1", ["name", "<-", "integer"]),
        ("a<=b", ["name", "<=", "name"]),
        ("a<b>=c", ["name", "<", "name", ">=", "name"]),
        ("a==b!=!c", ["name", "==", "name", "!=", "!", "name"]),
        ("a&&b||c", ["name", "&&", "name", "||", "name"]),
        ("->-><-", ["->", "->", "<-"]),
        ("a-->b", ["name", "-", "->", "name"]),
        (". .. ... ....", [".", ".", ".", "...", "...", "."]),
        ("::?@,;", [":", ":", "?", "@", ",", ";"]),
        ("+*/%()[]{}", ["+", "*", "/", "%", "(", ")", "[", "]", "{", "}"]),
        ("5.", ["integer", "."]),
        ("5.x", ["integer", ".", "name"]),
        (".5", [".", "integer"]),
        ("1..5", ["integer", ".", ".", "integer"]),
        ("1.5.2", ["float", ".", "integer"]),
        ("1e6", ["integer", "name"]),
        ("t.0.1", ["name", ".", "float"]),
    ],
)
def test_longest_match(source: str, expected: list[str]) -> None:
    assert kinds(source) == expected
    assert reports(source) == []


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("{ -true->", ["{", "guard"]),
        ("{ -false->", ["{", "guard"]),
        ("; -7->", [";", "guard"]),
        ("} -_->", ["}", "guard"]),
        ("-0->", ["guard"]),
        ("; -7 -> x", [";", "-", "integer", "->", "name"]),
        ("{ -7->x", ["{", "guard", "name"]),
        ("{ - 7->", ["{", "-", "integer", "->"]),
        ("{ -true ->", ["{", "-", "true", "->"]),
        ("{ -1.5->", ["{", "-", "float", "->"]),
        ("{ -x->", ["{", "-", "name", "->"]),
        ("{ -truth->", ["{", "-", "name", "->"]),
        ("{ -__->", ["{", "-", "name", "->"]),
        ("{ -7-", ["{", "-", "integer", "-"]),
        ("n * -1->", ["name", "*", "-", "integer", "->"]),
        ("( -1->", ["(", "-", "integer", "->"]),
        (", -1->", [",", "-", "integer", "->"]),
        ("-> -1->", ["->", "-", "integer", "->"]),
        ("{ -1->-2->", ["{", "guard", "-", "integer", "->"]),
        ("{ // comment\n -1->", ["{", "guard"]),
        ("$ -1->", ["error", "-", "integer", "->"]),
    ],
)
def test_guard_arrows(source: str, expected: list[str]) -> None:
    assert kinds(source) == expected


def test_guard_values() -> None:
    assert values("{-true->;-false->;-_->;-007->;-0->") == [
        None, "true", None, "false", None, "_", None, 7, None, 0,
    ]  # fmt: skip


def test_integers_drop_zeros_and_are_clamped() -> None:
    assert values("0 007 18446744073709551615") == [0, 7, MAXIMUM_INTEGER]
    assert reports("18446744073709551615 000000000000000000000000000001") == []
    assert values("18446744073709551616") == [MAXIMUM_INTEGER]
    assert reports("18446744073709551616") == [("L0008", 0, 20)]
    assert reports("{ -18446744073709551616->") == [("L0008", 2, 25)]
    assert values("{ -18446744073709551616->") == [None, MAXIMUM_INTEGER]


def test_numerals_longer_than_python_converts() -> None:
    assert values("9" * 10_000) == [MAXIMUM_INTEGER]
    assert values("0" * 10_000 + "5") == [5]
    assert values("9" * 10_000 + "." + "3" * 10_000) == ["9" * 10_000 + "." + "3" * 10_000]


def test_floats_keep_their_text() -> None:
    assert values("1.50 0.000001") == ["1.50", "0.000001"]


def test_strings_resolve_escapes() -> None:
    assert values(r'"a\\b\"c\nd\te" "" "é𝄞//no"') == ['a\\b"c\nd\te', "", "é𝄞//no"]
    assert reports('"carriage\rreturn"') == []


def test_unknown_escapes_stand_for_themselves() -> None:
    assert values(r'"a\qb\é"') == ["aqbé"]
    assert reports(r'"a\qb\é"') == [("L0003", 2, 4), ("L0003", 5, 8)]


@pytest.mark.parametrize(
    ("source", "value", "end"),
    [
        ('"open', "open", 5),
        ('"open\n"', "open", 5),
        ('"', "", 1),
        ('"a\\', "a", 3),
        ('"a\\\nb', "a", 3),
    ],
)
def test_unterminated_strings_stop_before_the_line_feed(source: str, value: str, end: int) -> None:
    first = tokenize(source).tokens[0]
    assert (first.kind, first.value, first.start, first.end) == ("string", value, 0, end)
    assert first.damaged
    assert reports(source)[0] == ("L0002", 0, end)


def test_reports_are_in_source_order() -> None:
    assert reports('"a\\q') == [("L0002", 0, 4), ("L0003", 2, 4)]


def test_runs_of_unknown_characters() -> None:
    assert reports("a $#~ ^ b") == [("L0001", 2, 5), ("L0001", 6, 7)]
    assert kinds("a $#~ ^ b") == ["name", "error", "error", "name"]
    assert reports("größe") == [("L0001", 2, 6)]
    assert kinds("größe") == ["name", "error", "name"]
    assert reports("\\ ' ` \x00\x7f") == [
        ("L0001", 0, 1), ("L0001", 2, 3), ("L0001", 4, 5), ("L0001", 6, 8),
    ]  # fmt: skip


def test_byte_order_mark_and_foreign_space() -> None:
    for text in ("\ufeff", "\u00a0", "\u2028"):
        [report] = tokenize(text + "fn").diagnostics
        assert (report.code, report.span) == ("L0001", (0, len(text.encode())))
    [report] = tokenize("\ufefffn").diagnostics
    assert report.hint is not None
    assert "byte-order mark" in report.hint


def test_retired_keyword_becomes_type() -> None:
    assert kinds("category categoryx") == ["type", "name"]
    assert reports("  category") == [("L0004", 2, 10)]


def test_lone_operators() -> None:
    assert kinds("= === & &&& | a|b") == [
        "error", "==", "error", "error", "&&", "error", "error", "name", "error", "name",
    ]  # fmt: skip
    assert [code for code, _, _ in reports("= === & &&& | a|b")] == [
        "L0005", "L0005", "L0006", "L0006", "L0006", "L0006",
    ]  # fmt: skip


def test_block_comments() -> None:
    assert reports("/* a /* b */ c */") == [("L0007", 0, 12)]
    assert kinds("/* a /* b */ c */") == ["name", "*", "/"]
    assert reports("x /*/") == [("L0007", 2, 5)]
    closed, unclosed = tokenize("/**/"), tokenize("/* x")
    assert not closed.end.damaged
    assert unclosed.end.damaged
    assert unclosed.diagnostics[0].span == (0, 4)


def test_spans_count_bytes() -> None:
    tokens = tokenize('"é" a // ü\n 𝄞 b').tokens
    assert [(t.start, t.end) for t in tokens] == [(0, 4), (5, 6), (14, 18), (19, 20)]
    result = tokenize("é")
    assert (result.end.start, result.end.end) == (2, 2)


def test_half_a_surrogate_pair_is_no_text() -> None:
    assert [token.value for token in tokenize('"a\ud800b"').tokens] == ["ab"]
    assert reports('"a\ud800b" \udfff') == [("L0001", 2, 5), ("L0001", 8, 11)]
