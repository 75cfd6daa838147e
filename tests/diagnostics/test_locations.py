"""The location table and its canonical encoding."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mapal.diagnostics import CompilerBug, Diagnostic, LocationTable, UserError, span_of

TABLE = LocationTable(((0, 2), (3, 4), (4, 9)))


def test_encoding_is_canonical() -> None:
    assert TABLE.to_json() == b'{"schema":1,"spans":[[0,2],[3,4],[4,9]]}\n'
    assert LocationTable(()).to_json() == b'{"schema":1,"spans":[]}\n'


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(1, 9))))
def test_encoding_reads_back(gaps: list[tuple[int, int]]) -> None:
    spans: list[tuple[int, int]] = []
    end = 0
    for gap, size in gaps:
        spans.append((end + gap, end + gap + size))
        end += gap + size
    table = LocationTable(tuple(spans))
    assert LocationTable.from_json(table.to_json()) == table


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"nonsense",
        b"\xff",
        b"[]",
        b"{}",
        b'{"schema":2,"spans":[]}',
        b'{"schema":1,"spans":{}}',
        b'{"schema":1,"spans":[],"more":0}',
        b'{"schema":1,"spans":[[0]]}',
        b'{"schema":1,"spans":[[0,1.5]]}',
        b'{"schema":1,"spans":[[false,true]]}',
        b'{"schema":1,"spans":[[2,2]]}',
        b'{"schema":1,"spans":[[0,3],[2,4]]}',
        b'{"schema":1,"spans":[[-1,4]]}',
        b"[" * 100_000,
    ],
)
def test_anything_else_is_refused(data: bytes) -> None:
    with pytest.raises(UserError, match="location table"):
        LocationTable.from_json(data)


def test_span_of_tokens() -> None:
    assert TABLE.span_of((0, 0)) == (0, 2)
    assert TABLE.span_of((0, 2)) == (0, 9)
    assert LocationTable(()).span_of((0, 0)) == (0, 0)
    for tokens in ((0, 3), (2, 1), (-1, 0)):
        with pytest.raises(CompilerBug):
            TABLE.span_of(tokens)


def test_span_of_diagnostic() -> None:
    assert span_of(Diagnostic("P0001", "m", None, (5, 7)), None) == (5, 7)
    assert span_of(Diagnostic("L1101", "m", (1, 2), None), TABLE) == (3, 9)
    with pytest.raises(CompilerBug, match="no place"):
        span_of(Diagnostic("L1101", "m", None, None), TABLE)
    with pytest.raises(CompilerBug, match="no table"):
        span_of(Diagnostic("L1101", "m", (1, 2), None), None)
