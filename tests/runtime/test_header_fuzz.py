"""Damaged .npy headers and files: never a crash, never a meaning that Python does not give them.

Hypothesis makes lists of cases, so that one process handles a whole list.
"""

import ast
import io
import struct
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.runtime.native_build import Driver, RuntimeBuild

KEYS = {"descr", "fortran_order", "shape"}


@pytest.fixture(scope="module")
def arrays(runtime_build: RuntimeBuild) -> Driver:
    return runtime_build.driver("arrays")


def records(contents: list[bytes]) -> bytes:
    return b"".join(struct.pack("<I", len(content)) + content for content in contents)


def python_reading(text: bytes) -> tuple[str, bool, int] | None:
    """(descr, fortran_order, count) if Python reads the literal and it is a header."""
    try:
        value = ast.literal_eval(text.decode("latin-1").strip())
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        return None
    if not isinstance(value, dict) or set(value) != KEYS:
        return None
    shape = value["shape"]
    if not isinstance(value["descr"], str) or not isinstance(value["fortran_order"], bool):
        return None
    if not isinstance(shape, tuple) or any(type(extent) is not int for extent in shape):
        return None
    count = 1
    for extent in shape:
        count *= extent
    return value["descr"], value["fortran_order"], count


valid_extents = st.one_of(st.integers(0, 9), st.integers(0, 10**7), st.integers(0, 2**64))
valid_headers = st.builds(
    lambda descr, order, shape, seed: (
        "{"
        + ", ".join(
            sorted(
                [f"'descr': {descr!r}", f"'fortran_order': {order}", f"'shape': {shape!r}"],
                key=lambda item: hash((item[1:4], seed)),
            )
        )
        + ", }   \n"
    ).encode(),
    st.sampled_from(["<f4", "|b1", "|O", ">i8", "<c16"]),
    st.booleans(),
    st.lists(valid_extents, max_size=4).map(tuple),
    st.integers(0, 5),
)
snippets = st.one_of(
    st.binary(max_size=3),
    st.sampled_from([bytes([character]) for character in b"{}(),:'\"# \n\\09_L"]),
    st.sampled_from(
        [b"True", b"None", b"'shape'", b"(3,)", b"18446744073709551616", b"-1", b"1e3"]
    ),
)


@st.composite
def damaged(draw: st.DrawFn, originals: st.SearchStrategy[bytes]) -> bytes:
    """An original with up to four pieces replaced, inserted, deleted, or its end cut off."""
    content = draw(originals)
    for _ in range(draw(st.integers(0, 4))):
        begin = draw(st.integers(0, len(content)))
        end = min(len(content), begin + draw(st.sampled_from([0, 0, 1, 1, 2, 8, 10**6])))
        content = content[:begin] + draw(snippets) + content[end:]
    return content


FUZZ = settings(
    max_examples=25,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)


@FUZZ
@given(st.lists(damaged(valid_headers), min_size=30, max_size=60))
def test_accepted_headers_mean_what_python_says(arrays: Driver, texts: list[bytes]) -> None:
    run = arrays.run("headers", stdin=records(texts))
    assert (run.status, run.errors) == (0, "")
    lines = run.output.decode("latin-1").split("\n")[:-1]
    for text, line in zip(texts, lines, strict=True):
        if line.startswith("error "):
            continue
        reading = python_reading(text)
        assert reading is not None, text
        descr, order, count = reading
        assert line.startswith(f"ok fortran={int(order)} count={count} descr={descr} "), text


@FUZZ
@given(st.lists(valid_headers, min_size=30, max_size=60))
def test_valid_headers_are_accepted(arrays: Driver, texts: list[bytes]) -> None:
    run = arrays.run("headers", stdin=records(texts))
    assert (run.status, run.errors) == (0, "")
    lines = run.output.decode().split("\n")[:-1]
    for text, line in zip(texts, lines, strict=True):
        reading = python_reading(text)
        assert reading is not None
        shape = ast.literal_eval(text.decode())["shape"]
        if max(shape, default=0) >= 2**63:
            assert "too large" in line
        elif reading[2] >= 2**64:
            assert "more elements than fit into 64 bits" in line
        else:
            assert line.startswith("ok "), text


