"""The syntax tree of a program: frozen values, no behaviour.

Every node has `tokens`, the ordinals of its first and last token (language 1): comments
and layout have no ordinal, so a tree does not change when they do. Byte spans live in the
location table beside it (`mapal.diagnostics.LocationTable`).

Depth is bounded by the syntactic nesting of the source (128 levels): operators of one
strength form one flat `Binary`, and indexing and member access one flat `Postfix`, so that
a long sum or a long chain of members is wide and not deep.

Parentheses leave no trace. The classes are `msgspec` structures so that the artifact
`parse/P.ast.json` is their canonical encoding and decodes with full type checking.
"""

from __future__ import annotations

from typing import Literal

import msgspec

Tokens = tuple[int, int]
"""Ordinals of the first and the last token of a construct, both included."""

BinaryOperator = Literal["+", "-", "*", "/", "%", "==", "!=", "<", ">", "<=", ">=", "&&", "||"]


class Node(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """What every node of the tree has."""

    tokens: Tokens


# Types ------------------------------------------------------------------------------


class NamedType(Node, frozen=True):
    """`i32`, `f64`, or the name of a declared type."""

    name: str


class TupleType(Node, frozen=True):
    """`(T1, T2, …)`, two or more items."""

    items: tuple[TypeExpression, ...]


class ArrayType(Node, frozen=True):
    """`[T; n]`; the length is as written, 0 included."""

    element: TypeExpression
    length: int


TypeExpression = NamedType | TupleType | ArrayType


# Expressions ------------------------------------------------------------------------


class IntegerLiteral(Node, frozen=True):
    """An integer without sign, at most 2^64-1."""

    value: int


class FloatLiteral(Node, frozen=True):
    """A float without sign, as its decimal text, so that it is rounded once to its type."""

    text: str


class StringLiteral(Node, frozen=True):
    """A string with its escapes resolved."""

    value: str


class BoolLiteral(Node, frozen=True):
    value: bool


class UnitLiteral(Node, frozen=True):
    """`()`, which only heads a chain into `time`."""


class Name(Node, frozen=True):
    name: str


class Wire(Node, frozen=True):
    """The value on the wire: the leftmost operand of an operator stage. `tokens` are those
    of the operator that takes it."""


class TupleLiteral(Node, frozen=True):
    """Two or more items."""

    items: tuple[Expression, ...]


class ArrayLiteral(Node, frozen=True):
    """One or more items."""

    items: tuple[Expression, ...]


class FieldInit(Node, frozen=True):
    """`name: value` in a struct literal; without a value it is short for `name: name`."""

    name: str
    value: Expression | None


class StructLiteral(Node, frozen=True):
    """`Name { field: value, … }`, fields in the order written."""

    name: str
    fields: tuple[FieldInit, ...]


class Unary(Node, frozen=True):
    """`-x` or `!x`; `operator_token` is the ordinal of the operator. In `-7` the minus and the
    literal stay apart here: literal typing joins them (language 5.3)."""

    operator: Literal["-", "!"]
    operator_token: int
    operand: Expression


class BinaryTerm(Node, frozen=True):
    """One further operand of a `Binary`; `tokens` are those of the operand."""

    operator: BinaryOperator
    operator_token: int
    operand: Expression


class Binary(Node, frozen=True):
    """`first op a op b …`, operators of one strength, left associative. Comparisons have
    exactly one term."""

    first: Expression
    rest: tuple[BinaryTerm, ...]


class Member(Node, frozen=True):
    """`.name`; `tokens` are those of the dot and the name."""

    name: str


class Slot(Node, frozen=True):
    """`.k`; the index is as written and may exceed every arity."""

    index: int


class Subscript(Node, frozen=True):
    """`[index]`; `tokens` are those of the brackets."""

    index: Expression


class Postfix(Node, frozen=True):
    """`base` followed by one or more suffixes, applied from the left. The k-th partial
    expression spans from the first token of `base` to the last of suffix k."""

    base: Expression
    suffixes: tuple[Member | Slot | Subscript, ...]


Expression = (
    IntegerLiteral
    | FloatLiteral
    | StringLiteral
    | BoolLiteral
    | UnitLiteral
    | Name
    | Wire
    | TupleLiteral
    | ArrayLiteral
    | StructLiteral
    | Unary
    | Binary
    | Postfix
)


# Stages and chains ------------------------------------------------------------------
# The tokens of a stage run from its arrow to its last token.


class RetStage(Node, frozen=True):
    """`-> ret` or `-> ret.k`."""

    slot: int | None


class LoopStage(Node, frozen=True):
    """`-> loop`, the jump of a routing guard."""


class BindStage(Node, frozen=True):
    """`-> name: T`, `-> mut name` or `-> mut name: T`. A bare `-> name` is an
    `ExpressionStage`, since only names in scope tell what it means (language 4.3)."""

    name: str
    name_token: int
    mutable: bool
    annotation: TypeExpression | None


class SeqStage(Node, frozen=True):
    """`-> seq { … }`."""

    body: Block


class BodyParameter(Node, frozen=True):
    name: str


class CollectionStage(Node, frozen=True):
    """`-> map { x -> … }`, and likewise `fold` and `reduce`. `body` holds what follows the
    arrow behind the parameters."""

    operator: Literal["map", "fold", "reduce"]
    operator_token: int
    parameters: tuple[BodyParameter, ...]
    body: Block


class Arm(Node, frozen=True):
    """One arm of a guard. `guard_token` is the ordinal of the guard arrow; `value` is the
    number of an integer discriminant and None otherwise."""

    discriminant: Literal["true", "false", "default", "integer"]
    value: int | None
    guard_token: int
    payload: Block | Chain


class GuardStage(Node, frozen=True):
    """`-> { arm … }`, one or more arms in source order."""

    arms: tuple[Arm, ...]


class FanoutStage(Node, frozen=True):
    """`-> { -> a; -> b; }`; every branch is a headless chain."""

    branches: tuple[Chain, ...]


class OperatorStage(Node, frozen=True):
    """`-> + 5`: `value` is an expression whose leftmost operand is a `Wire`."""

    value: Expression


class ExpressionStage(Node, frozen=True):
    """Any other stage. In Core only a bare `Name` is accepted by lowering."""

    value: Expression


Stage = (
    RetStage
    | LoopStage
    | BindStage
    | SeqStage
    | CollectionStage
    | GuardStage
    | FanoutStage
    | OperatorStage
    | ExpressionStage
)


class Chain(Node, frozen=True):
    """`head -> stage -> …`. A headless chain has no head and at least one stage."""

    head: Expression | None
    stages: tuple[Stage, ...]


# Statements and items ---------------------------------------------------------------


class LoopStatement(Node, frozen=True):
    body: Block


class BindStatement(Node, frozen=True):
    """`x <- e;`, with `mut` and a type if written."""

    name: str
    name_token: int
    mutable: bool
    annotation: TypeExpression | None
    value: Expression


class UpdateStatement(Node, frozen=True):
    """`name[index] <- value;`."""

    name: str
    name_token: int
    index: Expression
    value: Expression


class ChainStatement(Node, frozen=True):
    """A chain with its `;`, or one that ends in a block form and is not last in its block."""

    chain: Chain


Statement = LoopStatement | BindStatement | UpdateStatement | ChainStatement


class Block(Node, frozen=True):
    """Statements, then the tail: a last chain without `;` (one that ends in a block form is
    the tail too). `tokens` include the braces, except in the body of a collection stage,
    where they run from the first statement to the closing brace."""

    statements: tuple[Statement, ...]
    tail: Chain | None


class Parameter(Node, frozen=True):
    name: str
    name_token: int
    mutable: bool
    annotation: TypeExpression


class FunctionItem(Node, frozen=True):
    name: str
    name_token: int
    parameters: tuple[Parameter, ...]
    result: TypeExpression | None
    body: Block


class Field(Node, frozen=True):
    name: str
    annotation: TypeExpression


class TypeItem(Node, frozen=True):
    name: str
    name_token: int
    fields: tuple[Field, ...]


Item = FunctionItem | TypeItem


class Program(Node, frozen=True):
    """The items in source order. `tokens` is (0, 0) for an empty source."""

    items: tuple[Item, ...]
