"""Words of command lines that measure, and how such a command ends."""

from __future__ import annotations

import argparse
import subprocess
import sys

import pytest

from mapal.bench.answers import WrongAnswer
from mapal.bench.command import outcome, rounds, thread_counts
from mapal.diagnostics import UserError


def test_thread_counts_are_taken_once_each() -> None:
    assert thread_counts("1") == [1]
    assert thread_counts("2,1,2") == [2, 1]


@pytest.mark.parametrize("text", ["", "0", "-1", "abc", "1,", "1/64", "1.5", "٣", "9" * 5000])
def test_what_is_no_thread_count_is_an_error(text: str) -> None:
    with pytest.raises(UserError, match=r"--threads is .*; expected numbers from 1 to"):
        thread_counts(text)


@pytest.mark.parametrize("text", ["", "0", "-1", "abc", "10001", "9" * 5000])
def test_what_is_no_number_of_rounds_is_an_error(text: str) -> None:
    assert rounds("11") == 11
    with pytest.raises(argparse.ArgumentTypeError, match="expected a number of rounds"):
        rounds(text)


@pytest.mark.parametrize(
    ("error", "status", "expected"),
    [
        (UserError("no such row"), 2, "limits: no such row\n"),
        (WrongAnswer("another result"), 1, "limits: another result\n"),
        (OSError(28, "No space left on device", "/tmp/x"), 1, "limits: /tmp/x: No space left"),
        (OSError("12 requested and 0 written"), 1, "limits: 12 requested and 0 written"),
        (BrokenPipeError(), 1, ""),
    ],
)
def test_what_goes_wrong_is_one_line(
    error: Exception, status: int, expected: str, capsys: pytest.CaptureFixture[str]
) -> None:
    def work() -> int:
        raise error

    assert outcome("limits", work) == status
    assert capsys.readouterr().err.startswith(expected)


def ended(body: str, stdout: int | None = None) -> subprocess.CompletedProcess[str]:
    program = f"""
import sys
from mapal.bench.command import entry_point
def main():
    {body}
sys.exit(entry_point("limits", main))
"""
    return subprocess.run(
        [sys.executable, "-c", program],
        stdout=stdout,
        stderr=subprocess.PIPE,
        text=True,
        check=False,
    )


def test_an_interrupt_ends_plainly() -> None:
    result = ended("raise KeyboardInterrupt")
    assert (result.returncode, result.stderr) == (130, "limits: interrupted\n")


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux has /dev/full")
def test_output_that_cannot_be_written_is_no_success() -> None:
    with open("/dev/full", "wb") as full:
        result = ended("print('rows'); return 0", full.fileno())
    assert result.returncode == 1
    assert result.stderr == "limits: standard output: No space left on device\n"
