"""A long fuzz of lexer, parser, lowering and checks, by command:

    ./dev python -m tests.fuzz_front_end --inputs 1000000 --minutes 20 --seed 1

Ends when either bound is reached, and prints how many inputs were tried, parsed and lowered,
and how often each code was reported. An exception, an unknown or internal code, a graph that
does not verify, or an input that takes over ten seconds is printed with its seed, and the exit
status is 1. Inputs are random programs with and without mistakes, example programs with damaged
tokens, token soup, and noise.
"""

from __future__ import annotations

import argparse
import collections
import multiprocessing
import random
import signal
import sys
import time
import traceback
from collections.abc import Callable, Iterator
from types import FrameType

from mapal.check import KINDS as CHECK_KINDS
from mapal.check import check
from mapal.ir.verify import verify
from mapal.lower import lower
from mapal.lower.codes import KINDS as LOWER_KINDS
from mapal.syntax import parse
from mapal.syntax.codes import KINDS as SYNTAX_KINDS
from tests.source_programs import random_program
from tests.token_mutations import example_sources, mutated, pieces

_SECONDS_FOR_ONE = 10
_BATCH = 2000
_INTERNAL = {"L1000", "L1901"}
_WORDS = """
    fn main ( ) { } -> <- ; , . : [ ] + - * / % == < && ! ret loop seq map fold reduce
    -true-> -false-> -_-> -3-> mut type i32 f32 bool x y 1 2.5 "s" print println time
    zip iota fill enumerate min to_u8 ? @ :: ... = & category void pub //
"""
_SOUP = (*_WORDS.split(), "\n")
_NOISE = "abcxyz019 \t\n{}()[]<>-+*/%=!&|.,:;@?#$'\"\\_éλ→\u0000\ud7ff"


def _known_codes() -> set[str]:
    codes: set[str] = set(LOWER_KINDS)
    codes |= set(SYNTAX_KINDS)
    return codes | {kind.code for kind in CHECK_KINDS}


class _TooSlow(Exception):  # noqa: N818  # a finding
    pass


def _alarm(number: int, frame: FrameType | None) -> None:
    raise _TooSlow


def make_input(seed: int, examples: list[list[str]]) -> str:
    """The input of a seed."""
    draw = random.Random(seed)
    kind = draw.random()
    if kind < 0.35:
        return mutated(draw.choice(examples), draw, draw.choice((1, 1, 1, 2, 3, 8)))
    if kind < 0.45:
        return random_program(draw.randrange(2**32), draw.choice((0.0, 0.0, 0.02, 0.1)), 2)
    if kind < 0.75:
        return " ".join(draw.choices(_SOUP, k=draw.randrange(1, 60)))
    if kind < 0.85:
        soup = " ".join(draw.choices(_SOUP, k=draw.randrange(1, 30)))
        return "fn main() { " + soup + " }"
    return "".join(draw.choices(_NOISE, k=draw.randrange(0, 200)))


def try_input(text: str, known: set[str]) -> tuple[str, list[str]]:
    """What became of an input (`text`, `tree` or `graph`) and the codes that were reported."""
    parsed = parse(text)
    if parsed.diagnostics:
        codes = [found.code for found in parsed.diagnostics]
        reached = "text"
    else:
        reached = "tree"
        lowered = lower(parsed.program, "exact")
        codes = [found.code for found in lowered.diagnostics]
        if lowered.graph is not None:
            reached = "graph"
            violations = verify(lowered.graph)
            assert not violations, violations[0]
            codes += [found.code for found in check(parsed.program, lowered.graph)]
        else:
            assert codes, "a program without graph and without report"
    unknown = set(codes) - known | set(codes) & _INTERNAL
    assert not unknown, f"codes {sorted(unknown)}"
    return reached, codes


def run_batch(first: int) -> tuple[collections.Counter[str], list[str]]:
    """Tries the inputs of `_BATCH` seeds; counts, and what went wrong."""
    signal.signal(signal.SIGALRM, _alarm)
    examples = [pieces(source) for source in example_sources()]
    known = _known_codes()
    counts: collections.Counter[str] = collections.Counter()
    findings: list[str] = []
    for seed in range(first, first + _BATCH):
        text = make_input(seed, examples)
        signal.alarm(_SECONDS_FOR_ONE)
        try:
            reached, codes = try_input(text, known)
        except Exception:
            findings.append(f"seed {seed}: {text!r}\n{traceback.format_exc()}")
            continue
        finally:
            signal.alarm(0)
        counts["inputs"] += 1
        counts["parsed"] += reached != "text"
        counts["lowered"] += reached == "graph"
        counts.update(set(codes))
    return counts, findings


def _firsts(seed: int, inputs: int, enough: Callable[[], bool]) -> Iterator[int]:
    for first in range(seed * 1_000_000_000, seed * 1_000_000_000 + inputs, _BATCH):
        if enough():
            return
        yield first


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--inputs", type=int, default=1_000_000)
    parser.add_argument("--minutes", type=float, default=20.0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--workers", type=int, default=multiprocessing.cpu_count())
    options = parser.parse_args()
    began = time.monotonic()
    total: collections.Counter[str] = collections.Counter()
    findings: list[str] = []

    def enough() -> bool:
        return time.monotonic() - began > float(options.minutes) * 60

    with multiprocessing.Pool(options.workers) as pool:
        firsts = _firsts(options.seed, options.inputs, enough)
        for counts, found in pool.imap_unordered(run_batch, firsts):
            total += counts
            findings += found
            if enough():
                pool.terminate()
                break
    seconds = time.monotonic() - began
    for name in ("inputs", "parsed", "lowered"):
        print(f"{name:8} {total.pop(name, 0):9}")
    print(f"{seconds:.0f} s with {options.workers} workers, {len(findings)} findings")
    print("codes: " + ", ".join(f"{code} {number}" for code, number in sorted(total.items())))
    for finding in findings[:20]:
        print(finding)
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
