"""Trees: what every construct becomes, with its token ordinals."""

from pathlib import Path

import pytest

from mapal.syntax import ast, encode_program, parse
from mapal.syntax.ast import (
    ArrayType,
    Binary,
    BinaryTerm,
    FloatLiteral,
    IntegerLiteral,
    Name,
    NamedType,
    Postfix,
    Slot,
    Subscript,
    TupleType,
    Unary,
    Wire,
)

EXAMPLES = sorted((Path(__file__).parents[1] / "examples").glob("*.mapal"))


def clean(source: str) -> ast.Program:
    result = parse(source)
    assert result.diagnostics == ()
    return result.program


def body(source: str) -> ast.Block:
    """The body of `main` with some text; its first token has ordinal 5."""
    [function] = clean(f"fn main() {{{source}}}").items
    assert isinstance(function, ast.FunctionItem)
    return function.body


def tail(source: str) -> ast.Chain:
    chain = body(source).tail
    assert chain is not None
    return chain


def expression(source: str) -> ast.Expression:
    head = tail(source).head
    assert head is not None
    return head


def stage(source: str) -> ast.Stage:
    [found] = tail(source).stages
    return found


def shape(node: ast.Expression) -> str:
    """An expression with all its parentheses."""
    match node:
        case IntegerLiteral(value=value):
            return str(value)
        case FloatLiteral(text=text):
            return text
        case Name(name=name):
            return name
        case Wire():
            return "_"
        case Unary(operator=operator, operand=operand):
            return f"({operator}{shape(operand)})"
        case Binary(first=first, rest=rest):
            terms = " ".join(f"{term.operator} {shape(term.operand)}" for term in rest)
            return f"({shape(first)} {terms})"
        case Postfix(base=base, suffixes=suffixes):
            text = shape(base)
            for suffix in suffixes:
                if isinstance(suffix, Subscript):
                    text += f"[{shape(suffix.index)}]"
                else:
                    text += f".{suffix.index if isinstance(suffix, Slot) else suffix.name}"
            return f"({text})"
        case ast.TupleLiteral(items=items):
            return f"<{', '.join(map(shape, items))}>"
        case ast.ArrayLiteral(items=items):
            return f"[{', '.join(map(shape, items))}]"
        case _:
            return type(node).__name__


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_examples_parse(path: Path) -> None:
    clean(path.read_text(encoding="utf-8"))


def test_examples_are_there() -> None:
    assert len(EXAMPLES) == 41


def test_empty_programs() -> None:
    for source in ("", "  \n", "// nothing"):
        assert clean(source) == ast.Program(tokens=(0, 0), items=())


def test_function_item() -> None:
    [item] = clean("fn f(mut a: i32, b: (f32, T),) -> [u8; 04] { }").items
    assert isinstance(item, ast.FunctionItem)
    assert (item.tokens, item.name, item.name_token) == ((0, 24), "f", 1)
    assert item.parameters == (
        ast.Parameter(
            tokens=(3, 6),
            name="a",
            name_token=4,
            mutable=True,
            annotation=NamedType(tokens=(6, 6), name="i32"),
        ),
        ast.Parameter(
            tokens=(8, 14),
            name="b",
            name_token=8,
            mutable=False,
            annotation=TupleType(
                tokens=(10, 14),
                items=(
                    NamedType(tokens=(11, 11), name="f32"),
                    NamedType(tokens=(13, 13), name="T"),
                ),
            ),
        ),
    )
    assert item.result == ArrayType(
        tokens=(18, 22), element=NamedType(tokens=(19, 19), name="u8"), length=4
    )
    assert item.body == ast.Block(tokens=(23, 24), statements=(), tail=None)


