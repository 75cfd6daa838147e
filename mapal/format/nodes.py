"""The pieces that a layout is made of: tokens grouped by what may break where.

Unlike the syntax tree this has every token, parentheses and semicolons included. A node knows
the ordinals of its first and last token and nothing of comments and widths.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


@dataclass(eq=False, slots=True)
class Leaf:
    """One token."""

    first: int

    @property
    def last(self) -> int:
        return self.first


@dataclass(eq=False, slots=True)
class Part:
    """A node in a row; `space` tells whether a space stands before it."""

    node: Node
    space: bool = True


@dataclass(eq=False, slots=True)
class Row:
    """Nodes side by side, on one line but for what breaks inside them."""

    parts: list[Part]

    @property
    def first(self) -> int:
        return self.parts[0].node.first

    @property
    def last(self) -> int:
        return self.parts[-1].node.last


@dataclass(eq=False, slots=True)
class Item:
    """One item between brackets and the `,` or `;` behind it, if any."""

    node: Node
    separator: Leaf | None


@dataclass(eq=False, slots=True)
class Brackets:
    """Items between brackets. `spaced` puts spaces inside them; `keeps_open` tells that a
    separator behind the last item asks for one item a line."""

    open: Leaf
    items: list[Item]
    close: Leaf
    spaced: bool = False

    @property
    def first(self) -> int:
        return self.open.first

    @property
    def last(self) -> int:
        return self.close.first

    @property
    def keeps_open(self) -> bool:
        return bool(self.items) and self.items[-1].separator is not None


@dataclass(eq=False, slots=True)
class Operation:
    """Operands of operators of one strength; an operator stage has no first operand."""

    operand: Node | None
    rest: list[tuple[Leaf, Node]]

    @property
    def first(self) -> int:
        return self.rest[0][0].first if self.operand is None else self.operand.first

    @property
    def last(self) -> int:
        return self.rest[-1][1].last


class BraceKind(Enum):
    """What braces hold."""

    FUNCTION = "function"
    LOOP = "loop"
    SEQUENCE = "sequence"
    COLLECTION = "collection"
    ARM = "arm"
    GUARD = "guard"
    FANOUT = "fanout"


@dataclass(eq=False, slots=True)
class Braces:
    """Statements, arms or branches between braces. `header` is the parameters of a collection
    body with their arrow."""

    kind: BraceKind
    open: Leaf
    header: Row | None
    entries: list[Entry]
    close: Leaf

    @property
    def first(self) -> int:
        return self.open.first

    @property
    def last(self) -> int:
        return self.close.first


@dataclass(eq=False, slots=True)
class Stage:
    """An arrow and what it leads to: a word, braces, or a word before braces."""

    arrow: Leaf
    body: Node | None
    braces: Braces | None

    @property
    def first(self) -> int:
        return self.arrow.first

    @property
    def last(self) -> int:
        if self.braces is not None:
            return self.braces.last
        assert self.body is not None
        return self.body.last


@dataclass(eq=False, slots=True)
class Chain:
    """A chain, headless or not, with its semicolon if it has one."""

    head: Node | None
    stages: list[Stage]
    semicolon: Leaf | None

    @property
    def first(self) -> int:
        return self.stages[0].first if self.head is None else self.head.first

    @property
    def last(self) -> int:
        if self.semicolon is not None:
            return self.semicolon.first
        if self.stages:
            return self.stages[-1].last
        assert self.head is not None
        return self.head.last


@dataclass(eq=False, slots=True)
class Arm:
    """A guard arrow and its payload; `semicolon` is the one behind a block."""

    guard: Leaf
    payload: Chain | Braces
    semicolon: Leaf | None

    @property
    def first(self) -> int:
        return self.guard.first

    @property
    def last(self) -> int:
        return self.payload.last if self.semicolon is None else self.semicolon.first


@dataclass(eq=False, slots=True)
class Function:
    """The head of a function and its body."""

    head: Row
    body: Braces

    @property
    def first(self) -> int:
        return self.head.first

    @property
    def last(self) -> int:
        return self.body.last


Entry = Row | Chain | Arm
Node = Leaf | Row | Brackets | Operation | Braces | Stage | Chain | Arm | Function
