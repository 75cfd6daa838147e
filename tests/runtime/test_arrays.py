"""Reading and writing .npy files, against NumPy's own reader and writer."""

import errno
import io
import math
import os
import struct
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

from tests.runtime.native_build import Driver, RuntimeBuild

SCALARS = {"<i4": 0, "<i8": 1, "|u1": 2, "<f4": 3, "<f8": 4, "|b1": 5}
SHAPES: list[tuple[int, ...]] = [
    (),
    (1,),
    (7,),
    (2, 3),
    (3, 1, 2),
    (0,),
    (4, 0, 3),
    (1,) * 12,
    (1,) * 32,
    (100000,),
]


@pytest.fixture(scope="module")
def arrays(runtime_build: RuntimeBuild) -> Driver:
    return runtime_build.driver("arrays")


def sample(dtype: str, shape: tuple[int, ...]) -> npt.NDArray[np.generic]:
    """Elements of any bits (bool: 0 or 1) but without NaN, in a fixed order."""
    numbers: npt.NDArray[np.int64] = np.arange(math.prod(shape), dtype=np.int64)
    chosen = numbers * 5 % 3 == 1 if dtype == "|b1" else numbers * 37 - 50
    return chosen.astype(dtype).reshape(shape)


def saved(array: npt.NDArray[np.generic], version: tuple[int, int] = (1, 0)) -> bytes:
    stream = io.BytesIO()
    np.lib.format.write_array(stream, array, version=version)
    return stream.getvalue()


def with_header(text: str, data: bytes, version: int = 1) -> bytes:
    """A file with exactly this header text."""
    length = struct.pack("<H" if version == 1 else "<I", len(text))
    return b"\x93NUMPY" + bytes([version, 0]) + length + text.encode() + data


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("dtype", list(SCALARS))
def test_written_file_is_that_of_numpy(
    arrays: Driver, tmp_path: Path, dtype: str, shape: tuple[int, ...]
) -> None:
    array = sample(dtype, shape)
    path = tmp_path / "result.npy"
    extents = [str(extent) for extent in shape]
    run = arrays.run("write", str(SCALARS[dtype]), path, *extents, stdin=array.tobytes())
    assert (run.status, run.errors) == (0, "")
    assert path.read_bytes() == saved(array)
    assert os.listdir(tmp_path) == ["result.npy"]


@pytest.mark.parametrize("digits", range(1, 20))
def test_header_of_every_length_is_that_of_numpy(
    arrays: Driver, tmp_path: Path, digits: int
) -> None:
    """No elements, but extents of every number of digits: all paddings occur."""
    path = tmp_path / "result.npy"
    shape = (10 ** (digits - 1), 0, 10 ** (20 - digits) - 1)
    run = arrays.run("write", "3", path, *map(str, shape))
    assert (run.status, run.errors) == (0, "")
    stream = io.BytesIO()
    header = {"descr": "<f4", "fortran_order": False, "shape": shape}
    np.lib.format.write_array_header_1_0(stream, header)
    assert path.read_bytes() == stream.getvalue()


@pytest.mark.parametrize("dtype", ["<f4", "<f8"])
def test_written_nans_are_the_quiet_one(arrays: Driver, tmp_path: Path, dtype: str) -> None:
    integer = dtype.replace("f", "u")
    width = int(dtype[2]) * 8
    fraction_bits = 23 if width == 32 else 52
    infinity = ((1 << (width - 1)) - 1) >> fraction_bits << fraction_bits
    sign = 1 << (width - 1)
    quiet = infinity | 1 << (fraction_bits - 1)
    nans = [infinity | 1, infinity | sign | 1, quiet, quiet | sign, sign - 1, 2 * sign - 1]
    others = [0, sign, 1, infinity, infinity | sign, infinity - 1, sign | 5]
    bits = np.array((nans + others) * 5, dtype=integer)
    path = tmp_path / "result.npy"
    run = arrays.run("write", str(SCALARS[dtype]), path, str(bits.size), stdin=bits.tobytes())
    assert (run.status, run.errors) == (0, "")
    written = np.load(path).view(integer)
    assert written.tolist() == ([quiet] * len(nans) + others) * 5


@pytest.mark.parametrize("version", [(1, 0), (2, 0)])
@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("dtype", list(SCALARS))
def test_read_back(
    arrays: Driver, tmp_path: Path, dtype: str, shape: tuple[int, ...], version: tuple[int, int]
) -> None:
    array = sample(dtype, shape)
    path = tmp_path / "x.npy"
    path.write_bytes(saved(array, version))
    run = arrays.run("read", str(SCALARS[dtype]), str(array.size), path)
    assert (run.status, run.output, run.errors) == (0, array.tobytes(), "")


