"""The ports of a program."""

from __future__ import annotations

import pytest

from mapal.diagnostics import UserError
from mapal.ir.builder import GraphBuilder
from mapal.ir.entry import Port, entry_ports, npy_form, result_forms, without_token
from mapal.ir.graph import FunctionKind, Graph
from mapal.ir.types import (
    BOOL,
    F32,
    I32,
    IO,
    STR,
    U8,
    UNIT,
    Array,
    Scalar,
    Struct,
    Tuple,
    Type,
)
from tests.ir.back_door import rebuilt
from tests.ir.sample_graphs import at

POINT = Struct("Point", (("x", F32), ("y", F32)))
MIXED = Struct("Mixed", (("x", F32), ("n", I32)))


def program(taken: Type, given: Type, parameters: tuple[str, ...]) -> Graph:
    """A graph with this signature; nothing else of it matters to ports."""
    builder = GraphBuilder()
    main = builder.declare(FunctionKind.NAMED, "main", UNIT, UNIT, at(0), ())
    f = builder.build(main)
    f.finish()
    graph = builder.seal(main)
    return rebuilt(
        graph,
        objects={0: {"ty": taken}, 1: {"ty": given}},
        functions={0: {"parameters": parameters}},
    )


@pytest.mark.parametrize(
    ("ty", "form"),
    [
        (I32, (I32, ())),
        (Array(U8, 5), (U8, (5,))),
        (Array(Array(BOOL, 5), 3), (BOOL, (3, 5))),
        (Array(Tuple((F32, F32, F32)), 4), (F32, (4, 3))),
        (Array(Array(POINT, 2), 4), (F32, (4, 2, 2))),
        (Array(MIXED, 4), None),
        (Array(Tuple((Array(F32, 2), F32)), 4), None),
        (POINT, None),
        (Tuple((F32, F32)), None),
        (UNIT, None),
        (STR, None),
    ],
)
def test_forms(ty: Type, form: tuple[Scalar, tuple[int, ...]] | None) -> None:
    assert npy_form(ty) == form


def test_forms_of_results() -> None:
    assert result_forms(UNIT) == ()
    assert result_forms(I32) == (("result", I32),)
    assert result_forms(Tuple((I32, Array(F32, 2)))) == (
        ("result.0", I32),
        ("result.1", Array(F32, 2)),
    )
    assert result_forms(Tuple((I32, POINT))) is None
    assert result_forms(MIXED) is None


def test_without_token() -> None:
    assert without_token(IO) == UNIT
    assert without_token(Tuple((IO, I32))) == I32
    assert without_token(Tuple((I32, IO))) == Tuple((I32, IO))


def test_ports_of_an_effectful_program_with_two_parameters() -> None:
    taken = Tuple((IO, Tuple((Array(F32, 3), I32))))
    ports = entry_ports(program(taken, Tuple((IO, Tuple((I32, F32)))), ("a", "n")))
    assert ports.inputs == (
        Port("a", Array(F32, 3), F32, (3,)),
        Port("n", I32, I32, ()),
    )
    assert [port.name for port in ports.outputs] == ["result.0", "result.1"]
    assert ports.result_is_tuple
    assert [port.count for port in ports.inputs] == [3, 1]


def test_ports_of_a_program_without_any() -> None:
    ports = entry_ports(program(IO, IO, ()))
    assert (ports.inputs, ports.outputs, ports.result_is_tuple) == ((), (), False)


def test_one_parameter() -> None:
    ports = entry_ports(program(Array(POINT, 2), I32, ("points",)))
    assert ports.inputs == (Port("points", Array(POINT, 2), F32, (2, 2)),)
    assert [port.name for port in ports.outputs] == ["result"]


@pytest.mark.parametrize(
    ("taken", "given"), [(MIXED, I32), (I32, MIXED), (I32, Tuple((I32, MIXED)))]
)
def test_an_entry_without_ports_is_the_user_s_error(taken: Type, given: Type) -> None:
    with pytest.raises(UserError, match=r"no \.npy form"):
        entry_ports(program(taken, given, ("x",)))
