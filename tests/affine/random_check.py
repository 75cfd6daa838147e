"""`python -m tests.affine.random_check [--count N] [--seed S]`: the engine against enumeration.

Asks N random problems, all kinds in turn, and prints per query how many are true, how many of
those the rules prove and visits prove, and the reasons of what the rules decline. Each untrue
answer is printed; exit status 1 if there is one. Problem number K of seed S is always the same.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from random import Random

from tests.affine.examination import EXAMINATIONS, Finding


@dataclass
class Tally:
    """Counts of one query."""

    asked: int = 0
    decidable: int = 0
    rules: int = 0
    visits: int = 0
    reasons: Counter[str] = field(default_factory=Counter)

    def add(self, finding: Finding) -> None:
        self.asked += 1
        if finding.decidable:
            self.decidable += 1
            self.rules += finding.rules
            self.visits += finding.visits
            if not finding.rules:
                self.reasons[finding.reason] += 1


def examine(number: int, seed: int) -> Finding:
    """The finding of one problem."""
    return EXAMINATIONS[number % len(EXAMINATIONS)](Random(f"{seed}/{number}"))


def main(words: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.affine.random_check")
    parser.add_argument("--count", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args(words)
    tallies: dict[str, Tally] = {}
    unsound = 0
    for number in range(options.count):
        finding = examine(number, options.seed)
        tallies.setdefault(finding.query, Tally()).add(finding)
        if finding.fault is not None:
            unsound += 1
            print(f"problem {number}: {finding.fault}")
    for query, tally in sorted(tallies.items()):
        reasons = ", ".join(f"{reason} {n}" for reason, n in tally.reasons.most_common())
        print(
            f"{query}: {tally.asked} asked, {tally.decidable} true, {tally.rules} by rules, "
            f"{tally.visits} with visits" + (f"; declined by rules: {reasons}" if reasons else "")
        )
    print(f"{options.count} problems, {unsound} unsound")
    return 1 if unsound else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