def test_read_keeps_nan_bits_and_resumes_short_reads(arrays: Driver, tmp_path: Path) -> None:
    bits = np.array([0x7F800001, 0xFFFFFFFF, 0x7FC00000], dtype="<u4")
    path = tmp_path / "x.npy"
    path.write_bytes(saved(bits.view("<f4")))
    run = arrays.run("read", "3", "3", path, fault="read=short")
    assert (run.status, run.output, run.errors) == (0, bits.tobytes(), "")


def test_read_from_a_pipe(arrays: Driver) -> None:
    array = sample("<i8", (1000,))
    run = arrays.run("read", "1", "1000", "/dev/stdin", stdin=saved(array))
    assert (run.status, run.output, run.errors) == (0, array.tobytes(), "")


GOOD = "{'descr': '<f4', 'fortran_order': False, 'shape': (3,), }"
DATA = struct.pack("<3f", 1, 2, 3)


@pytest.mark.parametrize(
    "text",
    [
        GOOD,
        GOOD + "   \n",
        "  \t\n{ 'shape' :(3 ,) ,'descr':\"<f4\",\n'fortran_order'  : False}\r\n",
        "{'descr':'<f4','fortran_order':False,'shape':(1,3)}",
        "{'descr':'<f4','fortran_order':False,'shape':(3,1,)}",
    ],
)
@pytest.mark.parametrize("version", [1, 2])
def test_accepted_headers(arrays: Driver, tmp_path: Path, text: str, version: int) -> None:
    path = tmp_path / "x.npy"
    path.write_bytes(with_header(text, DATA, version))
    run = arrays.run("read", "3", "3", path)
    assert (run.status, run.output, run.errors) == (0, DATA, "")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "not a NumPy .npy file"),
        (b"\x93NUMPY", "not a NumPy .npy file"),
        (b"PK\x03\x04 a zip archive", "not a NumPy .npy file"),
        (b"\x93NUMPY\x03\x00", "found .npy format version 3.0, expected 1.0 or 2.0"),
        (b"\x93NUMPY\x01\x01", "found .npy format version 1.1, expected 1.0 or 2.0"),
        (b"\x93NUMPY\x01\x00\x05", "the file ends inside its header"),
        (b"\x93NUMPY\x02\x00\x05\x00\x00", "the file ends inside its header"),
        (with_header(GOOD, DATA)[:40], "the file ends inside its header"),
        (
            b"\x93NUMPY\x02\x00" + struct.pack("<I", 65536) + b" " * 65536,
            "found a header of 65536 bytes, expected at most 65535",
        ),
        (
            with_header(GOOD.replace("<f4", "<f8"), DATA + DATA),
            "found dtype '<f8', expected '<f4'",
        ),
        (with_header(GOOD.replace("<f4", "|O"), DATA), "found dtype '|O', expected '<f4'"),
        (
            with_header(GOOD.replace("<f4", "x" * 100), DATA),
            "found dtype '" + "x" * 80 + "...', expected '<f4'",
        ),
        (
            with_header(GOOD.replace("False", "True"), DATA),
            "found Fortran order, expected C order (numpy.ascontiguousarray gives it)",
        ),
        (
            with_header(GOOD.replace("(3,)", "(2, 2)"), DATA),
            "found shape (2, 2) with 4 elements, expected 3",
        ),
        (
            with_header(GOOD.replace("(3,)", "(\n3, 2)"), DATA),
            "found shape (?3, 2) with 6 elements, expected 3",
        ),
        (
            with_header(GOOD.replace("(3,)", "()"), DATA),
            "found shape () with 1 elements, expected 3",
        ),
        (with_header(GOOD, DATA[:-1]), "the file ends after 11 of 12 bytes of elements"),
        (
            with_header(GOOD, DATA + b"\0"),
            "found bytes after the 3 elements, expected the end of the file",
        ),
        (
            with_header("[" + GOOD, DATA),
            "the .npy header is malformed at byte 0: expected '{'",
        ),
    ],
)
def test_refused_files(arrays: Driver, tmp_path: Path, content: bytes, message: str) -> None:
    path = tmp_path / "x.npy"
    path.write_bytes(content)
    run = arrays.run("read", "3", "3", path)
    assert run.status == 2
    assert run.output == b""
    assert run.errors == f"mapal: input 'x': {path}: {message}\n"