def test_type_item() -> None:
    [item] = clean("type P { x: f32, y: i32 z: u8 }").items
    assert isinstance(item, ast.TypeItem)
    assert (item.tokens, item.name, item.name_token) == ((0, 13), "P", 1)
    assert [(field.name, field.tokens) for field in item.fields] == [
        ("x", (3, 5)),
        ("y", (7, 9)),
        ("z", (10, 12)),
    ]
    [empty] = clean("type E { }").items
    assert isinstance(empty, ast.TypeItem)
    assert empty.fields == ()


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("1 + 2 * 3", "(1 + (2 * 3))"),
        ("1 * 2 + 3", "((1 * 2) + 3)"),
        ("1 - 2 - 3 + 4", "(1 - 2 - 3 + 4)"),
        ("1 * 2 / 3 % 4", "(1 * 2 / 3 % 4)"),
        ("(1 - 2) - 3", "((1 - 2) - 3)"),
        ("1 - (2 - 3)", "(1 - (2 - 3))"),
        ("a || b && c || d", "(a || (b && c) || d)"),
        ("a && b || c && d", "((a && b) || (c && d))"),
        ("a + 1 < b * 2 && c == d", "(((a + 1) < (b * 2)) && (c == d))"),
        ("a < b == (c < d)", None),
        ("(a < b) == (c < d)", "((a < b) == (c < d))"),
        ("-a * b", "((-a) * b)"),
        ("-a.x", "(-(a.x))"),
        ("!-!a", "(!(-(!a)))"),
        ("- -1", "(-(-1))"),
        ("a - -1", "(a - (-1))"),
        ("a.x.0[i + 1].y", "(a.x.0[(i + 1)].y)"),
        ("(t.0).1", "((t.0).1)"),
        ("t.0 .1", "(t.0.1)"),
        ("(1, 2.5, a)", "<1, 2.5, a>"),
        ("(1, 2,)", "<1, 2>"),
        ("((1, 2), 3)", "<<1, 2>, 3>"),
        ("[1, 2,]", "[1, 2]"),
        ("[[1], [2]]", "[[1], [2]]"),
        ("((((a))))", "a"),
        ("()", "UnitLiteral"),
        ("true", "BoolLiteral"),
        ('"s"', "StringLiteral"),
        ("loops + rets", "(loops + rets)"),
        ("5 . 0", "(5.0)"),
        ("a\n[1]", "(a[1])"),
    ],
)
def test_expressions(source: str, expected: str | None) -> None:
    if expected is None:
        assert [report.code for report in parse(f"fn main() {{{source}}}").diagnostics] == ["P0007"]
    else:
        assert shape(expression(source)) == expected


def test_tokens_of_expressions_include_the_parentheses_of_their_parts() -> None:
    product = expression("(a + b) * (c)")
    assert product.tokens == (5, 13)
    assert isinstance(product, Binary)
    assert product.first.tokens == (6, 8)
    assert product.rest == (
        BinaryTerm(
            tokens=(12, 12),
            operator="*",
            operator_token=10,
            operand=Name(tokens=(12, 12), name="c"),
        ),
    )
    element = expression("(a)[1].x")
    assert isinstance(element, Postfix)
    assert element.tokens == (5, 12)
    assert element.base.tokens == (6, 6)
    assert [suffix.tokens for suffix in element.suffixes] == [(8, 10), (11, 12)]
    negation = expression("-(a)")
    assert isinstance(negation, Unary)
    assert (negation.tokens, negation.operator_token, negation.operand.tokens) == (
        (5, 8),
        5,
        (7, 7),
    )


def test_struct_literals() -> None:
    literal = expression("P { x: 1, y, z: Q { }, }")
    assert isinstance(literal, ast.StructLiteral)
    assert (literal.name, literal.tokens) == ("P", (5, 19))
    assert [(f.name, f.tokens, f.value and shape(f.value)) for f in literal.fields] == [
        ("x", (7, 9), "1"),
        ("y", (11, 11), None),
        ("z", (13, 17), "StructLiteral"),
    ]


def test_literals_keep_what_was_written() -> None:
    assert expression("018446744073709551615") == IntegerLiteral(tokens=(5, 5), value=2**64 - 1)
    assert expression("00.50") == FloatLiteral(tokens=(5, 5), text="00.50")
    assert expression(r'"a\n"') == ast.StringLiteral(tokens=(5, 5), value="a\n")


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("+ 5", "(_ + 5)"),
        ("* 2 + 1", "((_ * 2) + 1)"),
        ("+ 4 * 2", "(_ + (4 * 2))"),
        ("- 3 - 2", "(_ - 3 - 2)"),
        ("-3", "(_ - 3)"),
        ("- -3", "(_ - (-3))"),
        ("> 5", "(_ > 5)"),
        ("< 3 && ok", "((_ < 3) && ok)"),
        ("|| a && b", "(_ || (a && b))"),
        ("* 2 < 9 || a", "(((_ * 2) < 9) || a)"),
    ],
)
def test_operator_stages(source: str, expected: str) -> None:
    found = stage(f"w -> {source}")
    assert isinstance(found, ast.OperatorStage)
    assert shape(found.value) == expected
    assert found.tokens[0] == 6
    assert found.value.tokens[0] == 7


