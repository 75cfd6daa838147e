"""Case files: what is malformed, what is weak, what is unsound, and the command."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from mapal.affine.__main__ import main
from mapal.affine.case_file import SCHEMA, Case, failure, load_cases
from mapal.affine.case_grading import grade
from mapal.affine.case_queries import QUERIES
from mapal.affine.case_values import MalformedError

GCD: dict[str, Any] = {
    "id": "A",
    "query": "gcd",
    "in": {"a": 4, "b": 6},
    "expect": 2,
    "truth": 2,
}


def document(*cases: object) -> str:
    return json.dumps({"schema": SCHEMA, "set": "test", "cases": list(cases)})


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("{", "not JSON"),
        ("[]", "expected an object"),
        ('{"schema": "other"}', "expected schema"),
        (json.dumps({"schema": SCHEMA, "cases": {}}), "expected a list of cases"),
        (document(3), "case 0: expected an object, found 3"),
        (document({"id": 3}), "case 0: expected an id, found 3"),
        (document({"id": "A", "query": "gcd"}), "case A: in is missing"),
        (document({**GCD, "query": 3}), "case A: expected the name of a query"),
        (document(GCD, GCD), "two cases are named A"),
        ("[" * 100_000, "nested too deeply"),
        (document({**GCD, "expect": 10**100}), "an integer has more than 100 digits"),
        (document(GCD).replace("6", "6" * 5000), "an integer has more than 100 digits"),
    ],
)
def test_malformed_files(text: str, told: str) -> None:
    with pytest.raises(MalformedError, match=told):
        load_cases(text)


def ask(
    query: str, arguments: Any, expect: Any = True, truth: Any = True, reason: Any = None
) -> str:
    return failure(Case("A", query, arguments, expect, truth, reason)) or "pass"


ACCESS = {"map": ["i"], "loops": [["i", 0, 3]], "path": [["stmt", 0], "write"]}


@pytest.mark.parametrize(
    ("query", "arguments", "told"),
    [
        ("nothing", {}, "there is no query 'nothing'"),
        ("gcd", [], "expected an object, found []"),
        ("gcd", {"a": 1}, "in: b is missing"),
        ("gcd", {"a": 1, "b": 2, "c": 3}, "in: c is no argument of this query"),
        ("gcd", {"a": True, "b": 1}, "in.a: expected an integer, found True"),
        ("floor_div", {"a": 1, "b": 0}, "in: the divisor is not positive"),
        ("stmt_head", {"p": ["STMT"]}, "in.p: expected a path component, found 'STMT'"),
        ("stmt_head", {"p": "cond"}, "in.p: expected a list, found 'cond'"),
        ("within_box", {"map": [{"affine": [[1]]}], "dims": []}, "a coefficient and a symbol"),
        ("within_box", {"map": [{"opaque": "x"}], "dims": []}, "expected an axis index"),
        ("within_box", {"map": [{"opaque": "sub_axis", "x": 1}], "dims": []}, "an axis index"),
        ("within_box", {"map": [], "dims": [], "ranges": {"i": 3}}, "a range [lower, upper]"),
        ("separates", {"map": [], "concurrent": [1], "syms": []}, "expected a symbol, found 1"),
        ("terms_of", {"index": 1, "side": "S", "dup": []}, 'expected a side, "L" or "R"'),
        ("infeasible", {"terms": [[1, ["X", "p"]]], "rhs": 0}, 'expected a side, "L", "R" or "S"'),
        ("fiber_cardinality", {"map": [], "domain": [["i", 1], ["i", 1]]}, "each symbol once"),
        ("ap_subset", {"r": {"lo": 1}, "w": {}}, "expected a progression"),
        ("ap_of_form", {"terms": [[0, [0, 1]]], "offset": 0, "exact": True}, "coefficient zero"),
        ("ap_of_form", {"terms": [], "offset": 0, "exact": 1}, "expected true or false, found 1"),
        ("rmw_exempt", {"read": {"x": 1}}, "an access has no field 'x'"),
        ("rmw_exempt", {"read": {"loops": [["i", 0]]}}, "loops: expected a loop"),
        (
            "is_injective",
            {"components": [[["i", 2]], [["i", 2]]], "lhs": [], "lhs_dims": []},
            "a projection names a symbol twice",
        ),
    ],
)
def test_malformed_cases_fail_alone(query: str, arguments: Any, told: str) -> None:
    found = ask(query, arguments)
    assert found.startswith("malformed: ")
    assert told in found


def test_an_expectation_of_another_form_is_malformed() -> None:
    found = ask("fiber_cardinality", {"map": [], "domain": []}, ["exact", 1], 3)
    assert found == "malformed: expect or truth is no answer to this query"


def test_the_three_ways_to_fail() -> None:
    box = {"map": ["p"], "dims": [4], "ranges": {"p": [0, 3]}}
    assert ask("within_box", box) == "pass"
    assert ask("within_box", box, False, False) == "UNSOUND: answered true, the truth is false"
    assert ask("within_box", {**box, "dims": [3]}) == "weak: answered false, expected true"
    assert ask("gcd", {"a": 4, "b": 6}, 3, 3) == "wrong: answered 2, expected 3"
    assert ask("within_box", box, "yes", True) == 'wrong: answered true, expected "yes"'


def test_reasons_count_only_beside_the_expected_answer() -> None:
    cross = {
        "left": ["p"],
        "right": [{"affine": [[1, "p"]], "offset": 1}],
        "dup_left": ["p"],
        "dup_right": ["p"],
        "pairs": [],
        "ranges": {"p": [0, 3]},
        "oracle": {},
    }
    assert ask("pair_conflict", cross, "Cross_thread", "Cross_thread", "no_pairs") == "pass"
    assert ask("pair_conflict", cross, "Cross_thread", "Cross_thread", "other") == (
        'reason: "no_pairs", expected "other"'
    )
    disjoint = {**cross, "right": [{"affine": [[1, "p"]], "offset": 9}]}
    assert ask("pair_conflict", disjoint, "Cross_thread", "Disjoint", "other") == "pass"


@pytest.mark.parametrize(
    ("query", "answer", "expect", "truth", "found"),
    [
        ("forced_pairs", [["a", "a"]], [], [["a", "a"]], "pass"),
        ("forced_pairs", [["a", "a"]], [], [], "unsound"),
        ("forced_pairs", [], [["a", "a"]], [["a", "a"]], "weak"),
        ("fiber_cardinality", ["exact", 2], ["at_least", 1], {"min": 2, "max": 2}, "pass"),
        ("fiber_cardinality", ["exact", 2], ["at_least", 1], {"min": 1, "max": 2}, "unsound"),
        ("fiber_cardinality", ["at_least", 3], ["at_least", 1], {"min": 2, "max": 4}, "unsound"),
        ("fiber_cardinality", ["at_least", 1], ["at_least", 2], {"min": 2, "max": 4}, "weak"),
        ("fiber_cardinality", ["at_least", 2], ["exact", 2], {"min": 2, "max": 2}, "weak"),
        ("fiber_cardinality_ub", ["at_most", 3], ["at_most", 4], {"min": 1, "max": 3}, "pass"),
        ("fiber_cardinality_ub", ["at_most", 5], ["at_most", 4], {"min": 1, "max": 3}, "weak"),
        ("fiber_cardinality_ub", ["at_most", 2], ["at_most", 4], {"min": 1, "max": 3}, "unsound"),
        ("ap_of_form", None, {"lo": 0, "hi": 0, "step": 0}, [0], "weak"),
        ("ap_of_form", {"lo": 0, "hi": 2, "step": 2}, None, [2, 0], "pass"),
        ("ap_of_form", {"lo": 0, "hi": 2, "step": 1}, None, [2, 0], "unsound"),
        ("ap_of_form", {"lo": 0, "hi": 1 << 70, "step": 1}, None, [2, 0], "unsound"),
        ("ap_covered_chunk", [0, 1 << 70], [0, 1], [0, 1], "unsound"),
        ("ap_covered_chunk", [0, 1], [0, 1 << 70], [0, 1], "weak"),
        ("ap_covered_chunk", None, [0, 1], [0, 1], "weak"),
        ("ap_covered_chunk", [0, 1], None, [0, 1], "pass"),
        ("ap_covered_chunk", [0, 2], [0, 1], [0, 1], "unsound"),
        ("ap_covered_chunk", [1, 1], [0, 1], [0, 1], "weak"),
        ("may_touch_same_cell", False, True, True, "unsound"),
        ("may_touch_same_cell", True, False, False, "weak"),
        ("stmt_head", 1, True, True, "wrong"),
    ],
)
def test_grades(query: str, answer: Any, expect: Any, truth: Any, found: str) -> None:
    assert grade(query, answer, expect, truth) == found


def test_access_records_are_read_whole() -> None:
    arguments = {"read": {**ACCESS, "array": 3, "stmt_write": None, "rmw": True}}
    assert ask("rmw_exempt", arguments, False, False) == "pass"
    assert "rmw_exempt" in QUERIES


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "cases.json"
    path.write_text(document(GCD), encoding="utf-8")
    assert main([str(path)]) == 0
    assert capsys.readouterr().out == "1 passed, 0 failed\n"
    path.write_text(document(GCD, {**GCD, "id": "B", "expect": 1}), encoding="utf-8")
    assert main([str(path)]) == 1
    assert capsys.readouterr().out == "B gcd: wrong: answered 2, expected 1\n1 passed, 1 failed\n"


def test_the_command_prints_a_name_that_is_no_text(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "cases.json"
    path.write_text(document({**GCD, "id": "\ud800", "expect": 1}), encoding="utf-8")
    assert main([str(path)]) == 1
    assert capsys.readouterr().out.startswith("\\ud800 gcd: wrong")


def test_the_command_without_a_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 2
    assert capsys.readouterr().err == "usage: python -m mapal.affine FILE.json\n"
    assert main([str(tmp_path / "none.json")]) == 2
    assert "No such file" in capsys.readouterr().err
    path = tmp_path / "cases.json"
    path.write_bytes(b"\xff")
    assert main([str(path)]) == 2
    path.write_text("{}", encoding="utf-8")
    assert main([str(path)]) == 2
    captured = capsys.readouterr()
    assert f"error: {path}: expected schema" in captured.err
    assert captured.out == ""
