"""Pictures as Mermaid text: a frame per function, nested frames for regions.

Nodes are objects and arrows morphisms. Names of nodes count objects within their function, so
that equal functions look equal wherever they stand. The text is deterministic.
"""

from __future__ import annotations

import re

from mapal.ir.graph import Function, Graph
from mapal.ir.labels import REGION_TITLES, object_label, op_label
from mapal.ir.ops import ObjectId, RegionId

_HEADER = "flowchart LR"
_DEEPEST_INDENTATION = 32
_QUOTED = re.compile(r'"[^"]*"')
_NODE = re.compile(r"f\d+o\d+\(\(Q\)\)")
_EDGE = re.compile(r"f\d+o\d+ -- Q --> f\d+o\d+")
_FRAME = re.compile(r"subgraph f\d+(r\d+)?\[Q\]")


def to_mermaid(graph: Graph, verbose: bool = True) -> str:
    """The picture of a sealed graph. Without `verbose`, calls do not name their callee."""
    lines = [_HEADER]
    for function in graph.functions:
        lines.append(f'    subgraph f{function.id}["fn {_escaped(function.name)}"]')
        lines += _nodes(graph, function)
        places = {obj: f"f{function.id}o{place}" for place, obj in enumerate(function.objects)}
        for identity in function.morphisms:
            morphism = graph.morphisms[identity]
            label = _escaped(op_label(graph, morphism.op, verbose))
            source, target = places[morphism.source], places[morphism.target]
            lines.append(f'        {source} -- "{label}" --> {target}')
        lines.append("    end")
    return "\n".join(lines) + "\n"


def _nodes(graph: Graph, function: Function) -> list[str]:
    """The objects of each region in its frame, then the frames of the regions inside."""
    members: dict[RegionId, list[tuple[int, ObjectId]]] = {r: [] for r in function.regions}
    for place, obj in enumerate(function.objects):
        members[graph.region_of(obj)].append((place, obj))
    children: dict[RegionId, list[RegionId]] = {r: [] for r in function.regions}
    for region in function.regions:
        parent = graph.regions[region].parent
        if parent is not None:
            children[parent].append(region)
    ordinals = {region: ordinal for ordinal, region in enumerate(function.regions)}
    lines: list[str] = []
    work: list[tuple[int, RegionId | None]] = [(1, function.body)]
    while work:
        level, region_or_end = work.pop()
        indentation = "    " * min(level, _DEEPEST_INDENTATION)
        if region_or_end is None:
            lines.append(indentation + "end")
            continue
        region = region_or_end
        if region != function.body:
            title = REGION_TITLES[graph.regions[region].kind]
            lines.append(f'{indentation}subgraph f{function.id}r{ordinals[region]}["{title}"]')
            work.append((level, None))
        inside = "    " * min(level + 1, _DEEPEST_INDENTATION)
        for place, obj in members[region]:
            label = _escaped(object_label(graph.objects[obj]))
            lines.append(f'{inside}f{function.id}o{place}(("{label}"))')
        work.extend((level + 1, child) for child in reversed(children[region]))
    return lines


def _escaped(label: str) -> str:
    return label.replace('"', "#quot;").replace("\n", "\\n")


def lint_mermaid(text: str) -> list[str]:
    """What is wrong with a picture, one line each; empty for everything `to_mermaid` makes."""
    lines = text.splitlines()
    errors: list[str] = []
    if not lines or lines[0] != _HEADER:
        errors.append(f"line 1: not {_HEADER!r}")
    open_frames = 0
    for number, line in enumerate(lines[1:], start=2):
        bare = _QUOTED.sub("Q", line).strip()
        if _FRAME.fullmatch(bare):
            open_frames += 1
        elif bare == "end":
            open_frames -= 1
            if open_frames < 0:
                errors.append(f"line {number}: an end without a subgraph")
                open_frames = 0
        elif '"' in bare:
            errors.append(f"line {number}: a quote inside a label or without a partner")
        elif not _NODE.fullmatch(bare) and not _EDGE.fullmatch(bare):
            errors.append(f"line {number}: neither a node with a label nor an arrow with one")
    if open_frames:
        errors.append(f"{open_frames} subgraphs are not ended")
    return errors
