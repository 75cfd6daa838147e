"""Lowering of expressions."""

from __future__ import annotations

from mapal.ir import ops, scalars
from mapal.ir.ops import BinaryCode, UnaryCode
from mapal.ir.types import (
    BOOL,
    STR,
    Array,
    Scalar,
    Struct,
    Tuple,
    Type,
    is_integer,
    is_numeric,
)
from mapal.lower.context import Context, at, over
from mapal.lower.draft import DraftValue, MakeArray, MakeStruct
from mapal.lower.reports import stop
from mapal.lower.type_names import type_hint
from mapal.lower.unify import field_slot
from mapal.syntax import ast
from mapal.syntax.newcomers import FOREIGN_STATEMENTS

_FIELDS_IN_HINT = 8

_OPERATORS: dict[str, BinaryCode] = {
    "+": BinaryCode.ADD,
    "-": BinaryCode.SUB,
    "*": BinaryCode.MUL,
    "/": BinaryCode.DIV,
    "%": BinaryCode.MOD,
    "==": BinaryCode.EQ,
    "!=": BinaryCode.NEQ,
    "<": BinaryCode.LT,
    ">": BinaryCode.GT,
    "<=": BinaryCode.LE,
    ">=": BinaryCode.GE,
    "&&": BinaryCode.AND,
    "||": BinaryCode.OR,
}


def integer_literal(context: Context, value: int, ty: Scalar, tokens: ast.Tokens) -> DraftValue:
    """A constant of an integer type; L1202 when it does not fit."""
    low, high = scalars.integer_range(ty)
    if not low <= value <= high:
        raise stop(
            "L1202",
            f"{value} does not fit {ty}, which holds {low} to {high}",
            tokens,
            "annotate a wider type, or write another number",
        )
    return context.literal(value, ty, over(tokens))


def expression(
    context: Context, node: ast.Expression, wire: DraftValue | None = None
) -> DraftValue:
    """The value of an expression; `wire` stands for its `Wire`, if it has one."""
    match node:
        case ast.IntegerLiteral(value=value, tokens=tokens):
            return integer_literal(context, value, context.scalar_of(tokens[0]), tokens)
        case ast.FloatLiteral():
            return _float(context, node, node.tokens, negative=False)
        case ast.BoolLiteral(value=truth, tokens=tokens):
            return context.literal(truth, BOOL, over(tokens))
        case ast.StringLiteral(value=text, tokens=tokens):
            return context.literal(text, STR, over(tokens))
        case ast.UnitLiteral(tokens=tokens):
            raise stop("L1301", "`()` is no value", tokens, "it only heads `() -> time`")
        case ast.Wire():
            assert wire is not None, "only operator stages hold a wire"
            return wire
        case ast.Name(name=name, tokens=tokens):
            return _name(context, name, tokens)
        case ast.TupleLiteral(items=items, tokens=tokens):
            parts = [_component(context, item) for item in items]
            return context.tuple_of(parts, over(tokens))
        case ast.ArrayLiteral():
            return _array(context, node)
        case ast.StructLiteral():
            return _struct(context, node)
        case ast.Unary():
            return _unary(context, node, wire)
        case ast.Binary():
            return _binary(context, node, wire)
        case ast.Postfix():
            return _postfix(context, node, wire)


def _name(context: Context, name: str, tokens: ast.Tokens) -> DraftValue:
    local = context.resolution.reads.get(tokens[0])
    if local is not None:
        return context.read(local, tokens)
    if name in context.program.declarations.functions:
        raise stop(
            "L1105",
            f"`{name}` is a function, not a value",
            tokens,
            f"send a value to it: `x -> {name}`",
        )
    hint = FOREIGN_STATEMENTS.get(name) or "bind it first: `value -> " + name + ";`"
    raise stop("L1101", f"there is no `{name}` here", tokens, hint)


def _float(
    context: Context, node: ast.FloatLiteral, tokens: ast.Tokens, *, negative: bool
) -> DraftValue:
    ty = context.scalar_of(node.tokens[0])
    value = scalars.parse_float(node.text, ty)
    return context.literal(-value if negative else value, ty, over(tokens))


def reject_string(value: DraftValue, tokens: ast.Tokens) -> DraftValue:
    """L1206 for a string where only other values may go."""
    if value.ty == STR:
        raise stop(
            "L1206",
            "a string can only be named and printed",
            tokens,
            "print the parts one by one, with `print`",
        )
    return value


def _component(context: Context, node: ast.Expression) -> DraftValue:
    return reject_string(expression(context, node), node.tokens)


