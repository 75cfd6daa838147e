"""Pictures as SVG, laid out by Graphviz.

Regions are frames inside the frame of their function. The time of layout grows much faster
than the graph, the length of its arrows and the depth of its frames. So all three are bounded:
a large graph is clipped, an arrow from far away starts at a copy of its source's label, and
frames nest to a limit. A picture that leaves anything out says what.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass

from mapal.ir.graph import (
    Function,
    FunctionKind,
    Graph,
    Morphism,
    Object,
    ObjectKind,
    RegionKind,
)
from mapal.ir.labels import REGION_TITLES, object_label, op_label
from mapal.ir.ops import ObjectId, RegionId

MOST_NODES = 400
"""More objects than this are left out: the entry's first ones are shown."""

DEEPEST_FRAME = 8
"""Regions nested deeper are drawn without a frame of their own."""

_FARTHEST_ARROW = 40
"""An arrow between objects that stand further apart in the text starts at a copy."""

_ARROWS_PER_NODE = 3
"""Arrows beyond this average are left out; only packs of large literals have as many."""

_LONGEST_LABEL = 60
_LAYOUT = threading.Lock()
"""Graphviz keeps global state."""

_FILLS = {
    ObjectKind.PARAMETER: "#dbeafe",
    ObjectKind.CONSTANT: "#f3f4f6",
    ObjectKind.TEMPORARY: "#ffffff",
    ObjectKind.RETURN: "#dcfce7",
    ObjectKind.LOOP_MERGE: "#fef3c7",
}
_FRAME_COLOURS = {
    RegionKind.BODY: "#9ca3af",
    RegionKind.ARM_TRUE: "#16a34a",
    RegionKind.ARM_FALSE: "#dc2626",
    RegionKind.LOOP_BODY: "#d97706",
    RegionKind.JUMP: "#2563eb",
    RegionKind.EXIT: "#7c3aed",
}
_STYLE = (
    "digraph mapal {",
    'rankdir=TB; fontname="Helvetica"; labelloc=t; ranksep=0.3; nodesep=0.2;',
    "nslimit=2; nslimit1=2; mclimit=0.5;",
    'node [shape=box, style="rounded,filled", fontname="Helvetica", fontsize=10, height=0.3];',
    'edge [fontname="Helvetica", fontsize=8, color="#6b7280"];',
)


def to_svg(graph: Graph, most_nodes: int = MOST_NODES) -> str:
    """The picture of a sealed graph, of at most `most_nodes` objects. The same bytes for the
    same graph and version of Graphviz."""
    import pygraphviz

    with _LAYOUT:
        drawing = pygraphviz.AGraph(string=to_dot(graph, most_nodes))
        try:
            drawn: bytes = drawing.draw(format="svg", prog="dot")
        finally:
            drawing.close()
    return drawn.decode("utf-8")


def to_dot(graph: Graph, most_nodes: int = MOST_NODES) -> str:
    """The input of Graphviz for `to_svg`."""
    selection = _select(graph, most_nodes)
    lines = [*_STYLE, f"label={_quoted(selection.statement(graph))};"]
    copies: dict[RegionId, list[str]] = {}
    arrows: list[str] = []
    for edge in selection.edges:
        label = _quoted(_shortened(op_label(graph, edge.op, verbose=True)))
        tail = f"o{edge.source}"
        if selection.are_far_apart(edge):
            tail = f"c{edge.id}"
            copy = _copy_node(tail, graph.objects[edge.source])
            copies.setdefault(graph.region_of(edge.target), []).append(copy)
        arrows.append(f"{tail} -> o{edge.target} [label={label}];")
    for function in selection.functions:
        lines += _frames(graph, function, selection, copies)
    return "\n".join((*lines, *arrows, "}"))


@dataclass(frozen=True, slots=True)
class _Selection:
    """What is drawn. `positions` number the drawn objects in reading order."""

    positions: dict[ObjectId, int]
    functions: list[Function]
    edges: list[Morphism]
    depths: dict[RegionId, int]

    def are_far_apart(self, edge: Morphism) -> bool:
        return abs(self.positions[edge.target] - self.positions[edge.source]) > _FARTHEST_ARROW

    def statement(self, graph: Graph) -> str:
        """What the picture leaves out; empty if nothing."""
        parts: list[str] = []
        nodes, edges = len(self.positions), len(self.edges)
        if (nodes, edges) != (len(graph.objects), len(graph.morphisms)):
            parts.append(
                f"CLIPPED: {nodes} of {len(graph.objects)} nodes and {edges} of "
                f"{len(graph.morphisms)} arrows are shown, "
                f"{len(graph.objects) - nodes} nodes are left out"
            )
        deeper = sum(depth > DEEPEST_FRAME for depth in self.depths.values())
        if deeper:
            parts.append(
                f"{deeper} regions nested deeper than {DEEPEST_FRAME} have no frame of their own"
            )
        return "; ".join(parts)


