"""Failures: found in a sweep, shrunk, and saved so that anyone can look and replay."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from mapal.diagnostics import CompilerBug
from mapal.ir.text import print_graph
from mapal.sweep.battery import Difference, Rewriting, check
from mapal.sweep.program import build
from mapal.sweep.script import Script, from_json, to_json
from mapal.sweep.shrink import shrink
from mapal.target import TargetProfile


@dataclass(frozen=True, slots=True)
class Failure:
    """Script `number` of the sweep, made small, and what it still shows."""

    seed: int
    number: int
    difference: Difference
    script: Script

    @property
    def name(self) -> str:
        return f"seed{self.seed}-{self.number}"


def shrunk(
    seed: int,
    number: int,
    script: Script,
    difference: Difference,
    profile: TargetProfile,
    rewriting: Rewriting,
) -> Failure:
    """The failure with the smallest script that shows a difference in the same leg."""
    executable = difference.leg.startswith("executable")
    native = executable or difference.leg.startswith(("native", "emit"))

    def found_in(candidate: Script) -> Difference | None:
        (found,) = check(
            [candidate], profile, rewriting, native=native, executable_every=int(executable)
        )
        return found

    def fails(candidate: Script) -> bool:
        found = found_in(candidate)
        return found is not None and found.leg == difference.leg

    smallest = shrink(script, fails)
    return Failure(seed, number, found_in(smallest) or difference, smallest)


def save(failure: Failure, directory: Path, rewriting: Rewriting) -> Path:
    """Writes `NAME.json` (the script), `NAME.ir` (its graph, if it can be built) and `NAME.txt`
    (what was found, and how to see it again). Returns the last one's path."""
    directory.mkdir(parents=True, exist_ok=True)
    script = directory / f"{failure.name}.json"
    script.write_text(to_json(failure.script), encoding="utf-8")
    try:
        text = print_graph(build(failure.script).graph)
    except CompilerBug as error:
        text = f"# no graph: {error}\n"
    (directory / f"{failure.name}.ir").write_text(text, encoding="utf-8")
    report = directory / f"{failure.name}.txt"
    lines = [
        f"leg: {failure.difference.leg}",
        f"found: {failure.difference.text}",
        f"again: python -m mapal.sweep {script} rewrite={rewriting}",
    ]
    report.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return report


def replay(path: Path, profile: TargetProfile, rewriting: Rewriting) -> Difference | None:
    """What a saved script shows now."""
    (found,) = check([from_json(path.read_text(encoding="utf-8"))], profile, rewriting)
    return found
