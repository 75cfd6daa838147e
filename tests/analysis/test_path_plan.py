"""Parallel schedules: what is a task, what waits for what, and what stays on the spine."""

from __future__ import annotations

from pathlib import Path

import pytest

from mapal.analysis.path_plan import Checkpoint, PathPlan, Task, Wait, path_plan
from mapal.analysis.path_units import is_clock_read, spine, units
from mapal.ir.graph import Graph, ObjectKind
from mapal.ir.ops import ObjectId
from mapal.ir.types import I32, IO
from mapal.rewrite import rewrite
from tests.rewrite.build import ADD, DIV, LT, Lines, Program
from tests.rewrite.programs import SOURCES, graph_of, graph_of_file


def plan_of(text: str) -> tuple[Graph, PathPlan]:
    graph = graph_of(text)
    return graph, path_plan(graph, graph.entry)


def kinds(plan: PathPlan) -> list[str]:
    return ["split" if task.split is not None else "seq" for task in plan.tasks]


def before(tasks: tuple[Task, ...], number: int) -> set[int]:
    """The tasks that have ended when one starts."""
    found: set[int] = set()
    work = list(tasks[number].deps)
    while work:
        task = work.pop()
        if task not in found:
            found.add(task)
            work.extend(tasks[task].deps)
    return found


@pytest.mark.parametrize("source", SOURCES, ids=lambda path: path.stem)
def test_every_value_is_there_when_a_task_reads_it(source: Path) -> None:
    raw = graph_of_file(source)
    for graph in (raw, rewrite(raw).graph):
        for function in graph.functions:
            plan = path_plan(graph, function.id)
            made_by: dict[ObjectId, int] = {}
            for number, task in enumerate(plan.tasks):
                for unit in task.units:
                    made_by.update(dict.fromkeys(unit.defines, number))
            members = [unit for task in plan.tasks for unit in task.units]
            on_spine = spine(graph, function.id)
            clocks = {o for unit in members if is_clock_read(unit) for o in unit.defines}
            assert len(members) == len({unit.first for unit in members})
            assert len(members) + sum(
                unit.item.target in on_spine for unit in units(graph, function.id)
            ) == len(units(graph, function.id))
            for number, task in enumerate(plan.tasks):
                earlier = before(plan.tasks, number)
                assert number not in earlier
                own: set[ObjectId] = set()
                for unit in task.units:
                    for obj in unit.reads:
                        assert obj not in clocks or unit.defines <= clocks, "not on the spine"
                        if graph.is_token_bearing(obj):
                            continue
                        is_input = graph.objects[obj].kind is ObjectKind.PARAMETER
                        assert is_input or obj in own or made_by[obj] in earlier
                    own |= unit.defines


def test_collections_are_tasks_and_scalars_join() -> None:
    _, plan = plan_of(
        "fn main(a: [i32; 8], x: i32) -> i32 { a -> map { e -> e + x } -> m;"
        " a -> map { e -> e * 2 } -> n; (0, m) -> fold { s, e -> s + e } -> t;"
        " t + n[1] + x * 3 -> ret; }"
    )
    assert kinds(plan).count("split") == 2
    folds = [task for task in plan.tasks if task.split is None and task.weight == 8]
    assert len(folds) == 1
    first = next(number for number, task in enumerate(plan.tasks) if task.split is not None)
    assert plan.tasks[first].rank > plan.tasks[plan.tasks.index(folds[0])].rank
    assert not plan.is_single_path
    assert plan.checkpoints == (
        Checkpoint(None, tuple(Wait(number, None) for number in range(len(plan.tasks)))),
    )


def test_a_print_waits_for_the_traps_before_it() -> None:
    def main(f: Lines) -> ObjectId:
        token, x = f.arg(0), f.arg(1)
        first = f.op(DIV, f.c(1), x)
        token = f.println(token, f.c(5))
        second = f.op(DIV, f.c(2), x)
        return f.println(token, f.op(ADD, first, second))

    graph = Program().main(main, (IO, I32), IO)
    plan = path_plan(graph, graph.entry)
    (task,) = plan.tasks
    one, other, last = plan.checkpoints
    assert task.trap_min == task.traps[0]
    assert len(task.traps) == 2
    assert one.waits == (Wait(0, task.traps[0]),)
    assert other.waits == (Wait(0, None),)
    assert last.position is None
    assert one.position is not None
    assert task.traps[0] < one.position < task.traps[1]


def test_clock_reads_fence_and_their_readers_stay_on_the_spine() -> None:
    graph, plan = plan_of(
        "fn main() { 9 -> iota -> map { e -> e + 1 } -> m; () -> time -> t;"
        " m -> map { e -> e * 2 } -> n; () -> time -> u; n[1] -> println; u - t -> println; }"
    )
    clocks = [number for number, task in enumerate(plan.tasks) if task.pinned]
    assert len(clocks) == 2
    later = [
        number
        for number, task in enumerate(plan.tasks)
        if task.units[0].first > plan.tasks[clocks[0]].units[0].first and number not in clocks
    ]
    assert later
    assert all(clocks[0] in plan.tasks[number].deps for number in later)
    assert set(plan.tasks[clocks[1]].deps) >= {clocks[0]}
    assert spine(graph, graph.entry)


def test_a_call_that_can_trap_is_pinned() -> None:
    _, plan = plan_of(
        "fn h(x: i32) -> i32 { 1 / x -> ret; }\nfn main(x: i32) -> i32 { x -> h -> ret; }"
    )
    assert [task.pinned for task in plan.tasks] == [True]
    assert plan.is_single_path


def test_a_loop_is_a_task() -> None:
    def main(f: Lines) -> ObjectId:
        x = f.loop(f.f.input, lambda s: f.op(LT, s, f.c(9)), lambda s: f.op(ADD, s, f.c(2)))
        return f.op(ADD, x, f.op(ADD, f.f.input, f.c(1)))

    graph = Program().main(main, (I32,))
    plan = path_plan(graph, graph.entry)
    assert len(plan.tasks) == 3
    assert [task.weight for task in plan.tasks] == [1, 1, 1]


def test_scalars_around_a_collection_do_not_wait_for_each_other() -> None:
    """`x` joins the work before and after the map, which lies between: two tasks."""
    graph, plan = plan_of(
        "fn main(x: i32) -> i32 { x * 2 -> y; (y, 4) -> fill -> map { e -> e + y } -> m;"
        " m[0] + x -> ret; }"
    )
    assert kinds(plan)[0] == "seq"
    assert kinds(plan)[-1] == "seq"
    assert len(plan.tasks) == 4
    assert path_plan(graph, graph.entry) is plan


def test_a_long_chain_is_one_task() -> None:
    def main(f: Lines) -> ObjectId:
        x = f.f.input
        for _ in range(20_000):
            x = f.op(ADD, x, f.f.input)
        return x

    graph = Program().main(main, (I32,))
    plan = path_plan(graph, graph.entry)
    assert plan.is_single_path
    assert len(plan.tasks[0].units) == 20_001