def _select(graph: Graph, most_nodes: int) -> _Selection:
    """The entry's objects first, then those of the other functions in order."""
    entry = graph.functions[graph.entry]
    others = (function for function in graph.functions if function is not entry)
    positions: dict[ObjectId, int] = {}
    functions: list[Function] = []
    depths: dict[RegionId, int] = {}
    for function in (entry, *others):
        if len(positions) >= most_nodes:
            break
        functions.append(function)
        for region in function.regions:
            parent = graph.regions[region].parent
            depths[region] = 0 if parent is None else depths[parent] + 1
        for obj in function.objects[: most_nodes - len(positions)]:
            positions[obj] = len(positions)
    edges = [m for m in graph.morphisms if m.source in positions and m.target in positions]
    return _Selection(positions, functions, edges[: _ARROWS_PER_NODE * most_nodes], depths)


def _frames(
    graph: Graph, function: Function, selection: _Selection, copies: dict[RegionId, list[str]]
) -> list[str]:
    """The frames of a function with their nodes; regions without any are left out."""
    nodes: dict[RegionId, list[str]] = {}
    for obj in function.objects:
        if obj in selection.positions:
            region = _framed(graph, selection, graph.region_of(obj))
            nodes.setdefault(region, []).append(_node(graph.objects[obj]))
    for region in function.regions:
        for copy in copies.get(region, ()):
            nodes.setdefault(_framed(graph, selection, region), []).append(copy)
    children = _children(graph, function, nodes)
    lines: list[str] = []
    work: list[RegionId | None] = [function.body]
    while work:
        region_or_end = work.pop()
        if region_or_end is None:
            lines.append("}")
            continue
        kind = graph.regions[region_or_end].kind
        title = REGION_TITLES[kind] if kind is not RegionKind.BODY else _title(function)
        lines.append(f"subgraph cluster_r{region_or_end} {{")
        label = _quoted(_shortened(title))
        lines.append(f'label={label}; color="{_FRAME_COLOURS[kind]}"; fontsize=10;')
        lines += nodes.get(region_or_end, ())
        work.append(None)
        work.extend(reversed(children.get(region_or_end, ())))
    return lines


def _framed(graph: Graph, selection: _Selection, region: RegionId) -> RegionId:
    """The region itself, or the one around it that is not too deep for a frame."""
    at = region
    while selection.depths[at] > DEEPEST_FRAME:
        parent = graph.regions[at].parent
        assert parent is not None, "the body has depth 0"
        at = parent
    return at


def _children(
    graph: Graph, function: Function, nodes: dict[RegionId, list[str]]
) -> dict[RegionId, list[RegionId]]:
    """The regions inside each region, as far as they or what is in them have nodes."""
    needed: set[RegionId] = set()
    for region in nodes:
        at: RegionId | None = region
        while at is not None and at not in needed:
            needed.add(at)
            at = graph.regions[at].parent
    children: dict[RegionId, list[RegionId]] = {}
    for region in function.regions:
        parent = graph.regions[region].parent
        if region in needed and parent is not None:
            children.setdefault(parent, []).append(region)
    return children


def _title(function: Function) -> str:
    if function.kind is FunctionKind.NAMED:
        return f"fn {function.name}"
    return f"{function.kind.value} {function.name}"


def _node(obj: Object) -> str:
    label = _quoted(_shortened(f"o{obj.id}  {object_label(obj)}"))
    return f'o{obj.id} [label={label}, fillcolor="{_FILLS[obj.kind]}"];'


def _copy_node(name: str, obj: Object) -> str:
    label = _quoted(_shortened(f"from o{obj.id}  {object_label(obj)}"))
    return f'{name} [label={label}, shape=plaintext, style="", fontcolor="#6b7280"];'


def _shortened(text: str) -> str:
    return text if len(text) <= _LONGEST_LABEL else text[: _LONGEST_LABEL - 1] + "…"


def _quoted(text: str) -> str:
    """A string of the DOT language, where a backslash begins an escape."""
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'
