"""Tokens to layout nodes.

The tokens are those of a text that the parser accepted, so this only has to follow the
grammar, and every token ends up in exactly one node.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from mapal.format.nodes import (
    Arm,
    BraceKind,
    Braces,
    Brackets,
    Chain,
    Entry,
    Function,
    Item,
    Leaf,
    Node,
    Operation,
    Part,
    Row,
    Stage,
)
from mapal.syntax import Token

_STRENGTHS = (
    frozenset(("||",)),
    frozenset(("&&",)),
    frozenset(("==", "!=", "<", ">", "<=", ">=")),
    frozenset(("+", "-")),
    frozenset(("*", "/", "%")),
)
_OPERATORS: frozenset[str] = frozenset().union(*_STRENGTHS)
_ItemReader = Callable[[], Node]


def read_items(tokens: Sequence[Token]) -> list[Function | Row]:
    """The functions and types of an accepted text, in source order."""
    return _Reader(tokens).items()


class _Reader:
    def __init__(self, tokens: Sequence[Token]) -> None:
        self._kinds = [*(token.kind for token in tokens), "end", "end"]
        self._tokens = tokens
        self._position = 0

    # Tokens ---------------------------------------------------------------------------

    @property
    def _kind(self) -> str:
        return self._kinds[self._position]

    @property
    def _next_kind(self) -> str:
        return self._kinds[self._position + 1]

    def _leaf(self) -> Leaf:
        self._position += 1
        return Leaf(self._position - 1)

    def _leaf_if(self, kind: str) -> Leaf | None:
        return self._leaf() if self._kind == kind else None

    # Items ----------------------------------------------------------------------------

    def items(self) -> list[Function | Row]:
        found: list[Function | Row] = []
        while self._kind != "end":
            found.append(self._function() if self._kind == "fn" else self._type_item())
        return found

    def _function(self) -> Function:
        head = Row([Part(self._leaf()), Part(self._leaf())])
        head.parts.append(Part(self._list(")", self._parameter), space=False))
        if self._kind == "->":
            head.parts += [Part(self._leaf()), Part(self._type())]
        return Function(head, self._braces(BraceKind.FUNCTION))

    def _parameter(self) -> Node:
        parts = [Part(self._leaf())] if self._kind == "mut" else []
        return Row([*parts, *self._annotated()])

    def _annotated(self) -> list[Part]:
        """A name, and a type behind it if there is one."""
        parts = [Part(self._leaf())]
        if self._kind == ":":
            parts += [Part(self._leaf(), space=False), Part(self._type())]
        return parts

    def _type_item(self) -> Row:
        parts = [Part(self._leaf()), Part(self._leaf())]
        fields = self._list("}", lambda: Row(self._annotated()))
        fields.spaced = True
        return Row([*parts, Part(fields)])

    def _type(self) -> Node:
        match self._kind:
            case "(":
                return self._list(")", self._type)
            case "[":
                opener, element, semicolon = self._leaf(), self._type(), self._leaf()
                items = [Item(element, semicolon), Item(self._leaf(), None)]
                return Brackets(opener, items, self._leaf())
            case _:
                return self._leaf()

    def _list(self, closer: str, item: _ItemReader) -> Brackets:
        opener = self._leaf()
        items: list[Item] = []
        while self._kind != closer:
            node = item()
            items.append(Item(node, self._leaf_if(",")))
        return Brackets(opener, items, self._leaf())

    # Blocks and statements --------------------------------------------------------------

    def _braces(self, kind: BraceKind) -> Braces:
        opener = self._leaf()
        header = self._header() if kind is BraceKind.COLLECTION else None
        entries: list[Entry] = []
        while self._kind != "}":
            entries.append(self._entry())
        return Braces(kind, opener, header, entries, self._leaf())

    def _header(self) -> Row:
        parts = [Part(self._leaf())]
        while self._kind == ",":
            parts += [Part(self._leaf(), space=False), Part(self._leaf())]
        return Row([*parts, Part(self._leaf())])

    def _entry(self) -> Entry:
        match self._kind:
            case "guard":
                return self._arm()
            case "loop":
                return Row([Part(self._leaf()), Part(self._braces(BraceKind.LOOP))])
            case "mut":
                return self._binding([Part(self._leaf())])
            case "name" if self._next_kind in (":", "<-"):
                return self._binding([])
            case "->":
                return self._chain(None)
            case _:
                head = self._expression()
                if self._kind == "<-":
                    return self._assigned([Part(head)])
                return self._chain(head)

    def _binding(self, before: list[Part]) -> Row:
        return self._assigned([*before, *self._annotated()])

    def _assigned(self, target: list[Part]) -> Row:
        parts = [*target, Part(self._leaf()), Part(self._expression())]
        return Row([*parts, Part(self._leaf(), space=False)])

    def _arm(self) -> Arm:
        guard = self._leaf()
        if self._kind == "{":
            block = self._braces(BraceKind.ARM)
            return Arm(guard, block, self._leaf_if(";"))
        head = None if self._kind == "->" else self._expression()
        return Arm(guard, self._chain(head), None)

    # Chains ---------------------------------------------------------------------------

    def _chain(self, head: Node | None) -> Chain:
        stages: list[Stage] = []
        while self._kind == "->":
            stages.append(self._stage())
        return Chain(head, stages, self._leaf_if(";"))

    def _stage(self) -> Stage:
        arrow = self._leaf()
        match self._kind:
            case "{":
                kind = BraceKind.GUARD if self._next_kind == "guard" else BraceKind.FANOUT
                return Stage(arrow, None, self._braces(kind))
            case "seq":
                return Stage(arrow, self._leaf(), self._braces(BraceKind.SEQUENCE))
            case "map" | "fold":
                return Stage(arrow, self._leaf(), self._braces(BraceKind.COLLECTION))
            case "name" if self._next_kind == "{" and self._text == "reduce":
                return Stage(arrow, self._leaf(), self._braces(BraceKind.COLLECTION))
            case _:
                return Stage(arrow, self._stage_body(), None)

    @property
    def _text(self) -> str:
        return self._tokens[self._position].text

    def _stage_body(self) -> Node:
        match self._kind:
            case "ret" if self._next_kind == ".":
                word, *slot = (Part(self._leaf(), space=False) for _ in range(3))
                return Row([word, *slot])
            case "ret" | "loop":
                return self._leaf()
            case "mut":
                return Row([Part(self._leaf()), *self._annotated()])
            case "name" if self._next_kind == ":":
                return Row(self._annotated())
            case kind if kind in _OPERATORS:
                value = self._operation(0, on_wire=True)
                assert value is not None, "an operator stands here"
                return value
            case _:
                return self._expression()

    # Expressions ------------------------------------------------------------------------

    def _expression(self) -> Node:
        value = self._operation(0, on_wire=False)
        assert value is not None, "only a stage lacks its first operand"
        return value

    def _operation(self, strength: int, *, on_wire: bool) -> Node | None:
        """An expression of operators from a strength on; `on_wire` tells that its leftmost
        operand is the wire, which has no token."""
        if strength == len(_STRENGTHS):
            return None if on_wire else self._unary()
        operand = self._operation(strength + 1, on_wire=on_wire)
        rest: list[tuple[Leaf, Node]] = []
        while self._kind in _STRENGTHS[strength]:
            operator = self._leaf()
            right = self._operation(strength + 1, on_wire=False)
            assert right is not None, "an operator has a right operand"
            rest.append((operator, right))
        return Operation(operand, rest) if rest else operand

    def _unary(self) -> Node:
        operators: list[Leaf] = []
        while self._kind in ("-", "!"):
            operators.append(self._leaf())
        operand = self._postfix()
        if not operators:
            return operand
        return Row([Part(node, space=False) for node in (*operators, operand)])

    def _postfix(self) -> Node:
        parts = [Part(self._primary())]
        while self._kind in (".", "["):
            if self._kind == "[":
                parts.append(Part(self._list("]", self._expression), space=False))
                continue
            # Tight behind an integer the dot would make a float of it.
            after_integer = self._kinds[self._position - 1] == "integer"
            parts.append(Part(self._leaf(), space=after_integer))
            parts.append(Part(self._leaf(), space=False))
        return parts[0].node if len(parts) == 1 else Row(parts)

    def _primary(self) -> Node:
        match self._kind:
            case "(":
                return self._list(")", self._expression)
            case "[":
                return self._list("]", self._expression)
            case "name" if self._next_kind == "{":
                name = self._leaf()
                fields = self._list("}", self._field)
                fields.spaced = True
                return Row([Part(name), Part(fields)])
            case _:
                return self._leaf()

    def _field(self) -> Node:
        parts = [Part(self._leaf())]
        if self._kind == ":":
            parts += [Part(self._leaf(), space=False), Part(self._expression())]
        return Row(parts)
