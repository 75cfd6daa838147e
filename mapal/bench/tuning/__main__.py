"""`python -m mapal.bench.tuning [--target T] [KERNEL…]`: tunes kernels and writes the file.

A kernel is named as in `mapal.target.tiles`, or several by a pattern such as `matmul-*-exact`.
"""

from __future__ import annotations

import argparse
import fnmatch
import functools
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from mapal.bench.command import entry_point, outcome, rounds
from mapal.bench.documents import read_text, write_text, writing
from mapal.bench.limits.__main__ import DIRECTORY
from mapal.bench.limits.building import Builder
from mapal.bench.tuning.record import require_evidence, tuning_text
from mapal.bench.tuning.search import Finding, search
from mapal.bench.tuning.trials import Numbers, Trial, trials
from mapal.diagnostics import UserError
from mapal.native.toolchain import require_compiler
from mapal.target import (
    NATIVE,
    TUNING_SUFFIX,
    TargetProfile,
    load_profile,
    parse_tuning,
    profile_files,
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
    parser.add_argument("--rounds", type=rounds, default=9, help="rounds of each contest")
    return outcome("tune", functools.partial(_run, parser.parse_args(arguments)))


def _run(options: argparse.Namespace) -> int:
    tune(options.target, options.kernels or ["*"], options.rounds)
    return 0


def tune(target: str, patterns: Sequence[str], rounds: int) -> Path:
    """Tunes the kernels that a pattern matches for a target, and gives the file's path. What was
    found for a kernel is written before the next one is measured."""
    host = detect_host()
    profile = host if target == NATIVE else _shipped(target)
    reason = why_not_executable(profile, host)
    if reason is not None:
        raise UserError(f"target {target} cannot be tuned here: {reason}", 1)
    # What was tuned before is measured again, not taken for granted.
    profile = replace(profile, policy=_without_tuning(profile, target))
    chosen = select(trials(profile), patterns)
    path = tuning_path(target)
    with writing(path):
        _former(path, host.cpu)
    builder = Builder(require_compiler(_say))
    for trial in chosen:
        found, measured = search(trial, profile, builder, DIRECTORY / "expected", _say, rounds)
        print(describe(trial.kernel, found, measured), end="", flush=True)
        with writing(path):
            former = _former(path, host.cpu)
            write_text(path, tuning_text(target, host.cpu, {trial.kernel: found}, measured, former))
    print(f"{path} is written; builds use it from now on")
    return path


def _shipped(target: str) -> TargetProfile:
    """A profile by its name. A file elsewhere has no place for what is found."""
    profile_files(target)
    return load_profile(target)


def _former(path: Path, cpu: str) -> bytes | None:
    """The file as it is before. What was measured on another processor than `cpu` says nothing of
    this one and is left out. Raises `UserError` for a file that is damaged: nothing in it may get
    lost."""
    text = read_text(path)
    if text is None:
        return None
    try:
        found = parse_tuning(text.encode(), path.name, str(path))
        require_evidence(text.encode())
    except UserError as error:
        raise UserError(f"{error.message}; the file is damaged, move it away", 1) from None
    if found.cpu != cpu:
        _say(f"{path} was measured on a {found.cpu}; it is replaced")
        return None
    return text.encode()


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
    sys.exit(entry_point("tune", main))
