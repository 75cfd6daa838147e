"""The generator is deterministic, its programs are sound, and it makes every shape."""

from __future__ import annotations

import os
import subprocess
import sys
from collections import Counter
from functools import cache
from itertools import pairwise

from mapal.ir.graph import FunctionKind, Graph
from mapal.ir.ops import Binary, BinaryCode, Call, Index, LoopBack, LoopExit, Map, Pair, Update
from mapal.ir.text import print_graph
from mapal.ir.types import is_integer
from mapal.ir.verify import verify
from mapal.sweep.census import shapes_of
from mapal.sweep.generate import RandomSource, generate, script_of
from mapal.sweep.program import Program, build
from mapal.sweep.script import Script

COUNT = 400
SEED = 20


@cache
def programs() -> tuple[tuple[Script, Program], ...]:
    scripts = [script_of(SEED, number) for number in range(COUNT)]
    return tuple((script, build(script)) for script in scripts)


def test_equal_seeds_make_equal_scripts() -> None:
    assert script_of(1, 2) == script_of(1, 2)
    assert script_of(1, 2) != script_of(1, 3)
    assert script_of(1, 2) != script_of(2, 2)


def test_graphs_are_the_same_in_every_process() -> None:
    program = (
        "from mapal.ir.text import print_graph\n"
        "from mapal.sweep.generate import script_of\n"
        "from mapal.sweep.program import build\n"
        "print(''.join(print_graph(build(script_of(5, n)).graph) for n in range(10)), end='')\n"
    )
    environment = {**os.environ, "PYTHONHASHSEED": "77"}
    result = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, env=environment, check=True
    )
    here = "".join(print_graph(build(script_of(5, number)).graph) for number in range(10))
    assert result.stdout.decode() == here


def test_every_program_verifies() -> None:
    for _, program in programs():
        assert verify(program.graph) == []


def test_order_keys_follow_the_emission() -> None:
    """An operation has the key of no other one, and later ones have later keys; what is written
    before a guard and stands in its arm is the exception that it is meant to be."""
    later = earlier = 0
    for _, program in programs():
        whole = (Pair, LoopBack, LoopExit)
        keys = [m.key for m in program.graph.morphisms if not isinstance(m.op, whole)]
        assert len(set(keys)) == len(keys)
        steps = [after > before for before, after in pairwise(keys)]
        later += sum(steps)
        earlier += len(steps) - sum(steps)
    assert earlier < later // 10


def test_programs_without_traps_have_nothing_that_traps() -> None:
    seen = 0
    for script, program in programs():
        if script.mode == "trap_free":
            seen += 1
            assert not divisions_by_unknowns(program.graph)
    assert seen > COUNT // 10


def divisions_by_unknowns(graph: Graph) -> list[object]:
    """Integer divisions by anything but a constant other than 0."""
    found: list[object] = []
    for m in graph.morphisms:
        if isinstance(m.op, Binary) and m.op.code in (BinaryCode.DIV, BinaryCode.MOD):
            divisor = graph.objects[graph.operands(m)[1]]
            if is_integer(divisor.ty) and not divisor.value:
                found.append(m)
    return found


def test_bodies_of_reductions_are_total() -> None:
    for _, program in programs():
        graph = program.graph
        bodies = {f.id for f in graph.functions if f.kind is FunctionKind.REDUCE_BODY}
        for loop in graph.loops:
            assert loop.function not in bodies
        for m in graph.morphisms:
            if m.function not in bodies:
                continue
            assert not isinstance(m.op, Call)
            if isinstance(m.op, Index | Update):
                assert graph.objects[graph.operands(m)[1]].value is not None
        inside = [m for m in divisions_by_unknowns(graph) if getattr(m, "function", None) in bodies]
        assert inside == []


def test_the_census() -> None:
    """A few hundred programs hold every kind of structure many times."""
    counts: Counter[str] = Counter()
    for _, program in programs():
        counts.update(shapes_of(program.graph) | set(program.shapes))
    for shape, least in {
        "guard in the body of a loop": 20,
        "guard in the jump arm of a loop": 20,
        "guard in the exit arm of a loop": 10,
        "guard in an arm": 50,
        "guard in a map body": 3,
        "loop in an arm": 30,
        "loop in the body of a loop": 20,
        "loop in the jump arm of a loop": 20,
        "loop in the exit arm of a loop": 20,
        "loops three deep": 10,
        "loop in a map body": 2,
        "name carried by an inner and an outer loop": 8,
        "inner loop that begins with the outer state": 15,
        "printing loop in the body of a loop": 2,
        "printing loop in the jump arm of a loop": 2,
        "trap in an arm": 80,
        "trap in an arm and a loop": 40,
        "call that may trap in an arm": 20,
        "Map in an arm": 10,
        "Fold in a loop": 4,
        "call in a loop": 15,
        "map with a captured value": 20,
        "map with a captured array": 10,
        "fold in a captured map": 10,
        "body of two sites": 5,
        "clock read": 3,
        "call that prints": 3,
        "map loop as it should be": 4,
        "fold loop as it should be": 4,
        "loop that reads the value of a loop before it": 10,
        "trap used by two arms of a match": 5,
        "same trap under two conditions": 8,
    }.items():
        assert counts[shape] >= least, f"{shape}: {counts[shape]}"


def test_the_census_reads_the_graph() -> None:
    script = generate(RandomSource("no nesting"), largest=2)
    empty = build(Script("default", False, (), script.entry.__class__((), None, False, ())))
    assert shapes_of(empty.graph) == set()


def test_bodies_take_their_captures() -> None:
    captures = Counter(
        m.op.captures
        for _, program in programs()
        for m in program.graph.morphisms
        if isinstance(m.op, Map)
    )
    assert captures[0] > 50
    assert captures[1] > 20
    assert captures[2] > 5
