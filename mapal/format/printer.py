"""Layout nodes to lines.

A node that fits stands on one line. Otherwise it breaks at its own places: braces put each
entry on a line, brackets each item, an operation each operator, and a chain either lets one of
its blocks break where it stands or puts each stage on a line.
"""

from __future__ import annotations

from collections.abc import Sequence

from mapal.format.lines import INDENT, Lines
from mapal.format.measure import WIDTH, Measure
from mapal.format.nodes import (
    Arm,
    BraceKind,
    Braces,
    Brackets,
    Chain,
    Function,
    Item,
    Leaf,
    Node,
    Operation,
    Part,
    Row,
    Stage,
)
from mapal.format.trivia import Trivia

_WIDEST_PACKED = 24


def print_items(items: Sequence[Function | Row], texts: Sequence[str], trivia: Trivia) -> str:
    """The text of a program, given its items, the text of each token and its trivia."""
    printer = _Printer(texts, trivia)
    printer.program(items)
    return printer.lines.text()


class _Printer:
    def __init__(self, texts: Sequence[str], trivia: Trivia) -> None:
        self.lines = Lines(texts, trivia)
        self._texts = texts
        self._trivia = trivia
        self._measure = Measure(texts, trivia)

    # Fitting --------------------------------------------------------------------------

    def _flat(self, node: Node) -> str | None:
        return self._measure.flat(node)

    def _fits(self, node: Node, reserve: int) -> bool:
        """Whether a node fits on the current line with some characters behind it."""
        text = self._flat(node)
        return text is not None and self.lines.column + len(text) + reserve <= WIDTH

    def _put_if_fitting(self, node: Node, reserve: int) -> bool:
        text = self._flat(node)
        if text is None or not self._fits(node, reserve):
            return False
        self.lines.run(node.first, node.last, text)
        return True

    def _lead(self, node: Node) -> int:
        """The width of what surely stands on the first line of a node that may break."""
        text = self._flat(node)
        if text is not None:
            return len(text)
        match node:
            case Row(parts=parts):
                return self._lead(parts[0].node)
            case Brackets(open=opener):
                return len(self._texts[opener.first])
            case Operation(operand=operand) if operand is not None:
                return self._lead(operand)
            case _:
                return 1

    def _rest_width(self, parts: Sequence[Part]) -> int:
        """What stands behind a part of a row on the line where the part ends."""
        width = 0
        for part in parts:
            width += part.space
            text = self._flat(part.node)
            if text is None:
                return width + self._lead(part.node)
            width += len(text)
        return width

    # Programs and functions -------------------------------------------------------------

    def program(self, items: Sequence[Function | Row]) -> None:
        stands_alone = False
        for number, item in enumerate(items):
            stood_alone, stands_alone = stands_alone, self._flat(item) is None
            apart = stood_alone or stands_alone
            blank = apart or self._trivia.begins_after_blank(item.first)
            self.lines.begin(0, blank=blank and number > 0)
            self._node(item, 0, 0)
        end = len(self._texts)
        self.lines.comments_before(end, 0, blank=True)

    def _function(self, node: Function) -> None:
        self._node(node.head, 0, 2)
        self.lines.space()
        self._broken_braces(node.body, 0)

    # Nodes ----------------------------------------------------------------------------

    def _node(self, node: Node, indent: int, reserve: int) -> None:
        """Write a node at the current place. `indent` is that of the line that its statement
        or item begins on, `reserve` the width of what has to follow it on its last line."""
        if isinstance(node, Leaf):
            self.lines.token(node.first)
            return
        if self._put_if_fitting(node, reserve):
            return
        match node:
            case Row(parts=parts):
                self._row(parts, indent, reserve)
            case Brackets():
                self._brackets(node, indent)
            case Operation():
                self._operation(node, indent, reserve)
            case Braces():
                self._broken_braces(node, indent)
            case Chain():
                self._chain(node, indent, reserve)
            case Function():
                self._function(node)
            case Stage() | Arm():
                raise AssertionError("stages and arms are written by what holds them")

    def _row(self, parts: Sequence[Part], indent: int, reserve: int) -> None:
        for number, part in enumerate(parts):
            if number and part.space:
                self.lines.space()
            behind = parts[number + 1 :]
            whole = all(self._flat(other.node) is not None for other in behind)
            self._node(part.node, indent, self._rest_width(behind) + (reserve if whole else 0))

    def _brackets(self, node: Brackets, indent: int) -> None:
        self.lines.token(node.open.first)
        inner = indent + INDENT
        packed = self._is_packed(node)
        for number, item in enumerate(node.items):
            if packed and number:
                self._next_packed(item, inner)
            else:
                self.lines.begin(inner)
            self._node(item.node, inner, 0 if item.separator is None else 1)
            if item.separator is not None:
                self.lines.token(item.separator.first)
        self._close(node.close, indent, blank=False)

    def _is_packed(self, node: Brackets) -> bool:
        """Whether the items are short numbers, of which many stand on one line."""
        return len(node.items) > 1 and all(self._is_number(item.node) for item in node.items)

    def _is_number(self, node: Node) -> bool:
        text = self._flat(node)
        return text is not None and len(text) <= _WIDEST_PACKED and text.lstrip("-")[:1].isdigit()

    def _next_packed(self, item: Item, indent: int) -> None:
        """Go to where the next of many short items stands."""
        text = self._flat(item.node)
        assert text is not None, "packed items are flat"
        if self.lines.column + 1 + len(text) + (item.separator is not None) > WIDTH:
            self.lines.begin(indent)
        else:
            self.lines.space()

    def _operation(self, node: Operation, indent: int, reserve: int) -> None:
        inner = indent + INDENT
        if node.operand is not None:
            self._node(node.operand, indent, 0)
        for number, (operator, operand) in enumerate(node.rest):
            if number or node.operand is not None:
                self.lines.begin(inner)
            self.lines.token(operator.first)
            self.lines.space()
            last = number == len(node.rest) - 1
            self._node(operand, inner, reserve if last else 0)

    # Braces ---------------------------------------------------------------------------

    def _broken_braces(self, node: Braces, indent: int) -> None:
        """Braces with each entry on a line, unless there is nothing to put on one."""
        self.lines.token(node.open.first)
        if node.header is not None:
            self.lines.space()
            self._node(node.header, indent, 0)
        if not node.entries and not self._trivia.comments_inside(node.last - 1, node.last):
            self.lines.space()
            self.lines.token(node.close.first)
            return
        inner = indent + INDENT
        widest = max((len(self._texts[entry.first]) for entry in node.entries), default=0)
        for number, entry in enumerate(node.entries):
            blank = number > 0 and self._trivia.begins_after_blank(entry.first)
            self.lines.begin(inner, blank=blank)
            if isinstance(entry, Arm) and node.kind is BraceKind.GUARD:
                self._arm(entry, inner, widest - len(self._texts[entry.first]))
            else:
                self._node(entry, inner, 0)
        self._close(node.close, indent, blank=bool(node.entries))

    def _close(self, closer: Leaf, indent: int, *, blank: bool) -> None:
        """A closing bracket on its own line, behind the comments that stand before it."""
        self.lines.comments_before(closer.first, indent + INDENT, blank=blank)
        self.lines.begin(indent)
        self.lines.closer(closer.first)

    def _arm(self, node: Arm, indent: int, padding: int) -> None:
        """An arm; one that fits on its line gets some spaces behind its guard arrow."""
        aligned = self._fits(node, padding)
        self.lines.token(node.guard.first)
        if aligned:
            self.lines.pad(padding)
        self.lines.space()
        self._node(node.payload, indent, 0 if node.semicolon is None else 1)
        if node.semicolon is not None:
            self.lines.token(node.semicolon.first)

    # Chains ---------------------------------------------------------------------------

    def _chain(self, node: Chain, indent: int, reserve: int) -> None:
        breaking = self._breaking(node, indent, reserve)
        if breaking is None:
            self._stages_on_lines(node, indent, reserve)
        else:
            self._stages_in_line(node, indent, breaking)
        if node.semicolon is not None:
            self.lines.token(node.semicolon.first)

    def _breaking(self, node: Chain, indent: int, reserve: int) -> set[Node] | None:
        """The parts of a chain to break so that its stages stay in line; None if its stages
        should stand on lines of their own."""
        if self._comment_between(node):
            return None
        blocks = [stage.braces for stage in node.stages if stage.braces is not None]
        breaking: set[Node] = {block for block in blocks if self._flat(block) is None}
        head_opens = _opens(node.head) and not self._head_fits(node)
        if not breaking and len(blocks) == 1:
            breaking = set(blocks)
        if head_opens and node.head is not None and (breaking or not blocks):
            breaking.add(node.head)
        if not breaking or not self._segments_fit(node, indent, reserve, breaking):
            return None
        return breaking

    def _comment_between(self, node: Chain) -> bool:
        """Whether a comment stands before a stage or before the semicolon."""
        places = [stage.first for stage in node.stages]
        if node.semicolon is not None:
            places.append(node.semicolon.first)
        return any(self._trivia.comments_inside(place - 1, place) for place in places if place)

    def _head_fits(self, node: Chain) -> bool:
        return node.head is not None and self._fits(node.head, 0)

    def _segments_fit(self, node: Chain, indent: int, reserve: int, breaking: set[Node]) -> bool:
        """Whether every line fits that holds something of the chain besides broken parts."""
        column = self.lines.column
        if node.head is not None:
            if node.head in breaking:
                column = indent + 1
            else:
                text = self._flat(node.head)
                if text is None:
                    return False
                column += len(text) + 1
        for number, stage in enumerate(node.stages):
            column += number > 0
            if stage.braces is None or stage.braces not in breaking:
                text = self._flat(stage)
                if text is None:
                    return False
                column += len(text)
            else:
                word = "" if stage.body is None else self._flat(stage.body)
                header = stage.braces.header
                parameters = "" if header is None else self._flat(header)
                if word is None or parameters is None:
                    return False
                words = ("->", word, "{", parameters)
                if column + len(" ".join(part for part in words if part)) > WIDTH:
                    return False
                column = indent + 1
            if column > WIDTH:
                return False
        return column + (node.semicolon is not None) + reserve <= WIDTH

    def _stages_in_line(self, node: Chain, indent: int, breaking: set[Node]) -> None:
        if node.head is not None:
            self._part(node.head, indent, breaking)
        for stage in node.stages:
            self.lines.space()
            self.lines.token(stage.arrow.first)
            for part in (stage.body, stage.braces):
                if part is not None:
                    self.lines.space()
                    self._part(part, indent, breaking)

    def _part(self, node: Node, indent: int, breaking: set[Node]) -> None:
        """A part of a chain in line: broken, or on one line whatever follows."""
        if node in breaking and isinstance(node, Braces):
            self._broken_braces(node, indent)
        elif node in breaking:
            self._node(node, indent, WIDTH)
        else:
            text = self._flat(node)
            assert text is not None, "parts that do not break are flat"
            self.lines.run(node.first, node.last, text)

    def _stages_on_lines(self, node: Chain, indent: int, reserve: int) -> None:
        inner = indent + INDENT
        if node.head is not None:
            self._node(node.head, indent, 0)
        for number, stage in enumerate(node.stages):
            continues = number > 0 or node.head is not None
            if continues:
                self.lines.begin(inner)
            behind = 0
            if number == len(node.stages) - 1:
                behind = reserve + (node.semicolon is not None)
            self._stage(stage, inner if continues else indent, behind)

    def _stage(self, node: Stage, indent: int, reserve: int) -> None:
        self.lines.token(node.arrow.first)
        self.lines.space()
        if node.body is not None:
            self._node(node.body, indent, 0 if node.braces is not None else reserve)
        if node.braces is not None:
            self.lines.space()
            self._node(node.braces, indent, reserve)


def _opens(node: Node | None) -> bool:
    """Whether a node ends in brackets that may break, with nothing else that does."""
    match node:
        case Brackets():
            return True
        case Row(parts=parts):
            return isinstance(parts[-1].node, Brackets)
        case _:
            return False
