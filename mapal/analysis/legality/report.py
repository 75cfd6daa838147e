"""All answers about a program, in the order in which its accesses were found."""

from __future__ import annotations

from mapal.analysis.legality.answers import Answer, Question, Verdict
from mapal.analysis.legality.loops import component_of_state, fold_verdict, loop_verdicts
from mapal.analysis.legality.maps import map_verdicts
from mapal.analysis.legality.program import Program
from mapal.analysis.legality.reads import reads_verdict
from mapal.analysis.legality.updates import update_verdict
from mapal.ir import ops
from mapal.ir.graph import Graph, Key
from mapal.ir.ops import FunctionId, LoopId, MorphismId
from mapal.ir.types import Struct, Tuple


def legality(graph: Graph, *, threads: int | None = None) -> tuple[Answer, ...]:
    """Every answer about a graph. A site that stands at several places gets a yes only if each
    of them does; the reason is then that of the first that does not. `threads` is the size of a
    block of GPU threads; without it nothing is asked about grids."""
    return tuple(_answers(graph, threads).values())


def proved_operations(graph: Graph, question: Question) -> frozenset[MorphismId]:
    """The operations for which a question, not one about grids, is answered with yes."""
    answers = _answers(graph, None)
    return frozenset(
        MorphismId(site)
        for (_, kind, site, asked, _), answer in answers.items()
        if kind == "operation" and asked is question and answer.is_proved
    )


def overwritten_components(graph: Graph, loop: LoopId) -> frozenset[int]:
    """The components of a loop's state, 0 where it is one array, whose first value is never seen:
    arrays of which the loop writes every cell, and reads none."""
    merge = graph.ty(graph.loops[loop].merge)
    count = len(merge.items) if isinstance(merge, Tuple | Struct) else 1
    answers, function = _answers(graph, None), graph.loops[loop].function
    places = {
        slot: (function, "loop", loop, Question.OVERWRITTEN, component_of_state(slot))
        for slot in range(count)
    }
    return frozenset(
        slot for slot, place in places.items() if place in answers and answers[place].is_proved
    )


_Place = tuple[FunctionId, str, MorphismId | LoopId, Question, str]


def _answers(graph: Graph, threads: int | None) -> dict[_Place, Answer]:
    return graph.remembered(("legality", threads), lambda: _Report(graph, threads).run())


class _Report:
    def __init__(self, graph: Graph, threads: int | None) -> None:
        self._graph = graph
        self._threads = threads
        self._program = Program.of(graph)
        self._answers: dict[_Place, Answer] = {}

    def run(self) -> dict[_Place, Answer]:
        for record in self._program.table.records:
            if not record.write:
                continue
            morphism = self._graph.morphisms[record.site]
            if isinstance(morphism.op, ops.Map) and not record.whole:
                verdicts = map_verdicts(self._program, record, self._threads)
                verdicts.append(reads_verdict(self._program, record))
            elif isinstance(morphism.op, ops.Update):
                verdicts = [update_verdict(self._program, record)]
            elif record.rmw:
                verdicts = [fold_verdict(self._program, record)]
            else:
                continue
            for verdict in verdicts:
                self._add(record.function, record.site, "operation", morphism.key, verdict)
        for identity, frames in self._program.by_loop.items():
            loop = self._graph.loops[identity]
            for frame in frames:
                for verdict in loop_verdicts(self._program, frame):
                    self._add(loop.function, loop.id, "loop", loop.key, verdict)
        return self._answers

    def _add(
        self,
        function: FunctionId,
        site: MorphismId | LoopId,
        kind: str,
        key: Key,
        verdict: Verdict,
    ) -> None:
        name = self._graph.functions[function].name
        answer = verdict.placed(name, key[-1][0])
        place = (function, kind, site, verdict.question, verdict.part)
        before = self._answers.get(place)
        if before is None or before.is_proved:
            self._answers[place] = answer
