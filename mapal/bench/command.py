"""What the commands that measure have in common: words of their command lines, and their ends."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable

from mapal.bench.answers import WrongAnswer
from mapal.diagnostics import UserError

INTERRUPTED = 130
_MOST_ROUNDS = 10_000
_MOST_THREADS = 65_536


def rounds(text: str) -> int:
    """A number of rounds, for `argparse`."""
    number = int(text) if text.isascii() and text.isdecimal() and len(text) < 9 else 0
    if not 1 <= number <= _MOST_ROUNDS:
        raise argparse.ArgumentTypeError(
            f"{text!r}; expected a number of rounds from 1 to {_MOST_ROUNDS}"
        )
    return number


def thread_counts(text: str) -> list[int]:
    """Thread counts with commas between them, each once. Raises `UserError`."""
    counts: list[int] = []
    for word in text.split(","):
        count = int(word) if word.isascii() and word.isdecimal() and len(word) < 9 else 0
        if not 1 <= count <= _MOST_THREADS:
            raise UserError(
                f"--threads is {text!r}; expected numbers from 1 to {_MOST_THREADS} such as 1,2"
            )
        if count not in counts:
            counts.append(count)
    return counts


def outcome(name: str, work: Callable[[], int]) -> int:
    """The exit status of a command whose mistakes, and what the system refuses, are one line on
    standard error."""
    try:
        return work()
    except UserError as error:
        message, status = error.message, error.exit_status
    except WrongAnswer as error:
        message, status = str(error), 1
    except BrokenPipeError:
        return 1  # whoever read our output has seen enough
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        message, status = f"{where}{error.strerror or error}", 1
    print(f"{name}: {message}", file=sys.stderr)
    return status


def entry_point(name: str, main: Callable[[], int]) -> int:
    """The exit status of a command as a process of its own: an interrupt ends it plainly, and
    output that cannot be written is no success."""
    try:
        status = main()
        sys.stdout.flush()
    except KeyboardInterrupt:
        print(f"{name}: interrupted", file=sys.stderr)
        return INTERRUPTED
    except OSError as error:
        # What is left to write goes nowhere: it would fail once more at the end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if not isinstance(error, BrokenPipeError):
            print(f"{name}: standard output: {error.strerror}", file=sys.stderr)
        return 1
    return status
