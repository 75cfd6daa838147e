"""Matching of delimiters without grammar."""

import pytest

from mapal.syntax import parse
from mapal.syntax.delimiters import match_delimiters


@pytest.mark.parametrize(
    ("kinds", "pairs"),
    [
        ("( )", {0: 1}),
        ("( [ { } ] )", {0: 5, 1: 4, 2: 3}),
        ("( [ )", {0: 2}),
        ("( ]", {}),
        ("{ ( }", {0: 2}),
        ("{ ( } )", {0: 2}),
        ("( { ) }", {1: 3}),
        ("( { ) } )", {0: 4, 1: 3}),
        (") ] }", {}),
        ("{ { }", {1: 2}),
        ("( fn ( )", {2: 3}),
        ("{ ( fn ) }", {0: 4, 1: 3}),
    ],
)
def test_pairs(kinds: str, pairs: dict[int, int]) -> None:
    closers = match_delimiters(kinds.split())
    assert {opener: closer for opener, closer in enumerate(closers) if closer >= 0} == pairs


@pytest.mark.parametrize("inside", ["x ;", "-> x", "x -> y ;", "7 -> k ; -true-> 1 ;", "1"])
def test_an_unclosed_brace_is_reported_whatever_it_holds(inside: str) -> None:
    closed = f"fn main() {{ 3 -> f -> {{ {inside} }} -> k; }}"
    for source in (closed[:-1], closed.replace(f"{inside} }}", inside)):
        assert "P0002" in [report.code for report in parse(source).diagnostics]
