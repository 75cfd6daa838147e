"""Arrays in and out of programs: `.npy` files and the interpreter's values.

Reading follows NumPy's format description (numpy.lib.format, versions 1.0 and 2.0) and is
strict: C order, exactly the dtype of the Mapal type, exactly the element count, nothing behind
the data, no other header key, never an object. Writing gives the bytes of `np.save`, version
1.0, with every NaN as the one quiet NaN, so that equal results are equal files.
"""

from __future__ import annotations

import ast
import io
import math
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from mapal.diagnostics import UserError
from mapal.ir.entry import Port, Ports
from mapal.ir.types import Array, Scalar, Struct, Tuple, Type
from mapal.target.document import closest

if TYPE_CHECKING:
    import numpy.typing as npt

DTYPES = {"i32": "<i4", "i64": "<i8", "u8": "|u1", "f32": "<f4", "f64": "<f8", "bool": "|b1"}
_MAGIC = b"\x93NUMPY"
_LARGEST_HEADER = 0xFFFF
_KEYS = {"descr", "fortran_order", "shape"}


def read_npy(data: bytes, port: Port, file: str) -> npt.NDArray[Any]:
    """The scalars of an input in C order, as a flat array of the port's dtype. Raises
    `UserError` that names parameter, file, found and expected."""
    import numpy as np

    try:
        header, start = _header(data)
        _check(header, port)
        _check_size(len(data) - start, port)
        flat = np.frombuffer(data, dtype=DTYPES[port.scalar.name], offset=start)
        if port.scalar.name == "bool" and (flat.view(np.uint8) > 1).any():
            raise _Refused("found a byte that is neither 0 nor 1 in an array of bool")
    except _Refused as error:
        raise UserError(f"input '{port.name}': {file}: {error}") from None
    return flat


def write_npy(flat: npt.NDArray[Any], port: Port) -> bytes:
    """The file of an output whose scalars, in C order, are `flat`."""
    import numpy as np

    array = np.ascontiguousarray(flat, dtype=DTYPES[port.scalar.name]).reshape(port.shape)
    if port.scalar.is_float:
        # Assigning a NaN by its bits: `np.nan` may have any.
        quiet = b"\x00\x00\xc0\x7f" if port.scalar.bits == 32 else b"\x00" * 6 + b"\xf8\x7f"
        array = np.where(np.isnan(array), np.frombuffer(quiet, array.dtype)[0], array)
    buffer = io.BytesIO()
    np.lib.format.write_array(buffer, np.asarray(array), version=(1, 0), allow_pickle=False)
    return buffer.getvalue()


def value_of(flat: npt.NDArray[Any], ty: Type) -> object:
    """The interpreter's value of type `ty` for scalars in C order: a list for an array, a tuple
    for a tuple or struct, a Python number or bool for a scalar."""
    if isinstance(ty, Scalar):
        return flat.tolist()[0]
    assert isinstance(ty, Array), "only scalars and arrays are inputs"
    return _nested(flat.tolist(), ty)


def _nested(scalars: list[Any], ty: Array) -> list[Any]:
    """Groups scalars by the axes of an array type, innermost first."""
    widths = []
    element: Type = ty
    while isinstance(element, Array):
        widths.append(element.length)
        element = element.element
    values = scalars
    if isinstance(element, Tuple | Struct):
        columns = [scalars[slot :: len(element.items)] for slot in range(len(element.items))]
        values = list(zip(*columns, strict=True))
    for width in reversed(widths[1:]):
        values = [values[start : start + width] for start in range(0, len(values), width)]
    return values


def flat_of(value: object, port: Port) -> npt.NDArray[Any]:
    """The scalars of an interpreter's value in C order."""
    import numpy as np

    plain = _plain(value, port.ty)
    return np.asarray(plain, dtype=DTYPES[port.scalar.name]).reshape(-1)


