"""`.npy` files: exact round trips with NumPy's own, and a refusal for everything else."""

from __future__ import annotations

import io
import struct
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mapal.diagnostics import UserError
from mapal.ir.entry import Port, Ports, npy_form
from mapal.ir.types import BOOL, F32, F64, I32, I64, U8, Array, Struct, Tuple, Type
from mapal.project.arrays import (
    check_output_names,
    flat_of,
    input_values,
    output_files,
    read_npy,
    value_of,
    write_npy,
)


def port(ty: Type, name: str = "a") -> Port:
    form = npy_form(ty)
    assert form is not None
    return Port(name, ty, *form)


def saved(array: Any, version: tuple[int, int] = (1, 0)) -> bytes:
    buffer = io.BytesIO()
    np.lib.format.write_array(buffer, np.asarray(array), version=version)
    return buffer.getvalue()


def refusal(data: bytes, ty: Type) -> str:
    with pytest.raises(UserError) as caught:
        read_npy(data, port(ty), "data/a.npy")
    message = str(caught.value)
    assert message.startswith("input 'a': data/a.npy: ")
    return message


PAIR = Struct("Pair", (("x", F32), ("y", F32)))


@pytest.mark.parametrize(
    ("ty", "array", "value"),
    [
        (I32, np.int32(-7), -7),
        (BOOL, np.bool_(True), True),
        (F64, np.float64(0.1), 0.1),
        (Array(U8, 3), np.array([1, 2, 255], np.uint8), [1, 2, 255]),
        (Array(I64, 2), np.array([-(2**63), 2**63 - 1]), [-(2**63), 2**63 - 1]),
        (Array(BOOL, 2), np.array([True, False]), [True, False]),
        (Array(Array(F32, 2), 3), np.arange(6, dtype="f4").reshape(3, 2), [[0, 1], [2, 3], [4, 5]]),
        (
            Array(Array(PAIR, 2), 2),
            np.arange(8, dtype="f4").reshape(2, 2, 2),
            [[(0, 1), (2, 3)], [(4, 5), (6, 7)]],
        ),
        (
            Array(Tuple((I32, I32, I32)), 2),
            np.arange(6, dtype="i4").reshape(2, 3),
            [(0, 1, 2), (3, 4, 5)],
        ),
    ],
)
def test_values_and_files_round_trip(ty: Type, array: Any, value: object) -> None:
    for version in ((1, 0), (2, 0)):
        flat = read_npy(saved(array, version), port(ty), "f")
        assert value_of(flat, ty) == value
    assert write_npy(flat_of(value, port(ty)), port(ty)) == saved(array)


def test_any_shape_with_the_right_count_is_read() -> None:
    for shape in ((6,), (2, 3), (1, 6, 1)):
        data = saved(np.arange(6, dtype="f4").reshape(shape))
        assert value_of(read_npy(data, port(Array(F32, 6)), "f"), Array(F32, 6)) == [
            0,
            1,
            2,
            3,
            4,
            5,
        ]
    assert value_of(read_npy(saved(np.ones((1, 1), "i4")), port(I32), "f"), I32) == 1


@given(st.lists(st.integers(0, 2**32 - 1), min_size=1, max_size=8))
def test_every_bit_pattern_but_nan_survives(bits: list[int]) -> None:
    array = np.array(bits, dtype=np.uint32).view(np.float32)
    ty = Array(F32, len(bits))
    data = write_npy(read_npy(saved(array), port(ty), "f"), port(ty))
    expected = [0x7FC00000 if np.isnan(x) else b for b, x in zip(bits, array, strict=True)]
    assert data[-4 * len(bits) :] == struct.pack(f"<{len(bits)}I", *expected)


def test_a_nan_leaves_as_the_one_quiet_nan() -> None:
    array = np.array([0xFFF8000000000001], dtype=np.uint64).view(np.float64)
    ty = Array(F64, 1)
    assert write_npy(array, port(ty))[-8:] == struct.pack("<Q", 0x7FF8000000000000)
    scalar = np.array(0xFFC00001, dtype=np.uint32).view(np.float32)
    assert write_npy(scalar, port(F32))[-4:] == struct.pack("<I", 0x7FC00000)


