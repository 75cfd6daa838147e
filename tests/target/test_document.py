"""YAML as located data: what is read, and that every complaint names its place."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from mapal.target.document import DocumentError, Entry, closest, read_document


def error_of(text: str | bytes) -> str:
    data = text.encode() if isinstance(text, str) else text
    with pytest.raises(DocumentError) as caught:
        read_document(data, "file.yaml")
    return str(caught.value)


def test_values_follow_the_core_schema_and_know_their_place() -> None:
    root = read_document(
        b"a: 1\nb: 'yes'\nc: yes\nd: [1.5, true, null, -2]\ne:\n  f: 1e3\n", "file.yaml"
    )
    entries = root.mapping()
    assert entries["a"].integer(0, 9) == 1
    assert entries["b"].text() == "yes"
    assert entries["c"].text() == "yes"
    assert [item.value for item in entries["d"].items()] == [1.5, True, None, -2]
    inner = entries["e"].mapping()["f"]
    assert (inner.line, inner.column, inner.path, inner.value) == (6, 6, "e.f", 1000.0)


def test_an_empty_document_is_nothing() -> None:
    assert read_document(b"", "file.yaml").value is None
    assert read_document(b"# only a comment\n", "file.yaml").value is None


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a: &x 1\n", "file.yaml:1:4: error: anchor &x"),
        ("a: 1\nb: *x\n", "file.yaml:2:4: error: alias *x"),
        ("a: !!str 1\n", "file.yaml:1:4: error: tag"),
        ("a: 1\na: 2\n", "file.yaml:2:1: error: key 'a' is given twice; first on line 1"),
        ("a: 1\n---\nb: 2\n", "error: a second document"),
        ("? [x]\n: 1\n", "a key that is no plain word"),
        ("a: [1\nb: 2\n", "file.yaml:2:"),
        ("a: \x01\n", "file.yaml:1:1: error: "),
        ("[" * 40 + "]" * 40, "nested deeper than"),
    ],
)
def test_what_is_refused(text: str, expected: str) -> None:
    assert expected in error_of(text)


def test_bytes_that_are_no_text_name_the_line() -> None:
    assert error_of(b"a: 1\nb: \xff\n") == "file.yaml:2:1: error: not UTF-8 text"


def test_a_huge_document_is_refused_before_it_is_parsed() -> None:
    assert "expected at most" in error_of(b"#" * (1 << 20) + b"##")


def test_complaints_name_found_expected_and_closest() -> None:
    entries = read_document(b"a: {x: 1}\nb: [1]\nc:\nd: true\ne: w\nf: 3\n", "f.yaml").mapping()
    cases: list[tuple[str, Callable[[Entry], object], str]] = [
        ("a", lambda entry: entry.text(), "a is a mapping; expected text"),
        ("b", lambda entry: entry.boolean(), "b is a list; expected true or false"),
        ("c", lambda entry: entry.items(), "c is nothing; expected a list"),
        ("d", lambda entry: entry.integer(1, 2), "d is true; expected an integer from 1 to 2"),
        ("e", lambda entry: entry.mapping(), "e is 'w'; expected a mapping"),
        ("f", lambda entry: entry.integer(4, 5), "f is 3; expected an integer from 4 to 5"),
        ("e", lambda entry: entry.choice(("word", "x")), "one of word, x"),
        ("f", lambda entry: entry.choice(("word",)), "f is 3; expected one of word"),
    ]
    for key, call, expected in cases:
        with pytest.raises(DocumentError, match=r"f\.yaml") as caught:
            call(entries[key])
        assert expected in str(caught.value)
    assert entries["e"].choice(("w",)) == "w"


def test_an_unknown_key_is_named_with_its_line_and_the_closest() -> None:
    root = read_document(b"outer:\n  opts: 2\n", "f.yaml").mapping()["outer"]
    with pytest.raises(DocumentError) as caught:
        root.mapping(("opt", "threads"))
    assert str(caught.value) == (
        "f.yaml:2:3: error: unknown key 'opts' in outer; expected one of opt, threads; "
        "did you mean 'opt'?"
    )


def test_closest_is_silent_when_nothing_is_near() -> None:
    assert closest("zzz", ["alpha"]) == ""
