"""The battery: every way to run a program, held to one ending.

Legs: the plain interpreter defines; the lockstep interpreter for all collections, and native
code at each level, follow; and each of them again on the rewritten graph. With `each`, every
pass of the pipeline alone is a rewritten graph of its own for the plain interpreter.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Literal, TypeVar

from mapal.diagnostics import CompilerBug, Unsupported, UserError
from mapal.interpreter import run
from mapal.ir.entry import entry_ports
from mapal.ir.graph import Graph
from mapal.ir.ops import TimeMs
from mapal.ir.text import parse_graph, print_graph
from mapal.ir.verify import verify
from mapal.rewrite import PIPELINE, apply_pass, rewrite
from mapal.sweep.census import shapes_of
from mapal.sweep.endings import Ending, ending_of
from mapal.sweep.executable import run_as_process
from mapal.sweep.native import Case, run_natively
from mapal.sweep.program import Program, build
from mapal.sweep.script import Script
from mapal.target import TargetProfile

BUDGET = 4_000_000
"""Steps of the plain interpreter: ample, since every program is bounded."""

LOCKSTEP_BUDGET = 100 * BUDGET
"""The lockstep interpreter counts otherwise."""

TICK = 0.5
"""Milliseconds between two readings of the clock, in every leg."""

Rewriting = Literal["pipeline", "each"]

Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class Difference:
    """A leg that ended in another way than the plain interpreter on the raw graph, or a bug on
    the way. `leg` is stable under shrinking, `text` tells what was found."""

    leg: str
    text: str


@dataclass(slots=True)
class Tally:
    """Counts over many programs: shapes (programs that hold one), endings of runs, how often
    each pass changed a graph and how often it did not."""

    programs: int = 0
    runs: int = 0
    shapes: Counter[str] = field(default_factory=Counter)
    endings: Counter[str] = field(default_factory=Counter)
    fired: Counter[str] = field(default_factory=Counter)
    refused: Counter[str] = field(default_factory=Counter)

    def add(self, other: Tally) -> None:
        self.programs += other.programs
        self.runs += other.runs
        self.shapes.update(other.shapes)
        self.endings.update(other.endings)
        self.fired.update(other.fired)
        self.refused.update(other.refused)


@dataclass(slots=True)
class _Candidate:
    """One script on its way through the battery."""

    program: Program
    expected: list[Ending]
    graphs: list[tuple[str, Graph]]
    difference: Difference | None = None


def check(
    scripts: Sequence[Script],
    profile: TargetProfile,
    rewriting: Rewriting = "pipeline",
    *,
    native: bool = True,
    text_every: int = 1,
    executable_every: int = 1,
    tally: Tally | None = None,
) -> list[Difference | None]:
    """The first difference of each script, or None. One graph of `text_every` is printed and
    read back, and one of `executable_every` (none for 0) made a program of its own: both are
    slow."""
    counts = tally if tally is not None else Tally()
    candidates = [
        _guarded(partial(_prepare, script, rewriting, counts, number % text_every == 0))
        for number, script in enumerate(scripts)
    ]
    found: list[Difference | None] = []
    for candidate in candidates:
        if isinstance(candidate, Difference):
            found.append(candidate)
        else:
            found.append(candidate.difference or _interpreted(candidate))
    if native:
        _add_native(candidates, found, profile)
        for number in range(0, len(scripts), executable_every) if executable_every else ():
            candidate = candidates[number]
            if found[number] is None and isinstance(candidate, _Candidate):
                found[number] = _as_process(candidate, profile)
    return found


def _guarded(work: Callable[[], Result]) -> Result | Difference:
    """The value, or the bug of ours that turned up instead."""
    try:
        return work()
    except (CompilerBug, UserError, AssertionError, Unsupported, ArithmeticError) as error:
        return Difference(f"bug {type(error).__name__}", str(error)[:2000])
    except (LookupError, TypeError, ValueError, AttributeError, RecursionError) as error:
        return Difference(f"bug {type(error).__name__}", str(error)[:2000])


def _prepare(script: Script, rewriting: Rewriting, tally: Tally, as_text: bool) -> _Candidate:
    program = build(script)
    graph = program.graph
    violations = verify(graph)
    if violations:
        raise CompilerBug(f"the graph does not verify: {violations[0]}")
    expected = interpreted_endings(graph, program, BUDGET, None)
    tally.programs += 1
    tally.runs += len(expected)
    tally.shapes.update(set(program.shapes) | shapes_of(graph) | _traits(script))
    for ending in expected:
        tally.endings[ending.trap[0] if ending.trap else ending.kind] += 1
        tally.endings["trapped after output"] += bool(ending.trap and ending.output)
    candidate = _Candidate(program, expected, [("raw", graph)])
    rewritten = _guarded(partial(_rewritten, graph))
    if isinstance(rewritten, Difference):
        candidate.difference = Difference("rewrite", rewritten.text)
    elif rewritten is not graph:
        candidate.graphs.append(("rewritten", rewritten))
    if as_text and print_graph(parse_graph(print_graph(graph))) != print_graph(graph):
        candidate.difference = Difference("text", "the text form reads back to another graph")
    if rewriting == "each":
        candidate.difference = candidate.difference or _each_pass(candidate, tally)
    return candidate


def _traits(script: Script) -> set[str]:
    arithmetic = "fused arithmetic" if script.fused else "exact arithmetic"
    return {f"{script.strategy} program", f"{script.mode} program", arithmetic}


def _each_pass(candidate: _Candidate, tally: Tally) -> Difference | None:
    """Every pass alone, on the raw graph and on the pipeline's result."""
    for name, graph in list(candidate.graphs):
        for step in PIPELINE:
            leg = f"pass {step.name} on the {name} graph"
            application = _guarded(partial(apply_pass, graph, step))
            if isinstance(application, Difference):
                return Difference(leg, application.text)
            tally.refused[step.name] += len(application.declined)
            if application.replayed is None:
                continue
            tally.fired[step.name] += application.plan.count
            found = _compare(candidate, leg, application.replayed.graph, BUDGET, None)
            if found is not None:
                return found
    return None