@pytest.mark.parametrize(
    ("text", "position", "message"),
    [
        ("", 0, "expected '{'"),
        ("{", 1, "expected a quoted string"),
        ("{'descr", 1, "a string is not closed"),
        ("{'des\\x63r': '<f4'}", 1, "expected a string of printable characters without escapes"),
        ("{'descr\x00': '<f4'}", 1, "expected a string of printable characters without escapes"),
        ("{'descr' '<f4'}", 9, "expected ':' after a key"),
        ("{'descr': <f4}", 10, "expected a quoted string"),
        ("{'descr': '<f4' 'shape': ()}", 16, "expected ',' or '}'"),
        ("{'descr': '<f4', 'descr': '<f8'}", 17, "a key is given twice"),
        (
            "{'order': 3}",
            1,
            "an unknown key; the keys are 'descr', 'fortran_order' and 'shape'",
        ),
        ("{'fortran_order': 0}", 18, "expected True or False"),
        ("{'fortran_order': Tru", 18, "expected True or False"),
        ("{'shape': 3}", 10, "expected the shape, a tuple"),
        (
            "{'shape': (3)}",
            13,
            "a shape of one extent needs a comma: it is a number, not a tuple",
        ),
        ("{'shape': (3 4)}", 13, "expected ',' or ')' in the shape"),
        ("{'shape': (-3,)}", 11, "expected an extent, a whole number that is not negative"),
        ("{'shape': (,)}", 11, "expected an extent, a whole number that is not negative"),
        ("{'shape': (03,)}", 11, "an extent starts with 0"),
        ("{'shape': (9223372036854775808,)}", 29, "an extent of the shape is too large"),
        (
            "{'shape': (9223372036854775807, 3)}",
            34,
            "the shape has more elements than fit into 64 bits",
        ),
        ("{}", 2, "the key 'descr' is missing"),
        ("{'descr': '<f4'}", 16, "the key 'fortran_order' is missing"),
        ("{'descr': '<f4', 'fortran_order': True}", 39, "the key 'shape' is missing"),
        (
            "{'descr': '<f4', 'fortran_order': True, 'shape': ()} x",
            53,
            "expected nothing after '}'",
        ),
        ("{'shape': (", 11, "expected an extent, a whole number that is not negative"),
        ("{'shape': (3", 12, "expected ',' or ')' in the shape"),
    ],
)
def test_problems_are_located(arrays: Driver, text: str, position: int, message: str) -> None:
    run = arrays.run("headers", stdin=records([text.encode()]))
    assert (run.status, run.errors) == (0, "")
    assert run.output.decode() == f"error {position} {message}\n"


def test_an_empty_array_may_have_large_extents(arrays: Driver) -> None:
    shape = "(9223372036854775807, 9223372036854775807, 0, 9223372036854775807)"
    text = f"{{'descr': '<f4', 'fortran_order': False, 'shape': {shape}}}"
    run = arrays.run("headers", stdin=records([text.encode()]))
    assert run.output.decode().startswith("ok fortran=0 count=0 ")


def valid_files() -> list[bytes]:
    files = []
    for version in ((1, 0), (2, 0)):
        for shape in ((6,), (2, 3), (1, 6, 1)):
            stream = io.BytesIO()
            np.lib.format.write_array(stream, np.arange(6, dtype="<i4").reshape(shape), version)
            files.append(stream.getvalue())
    return files


def numpy_reads(content: bytes) -> bool:
    """Whether NumPy sees six <i4 in C order and nothing after them."""
    stream = io.BytesIO(content)
    try:
        array = np.lib.format.read_array(stream, allow_pickle=False)
    except Exception:
        return False
    return array.dtype == np.dtype("<i4") and array.size == 6 and stream.read() == b""


@settings(FUZZ, max_examples=10)
@given(st.lists(damaged(st.sampled_from(valid_files())), min_size=20, max_size=40))
def test_damaged_files_are_read_or_refused(
    arrays: Driver, tmp_path_factory: pytest.TempPathFactory, contents: list[bytes]
) -> None:
    scratch: Path = tmp_path_factory.mktemp("fuzz") / "x.npy"
    run = arrays.run("files", "0", "6", scratch, stdin=records(contents))
    assert (run.status, run.errors) == (0, "")
    lines = run.output.decode().split("\n")[:-1]
    for content, line in zip(contents, lines, strict=True):
        status, _, report = line.partition("\t")
        if status == "0":
            assert report == ""
            assert numpy_reads(content)
        else:
            assert status == "2"
            assert report.startswith(f"mapal: input 'x': {scratch}: ")
