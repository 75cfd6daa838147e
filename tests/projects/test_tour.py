"""The tour covers the language, and every program of it has its expected text."""

from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from mapal.check import check
from mapal.interpreter import run
from mapal.ir.entry import entry_ports
from mapal.lower import lower
from mapal.project.arrays import input_values
from mapal.project.file import Program, load_project
from mapal.syntax import ast, parse

TOUR = Path(__file__).parents[2] / "projects" / "tour"
PROGRAMS = load_project(TOUR / "mapal.yaml").programs
NAMES = [program.name for program in PROGRAMS]
TRAPS = {"trap-index": "index_oob", "trap-division": "div_zero", "trap-body": "div_zero"}
OPERATORS = ["+", "-", "*", "/", "%", "==", "!=", "<", ">", "<=", ">=", "&&", "||"]
BUILTINS = [
    "print",
    "println",
    "time",
    "zip",
    "enumerate",
    "iota",
    "fill",
    "widen_i64",
    "widen_f32",
    "widen_f64",
    "to_i32",
    "to_i64",
    "to_u8",
    "to_f32",
    "to_f64",
    "sqrt",
    "abs",
    "min",
    "max",
    "floor",
    "ceil",
    "round",
    "trunc",
]


def nodes(value: object) -> Iterator[ast.Node]:
    """All nodes at and below a value of a syntax tree."""
    if isinstance(value, ast.Node):
        yield value
        for field in msgspec.structs.fields(value):
            yield from nodes(getattr(value, field.name))
    elif isinstance(value, tuple):
        for item in value:
            yield from nodes(item)


@pytest.fixture(scope="module")
def used() -> list[ast.Node]:
    """Every node of every program of the tour."""
    found: list[ast.Node] = []
    for path in sorted(TOUR.glob("src/*.mapal")):
        result = parse(path.read_text(encoding="utf-8"))
        assert not result.diagnostics
        found.extend(nodes(result.program))
    return found


def kinds(base: type[ast.Node]) -> set[type[ast.Node]]:
    """The classes of the tree below `base` that have no subclasses of their own."""
    below = base.__subclasses__()
    return {leaf for child in below for leaf in kinds(child)} if below else {base}


def test_tour_uses_every_kind_of_node(used: list[ast.Node]) -> None:
    assert {type(node) for node in used} == kinds(ast.Node)


def test_tour_uses_every_operator(used: list[ast.Node]) -> None:
    binary = {node.operator for node in used if isinstance(node, ast.BinaryTerm)}
    assert binary == set(OPERATORS)
    assert {node.operator for node in used if isinstance(node, ast.Unary)} == {"-", "!"}


def test_tour_uses_every_builtin_and_collection_stage(used: list[ast.Node]) -> None:
    stages = {
        node.value.name
        for node in used
        if isinstance(node, ast.ExpressionStage) and isinstance(node.value, ast.Name)
    }
    assert set(BUILTINS) <= stages
    collections = {node.operator for node in used if isinstance(node, ast.CollectionStage)}
    assert collections == {"map", "fold", "reduce"}


def test_tour_uses_every_arm_return_and_binding(used: list[ast.Node]) -> None:
    arms = {node.discriminant for node in used if isinstance(node, ast.Arm)}
    assert arms == {"true", "false", "default", "integer"}
    headless = [
        node
        for node in used
        if isinstance(node, ast.Arm)
        and isinstance(node.payload, ast.Chain)
        and node.payload.head is None
    ]
    assert headless
    slots = {node.slot for node in used if isinstance(node, ast.RetStage)}
    assert {None, 0, 1, 2} <= slots
    binds = {
        (type(node), node.mutable, node.annotation is not None)
        for node in used
        if isinstance(node, ast.BindStatement | ast.BindStage)
    }
    assert {(ast.BindStatement, mutable, True) for mutable in (False, True)} <= binds
    assert {(ast.BindStatement, mutable, False) for mutable in (False, True)} <= binds
    assert {(ast.BindStage, False, True), (ast.BindStage, True, False)} <= binds
    assert (ast.BindStage, True, True) in binds
    assert {node.mutable for node in used if isinstance(node, ast.Parameter)} == {False, True}


def test_tour_uses_every_scalar_type(used: list[ast.Node]) -> None:
    named = {node.name for node in used if isinstance(node, ast.NamedType)}
    assert {"i32", "i64", "u8", "f32", "f64", "bool"} <= named


def test_every_program_has_its_expected_text() -> None:
    assert sorted(path.stem for path in TOUR.glob("expected/*.txt")) == sorted(NAMES)


@pytest.mark.parametrize("program", PROGRAMS, ids=NAMES)
def test_program_prints_its_expected_text(program: Program) -> None:
    tree = parse((TOUR / program.source).read_text(encoding="utf-8")).program
    lowered = lower(tree, "fused" if program.arithmetic == "fused" else "exact")
    assert not lowered.diagnostics
    assert lowered.graph is not None
    assert not check(tree, lowered.graph)
    files = {name: ((TOUR / path).read_bytes(), path) for name, path in program.inputs}
    values = input_values(files, entry_ports(lowered.graph))
    outcome = run(lowered.graph, values, budget=10_000_000)
    assert outcome.output == (TOUR / "expected" / f"{program.name}.txt").read_bytes()
    trap = outcome.trap.kind if outcome.trap else None
    assert trap == TRAPS.get(program.name)


def test_every_source_is_a_program() -> None:
    sources = {str(path.relative_to(TOUR)) for path in TOUR.glob("src/*")}
    assert {program.source for program in PROGRAMS} == sources


def test_one_source_is_built_in_both_arithmetics() -> None:
    modes = {(program.source, program.arithmetic) for program in PROGRAMS}
    fused = {source for source, mode in modes if mode == "fused"}
    assert fused
    assert fused <= {source for source, mode in modes if mode == "exact"}


def test_readme_names_every_program() -> None:
    text = (TOUR / "README.md").read_text(encoding="utf-8")
    assert [name for name in NAMES if f"`{name}`" not in text] == []