def _array(context: Context, node: ast.ArrayLiteral) -> DraftValue:
    parts = [_component(context, item) for item in node.items]
    first = parts[0].ty
    for part, item in zip(parts, node.items, strict=True):
        if part.ty != first:
            raise stop(
                "L1201",
                f"an array of `{first}` has an element of type `{part.ty}`",
                item.tokens,
                _conversion_hint(part.ty, first),
            )
    return context.operate(MakeArray(), parts, Array(first, len(parts)), over(node.tokens))


def _struct(context: Context, node: ast.StructLiteral) -> DraftValue:
    struct = context.program.declarations.types.structs.get(node.name)
    if struct is None:
        at_name = (node.tokens[0], node.tokens[0])
        hint = type_hint(node.name, context.program.declarations.types)
        raise stop("L1102", f"there is no type `{node.name}`", at_name, hint)
    given: dict[str, DraftValue] = {}
    wanted = dict(struct.fields)
    for init in node.fields:
        if init.name not in wanted:
            message = f"`{struct}` has no field `{init.name}`"
            raise stop("L1103", message, init.tokens, _known_fields(struct))
        if init.name in given:
            raise stop(
                "L1005",
                f"field `{init.name}` is given twice",
                init.tokens,
                "give every field once",
            )
        value = (
            _name(context, init.name, (init.tokens[0], init.tokens[0]))
            if init.value is None
            else expression(context, init.value)
        )
        require_type(value, wanted[init.name], f"field `{init.name}`", init.tokens)
        given[init.name] = value
    missing = [name for name in wanted if name not in given]
    if missing:
        raise stop(
            "L1201",
            f"`{struct}` has more fields than are given here",
            node.tokens,
            f"give {', '.join(missing[:_FIELDS_IN_HINT])} too",
        )
    parts = [given[name] for name in wanted]
    return context.operate(MakeStruct(struct), parts, struct, over(node.tokens))


def require_type(
    value: DraftValue, wanted: Type, what: str, tokens: ast.Tokens, hint: str | None = None
) -> None:
    """L1201 unless a value has the type that its place needs."""
    if value.ty != wanted:
        raise stop(
            "L1201",
            f"{what} needs `{wanted}`, not `{value.ty}`",
            tokens,
            hint or _conversion_hint(value.ty, wanted),
        )


def _conversion_hint(found: Type, wanted: Type) -> str:
    """What to do about a value of another type than is wanted."""
    if is_numeric(found) and is_numeric(wanted):
        return f"convert it: `-> to_{wanted}`"
    if found == BOOL and is_numeric(wanted):
        return "select a number: `b -> { -true-> 1; -false-> 0; }`"
    if wanted == BOOL:
        return "compare it: `x != 0`"
    if isinstance(found, Array) and isinstance(wanted, Array) and found.element == wanted.element:
        return "the length of an array is part of its type"
    return "nothing converts by itself; check where the value comes from"


def _operand_hint(code: BinaryCode, left: Type, right: Type) -> str:
    if code in ops.LOGIC:
        return "`&&` and `||` take bools; compare first: `x != 0`"
    if STR in (left, right):
        return "a string can only be named and printed; print one part after the other"
    if left != right and is_numeric(left):
        return _conversion_hint(right, left)
    if isinstance(left, Scalar) and left == right:
        return "bools are compared with `==` and `!=` only"
    return "take the parts of a product with `.0` or `[i]`, and combine those"


def _unary(context: Context, node: ast.Unary, wire: DraftValue | None) -> DraftValue:
    operand_node = node.operand
    key = at(node.operator_token)
    if node.operator == "-":
        match operand_node:
            case ast.IntegerLiteral(value=value, tokens=tokens):
                ty = context.scalar_of(tokens[0])
                return integer_literal(context, -value, ty, node.tokens)
            case ast.FloatLiteral():
                return _float(context, operand_node, node.tokens, negative=True)
            case _:
                pass
    operand = expression(context, operand_node, wire)
    if node.operator == "!":
        require_type(operand, BOOL, "`!`", operand_node.tokens)
        return context.operate(ops.Unary(UnaryCode.NOT), [operand], BOOL, key)
    if not is_numeric(operand.ty):
        raise stop(
            "L1201",
            f"`-` needs a number, not `{operand.ty}`",
            operand_node.tokens,
            "write `!` to negate a bool" if operand.ty == BOOL else "negate its parts",
        )
    return context.operate(ops.Unary(UnaryCode.NEG), [operand], operand.ty, key)


def _binary(context: Context, node: ast.Binary, wire: DraftValue | None) -> DraftValue:
    value = expression(context, node.first, wire)
    for term in node.rest:
        right = expression(context, term.operand)
        value = _apply(context, value, term, right)
    return value


