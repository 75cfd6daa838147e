"""The page `docs/diagnostics.md`, made from the catalogues of codes."""

from __future__ import annotations

from collections.abc import Iterable

from mapal.check import KINDS as CHECK_KINDS
from mapal.check import check
from mapal.diagnostics import Diagnostic, DiagnosticKind, render
from mapal.lower import lower
from mapal.lower.codes import KINDS as LOWER_KINDS
from mapal.syntax import parse
from mapal.syntax.codes import KINDS as SYNTAX_KINDS

SECTIONS = (
    ("Lexer", "L0"),
    ("Parser: malformed text", "P00"),
    ("Parser: outside the language", "P01"),
    ("Lowering: declarations", "L10"),
    ("Lowering: names", "L11"),
    ("Lowering: types and literals", "L12"),
    ("Lowering: chains and returns", "L13"),
    ("Lowering: guards", "L14"),
    ("Lowering: loops", "L15"),
    ("Lowering: collections, `seq` and builtins", "L16"),
    ("Lowering: defects", "L19"),
    ("Checks", "T"),
)
"""Titles, and how the codes of a section begin."""

HEAD = """# Diagnostics

Every error that Mapal reports about a program has a code. `mapal explain CODE` prints an entry
of this page. The page is made from the tables in the source: change it there and run
`./dev pytest tests/test_diagnostics_page.py --update-golden`.
"""


def kinds() -> dict[str, DiagnosticKind]:
    """Every code of every stage."""
    return {**SYNTAX_KINDS, **LOWER_KINDS, **{kind.code: kind for kind in CHECK_KINDS}}


def page() -> str:
    """The whole page."""
    parts = [HEAD, _index(kinds().values())]
    for title, prefix in SECTIONS:
        parts.append(f"\n## {title}\n")
        parts += [_entry(kind) for code, kind in kinds().items() if code.startswith(prefix)]
    return "".join(parts)


def _index(found: Iterable[DiagnosticKind]) -> str:
    rows = "".join(f"| [{kind.code}](#{kind.code.lower()}) | {kind.title} |\n" for kind in found)
    return f"\n| Code | Meaning |\n| --- | --- |\n{rows.replace('`|`', '`&#124;`')}"


def _entry(kind: DiagnosticKind) -> str:
    text = f"\n### {kind.code}\n\n**{_capital(kind.title)}.** {kind.explanation}\n"
    if kind.example:
        text += f"\n```mapal\n{kind.example.rstrip()}\n```\n\n"
        text += f"```text\n{_reported(kind.example)}```\n"
    if kind.correction:
        text += f"\nCorrected:\n\n```mapal\n{kind.correction.rstrip()}\n```\n"
    return text


def _capital(title: str) -> str:
    return title[0].upper() + title[1:]


def _reported(source: str) -> str:
    parsed = parse(source)
    found: tuple[Diagnostic, ...] = parsed.diagnostics
    if not found:
        lowered = lower(parsed.program, "exact")
        found = lowered.diagnostics
        if lowered.graph is not None:
            found = check(parsed.program, lowered.graph)
    return "".join(
        render(item, file="example.mapal", source=source, locations=parsed.locations)
        for item in found
    )
