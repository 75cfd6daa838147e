"""The engine of index maps beside the simple rules that it replaced, over all projects and over
generated programs: what a rule allows, the engine proves.

`./dev python -m tests.analysis.crosschecked --count N --seed S` prints what it counted; with
`--first`, several processes share the programs of a seed. Half of the generated programs are those
of a sweep, half are about indexes; each is looked at before and after the rewriter.
"""

from __future__ import annotations

import argparse
import logging
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from random import Random

from mapal.analysis.legality import compared
from mapal.codegen import emit
from mapal.diagnostics import CompilerBug
from mapal.ir.graph import Graph
from mapal.ir.text import parse_graph, print_graph
from mapal.lower import Arithmetic, lower
from mapal.project.file import load_project
from mapal.project.template import substitute
from mapal.rewrite import PassFailure, rewrite
from mapal.sweep.generate import script_of
from mapal.sweep.program import build
from mapal.syntax import parse
from mapal.target import TargetProfile, load_profile
from tests.analysis.index_programs import Writer

PROJECTS = Path(__file__).parents[2] / "projects"


def projects() -> Iterator[tuple[str, Graph]]:
    """The lowered programs of all projects."""
    for file in sorted(PROJECTS.glob("*/mapal.yaml")):
        for program in load_project(file).programs:
            source = (file.parent / program.source).read_text()
            text = substitute(source, dict(program.sizes), program.source)
            mode: Arithmetic = "fused" if program.arithmetic == "fused" else "exact"
            graph = lower(parse(text).program, mode).graph
            assert graph is not None
            yield program.name, graph


def generated(seed: int, number: int) -> Graph:
    """Program `number` of a seed."""
    if number % 2 == 0:
        return build(script_of(seed, number // 2)).graph
    source = Writer(Random(f"{seed}/{number}")).program()
    graph = lower(parse(source).program, "exact").graph
    assert graph is not None
    return graph


def examine(name: str, graph: Graph, profile: TargetProfile) -> Counter[str]:
    """Emits a program and its rewritten form, and counts questions, proofs and gains. Raises
    `CompilerBug` if a rule allows more than the engine."""
    counts: Counter[str] = Counter(programs=1)
    forms = [graph]
    try:
        with compared(True) as gains:
            forms.append(rewrite(graph).graph)
        counts["more than the rules of rewriting"] += len(gains)
    except PassFailure as failure:
        print(f"program {name} is not rewritten: {failure}")
        counts["not rewritten"] += 1
    for form in forms:
        # A graph that nobody has asked yet: answers are remembered.
        fresh = parse_graph(print_graph(form))
        plan = emit(fresh, profile, name=name, compares=True).plan
        counts["questions"] += len(plan["legality"])
        counts["proofs"] += sum(answer["answer"] == "yes" for answer in plan["legality"])
        counts["accesses"] += sum(site["kind"] == "access" for site in plan["sites"])
        counts["unguarded"] += sum(site["shape"] == "unguarded" for site in plan["sites"])
        counts["more than the rules"] += len(plan["crosscheck"])
    return counts


def main(arguments: list[str]) -> int:
    """0 if no rule allowed more than the engine."""
    parser = argparse.ArgumentParser(prog="python -m tests.analysis.crosschecked")
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seed", type=int, default=6)
    parser.add_argument("--first", type=int, default=0, help="number of the first program")
    options = parser.parse_args(arguments)
    profile = load_profile("generic")
    total: Counter[str] = Counter()
    stricter = 0
    numbers = range(options.first, options.first + options.count)
    numbered = ((f"{n}", generated(options.seed, n)) for n in numbers)
    groups = (("projects", projects() if options.first == 0 else ()), ("generated", numbered))
    for group, programs in groups:
        for name, graph in programs:
            try:
                total += examine(name, graph, profile)
            except CompilerBug as bug:
                stricter += 1
                print(f"{group}, program {name}: {bug}")
        print(f"{group}: {', '.join(f'{count:,} {what}' for what, count in total.items())}")
        total.clear()
    print(f"{stricter} stricter answers")
    return 1 if stricter else 0


if __name__ == "__main__":
    # The counts say it all.
    logging.getLogger("mapal.affine.crosscheck").setLevel(logging.CRITICAL)
    sys.exit(main(sys.argv[1:]))
