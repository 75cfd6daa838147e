"""Parsing of chains and their stages."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from typing import Literal, cast

from mapal.syntax import ast
from mapal.syntax.expression_parser import BINARY_OPERATORS, OPERAND_STARTS, ExpressionParser

_BLOCK_FORMS = (ast.SeqStage, ast.CollectionStage, ast.GuardStage, ast.FanoutStage)


class StageParser(ExpressionParser):
    """`head -> stage -> …`. Blocks belong to the statement parser, which completes this class."""

    @abstractmethod
    def block(self) -> ast.Block:
        """Parse `{ statements tail }`."""

    @abstractmethod
    def block_stage(self) -> ast.GuardStage | ast.FanoutStage | None:
        """Parse a `{` in stage position; None if it was reported and stands for no stage."""

    @abstractmethod
    def void_block(self) -> None:
        """Parse and discard the block of a reported `void`."""

    @abstractmethod
    def block_contents(self, opener: int) -> tuple[tuple[ast.Statement, ...], ast.Chain | None]:
        """Parse statements and a tail up to the brace that closes `opener`, and that brace."""

    def at_chain(self) -> bool:
        """Whether a chain may begin at the current token."""
        return self.kind == "->" or self.kind in OPERAND_STARTS

    def chain(self) -> ast.Chain:
        """Parse a chain, headless if it begins with an arrow."""
        first = self.position
        head = None if self.kind == "->" else self.expression()
        stages: list[ast.Stage] = []
        self._ends_in_block_form = False
        while self.kind == "->":
            stage = self._stage()
            self._ends_in_block_form = stage is None or isinstance(stage, _BLOCK_FORMS)
            if stage is not None:
                stages.append(stage)
        return ast.Chain(tokens=self.span_tokens(first), head=head, stages=tuple(stages))

    _ends_in_block_form = False

    def ends_in_block_form(self) -> bool:
        """Whether the chain parsed last may do without its `;`: it ends in a block form, or in
        a stage that was reported and discarded."""
        return self._ends_in_block_form

    def _stage(self) -> ast.Stage | None:
        """Parse one stage from its arrow; None for one that was reported and stands for nothing."""
        first = self.advance()
        match self.kind:
            case "ret":
                return self._ret_stage(first)
            case "loop":
                self.advance()
                return ast.LoopStage(tokens=self.span_tokens(first))
            case "mut":
                return self._mut_stage(first)
            case "seq":
                self.advance()
                body = self.block()
                return ast.SeqStage(tokens=self.span_tokens(first), body=body)
            case "map" | "fold":
                return self._collection_stage(first)
            case "{":
                return self.block_stage()
            case "void":
                self._void_stage()
                return None
            case ":" if self.ahead(1) == "name":
                self._labelled_jump()
                return None
            case "name":
                return self._name_stage(first)
            case kind if kind in BINARY_OPERATORS:
                value = self.operator_stage_value()
                return ast.OperatorStage(tokens=self.span_tokens(first), value=value)
            case kind if kind in OPERAND_STARTS:
                return self._expression_stage(first)
            case _:
                return self.unexpected("a stage", self._stage_hint())

    def _stage_hint(self) -> str | None:
        match self.kind:
            case "->":
                return "write one arrow between two stages"
            case ";" | "}" | "end":
                return "a chain ends in a name, a function or `ret`: `value -> name;`"
            case _:
                return None

    def _ret_stage(self, first: int) -> ast.RetStage:
        self.advance()
        slot = None
        if self.kind == ".":
            self.advance()
            if self.kind != "integer":
                self.unexpected("a component's number", "write `-> ret.0`")
            slot = cast(int, self.token.value)
            self.advance()
        return ast.RetStage(tokens=self.span_tokens(first), slot=slot)

    def _mut_stage(self, first: int) -> ast.BindStage:
        self.advance()
        name_token = self.position
        name = self.expect_name("a name behind `mut`", "write `value -> mut name`")
        annotation = self.type_expression() if self.accept(":") else None
        return ast.BindStage(
            tokens=self.span_tokens(first),
            name=name,
            name_token=name_token,
            mutable=True,
            annotation=annotation,
        )

    def _name_stage(self, first: int) -> ast.Stage:
        """A stage that begins with a name: a binding with a type, `reduce`, another operator
        with a body, or an expression."""
        if self.ahead(1) == ":" and not self.adjacent_colons(self.position + 1):
            name_token = self.position
            name = self.token.text
            self.advance()
            self.advance()
            annotation = self.type_expression()
            return ast.BindStage(
                tokens=self.span_tokens(first),
                name=name,
                name_token=name_token,
                mutable=False,
                annotation=annotation,
            )
        if self.ahead(1) == "{":
            if self.token.text == "reduce":
                return self._collection_stage(first)
            if self._body_follows():
                return self._unknown_collection_stage(first)
        return self._expression_stage(first)

    def _expression_stage(self, first: int) -> ast.ExpressionStage:
        value = self.expression()
        return ast.ExpressionStage(tokens=self.span_tokens(first), value=value)

    def adjacent_colons(self, position: int) -> bool:
        """Whether the colon at a position begins a `::`."""
        return (
            position + 1 < len(self.kinds)
            and self.kinds[position] == self.kinds[position + 1] == ":"
            and self.adjacent(position + 1)
        )

    # Operators with a body -------------------------------------------------------------

    def _body_follows(self) -> bool:
        """Whether the braces behind the current name begin with parameters and an arrow, which
        no struct literal does."""
        position = self.position + 2
        if self.kinds[position] == "(":
            return True
        while self.kinds[position] == "name":
            following = self.kinds[position + 1]
            if following == "->":
                return True
            if following != ",":
                return False
            position += 2
        return False

    def _unknown_collection_stage(self, first: int) -> ast.CollectionStage:
        name = self.token.text
        self.report(
            "P0114",
            f"`{name}` is no collection operator; there are `map`, `fold` and `reduce`",
            self.position,
            self.position,
            "write `-> map { x -> … }`, `-> fold { sum, x -> … }` or `-> reduce { a, b -> … }`",
        )
        return self._collection_stage(first)

    def _collection_stage(self, first: int) -> ast.CollectionStage:
        operator_token = self.advance()
        name = self.tokens[operator_token].text
        operator = cast(
            Literal["map", "fold", "reduce"], name if name in ("fold", "reduce") else "map"
        )
        if self.kind != "{":
            self.unexpected(f"`{{` behind `{name}`", self._body_hint(name))
        self.enter()
        opener = self.open_delimiter()
        parameters = tuple(self._body_parameters(name))
        self.expect("->", "`->` behind the parameters", self._body_hint(name))
        start = self.position
        statements, tail = self.block_contents(opener)
        self.leave()
        body = ast.Block(tokens=self.span_tokens(start), statements=statements, tail=tail)
        return ast.CollectionStage(
            tokens=self.span_tokens(first),
            operator=operator,
            operator_token=operator_token,
            parameters=parameters,
            body=body,
        )

    def _body_hint(self, name: str) -> str:
        if name == "map" and self.kind in ("(", "name"):
            return "write the body in braces: `-> map { x -> x -> function }`"
        if name in ("fold", "reduce"):
            return f"write `-> {name} {{ a, b -> … }}`"
        return f"write `-> {name} {{ x -> … }}`"

    def _body_parameters(self, name: str) -> Iterator[ast.BodyParameter]:
        while True:
            first = self.position
            if self.kind == "(":
                self._destructuring_parameter()
                yield ast.BodyParameter(tokens=(first, first), name="_")
            else:
                parameter = self.expect_name("a parameter's name", self._body_hint(name))
                yield ast.BodyParameter(tokens=(first, first), name=parameter)
                if self.kind == ":":
                    self.report_unexpected(
                        "`,` or `->`", "the parameters of a body take their types from the array"
                    )
                    self.advance()
                    self.type_expression()
            if not self.accept(","):
                return

    def _destructuring_parameter(self) -> None:
        closer = max(self.closers[self.position], self.position)
        self.report(
            "P0116",
            "a parameter is one name; it cannot be taken apart here",
            self.position,
            closer,
            "name the whole element and take its components: `{ p -> p.0 + p.1 }`",
        )
        self.skip_balanced()

    # Outside Core ----------------------------------------------------------------------

    def _void_stage(self) -> None:
        self.report_void()
        self.advance()
        if self.kind == "{":
            self.void_block()

    def report_void(self) -> None:
        """Report the word `void` at the current token."""
        self.report(
            "P0113",
            "there is no `void`: a value that nobody needs is simply not bound",
            self.position,
            self.position,
            "remove it; for several effects in order use `-> seq { … }`",
        )

    def _labelled_jump(self) -> None:
        self.report(
            "P0110",
            "there are no labels: `-> loop` goes round the innermost loop",
            self.position,
            self.position + 1,
            "write `-> loop`",
        )
        self.advance()
        self.advance()
