"""Measuring candidates in turns with what is there, step by step.

A candidate wins a step if its time over that of the base, over all rows of the trial, is less than
any other's and clearly less than one: by `MARGIN` on the geometric mean, with no row worse by more,
and with three quarters of the rounds of every row on its side or at par. The quickest of many has
been lucky, too, so it has to be better once more, alone against the base. Without quiet rounds
nothing is decided. The winner is the base of the next step.

Candidates whose emitted text is that of another are not measured twice, and numbers that the
generator does not ask about change no text, so that they are never chosen.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import prod
from pathlib import Path
from typing import Any

from mapal.bench.figures import FEWEST_QUIET, counted_rounds, of_rounds, ratio_figures, time_figures
from mapal.bench.limits.building import Builder, Library, graph_of, source_of
from mapal.bench.limits.expected import expected_result
from mapal.bench.limits.measuring import write_inputs
from mapal.bench.limits.rows import Row
from mapal.bench.run import compile_driver
from mapal.bench.run_worker import run_worker, thread_environment
from mapal.bench.tuning.trials import Numbers, Step, Trial
from mapal.target import TargetProfile
from mapal.target.tiles import tiles_of

MARGIN = 0.015
_ROUNDS = 9
_PATIENCE_SECONDS = 2.0


@dataclass(frozen=True, slots=True)
class Finding:
    """One candidate of one step: for each row the base's and its own median in milliseconds,
    their ratio, the quartiles of the rounds' ratios, and how many rounds counted."""

    kernel: str
    step: str
    numbers: Numbers
    rows: Mapping[str, Mapping[str, Any]]
    is_chosen: bool = False

    @property
    def is_decided(self) -> bool:
        """Whether every row had enough quiet rounds."""
        return all(row["quiet_rounds"] >= FEWEST_QUIET for row in self.rows.values())

    @property
    def ratio(self) -> float:
        """Its time over the base's, over all rows."""
        ratios = [float(row["ratio"]) for row in self.rows.values()]
        return float(prod(ratios) ** (1 / len(ratios)))


def search(
    trial: Trial,
    profile: TargetProfile,
    builder: Builder,
    store: Path,
    say: Callable[[str], None],
    rounds: int = _ROUNDS,
) -> tuple[Numbers, list[Finding]]:
    """The numbers that won, and all that was measured. Raises `UserError` or `WrongAnswer`."""
    chosen: dict[str, int] = dict(profile.tiles.get(trial.kernel))
    findings: list[Finding] = []
    for step in trial.steps:
        tried = _Tried(trial, dict(chosen), profile, builder, store, say, rounds)
        measured = _measure_step(tried, step)
        winner = best(measured)
        if winner is None:
            findings += measured
            continue
        again = _measure_step(tried, Step(f"{step.name} again", (winner.numbers,)))
        confirmed = best(again)
        if confirmed is not None:
            chosen.update(winner.numbers)
        findings += measured
        findings += [replace(found, is_chosen=confirmed is not None) for found in again]
    return chosen, findings


@dataclass(frozen=True, slots=True)
class _Tried:
    """What the steps of a trial share, and the numbers chosen before."""

    trial: Trial
    chosen: Numbers
    profile: TargetProfile
    builder: Builder
    store: Path
    say: Callable[[str], None]
    rounds: int


def best(measured: Sequence[Finding]) -> Finding | None:
    """The candidate that wins a step, if any does."""
    clear = [found for found in measured if _is_clearly_better(found)]
    return min(clear, key=lambda found: found.ratio, default=None)


def _is_clearly_better(found: Finding) -> bool:
    return (
        found.is_decided
        and found.ratio < 1 - MARGIN
        and all(
            row["ratio"] < 1 + MARGIN and row["quartiles"][1] <= 1 + MARGIN / 3
            for row in found.rows.values()
        )
    )


def _measure_step(tried: _Tried, step: Step) -> list[Finding]:
    """All candidates of a step that make a difference to every row."""
    trial = tried.trial
    found: dict[int, dict[str, Mapping[str, Any]]] = {}
    for row in trial.rows:
        tried.say(f"{trial.kernel}: {step.name}, {row.name}")
        builds = _builds(tried, row, step)
        for number, figures in _contest(tried, row, builds).items():
            found.setdefault(number, {})[row.name] = figures
    return [
        Finding(trial.kernel, step.name, step.candidates[number], rows)
        for number, rows in sorted(found.items())
        if len(rows) == len(trial.rows)
    ]


_BASE = -1


def _builds(tried: _Tried, row: Row, step: Step) -> dict[int, Library]:
    """The base and the candidates whose text is theirs alone, by number."""
    graph = graph_of(source_of(row), row.arithmetic)
    found: dict[int, Library] = {}
    for number in (_BASE, *range(len(step.candidates))):
        further = {} if number == _BASE else step.candidates[number]
        profile = _fixed(tried.profile, tried.trial.kernel, {**tried.chosen, **further})
        library = tried.builder.program(graph, profile, row.name)
        if all(library.ll != other.ll for other in found.values()):
            found[number] = library
    return found


def _fixed(profile: TargetProfile, kernel: str, numbers: Numbers) -> TargetProfile:
    """A profile with these numbers for a kernel."""
    tiles = profile.policy.tiles.updated(tiles_of({kernel: dict(numbers)}))
    return replace(profile, policy=replace(profile.policy, tiles=tiles))


def _contest(tried: _Tried, row: Row, builds: Mapping[int, Library]) -> dict[int, dict[str, Any]]:
    """Each build against the base, in one process and in turns."""
    with tempfile.TemporaryDirectory(prefix="mapal-tune-") as directory:
        scratch = Path(directory)
        inputs = write_inputs(row, scratch)
        builder = tried.builder
        expected = expected_result(row, inputs, builder, tried.store, scratch, tried.say)
        (scratch / "repeat.so").write_bytes(compile_driver(builder.compiler))
        for number, library in builds.items():
            (scratch / f"{number}.so").write_bytes(library.data)
        request = {
            "library": str(scratch / f"{_BASE}.so"),
            "driver": str(scratch / "repeat.so"),
            "inputs": {name: str(path) for name, path in inputs.items()},
            "expected": [str(expected.path)],
            "repeat": tried.rounds,
            "threads": 1,
            "patience": _PATIENCE_SECONDS,
            "peers": [
                {"name": str(number), "library": str(scratch / f"{number}.so"), "program": True}
                for number in builds
                if number != _BASE
            ],
        }
        figures = run_worker(row.name, request, thread_environment(1))
    return _figures(figures, [number for number in builds if number != _BASE])


def _figures(figures: Mapping[str, Any], numbers: Sequence[int]) -> dict[int, dict[str, Any]]:
    counted = counted_rounds(figures["quiet"])
    base = of_rounds(figures["samples"]["mapal"], counted)
    found: dict[int, dict[str, Any]] = {}
    for number in numbers:
        samples = of_rounds(figures["samples"][str(number)], counted)
        ratios = ratio_figures(samples, base)
        found[number] = {
            "base_ms": time_figures(base)["median_ms"],
            "median_ms": time_figures(samples)["median_ms"],
            "ratio": ratios["ratio"],
            "quartiles": ratios["ratio_quartiles"],
            "quiet_rounds": sum(figures["quiet"]),
            "rounds": len(figures["quiet"]),
        }
    return found
