"""Answers about loops hold when the program runs: what is overwritten may be anything at first, and
independent iterations may run backwards."""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest

from mapal.analysis.legality import Question, legality, loops
from mapal.interpreter import run
from mapal.ir.graph import Graph
from tests.analysis.test_bounds import graph_of

LENGTH = 12
VALUES = tuple(range(3, 3 + LENGTH))


def _cell(random: Random) -> str:
    """An index of the counter that stays in range: shifted, backwards, permuted, folded."""
    shift, size = random.randrange(LENGTH), random.choice((2, 3, 4, 5, 6))
    forms = [
        "i",
        "11 - i",
        f"(i + {shift}) % 12",
        f"i % {size}",
        f"i / {size}",
        f"i % {size} + {shift} % {13 - size}",
        f"i / 2 * 2 + {shift} % 2",
        str(shift),
    ]
    if 12 % size == 0:
        forms += [f"i % {size} * {12 // size} + i / {size}"] * 3
    return random.choice(forms)


def _program(random: Random) -> str:
    """A loop over an array, forwards; `{i}` is what it calls its counter's value."""
    value = random.choice(["v[i]", f"v[{_cell(random)}]"])
    if random.random() < 0.5:
        value += f" + a[{random.choice(('i', _cell(random)))}]"
    statement = f"a[{_cell(random)}] <- {value};"
    if random.random() < 0.2:
        statement = f"{value} -> x; (v[i] > 8) -> {{ -true-> x; -false-> i; }} -> y; a[i] <- y;"
    return statement


def _loop(body: str, *, backwards: bool) -> Graph:
    at = "11 - n" if backwards else "n + 0"
    return graph_of(f"""
        fn main(v: [i32; 12], start: [i32; 12]) -> [i32; 12] {{
            mut a: [i32; 12] <- start;
            mut n: i32 <- 0;
            loop {{ (n < 12) -> {{
                -true-> {{ {at} -> i; {body} n + 1 -> n; -> loop; }}
                -false-> a -> r; }} }}
            r -> ret;
        }}""")


def _result(graph: Graph, start: int) -> object:
    inputs = {"v": VALUES, "start": tuple(start + 5 * k for k in range(LENGTH))}
    outcome = run(graph, inputs, budget=100_000)
    assert outcome.kind == "done"
    return outcome.result


def _fault(random: Random, counts: Counter[str]) -> str | None:
    """An answer about a random loop that its runs disprove."""
    body = _program(random)
    graph = _loop(body, backwards=False)
    yes = {answer.question for answer in legality(graph) if answer.is_proved}
    first = _result(graph, 100)
    starts_matter = _result(graph, -7) != first
    order_matters = _result(_loop(body, backwards=True), 100) != first
    counts["overwritten"] += Question.OVERWRITTEN in yes
    counts["really overwritten"] += not starts_matter
    counts["parallel"] += Question.PARALLEL in yes
    counts["really parallel"] += not order_matters
    if Question.OVERWRITTEN in yes and starts_matter:
        return f"overwritten: {body}"
    if Question.PARALLEL in yes and order_matters:
        return f"parallel: {body}"
    return None


def test_answers_about_loops_hold() -> None:
    counts: Counter[str] = Counter()
    faults = [_fault(Random(f"loops/{number}"), counts) for number in range(120)]
    assert [fault for fault in faults if fault] == []
    # The questions are worth asking: both answers occur, and most of what is true is found.
    assert counts["overwritten"] * 2 > counts["really overwritten"] > 10
    assert counts["parallel"] * 4 > counts["really parallel"] > 30


@pytest.mark.parametrize(
    ("name", "broken"),
    [
        ("tie", lambda *_: None),
        ("_obstacle_to_overwriting", lambda *_: None),
    ],
)
def test_a_careless_answer_is_found(
    name: str, broken: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(loops, name, broken)
    assert any(_fault(Random(f"loops/{number}"), Counter()) for number in range(250))
