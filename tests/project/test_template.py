"""Sizes in sources: products are replaced, everything else is an error with its line."""

from __future__ import annotations

import pytest

from mapal.diagnostics import UserError
from mapal.project.template import substitute


def test_products_are_replaced() -> None:
    text = "[f32; {{N}}] {{N*N}} {{ 4 * N*M }} } {"
    assert substitute(text, {"N": 3, "M": 5}, "f") == "[f32; 3] 9 60 } {"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a\n{{N", "f:2: error: '{{' without '}}'"),
        ("{{N\n}}", "f:1: error: '{{' without"),
        ("{{N+1}}", "is no product of sizes"),
        ("{{}}", "is no product of sizes"),
        ("\n\n{{NN}}", "f:3: error: '{{NN}}' names 'NN'; sizes are N; did you mean 'N'?"),
    ],
)
def test_mistakes_name_the_line(text: str, expected: str) -> None:
    with pytest.raises(UserError) as caught:
        substitute(text, {"N": 1}, "f")
    assert expected in str(caught.value)
