"""Printing, traps, the clock, and what happens when standard output cannot be written."""

import errno
import os
import pty
import select
import subprocess

import pytest

from tests.runtime.native_build import Driver, RuntimeBuild, lost_output

PRINTED = (
    "-2147483648\n2147483647\n0\n-9223372036854775808\n9223372036854775807\n-1255\n0\ntrue\n"
    "false0.5-2\ntext é\n\n"
).encode() + b"a\0b\n"


@pytest.fixture(scope="module")
def effects(runtime_build: RuntimeBuild) -> Driver:
    return runtime_build.driver("effects")


def much() -> bytes:
    lengths = (1, 65535, 1, 65536, 65537, 200000, 3)
    texts = [bytes([ord("a") + i]) * length + b"\n" for i, length in enumerate(lengths)]
    return b"".join(texts) + "".join(f"{i}\n" for i in range(100000)).encode()


def test_texts_of_all_types(effects: Driver) -> None:
    run = effects.run("print")
    assert (run.status, run.output, run.errors) == (0, PRINTED, "")


def test_much_output_keeps_its_order(effects: Driver) -> None:
    run = effects.run("much")
    assert (run.status, run.output, run.errors) == (0, much(), "")


def test_interrupted_and_short_writes_are_resumed(effects: Driver) -> None:
    run = effects.run("print", fault="write=short")
    assert (run.status, run.output, run.errors) == (0, PRINTED, "")


@pytest.mark.parametrize(("kind", "name"), [("0", "div_zero"), ("1", "index_oob")])
def test_trap_comes_after_what_was_printed(effects: Driver, kind: str, name: str) -> None:
    run = effects.run("trap", kind, "4294967295")
    assert run.status == 101
    assert run.output == b"printed before"
    assert run.errors == f"mapal trap: {name}\n  at token 4294967295\n"


def test_unknown_trap_kind_is_a_bug_not_a_trap(effects: Driver) -> None:
    run = effects.run("trap", "2", "7")
    assert run.status == -6
    assert run.output == b"printed before"
    assert run.errors == "mapal: internal error: trap of unknown kind 2 at token 7\n"


def test_clock_never_decreases(effects: Driver) -> None:
    run = effects.run("clock")
    assert (run.status, run.errors) == (0, "")


def test_long_report_is_one_clipped_line(effects: Driver) -> None:
    run = effects.run("fail-long")
    assert run.status == 7
    assert run.errors.startswith("mapal: xxx")
    assert run.errors.endswith("x\n")
    assert 8000 < len(run.errors) <= 8192
    assert run.errors.count("\n") == 1


@pytest.mark.parametrize("scene", ["print", "much"])
def test_full_device(effects: Driver, scene: str) -> None:
    with open("/dev/full", "wb") as full:
        done = subprocess.run(
            [effects.path, scene], stdout=full, stderr=subprocess.PIPE, check=False
        )
    assert done.returncode == 1
    assert done.stderr.decode() == lost_output(errno.ENOSPC)


def test_write_error_in_the_middle(effects: Driver) -> None:
    run = effects.run("much", fault="write=3")
    assert run.status == 1
    assert run.output == much()[: len(run.output)]
    assert run.errors == lost_output(errno.ENOSPC)


def test_closed_standard_output(effects: Driver) -> None:
    done = subprocess.run(
        ["/bin/sh", "-c", '"$0" print >&-', effects.path], stderr=subprocess.PIPE, check=False
    )
    assert done.returncode == 1
    assert done.stderr.decode() == lost_output(errno.EBADF)


def test_trap_with_lost_output_stays_a_trap(effects: Driver) -> None:
    with open("/dev/full", "wb") as full:
        done = subprocess.run(
            [effects.path, "trap", "0", "5"], stdout=full, stderr=subprocess.PIPE, check=False
        )
    assert done.returncode == 101
    trap = "mapal trap: div_zero\n  at token 5\n"
    assert done.stderr.decode() == trap + lost_output(errno.ENOSPC)


def test_terminal_sees_each_line_at_once(effects: Driver) -> None:
    ours, theirs = pty.openpty()
    try:
        with subprocess.Popen(
            [effects.path, "wait"], stdin=subprocess.PIPE, stdout=theirs
        ) as process:
            ready, _, _ = select.select([ours], [], [], 60)
            assert ready, "the line did not arrive while the program was waiting"
            assert os.read(ours, 100) == b"half a line\r\n"
            process.communicate(b"x")
            assert process.returncode == 0
    finally:
        os.close(ours)
        os.close(theirs)


@pytest.mark.parametrize(
    ("name", "candidate", "distance"),
    [
        ("kitten", "sitting", 3),
        ("saturday", "sunday", 3),
        ("flaw", "lawn", 2),
        ("", "abc", 3),
        ("abc", "", 3),
        ("same", "same", 0),
        ("a" * 100, "a" * 200, 0),
        ("x" * 100, "a", 63),
    ],
)
def test_edit_distance(effects: Driver, name: str, candidate: str, distance: int) -> None:
    """Levenshtein's distance of the first 63 characters."""
    run = effects.run("distance", name, candidate)
    assert (run.status, run.output) == (0, f"{distance}\n".encode())