def test_wire_has_the_tokens_of_its_operator() -> None:
    found = stage("w -> * 2 + 1")
    assert isinstance(found, ast.OperatorStage)
    assert isinstance(found.value, Binary)
    assert isinstance(found.value.first, Binary)
    assert found.value.first.first == Wire(tokens=(7, 7))
    assert (found.value.tokens, found.value.first.tokens) == ((7, 10), (7, 8))


def test_simple_stages() -> None:
    assert stage("a -> ret") == ast.RetStage(tokens=(6, 7), slot=None)
    assert stage("a -> ret.02") == ast.RetStage(tokens=(6, 9), slot=2)
    assert stage("a -> loop") == ast.LoopStage(tokens=(6, 7))
    assert stage("a -> b") == ast.ExpressionStage(
        tokens=(6, 7), value=Name(tokens=(7, 7), name="b")
    )
    assert stage("a -> (b)") == ast.ExpressionStage(
        tokens=(6, 9), value=Name(tokens=(8, 8), name="b")
    )
    assert stage("a -> mut b") == ast.BindStage(
        tokens=(6, 8), name="b", name_token=8, mutable=True, annotation=None
    )
    assert stage("a -> b: T") == ast.BindStage(
        tokens=(6, 9),
        name="b",
        name_token=7,
        mutable=False,
        annotation=NamedType(tokens=(9, 9), name="T"),
    )
    typed = stage("a -> mut b: [T; 2]")
    assert isinstance(typed, ast.BindStage)
    assert (typed.mutable, typed.tokens) == (True, (6, 14))


@pytest.mark.parametrize(
    "source", ["b + 1", "b.c", "5", "(1, 2)", "P { x: 1 }", "P { x, y }", "!b", '"s"']
)
def test_other_expression_stages_are_left_to_lowering(source: str) -> None:
    assert isinstance(stage(f"a -> {source}"), ast.ExpressionStage)


def test_collection_stages() -> None:
    found = stage("a -> map { x -> x + 1 -> y; y }")
    assert isinstance(found, ast.CollectionStage)
    assert (found.operator, found.operator_token, found.tokens) == ("map", 7, (6, 18))
    assert found.parameters == (ast.BodyParameter(tokens=(9, 9), name="x"),)
    assert found.body.tokens == (11, 18)
    assert len(found.body.statements) == 1
    assert found.body.tail is not None
    for operator in ("fold", "reduce"):
        found = stage(f"a -> {operator} {{ s, x -> s }}")
        assert isinstance(found, ast.CollectionStage)
        assert found.operator == operator
        assert [parameter.name for parameter in found.parameters] == ["s", "x"]
    empty = stage("a -> map { x -> }")
    assert isinstance(empty, ast.CollectionStage)
    assert empty.body == ast.Block(tokens=(11, 11), statements=(), tail=None)


def test_reduce_is_a_name_elsewhere() -> None:
    assert isinstance(stage("a -> reduce"), ast.ExpressionStage)
    assert isinstance(stage("a -> reduce: i32"), ast.BindStage)
    assert shape(expression("reduce + reduce.x")) == "(reduce + (reduce.x))"


def test_body_may_begin_headless() -> None:
    found = stage("a -> map { x -> -> f; x }")
    assert isinstance(found, ast.CollectionStage)
    [statement] = found.body.statements
    assert isinstance(statement, ast.ChainStatement)
    assert statement.chain.head is None


def test_guards() -> None:
    found = stage("a -> { -true-> 1; -false-> { 2 } -7-> -> f; -8-> P { } -9-> { }; -_-> 3 }")
    assert isinstance(found, ast.GuardStage)
    assert [(arm.discriminant, arm.value) for arm in found.arms] == [
        ("true", None), ("false", None), ("integer", 7), ("integer", 8), ("integer", 9),
        ("default", None),
    ]  # fmt: skip
    assert [type(arm.payload) for arm in found.arms] == [
        ast.Chain, ast.Block, ast.Chain, ast.Chain, ast.Block, ast.Chain,
    ]  # fmt: skip
    assert [(arm.guard_token, arm.tokens) for arm in found.arms[:2]] == [
        (8, (8, 9)),
        (11, (11, 14)),
    ]
    headless = found.arms[2].payload
    assert isinstance(headless, ast.Chain)
    assert headless.head is None


