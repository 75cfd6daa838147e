"""The command around random programs: how many, from which seed, what was counted, what differs."""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Callable, Iterator

from tests.codegen.kernel_runs import Case, assert_same_bits

Faults = Callable[[int, int, int, Counter[str]], Iterator[str]]
"""What differs, for a seed, the number of the first program, and how many; it counts, too."""


def run(module: str, usual_count: int, arguments: list[str], faults: Faults) -> int:
    """Prints differences as they are found, then the counts. 0 if there is no difference."""
    parser = argparse.ArgumentParser(prog=f"python -m {module}")
    parser.add_argument("--count", type=int, default=usual_count)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--first", type=int, default=0, help="number of the first program")
    options = parser.parse_args(arguments)
    counts: Counter[str] = Counter()
    found = 0
    for fault in faults(options.seed, options.first, options.count, counts):
        found += 1
        print(fault, flush=True)
    for what, number in sorted(counts.items()):
        print(f"{number:7,} {what}")
    print(f"{found} differences")
    return 1 if found else 0


def difference(cases: list[Case], profile: str) -> str | None:
    """Why programs do not have the bits of the plain loops; None if they do."""
    try:
        assert_same_bits(cases, profile)
    except Exception as error:
        return f"{type(error).__name__}: {str(error)[:300]}"
    return None