def test_boolean_bytes_are_0_or_1(arrays: Driver, tmp_path: Path) -> None:
    path = tmp_path / "x.npy"
    text = GOOD.replace("<f4", "|b1").replace("3", "5")
    path.write_bytes(with_header(text, bytes([0, 1, 1, 2, 255])))
    run = arrays.run("read", "5", "5", path)
    assert run.status == 2
    assert run.errors == f"mapal: input 'x': {path}: found byte 2 at element 3, expected 0 or 1\n"


def test_unreadable_files(arrays: Driver, tmp_path: Path) -> None:
    run = arrays.run("read", "3", "3", tmp_path / "missing.npy")
    assert run.status == 2
    assert run.errors.endswith(f"missing.npy: cannot be opened: {os.strerror(errno.ENOENT)}\n")
    run = arrays.run("read", "3", "3", tmp_path)
    assert run.status == 2
    assert run.errors.endswith(f": cannot be read: {os.strerror(errno.EISDIR)}\n")
    path = tmp_path / "x.npy"
    path.write_bytes(with_header(GOOD, DATA))
    run = arrays.run("read", "3", "3", path, fault="read=4")
    assert run.status == 2
    reason = f"cannot be read: {os.strerror(errno.EIO)}"
    assert run.errors == f"mapal: input 'x': {path}: {reason}\n"


def check_write_fails(
    driver: Driver,
    path: Path | str,
    message: str,
    fault: str | None = None,
    cwd: Path | None = None,
) -> None:
    run = driver.run("write", "3", path, "3", stdin=DATA, fault=fault, directory=cwd)
    assert run.status == 1
    assert run.errors == f"mapal: output 'result': {path}: {message}\n"


@pytest.mark.parametrize(
    ("fault", "message", "error"),
    [
        ("write=1", "cannot be written", errno.ENOSPC),
        ("write=2", "cannot be written", errno.ENOSPC),
        ("fsync=1", "cannot be flushed to the disk", errno.EIO),
        ("close=1", "cannot be closed", errno.EDQUOT),
        ("rename=1", "cannot be put into place", errno.EACCES),
    ],
)
def test_failed_write_leaves_the_old_file(
    arrays: Driver, tmp_path: Path, fault: str, message: str, error: int
) -> None:
    path = tmp_path / "result.npy"
    path.write_bytes(b"old")
    check_write_fails(arrays, path, f"{message}: {os.strerror(error)}", fault)
    assert path.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["result.npy"]


def test_write_resumes_short_writes(arrays: Driver, tmp_path: Path) -> None:
    path = tmp_path / "result.npy"
    run = arrays.run("write", "3", path, "3", stdin=DATA, fault="write=short")
    assert (run.status, run.errors) == (0, "")
    assert path.read_bytes() == saved(np.array([1, 2, 3], dtype="<f4"))


def test_write_replaces_files_only(arrays: Driver, tmp_path: Path) -> None:
    check_write_fails(arrays, "/dev/null", "is not a regular file")
    check_write_fails(arrays, tmp_path, "is not a regular file")
    missing = f"cannot create a temporary file beside it: {os.strerror(errno.ENOENT)}"
    check_write_fails(arrays, tmp_path / "missing" / "result.npy", missing)


def test_write_into_the_current_directory_and_over_an_old_file(
    arrays: Driver, tmp_path: Path
) -> None:
    """A name may have the greatest length; leftovers of a killed run do not disturb."""
    name = "r" * 251 + ".npy"
    (tmp_path / name).write_bytes(b"old")
    (tmp_path / ".mapal-0.tmp").write_bytes(b"left over")
    run = arrays.run("write", "3", name, "3", stdin=DATA, directory=tmp_path)
    assert (run.status, run.errors) == (0, "")
    assert np.load(tmp_path / name).tolist() == [1, 2, 3]
    assert (tmp_path / ".mapal-0.tmp").read_bytes() == b"left over"


def test_write_gives_up_when_every_temporary_name_is_taken(arrays: Driver, tmp_path: Path) -> None:
    for number in range(1000):
        (tmp_path / f".mapal-{number}.tmp").touch()
    taken = f"cannot create a temporary file beside it: {os.strerror(errno.EEXIST)}"
    check_write_fails(arrays, tmp_path / "r.npy", taken)


def test_written_file_respects_the_umask(arrays: Driver, tmp_path: Path) -> None:
    path = tmp_path / "result.npy"
    old = os.umask(0o027)
    try:
        run = arrays.run("write", "3", path, "3", stdin=DATA)
    finally:
        os.umask(old)
    assert run.status == 0
    assert path.stat().st_mode & 0o777 == 0o640
