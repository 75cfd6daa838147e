"""What a node looks like on one line, if it may stand on one."""

from __future__ import annotations

from collections.abc import Sequence

from mapal.format.nodes import (
    Arm,
    BraceKind,
    Braces,
    Brackets,
    Chain,
    Function,
    Leaf,
    Node,
    Operation,
    Row,
    Stage,
)
from mapal.format.trivia import Trivia

WIDTH = 100
"""Characters that a line may have, comments not counted."""

_MOST_ENTRIES = {
    BraceKind.FUNCTION: 1,
    BraceKind.LOOP: 0,
    BraceKind.SEQUENCE: 1,
    BraceKind.COLLECTION: 1,
    BraceKind.ARM: 3,
    BraceKind.GUARD: 3,
    BraceKind.FANOUT: 3,
}
"""How many entries braces on one line may hold."""

_DEEPEST_BRACES = 2
"""How many braces inside one another may stand on one line."""

_PLAIN = frozenset((BraceKind.ARM, BraceKind.FANOUT))
"""Braces that hold no others on one line if they have several entries."""


class Measure:
    """The text of nodes on one line, computed once for each."""

    def __init__(self, texts: Sequence[str], trivia: Trivia) -> None:
        self._texts = texts
        self._trivia = trivia
        self._known: dict[Node, str | None] = {}
        self._depths: dict[Node, int] = {}

    def flat(self, node: Node) -> str | None:
        """The node on one line; None if a comment stands inside it, if it is too wide for any
        line, or if its kind is always laid out on several."""
        if isinstance(node, Leaf):
            return self._texts[node.first]
        if node not in self._known:
            inside = self._trivia.comments_inside(node.first, node.last)
            text = None if inside else self._compose(node)
            if text is not None and len(text) > WIDTH:
                text = None
            self._known[node] = text
        return self._known[node]

    def _compose(self, node: Node) -> str | None:
        match node:
            case Leaf():
                return self._texts[node.first]
            case Row(parts=parts):
                return self._joined([(part.space, part.node) for part in parts])
            case Brackets():
                return self._brackets(node)
            case Operation(operand=operand, rest=rest):
                pairs = [(True, part) for pair in rest for part in pair]
                return self._joined([(False, operand), *pairs] if operand is not None else pairs)
            case Braces():
                return self._braces(node)
            case Stage(arrow=arrow, body=body, braces=braces):
                present = [part for part in (arrow, body, braces) if part is not None]
                return self._joined([(True, part) for part in present])
            case Chain(head=head, stages=stages, semicolon=semicolon):
                heads = [] if head is None else [(True, head)]
                ends = [] if semicolon is None else [(False, semicolon)]
                return self._joined([*heads, *((True, stage) for stage in stages), *ends])
            case Arm(guard=guard, payload=payload, semicolon=semicolon):
                ends = [] if semicolon is None else [(False, semicolon)]
                return self._joined([(False, guard), (True, payload), *ends])
            case Function(head=head, body=body):
                return self._joined([(False, head), (True, body)])

    def _joined(self, parts: Sequence[tuple[bool, Node]]) -> str | None:
        found: list[str] = []
        width = 0
        for space, node in parts:
            text = self.flat(node)
            if text is None:
                return None
            width += len(text)
            if width > WIDTH:
                return None
            found += [" ", text] if space and found else [text]
        return "".join(found)

    def _brackets(self, node: Brackets) -> str | None:
        if node.keeps_open:
            return None
        parts: list[tuple[bool, Node]] = []
        for item in node.items:
            parts.append((True, item.node))
            if item.separator is not None:
                parts.append((False, item.separator))
        inner = self._joined(parts)
        if inner is None:
            return None
        gap = " " if node.spaced else ""
        opener, closer = self._texts[node.open.first], self._texts[node.close.first]
        return f"{opener}{gap}{inner}{gap if inner else ''}{closer}"

    def _braces(self, node: Braces) -> str | None:
        plain = node.kind in _PLAIN and len(node.entries) > 1
        if (
            len(node.entries) > _MOST_ENTRIES[node.kind]
            or self._depth(node) > (1 if plain else _DEEPEST_BRACES)
            or (node.kind is BraceKind.GUARD and any(map(self._is_involved, node.entries)))
        ):
            return None
        header = [] if node.header is None else [(True, node.header)]
        inner = self._joined([*header, *((True, entry) for entry in node.entries)])
        if inner is None:
            return None
        return f"{{ {inner} }}" if inner else "{ }"

    def _is_involved(self, arm: Node) -> bool:
        """Whether an arm asks for a line of its own: it goes round a loop, or holds braces
        besides its own."""
        assert isinstance(arm, Arm), "the entries of a guard are arms"
        return self._jumps(arm) or self._depth(arm) > isinstance(arm.payload, Braces)

    def _jumps(self, arm: Arm) -> bool:
        """Whether an arm goes round a loop."""
        payload: Node = arm.payload
        if isinstance(payload, Braces):
            if not payload.entries:
                return False
            payload = payload.entries[-1]
        if not isinstance(payload, Chain) or payload.head is not None:
            return False
        body = payload.stages[-1].body
        return isinstance(body, Leaf) and self._texts[body.first] == "loop"

    def _depth(self, node: Node) -> int:
        """How many braces stand inside one another in a node, itself included."""
        if isinstance(node, Leaf):
            return 0
        if node not in self._depths:
            inner = max((self._depth(part) for part in _children(node)), default=0)
            self._depths[node] = inner + isinstance(node, Braces)
        return self._depths[node]


def _children(node: Node) -> list[Node]:
    match node:
        case Row(parts=parts):
            return [part.node for part in parts]
        case Brackets(items=items):
            return [item.node for item in items]
        case Braces(entries=entries):
            return list(entries)
        case Stage(body=body, braces=braces):
            return [part for part in (body, braces) if part is not None]
        case Chain(stages=stages):
            return list(stages)
        case Arm(payload=payload):
            return [payload]
        case Function(body=body):
            return [body]
        case Leaf() | Operation():
            return []