def _plain(value: Any, ty: Type) -> Any:
    """The value with its computed sequences as lists, down to the scalars."""
    if not isinstance(ty, Array):
        return value
    if isinstance(ty.element, Array):
        return [_plain(element, ty.element) for element in value]
    return list(value)


def input_values(files: dict[str, tuple[bytes, str]], ports: Ports) -> dict[str, object]:
    """The interpreter's inputs from files: per port name, content and the name to show.
    Raises `UserError`, also for a missing or a superfluous input."""
    check_names(files, ports)
    values = {}
    for port in ports.inputs:
        data, file = files[port.name]
        values[port.name] = value_of(read_npy(data, port, file), port.ty)
    return values


def check_names(given: Iterable[str], ports: Ports) -> None:
    """Raises `UserError` unless exactly the parameters have an input."""
    names = [port.name for port in ports.inputs]
    for name in given:
        if name not in names:
            expected = f"parameters are {', '.join(names)}" if names else "there are no parameters"
            raise UserError(f"input {name!r} is no parameter; {expected}{closest(name, names)}")
    for name in names:
        if name not in given:
            raise UserError(f"parameter {name!r} has no input")


def check_output_names(given: Iterable[str], ports: Ports) -> None:
    """Raises `UserError` for an output that the entry does not have."""
    names = [port.name for port in ports.outputs]
    for name in given:
        if name not in names:
            expected = f"results are {', '.join(names)}" if names else "there is no result"
            raise UserError(f"output {name!r} is no result; {expected}")


def output_files(result: object, ports: Ports) -> dict[str, bytes]:
    """The `.npy` files of an entry's result by port name."""
    values = result if ports.result_is_tuple else (result,)
    assert isinstance(values, tuple)
    return {
        port.name: write_npy(flat_of(value, port), port)
        for port, value in zip(ports.outputs, values, strict=False)
    }


class _Refused(Exception):  # noqa: N818  (internal; becomes a UserError with the file's name)
    pass


def _header(data: bytes) -> tuple[dict[str, Any], int]:
    """The header's dictionary and where the data starts."""
    if data[:6] != _MAGIC or len(data) < 8:
        raise _Refused("not a NumPy .npy file")
    version = (data[6], data[7])
    if version not in ((1, 0), (2, 0)):
        raise _Refused(f"found .npy format version {version[0]}.{version[1]}, expected 1.0 or 2.0")
    width = 2 if version == (1, 0) else 4
    length = int.from_bytes(data[8 : 8 + width], "little")
    start = 8 + width + length
    if length > _LARGEST_HEADER:
        raise _Refused(f"found a header of {length} bytes, expected at most {_LARGEST_HEADER}")
    if len(data) < start:
        raise _Refused("the file ends inside its header")
    try:
        header = ast.literal_eval(data[8 + width : start].decode("ascii").strip())
    except (ValueError, SyntaxError, RecursionError, MemoryError):
        raise _Refused("the header is no Python dictionary") from None
    if not isinstance(header, dict) or set(header) != _KEYS:
        raise _Refused("the header has other keys than 'descr', 'fortran_order' and 'shape'")
    return header, start


def _check(header: dict[str, Any], port: Port) -> None:
    descr, shape = header["descr"], header["shape"]
    wanted = DTYPES[port.scalar.name]
    if descr != wanted:
        raise _Refused(f"found dtype {descr!r}, expected {wanted!r} for {port.scalar.name}")
    if header["fortran_order"] is not False:
        raise _Refused("found Fortran order, expected C order")
    if not isinstance(shape, tuple) or any(type(n) is not int or n < 0 for n in shape):
        raise _Refused("the shape is no tuple of extents")
    count = math.prod(shape)
    if count != port.count:
        raise _Refused(
            f"found {count} elements (shape {shape}), expected {port.count} (shape {port.shape})"
        )


def _check_size(found: int, port: Port) -> None:
    expected = port.count * port.scalar.bytes
    if found < expected:
        raise _Refused(f"found {found} bytes of data, expected {expected}")
    if found > expected:
        raise _Refused(f"found {found - expected} bytes behind the data")