def header(text: str, data: bytes = b"\0" * 4, version: bytes = b"\x01\x00") -> bytes:
    encoded = text.encode("latin-1")
    return b"\x93NUMPY" + version + struct.pack("<H", len(encoded)) + encoded + data


GOOD = "{'descr': '<i4', 'fortran_order': False, 'shape': (1,), }"


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"", "not a NumPy .npy file"),
        (b"\x93NUMPY", "not a NumPy .npy file"),
        (b"PK\x03\x04 a zip file", "not a NumPy .npy file"),
        (header(GOOD, version=b"\x03\x00"), "version 3.0, expected 1.0 or 2.0"),
        (header(GOOD, version=b"\x01\x01"), "version 1.1"),
        (header(GOOD)[:20], "the file ends inside its header"),
        (b"\x93NUMPY\x02\x00\xff\xff\xff\xff", "a header of 4294967295 bytes"),
        (header("__import__('os')"), "no Python dictionary"),
        (header("(" * 5000), "no Python dictionary"),
        (header("\xff"), "no Python dictionary"),
        (header("[1]"), "has other keys"),
        (header(GOOD.replace("}", "'more': 1}")), "has other keys"),
        (header("{'descr': '<i4', 'shape': (1,)}"), "has other keys"),
        (header(GOOD.replace("<i4", "|O")), "found dtype '|O', expected '<i4' for i32"),
        (header(GOOD.replace("<i4", ">i4")), "found dtype '>i4'"),
        (header(GOOD.replace("'<i4'", "[('x', '<i4')]")), "found dtype"),
        (header(GOOD.replace("False", "True")), "found Fortran order, expected C order"),
        (header(GOOD.replace("(1,)", "1")), "the shape is no tuple of extents"),
        (header(GOOD.replace("(1,)", "(-1,)")), "the shape is no tuple of extents"),
        (header(GOOD.replace("(1,)", "(True,)")), "the shape is no tuple of extents"),
        (header(GOOD.replace("(1,)", "(2,)")), "found 2 elements (shape (2,)), expected 1"),
        (header(GOOD, b"\0" * 3), "found 3 bytes of data, expected 4"),
        (header(GOOD, b"\0" * 6), "found 2 bytes behind the data"),
    ],
)
def test_everything_else_is_refused(data: bytes, expected: str) -> None:
    assert expected in refusal(data, Array(I32, 1))


def test_bool_bytes_are_zero_or_one() -> None:
    text = GOOD.replace("<i4", "|b1").replace("(1,)", "(3,)")
    assert "neither 0 nor 1" in refusal(header(text, b"\x00\x01\x02"), Array(BOOL, 3))


def test_a_pickled_object_array_is_never_loaded() -> None:
    buffer = io.BytesIO()
    np.save(buffer, np.array([{"a": 1}], dtype=object), allow_pickle=True)
    assert "found dtype '|O'" in refusal(buffer.getvalue(), Array(I32, 1))


def test_inputs_and_outputs_by_name() -> None:
    ports = Ports((port(Array(I32, 2), "image"), port(F32, "gain")), (port(I32, "result"),), False)
    files = {
        "image": (saved(np.array([1, 2], "i4")), "i.npy"),
        "gain": (saved(np.float32(0.5)), "g.npy"),
    }
    assert input_values(files, ports) == {"image": [1, 2], "gain": 0.5}
    assert output_files(3, ports) == {"result": saved(np.int32(3))}
    both = Ports((), (port(I32, "result.0"), port(Array(U8, 1), "result.1")), True)
    assert output_files((1, [2]), both) == {
        "result.0": saved(np.int32(1)),
        "result.1": saved(np.array([2], "u1")),
    }
    assert output_files(None, Ports((), (), False)) == {}
    with pytest.raises(UserError, match="parameter 'gain' has no input"):
        input_values({"image": files["image"]}, ports)
    with pytest.raises(UserError, match="did you mean 'image'"):
        input_values({**files, "imag": files["gain"]}, ports)
    with pytest.raises(UserError, match="there are no parameters"):
        input_values(files, both)
    check_output_names(["result.1"], both)
    with pytest.raises(UserError, match=r"results are result\.0, result\.1"):
        check_output_names(["result"], both)
    with pytest.raises(UserError, match="there is no result"):
        check_output_names(["result"], Ports((), (), False))
