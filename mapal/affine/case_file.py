"""Case files: questions with the least answer expected and the truth, run and graded."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from mapal.affine.case_grading import grade
from mapal.affine.case_queries import QUERIES
from mapal.affine.case_values import MalformedError, record

SCHEMA = "mapal.affine.cases/1"
MOST_DIGITS = 100


@dataclass(frozen=True, slots=True)
class Case:
    """One question of a case file, not yet understood."""

    id: str
    query: str
    arguments: Any
    expect: Any
    truth: Any
    reason: Any


def load_cases(text: str) -> list[Case]:
    """The cases of a file.

    Raises `MalformedError` with the place and what was expected there.
    """
    try:
        document = record(json.loads(text, parse_int=_integer))
    except json.JSONDecodeError as fault:
        raise MalformedError(f"not JSON: {fault}") from None
    except RecursionError:
        raise MalformedError("values are nested too deeply") from None
    if document.get("schema") != SCHEMA:
        raise MalformedError(f"expected schema {SCHEMA!r}, found {document.get('schema')!r}")
    listed = document.get("cases")
    if not isinstance(listed, list):
        raise MalformedError("expected a list of cases")
    cases = [_case(number, value) for number, value in enumerate(listed)]
    seen: set[str] = set()
    for case in cases:
        if case.id in seen:
            raise MalformedError(f"two cases are named {case.id}")
        seen.add(case.id)
    return cases


def _integer(digits: str) -> int:
    """An integer of a case file. Beyond the limit products of several would have more digits than
    Python prints."""
    if len(digits) > MOST_DIGITS:
        raise MalformedError(f"an integer has more than {MOST_DIGITS} digits")
    return int(digits)


def _case(number: int, value: object) -> Case:
    if not isinstance(value, dict):
        raise MalformedError(f"case {number}: expected an object, found {value!r}")
    name = value.get("id")
    if not isinstance(name, str):
        raise MalformedError(f"case {number}: expected an id, found {name!r}")
    missing = [field for field in ("query", "in", "expect", "truth") if field not in value]
    if missing:
        raise MalformedError(f"case {name}: {missing[0]} is missing")
    query = value["query"]
    if not isinstance(query, str):
        raise MalformedError(f"case {name}: expected the name of a query, found {query!r}")
    return Case(name, query, value["in"], value["expect"], value["truth"], value.get("reason"))


def failure(case: Case) -> str | None:
    """What is wrong with the engine's answer to a case, None if it passes."""
    query = QUERIES.get(case.query)
    if query is None:
        return f"malformed: there is no query {case.query!r}"
    try:
        answer = query.answer(case.arguments)
    except MalformedError as fault:
        return f"malformed: {fault}"
    try:
        found = grade(case.query, answer.value, case.expect, case.truth)
    except (TypeError, KeyError, ValueError, IndexError):
        return "malformed: expect or truth is no answer to this query"
    told = json.dumps(answer.value)
    if found == "unsound":
        return f"UNSOUND: answered {told}, the truth is {json.dumps(case.truth)}"
    if found != "pass":
        return f"{found}: answered {told}, expected {json.dumps(case.expect)}"
    if case.reason is not None and answer.value == case.expect and answer.reason != case.reason:
        return f"reason: {json.dumps(answer.reason)}, expected {json.dumps(case.reason)}"
    return None


def failures(cases: list[Case]) -> Iterator[tuple[Case, str]]:
    """The cases that fail, in order, with what is wrong."""
    for case in cases:
        told = failure(case)
        if told is not None:
            yield case, told
