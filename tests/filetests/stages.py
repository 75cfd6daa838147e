"""The stages that a filetest can name: what each makes of a program, as text."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from mapal.check import check
from mapal.codegen import emit
from mapal.diagnostics import Diagnostic, LocationTable, SourceText, span_of
from mapal.interpreter import run
from mapal.ir.graph import Graph
from mapal.ir.verify import verify
from mapal.lower import Arithmetic, lower
from mapal.rewrite import rewrite
from mapal.syntax import parse
from mapal.target import load_profile
from tests.codegen.index_guards import index_guards
from tests.filetests.file_format import FileTest, MalformedError, Marker
from tests.graph_outline import outline

_BUDGET = 2_000_000


def arithmetic_of(test: FileTest) -> Arithmetic:
    match test.options.get("arithmetic", "exact"):
        case "exact":
            return "exact"
        case "fused":
            return "fused"
        case other:
            raise MalformedError(f"there is no arithmetic {other}")


def reports(test: FileTest) -> tuple[list[Marker], Graph | None, LocationTable]:
    """What parser, lowering and checks report about the program, and its graph."""
    parsed = parse(test.source)
    text = SourceText(test.source)

    def marked(found: tuple[Diagnostic, ...]) -> list[Marker]:
        places = [text.position(span_of(item, parsed.locations)[0]) for item in found]
        return [
            Marker(item.code, place.line, place.column)
            for item, place in zip(found, places, strict=True)
        ]

    if parsed.diagnostics:
        return marked(parsed.diagnostics), None, parsed.locations
    lowered = lower(parsed.program, arithmetic_of(test))
    if lowered.graph is None:
        return marked(lowered.diagnostics), None, parsed.locations
    assert verify(lowered.graph) == []
    return marked(check(parsed.program, lowered.graph)), lowered.graph, parsed.locations


def _lower(test: FileTest, graph: Graph, locations: LocationTable) -> str:
    """Regions with the operations in them."""
    return outline(graph)


def _run(test: FileTest, graph: Graph, locations: LocationTable) -> str:
    """What the program prints and how it ends, in the plain interpreter. A line that is not
    ended by the program ends in a backslash."""
    outcome = run(graph, {}, budget=_BUDGET)
    lines = list(_printed(outcome.output.decode()))
    match outcome.kind:
        case "trapped":
            assert outcome.trap is not None
            assert outcome.trap.token is not None
            token = outcome.trap.token
            place = SourceText(test.source).position(locations.span_of((token, token))[0])
            lines.append(f"trapped: {outcome.trap.kind} at {place.line}:{place.column}")
        case kind:
            lines.append(kind)
    if outcome.result is not None:
        lines.append(f"result: {outcome.result}")
    return "\n".join(lines) + "\n"


def _guards(test: FileTest, graph: Graph, locations: LocationTable) -> str:
    """Each access of the emitted program with whether it is guarded, and the guards in the text.
    Without kernels, which take the place of accesses."""
    form, profile = rewrite(graph).graph, load_profile("generic")
    emission = emit(form, profile, name="program", has_kernels=False)
    text, lines = SourceText(test.source), []
    for site in emission.plan["sites"]:
        if site["kind"] == "access":
            place = text.position(locations.span_of((site["token"], site["token"]))[0])
            lines.append(f"{place.line}:{place.column} {site['shape']}")
    found = index_guards(emission.ll)
    lines.append(f"guards: {found.in_loops} in loops, {found.elsewhere} elsewhere")
    return "\n".join(lines) + "\n"


def _plan(test: FileTest, graph: Graph, locations: LocationTable) -> str:
    """For each target, the form chosen for every map, fold and reduction, and why."""
    rewritten, text, lines = rewrite(graph).graph, SourceText(test.source), []
    for target in test.options.get("targets", "generic").split(", "):
        lines.append(f"{target}:")
        for site in emit(rewritten, load_profile(target), name="program").plan["sites"]:
            if site["kind"] in ("map", "fold", "reduce"):
                place = text.position(locations.span_of((site["token"], site["token"]))[0])
                where = f"{place.line}:{place.column} {site['kind']} of {site['elements']}"
                lines += [f"  {where}: {site['shape']}", f"    {site['reason']}"]
    return "\n".join(lines) + "\n"


def _printed(output: str) -> Iterator[str]:
    *whole, rest = output.split("\n")
    for line in whole:
        yield f"| {line}".rstrip()
    if rest:
        yield f"| {rest}\\"


STAGES: dict[str, Callable[[FileTest, Graph, LocationTable], str] | None] = {
    "check": None,
    "lower": _lower,
    "run": _run,
    "guards": _guards,
    "plan": _plan,
}
"""Stages by name; `check` compares the markers only."""
