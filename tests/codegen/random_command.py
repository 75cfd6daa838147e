"""The command around random programs: how many, from which seed, what was counted, what differs.

Nothing that goes wrong with a program ends the run: it is printed with the seed, the number and the
text of the program, and the next ones follow. Programs of a batch run on one target, batches on one
target after the other: each generation of vector instructions, and each again with random tiles and
with caches so small that blocks and streams occur.
"""

from __future__ import annotations

import argparse
import dataclasses
import sys
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from random import Random

from mapal.codegen.llvm.kernels import choice
from mapal.target import TargetProfile, load_profile
from mapal.target.profile import SharedCache
from mapal.target.tiles import kernel_names as tile_kernels
from mapal.target.tiles import tiles_of
from tests.codegen.kernel_endings import findings
from tests.codegen.kernel_runs import Case, profiles

BATCH = 20
"""Programs that are compiled together."""

CHUNK = 2 * BATCH
"""Programs between two looks at the time."""

LEVEL_0_EVERY = 9
"""One batch of so many is compiled without LLVM's optimisations."""

SMALL_L2 = SharedCache(bytes=8192, cores=1)
SMALL_L3 = SharedCache(bytes=4096, cores=1)

Faults = Callable[[int, int, int, Counter[str]], Iterator[str]]
"""What differs, for a seed, the number of the first program, and how many; it counts, too."""

Draw = Callable[[Random], Case]
"""A program with inputs; the same for the same state of the source of chance."""


@dataclasses.dataclass(frozen=True, slots=True)
class Gate:
    """What has to be counted at least once in a run of at least `programs` programs."""

    names: tuple[str, ...]
    programs: int

    def missing(self, counts: Mapping[str, int]) -> list[str]:
        """What was not counted though enough programs ran."""
        if counts.get("programs", 0) < self.programs:
            return []
        return [name for name in self.names if not counts.get(name)]


NO_GATE = Gate((), 0)


def kernel_names() -> tuple[str, ...]:
    """How kernels are counted, in the order in which they are asked."""
    return tuple(f"kernel {shape.__name__}" for shape in choice.SHAPES)


def run(
    module: str, usual_count: int, arguments: list[str], faults: Faults, gate: Gate = NO_GATE
) -> int:
    """Prints differences as they are found, then the counts. 0 if there is no difference and the
    gate is passed."""
    parser = argparse.ArgumentParser(prog=f"python -m {module}")
    parser.add_argument("--count", type=int, default=usual_count)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--first", type=int, default=0, help="number of the first program")
    parser.add_argument("--minutes", type=float, help="begin nothing new after so many")
    options = parser.parse_args(arguments)
    counts: Counter[str] = Counter()
    found = 0
    try:
        for fault in _all_faults(faults, options, counts):
            found += 1
            print(fault, flush=True)
    except KeyboardInterrupt:
        print("interrupted")
    for what, number in sorted(counts.items()):
        print(f"{number:7,} {what}")
    missing = gate.missing(counts)
    for name in missing:
        print(f"never: {name}")
    print(f"{found} differences")
    return 1 if found or missing else 0


def _all_faults(faults: Faults, options: argparse.Namespace, counts: Counter[str]) -> Iterator[str]:
    """The faults of all programs, as far as the time goes, with a line a minute about how far
    that is."""
    began, shown = time.monotonic(), 0.0
    end = options.first + options.count
    for start in range(options.first, end, CHUNK):
        passed = time.monotonic() - began
        if options.minutes is not None and passed > 60 * options.minutes:
            return
        if passed > shown + 60:
            shown = passed
            print(f"{start - options.first:,} programs", file=sys.stderr, flush=True)
        yield from _surviving(faults, options.seed, start, min(CHUNK, end - start), counts)


def _surviving(
    faults: Faults, seed: int, first: int, count: int, counts: Counter[str]
) -> Iterator[str]:
    """The faults; what is raised while they are looked for is one, too."""
    try:
        yield from faults(seed, first, count, counts)
    except Exception:
        yield f"seed {seed}, programs {first} to {first + count - 1}: {traceback.format_exc()}"


def targets() -> list[TargetProfile]:
    """What this machine runs, and the same with small caches."""
    usual = [load_profile(name) for name in dict.fromkeys((*profiles(), "native"))]
    return usual + [dataclasses.replace(profile, l2=SMALL_L2, l3=SMALL_L3) for profile in usual]


def with_random_tiles(profile: TargetProfile, random: Random) -> TargetProfile:
    """A profile that fixes tiles and blocks of products at whatever is allowed."""
    tiles = {}
    for kernel in tile_kernels():
        numbers = {"rows": random.randint(1, 20), "vectors": random.randint(1, 5)}
        if "direct" not in kernel:
            numbers |= {"depth": random.randint(8, 200), "row_block": random.randint(1, 60)}
        tiles[kernel] = numbers
    policy = dataclasses.replace(profile.policy, tiles=tiles_of(tiles))
    return dataclasses.replace(profile, policy=policy)


def faults_of(name: str, draw: Draw, batch: int = BATCH) -> Faults:
    """The faults of random programs of one kind, `batch` of them on each target in turn."""

    def faults(seed: int, first: int, count: int, counts: Counter[str]) -> Iterator[str]:
        available = targets()
        for start in range(first, first + count, batch):
            turn = start // batch
            profile = available[turn % len(available)]
            if profile.l3 is SMALL_L3:
                profile = with_random_tiles(profile, Random(f"tiles/{seed}/{turn}"))
            level = 0 if turn % LEVEL_0_EVERY == LEVEL_0_EVERY - 1 else 2
            numbers = range(start, min(start + batch, first + count))
            cases = [draw(Random(f"{name}/{seed}/{number}")) for number in numbers]
            counts["programs"] += len(cases)
            counts[f"programs on {profile.name}"] += len(cases)
            counts["programs in fused arithmetic"] += sum(c.arithmetic == "fused" for c in cases)
            found = findings(cases, profile, counts, level=level)
            for number, case, text in zip(numbers, cases, found, strict=True):
                if text is not None:
                    caches = ", small caches" if profile.l3 is SMALL_L3 else ""
                    yield (
                        f"{name}, seed {seed}, program {number}, {profile.name}{caches}, "
                        f"level {level}, {case.arithmetic}: {text}\n{case.source}"
                    )

    return faults