def _apply(
    context: Context, left: DraftValue, term: ast.BinaryTerm, right: DraftValue
) -> DraftValue:
    code = _OPERATORS[term.operator]
    token = (term.operator_token, term.operator_token)
    if code in ops.LOGIC:
        fits = left.ty == BOOL
    elif code in ops.EQUALITIES:
        fits = isinstance(left.ty, Scalar)
    else:
        fits = is_numeric(left.ty)
    if not fits or left.ty != right.ty:
        raise stop(
            "L1201",
            f"`{term.operator}` does not take `{left.ty}` and `{right.ty}`",
            token,
            _operand_hint(code, left.ty, right.ty),
        )
    if code in (BinaryCode.DIV, BinaryCode.MOD) and is_integer(left.ty):
        divisor = literal_integer(term.operand)
        if divisor is None or divisor == 0:
            context.facts.risky = True
    result = left.ty if code in ops.ARITHMETIC else BOOL
    return context.operate(ops.Binary(code), [left, right], result, at(term.operator_token))


def literal_integer(node: ast.Expression) -> int | None:
    """The value of an integer literal, a minus before it included; None for anything else."""
    match node:
        case ast.IntegerLiteral(value=value):
            return value
        case ast.Unary(operator="-", operand=ast.IntegerLiteral(value=value)):
            return -value
        case _:
            return None


def note_index(context: Context, node: ast.Expression, length: int) -> None:
    """Remembers an index that is not a literal in range (L1619)."""
    value = literal_integer(node)
    if value is None or not 0 <= value < length:
        context.facts.risky = True


def _postfix(context: Context, node: ast.Postfix, wire: DraftValue | None) -> DraftValue:
    base = node.base
    if isinstance(base, ast.Name) and base.tokens[0] not in context.resolution.reads:
        _name(context, base.name, base.tokens)
    value = expression(context, base, wire)
    for suffix in node.suffixes:
        tokens = (node.tokens[0], suffix.tokens[1])
        match suffix:
            case ast.Subscript(index=index_node):
                value = _subscript(context, value, index_node, tokens)
            case ast.Slot(index=slot):
                value = _slot(context, value, slot, tokens)
            case ast.Member(name=name):
                value = _member(context, value, name, tokens)
    return value


def _subscript(
    context: Context, array: DraftValue, index_node: ast.Expression, tokens: ast.Tokens
) -> DraftValue:
    index = expression(context, index_node)
    if not isinstance(array.ty, Array):
        raise stop(
            "L1204",
            f"a value of type `{array.ty}` cannot be indexed",
            tokens,
            "take a component with `.0`"
            if isinstance(array.ty, Tuple | Struct)
            else "only arrays have elements",
        )
    if not is_integer(index.ty):
        raise stop(
            "L1201",
            f"an index is an integer, not `{index.ty}`",
            index_node.tokens,
            "convert it to `i32` first, and bind it to a name",
        )
    note_index(context, index_node, array.ty.length)
    return context.operate(ops.Index(), [array, index], array.ty.element, over(tokens))


def _slot(context: Context, product: DraftValue, slot: int, tokens: ast.Tokens) -> DraftValue:
    if not isinstance(product.ty, Tuple | Struct):
        hint = "index an array with `[ ]`"
        if not isinstance(product.ty, Array):
            hint = "tuples and structs have components"
        raise stop("L1204", f"a value of type `{product.ty}` has no components", tokens, hint)
    if slot >= len(product.ty.items):
        raise stop(
            "L1205",
            f"`{product.ty}` has no component {slot}",
            tokens,
            f"its components are 0 to {len(product.ty.items) - 1}",
        )
    return context.project(product, slot, over(tokens))


def _member(context: Context, product: DraftValue, name: str, tokens: ast.Tokens) -> DraftValue:
    ty = product.ty
    slot = field_slot(ty, name) if isinstance(ty, Struct) else None
    if slot is None:
        raise stop("L1103", f"`{ty}` has no field `{name}`", tokens, _known_fields(ty))
    return context.project(product, slot, over(tokens))


def _known_fields(ty: Type) -> str:
    """The fields of a struct, for a hint; the first few of many."""
    if not isinstance(ty, Struct):
        return "only structs have named fields; tuples have `.0`, `.1`, …"
    names = [name for name, _ in ty.fields[:_FIELDS_IN_HINT]]
    more = ", …" if len(ty.fields) > _FIELDS_IN_HINT else ""
    return f"its fields are {', '.join(names)}{more}"