def _interpreted(candidate: _Candidate) -> Difference | None:
    for name, graph in candidate.graphs:
        if name != "raw":
            found = _compare(candidate, f"plain on the {name} graph", graph, BUDGET, None)
            if found is not None:
                return found
        found = _compare(candidate, f"lockstep on the {name} graph", graph, LOCKSTEP_BUDGET, 1)
        if found is not None:
            return found
    return None


def _as_process(candidate: _Candidate, profile: TargetProfile) -> Difference | None:
    """The last graph as an executable, unless it reads the clock."""
    name, graph = candidate.graphs[-1]
    if any(isinstance(morphism.op, TimeMs) for morphism in graph.morphisms):
        return None
    leg = f"executable of the {name} graph"
    endings = _guarded(partial(run_as_process, graph, candidate.program.inputs, profile))
    if isinstance(endings, Difference):
        return Difference(leg, endings.text)
    return _first_difference(leg, candidate.expected, endings)


def _compare(
    candidate: _Candidate, leg: str, graph: Graph, budget: int, lockstep_from: int | None
) -> Difference | None:
    endings = _guarded(
        partial(interpreted_endings, graph, candidate.program, budget, lockstep_from)
    )
    if isinstance(endings, Difference):
        return Difference(leg, endings.text)
    return _first_difference(leg, candidate.expected, endings)


def interpreted_endings(
    graph: Graph, program: Program, budget: int, lockstep_from: int | None
) -> list[Ending]:
    """How each run of a program ends on the interpreter."""
    ports = entry_ports(graph)
    found: list[Ending] = []
    for inputs in program.inputs:
        outcome = run(
            graph,
            inputs,
            budget=budget,
            clock=partial(_tick, itertools.count()),
            lockstep_from=lockstep_from,
        )
        found.append(ending_of(outcome, ports))
    return found


def _tick(readings: Iterator[int]) -> float:
    return TICK * next(readings)


def _rewritten(graph: Graph) -> Graph:
    return rewrite(graph).graph


def _first_difference(
    leg: str, expected: Sequence[Ending], found: Sequence[Ending]
) -> Difference | None:
    for number, (wanted, ending) in enumerate(zip(expected, found, strict=True)):
        if wanted != ending:
            text = f"run {number}: plain {wanted.describe()}; {leg} {ending.describe()}"
            return Difference(leg, text)
    return None


def _add_native(
    candidates: Sequence[_Candidate | Difference],
    found: list[Difference | None],
    profile: TargetProfile,
) -> None:
    """Runs natively what has no difference yet and ends at all."""
    jobs: list[tuple[int, str]] = []
    cases: list[Case] = []
    for number, candidate in enumerate(candidates):
        if isinstance(candidate, Difference) or found[number] is not None:
            continue
        if any(ending.kind == "diverged" for ending in candidate.expected):
            found[number] = Difference("plain", "a bounded program spends its budget")
            continue
        for name, graph in candidate.graphs:
            jobs.append((number, name))
            cases.append(Case(graph, candidate.program.inputs))
    for (number, name), result in zip(jobs, run_natively(cases, profile), strict=True):
        candidate = candidates[number]
        assert isinstance(candidate, _Candidate)
        if found[number] is not None:
            continue
        if isinstance(result, str):
            found[number] = Difference(f"emit of the {name} graph", result)
            continue
        for level, endings in result.items():
            leg = f"native at level {level} on the {name} graph"
            found[number] = found[number] or _first_difference(leg, candidate.expected, endings)