def test_an_arm_without_semicolon_goes_on_with_the_minus() -> None:
    found = stage("a -> { -0-> 1 -false-> 2 }")
    assert isinstance(found, ast.GuardStage)
    [arm] = found.arms
    assert isinstance(arm.payload, ast.Chain)
    assert arm.payload.head is not None
    assert shape(arm.payload.head) == "(1 - BoolLiteral)"


def test_fanouts() -> None:
    found = stage("a -> { -> f; -> + 1 -> g; -> { -> h; }; }")
    assert isinstance(found, ast.FanoutStage)
    assert found.tokens == (6, 24)
    assert [len(branch.stages) for branch in found.branches] == [1, 2, 1]
    assert [branch.tokens for branch in found.branches] == [(8, 9), (11, 15), (17, 22)]


def test_seq() -> None:
    found = stage("a -> seq { -> f; b }")
    assert isinstance(found, ast.SeqStage)
    assert found.tokens == (6, 13)
    assert found.body.tokens == (8, 13)


def test_statements() -> None:
    block = body("loop { } x <- 1; mut y: T <- 2; z[0] <- 3; 4 -> f; -> g;")
    kinds = [type(statement) for statement in block.statements]
    assert kinds == [
        ast.LoopStatement,
        ast.BindStatement,
        ast.BindStatement,
        ast.UpdateStatement,
        ast.ChainStatement,
        ast.ChainStatement,
    ]
    assert block.tail is None
    loop, bind, typed, update, chain, _ = block.statements
    assert loop.tokens == (5, 7)
    assert isinstance(bind, ast.BindStatement)
    assert (bind.tokens, bind.name_token, bind.mutable, bind.annotation) == (
        (8, 11),
        8,
        False,
        None,
    )
    assert isinstance(typed, ast.BindStatement)
    assert (typed.tokens, typed.name_token, typed.mutable) == ((12, 18), 13, True)
    assert typed.annotation is not None
    assert isinstance(update, ast.UpdateStatement)
    assert (update.tokens, update.name, update.name_token) == ((19, 25), "z", 19)
    assert chain.tokens == (26, 29)


def test_block_forms_may_leave_out_the_semicolon() -> None:
    block = body("a -> { -_-> 1; } b -> map { x -> x } c -> seq { } d -> { -> f; } e -> g")
    assert len(block.statements) == 4
    assert block.tail is not None
    assert body("a -> map { x -> x }").tail is not None
    assert body("a -> map { x -> x };").tail is None
    assert len(body("a -> map { x -> x } -> b;").statements) == 1


def test_struct_literal_or_label_at_the_start_of_a_statement() -> None:
    assert isinstance(expression("P { x: (1, 2), y: [3] }"), ast.StructLiteral)
    assert isinstance(expression("P { } "), ast.StructLiteral)
    for inside in ("1;", "1 -> x", "x <- 1", "{ ; }", "-1->"):
        codes = [report.code for report in parse(f"fn main() {{ P {{ {inside} }} }}").diagnostics]
        assert codes[0] == "P0110"
    # In any other place a name and a brace are a struct literal.
    payload = stage("a -> { -_-> P { x: 1 }; }")
    assert isinstance(payload, ast.GuardStage)


def test_comments_and_layout_do_not_show_in_the_tree() -> None:
    tight = "fn main(){a->{-1->{b}-_->-c;}->d:i32;}"
    loose = """
    // ünïcode
    fn main ( ) { // begin
        a -> {
            -1-> { b }
            -_-> - c ;
        } -> d : i32 ;
    }
    """
    assert encode_program(clean(tight)) == encode_program(clean(loose))
    assert parse(tight).locations != parse(loose).locations


def test_locations_are_those_of_the_tokens() -> None:
    source = 'fn main() { "é" -> x; }'
    data = source.encode()
    spans = parse(source).locations.spans
    assert [data[start:end].decode() for start, end in spans] == [
        "fn", "main", "(", ")", "{", '"é"', "->", "x", ";", "}",
    ]  # fmt: skip
