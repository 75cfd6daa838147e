"""Every example of the language's documentation does what the page says.

A block tagged `mapal` is a program (`mapal fused`: in fused arithmetic; without a `main`: the
inside of one). The blocks directly behind it say what becomes of it: `text` is what it prints,
`trap` the kind and place of the trap that ends it, `error` the codes and places of its errors.
A program with nothing behind it is accepted.
"""

from __future__ import annotations

import re
import textwrap
from dataclasses import dataclass
from pathlib import Path

import pytest

from mapal.check import check
from mapal.diagnostics import Diagnostic, LocationTable, SourceText, span_of
from mapal.format import format_source
from mapal.interpreter import run
from mapal.ir.graph import Graph
from mapal.lower import Arithmetic, lower
from mapal.syntax import parse

PAGE = Path(__file__).parents[1] / "docs" / "language.md"
_BLOCK = re.compile(r"^```(\w[\w ]*)?\n(.*?)^```\n", re.MULTILINE | re.DOTALL)
_BUDGET = 1_000_000


@dataclass(frozen=True)
class Example:
    """A program and what the page says about it, None where it says nothing."""

    line: int
    source: str
    arithmetic: Arithmetic
    text: str | None = None
    trap: str | None = None
    error: str | None = None


def examples(page: str) -> list[Example]:
    """The examples of a page in order."""
    found: list[Example] = []
    claims: dict[str, str] = {}
    before = -1
    for block in _BLOCK.finditer(page):
        tag, body = block.group(1) or "", block.group(2)
        if tag in ("text", "trap", "error") and block.start() == before:
            claims[tag] = body
            last = found.pop()
            found.append(Example(last.line, last.source, last.arithmetic, **claims))
            before = block.end()
        elif tag.split(" ")[0] == "mapal":
            line = page.count("\n", 0, block.start()) + 1
            claims = {}
            found.append(Example(line, body, "fused" if tag == "mapal fused" else "exact"))
            before = block.end()
        else:
            assert tag not in ("trap", "error"), f"{tag} stands behind no program"
    return found


EXAMPLES = examples(PAGE.read_text(encoding="utf-8"))


def whole(source: str) -> str:
    """A program with its `main`."""
    if "fn main(" in source:
        return source
    return f"fn main() {{\n{textwrap.indent(source, '    ')}}}\n"


def front_end(source: str, arithmetic: Arithmetic) -> tuple[Graph | None, str, LocationTable]:
    """The graph of a program, or its errors as a page lists them."""
    parsed = parse(source)

    def listed(diagnostics: tuple[Diagnostic, ...]) -> str:
        text = SourceText(source)
        lines = []
        for report in diagnostics:
            place = text.position(span_of(report, parsed.locations)[0])
            lines.append(f"{report.code} at {place.line}:{place.column}\n")
        return "".join(lines)

    if parsed.diagnostics:
        return None, listed(parsed.diagnostics), parsed.locations
    lowered = lower(parsed.program, arithmetic)
    if lowered.graph is None:
        return None, listed(lowered.diagnostics), parsed.locations
    checked = check(parsed.program, lowered.graph)
    return lowered.graph if not checked else None, listed(checked), parsed.locations


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: f"line-{example.line}")
def test_example(example: Example) -> None:
    source = whole(example.source)
    graph, errors, locations = front_end(source, example.arithmetic)
    assert errors == (example.error or "")
    if graph is None:
        assert example.text is example.trap is None
        return
    if example.text is example.trap is None:
        return
    outcome = run(graph, {}, budget=_BUDGET)
    assert outcome.output.decode() == (example.text or "")
    if outcome.trap is None:
        assert outcome.kind == "done"
        assert example.trap is None
        return
    place = SourceText(source).position(locations.spans[outcome.trap.token][0])
    assert f"{outcome.trap.kind} at {place.line}:{place.column}\n" == example.trap


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: f"line-{example.line}")
def test_examples_are_laid_out(example: Example) -> None:
    source = whole(example.source)
    layout = format_source(source).text
    if layout is None:
        assert example.error is not None
        return
    assert layout == source


def test_the_page_has_examples_of_each_sort() -> None:
    assert len(EXAMPLES) > 40
    assert any(example.arithmetic == "fused" for example in EXAMPLES)
    assert any(example.trap for example in EXAMPLES)
    assert sum(example.error is not None for example in EXAMPLES) > 5


def test_a_wrong_claim_is_noticed() -> None:
    page = "```mapal\nfn main() {\n    1 -> println;\n}\n```\n```text\n2\n```\n"
    (example,) = examples(page)
    assert example.text == "2\n"
    with pytest.raises(AssertionError):
        test_example(example)
