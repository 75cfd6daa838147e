"""Every case C01 to C90 and every defect D-01 to D-31 has a test that bears its number.

A test bears the numbers of cases in its name (`test_c31_c32_…`), those of defects in its name
(`test_d13_…`) or at the start of its description ("D-13: …")."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

TESTS = Path(__file__).parent
CASES = frozenset(range(1, 91))
DEFECTS = frozenset(range(1, 32))


def named_tests(folder: Path) -> Iterator[tuple[str, str]]:
    """The name and description of every test function."""
    for path in sorted(folder.glob("test_*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
                yield node.name, ast.get_docstring(node) or ""


def numbers_in(name: str, letter: str) -> set[int]:
    return {int(number) for number in re.findall(rf"(?<=_){letter}(\d\d)(?=_|$)", name)}


def defects_in(description: str) -> set[int]:
    head = re.match(r"D-\d\d(?:(?:, | and )D-\d\d)*", description)
    return {int(number) for number in re.findall(r"\d\d", head.group())} if head else set()


def test_every_case_has_a_test_of_its_number() -> None:
    found = {number for name, _ in named_tests(TESTS) for number in numbers_in(name, "c")}
    assert sorted(CASES - found) == []
    assert sorted(found - CASES) == []


def test_every_defect_has_a_test_of_its_number() -> None:
    found: set[int] = set()
    for name, description in named_tests(TESTS):
        found |= numbers_in(name, "d") | defects_in(description)
    assert sorted(DEFECTS - found) == []
    assert sorted(found - DEFECTS) == []


def test_numbers_are_read_as_they_are_written() -> None:
    assert numbers_in("test_c31_c32_an_identity", "c") == {31, 32}
    assert numbers_in("test_an_arc31_c3_c123", "c") == set()
    assert defects_in("D-06: exits. D-07 elsewhere.") == {6}
    assert defects_in("D-09, D-10 and D-29: loops.") == {9, 10, 29}
    assert defects_in("As in D-06.") == set()
