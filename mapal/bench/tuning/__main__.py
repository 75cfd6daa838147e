"""`python -m mapal.bench.tuning [--target T] [KERNEL…]`: tunes kernels and writes the file.

A kernel is named as in `mapal.target.tiles`, or several by a pattern such as `matmul-*-exact`.
"""

from __future__ import annotations

import argparse
import fnmatch
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from mapal.bench.answers import WrongAnswer
from mapal.bench.limits.__main__ import DIRECTORY
from mapal.bench.limits.building import Builder
from mapal.bench.tuning.record import tuning_text
from mapal.bench.tuning.search import Finding, search
from mapal.bench.tuning.trials import Numbers, Trial, trials
from mapal.diagnostics import UserError
from mapal.native.toolchain import require_compiler
from mapal.target import (
    NATIVE,
    TUNING_SUFFIX,
    TargetProfile,
    load_profile,
    targets_directory,
)
from mapal.target.detect import detect_host, why_not_executable
from mapal.target.document import closest
from mapal.target.profile import Policy
from mapal.target.tuning import NATIVE_TUNING


def main(arguments: Sequence[str] | None = None) -> int:
    """0 if everything was measured and the file is written."""
    parser = argparse.ArgumentParser(prog="python -m mapal.bench.tuning", description=__doc__)
    parser.add_argument("kernels", nargs="*", metavar="KERNEL")
    parser.add_argument("--target", default=NATIVE, help="a profile; default native")
    parser.add_argument("--rounds", type=int, default=9, help="rounds of each contest")
    options = parser.parse_args(arguments)
    try:
        tune(options.target, options.kernels or ["*"], options.rounds)
    except UserError as error:
        print(f"tune: {error}", file=sys.stderr)
        return error.exit_status
    except WrongAnswer as error:
        print(f"tune: {error}", file=sys.stderr)
        return 1
    return 0


def tune(target: str, patterns: Sequence[str], rounds: int) -> Path:
    """Tunes the kernels that a pattern matches for a target, and gives the file's path."""
    host = detect_host()
    profile = host if target == NATIVE else load_profile(target)
    reason = why_not_executable(profile, host)
    if reason is not None:
        raise UserError(f"target {target} cannot be tuned here: {reason}", 1)
    # What was tuned before is measured again, not taken for granted.
    profile = replace(profile, policy=_without_tuning(profile, target))
    chosen: dict[str, Numbers] = {}
    findings: list[Finding] = []
    builder = Builder(require_compiler(_say))
    for trial in select(trials(profile), patterns):
        found, measured = search(trial, profile, builder, DIRECTORY / "expected", _say, rounds)
        chosen[trial.kernel] = found
        findings += measured
        print(describe(trial.kernel, found, measured), end="", flush=True)
    path = tuning_path(target)
    former = path.read_bytes() if path.is_file() else None
    text = tuning_text(target, host.cpu, chosen, findings, former)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    print(f"{path} is written; builds use it from now on")
    return path


def _without_tuning(profile: TargetProfile, target: str) -> Policy:
    """The policy of the profile's own file."""
    if target == NATIVE:
        return profile.policy
    own = {f"{target}.yaml": (targets_directory() / f"{target}.yaml").read_bytes()}
    from mapal.target import host_architecture, parse_profile

    return parse_profile(own, f"{target}.yaml", host_architecture()).policy


def tuning_path(target: str) -> Path:
    """Where the numbers for a target lie."""
    if target == NATIVE:
        return Path(NATIVE_TUNING)
    return targets_directory() / f"{target}{TUNING_SUFFIX}"


def select(all_trials: Sequence[Trial], patterns: Sequence[str]) -> list[Trial]:
    """The trials of the kernels that a pattern matches. Raises `UserError` for one without."""
    names = [trial.kernel for trial in all_trials]
    for pattern in patterns:
        if not fnmatch.filter(names, pattern):
            raise UserError(f"no kernel is called {pattern!r}{closest(pattern, names)}")
    return [t for t in all_trials if any(fnmatch.fnmatch(t.kernel, p) for p in patterns)]


def describe(kernel: str, chosen: Numbers, measured: Sequence[Finding]) -> str:
    """What was found for a kernel, for people."""
    words = ", ".join(f"{name} {number}" for name, number in chosen.items())
    lines = [f"{kernel}: {words or 'the formulas stay'} ({len(measured)} candidates measured)"]
    for found in sorted(measured, key=lambda found: (found.step, found.ratio)):
        numbers = ", ".join(f"{name} {number}" for name, number in found.numbers.items())
        mark = "" if found.is_decided else "  too few quiet rounds to decide"
        mark = "  chosen" if found.is_chosen else mark
        lines.append(f"  {found.step}: {numbers}: {found.ratio:.3f}{mark}")
    return "\n".join(lines) + "\n"


def _say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
