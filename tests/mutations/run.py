"""Runs the tests against every mutant: `./dev doit mutants`, or `python -m tests.mutations.run`.

The mutants live in copies of the sources in a scratch directory; the tree is never touched. Each
is asked with its own tests first and, if it survives, with `EVERYTHING`. The unmutated copy goes
first: with a test that fails anyway nothing could be said. What is done is kept in
`build/mutants.json` for exactly these sources, so that an interrupted run goes on.

The end tells how many mutants were killed, and names the survivors. It is a success if every
survivor is explained in the table, and none that is explained was killed.
"""

from __future__ import annotations

import hashlib
import json
import os
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass, field
from pathlib import Path
from queue import SimpleQueue

from mapal.diagnostics import UserError
from tests.mutations.mutation import EVERYTHING, Mutation
from tests.mutations.table import MUTATIONS

ROOT = Path(__file__).parents[2]
COPIED = ("mapal", "tests", "projects", "targets", "runtime", "docs", "pyproject.toml")
STATE = ROOT / "build" / "mutants.json"
JOBS = 2
"""Mutants at a time."""

TIME_LIMIT = 200
"""Seconds of processor time for the tests of one mutant: one that does not end is dead."""

_WITHOUT = [word for name in ("cov", "cacheprovider") for word in ("-p", f"no:{name}")]
"""Plugins that take time here and tell nothing."""

KILLED, SURVIVED = "killed", "survived"


@dataclass(slots=True)
class Progress:
    """Verdicts by name of the mutant, for the sources with this digest."""

    sources: str
    verdicts: dict[str, str] = field(default_factory=dict)

    def save(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        text = json.dumps({"sources": self.sources, "verdicts": self.verdicts}, indent=1)
        path.write_text(text + "\n", encoding="utf-8")


def progress_of(path: Path, sources: str) -> Progress:
    """What an earlier run found out about the same sources."""
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return Progress(sources)
    if data.get("sources") != sources:
        return Progress(sources)
    return Progress(sources, dict(data["verdicts"]))


def digest(root: Path) -> str:
    """The digest of all that a verdict depends on."""
    found = hashlib.sha256()
    for top in ("mapal", "tests/rewrite", "tests/analysis", "tests/mutations", "tests/sweep"):
        for path in sorted((root / top).rglob("*.py")):
            found.update(str(path.relative_to(root)).encode() + b"\0" + path.read_bytes())
    return found.hexdigest()


def copied(root: Path, to: Path) -> None:
    """A copy of the sources, without what builds left."""
    ignored = shutil.ignore_patterns("__pycache__", "build", ".*cache", "*.npz")
    for name in COPIED:
        source = root / name
        if source.is_dir():
            shutil.copytree(source, to / name, ignore=ignored)
        elif source.exists():
            shutil.copy2(source, to / name)


def mutated(copy: Path, mutation: Mutation) -> str:
    """Applies a mutation to a copy; the text that was there. Raises `UserError` where the
    table and the source have drifted apart."""
    path = copy / "mapal" / mutation.file
    before = path.read_text(encoding="utf-8")
    if before.count(mutation.old) != 1:
        raise UserError(f"{mutation.name}: its text is not in {mutation.file} exactly once")
    path.write_text(before.replace(mutation.old, mutation.new), encoding="utf-8")
    return before


def first_failure(copy: Path, tests: Sequence[str], *, keeps: bool = False) -> str | None:
    """The first test that fails in a copy; None if all pass. Compiled modules are kept only
    where the caller `keeps` the sources: a mutated file may be as long and as old as the file
    before it."""
    words = ["-m", "pytest", "-x", "-q", "--no-header", "-o", "addopts=", *_WITHOUT]
    run = subprocess.run(
        [sys.executable, *([] if keeps else ["-B"]), *words, *tests],
        cwd=copy,
        env={**os.environ, "PYTHONPATH": str(copy)},
        preexec_fn=_limited,
        capture_output=True,
        text=True,
        check=False,
    )
    if run.returncode == -signal.SIGXCPU:
        return f"no end within {TIME_LIMIT} s"
    if run.returncode == 0:
        return None
    failed = [line for line in run.stdout.splitlines() if line.startswith(("FAILED", "ERROR"))]
    return failed[0][:160] if failed else f"exit status {run.returncode}: {run.stderr[-300:]}"


def _limited() -> None:
    resource.setrlimit(resource.RLIMIT_CPU, (TIME_LIMIT, TIME_LIMIT + 5))


def verdict(copy: Path, mutation: Mutation, tests: Sequence[str]) -> str:
    """What tests say of one mutant, in a copy that is given back as it was."""
    before = mutated(copy, mutation)
    try:
        failure = first_failure(copy, tests)
    finally:
        (copy / "mapal" / mutation.file).write_text(before, encoding="utf-8")
    return SURVIVED if failure is None else f"{KILLED} by {failure.removeprefix('FAILED ')}"


def run_all(mutations: Sequence[Mutation], root: Path, state: Path, *, jobs: int = JOBS) -> bool:
    """Runs what is not done yet and prints all verdicts; whether every survivor is explained and
    nothing else is."""
    began = time.monotonic()
    progress = progress_of(state, digest(root))
    pending = [each for each in mutations if each.name not in progress.verdicts]
    if pending:
        with tempfile.TemporaryDirectory(prefix="mapal-mutants-") as scratch:
            copies = _copies(root, Path(scratch), pending, jobs)
            for mutation, found in _verdicts(copies, pending, jobs):
                progress.verdicts[mutation.name] = found
                progress.save(state)
                print(f"{mutation.kind:14} {mutation.name}: {found}", flush=True)
    return report(mutations, progress.verdicts, time.monotonic() - began)


def _copies(root: Path, scratch: Path, pending: Sequence[Mutation], jobs: int) -> SimpleQueue[Path]:
    """Copies to mutate, with their modules compiled, after all tests passed in one."""
    first = scratch / "0"
    copied(root, first)
    tests = sorted({*EVERYTHING, *(name for each in pending for name in each.tests)})
    failure = first_failure(first, tests, keeps=True)
    if failure is not None:
        raise UserError(f"without any mutation: {failure}")
    copies: SimpleQueue[Path] = SimpleQueue()
    copies.put(first)
    for number in range(1, min(jobs, len(pending))):
        copies.put(Path(shutil.copytree(first, scratch / str(number))))
    return copies


def _verdicts(
    copies: SimpleQueue[Path], pending: Sequence[Mutation], jobs: int
) -> Iterator[tuple[Mutation, str]]:
    """All with their own tests, and then the survivors with the others."""

    def work(mutation: Mutation, tests: Sequence[str]) -> tuple[Mutation, str]:
        copy = copies.get()
        try:
            return mutation, verdict(copy, mutation, tests)
        finally:
            copies.put(copy)

    survivors: list[Mutation] = []
    with ThreadPoolExecutor(jobs) as threads:
        first = [threads.submit(work, mutation, mutation.tests) for mutation in pending]
        for done in as_completed(first):
            mutation, found = done.result()
            if found == SURVIVED:
                print(f"{mutation.kind:14} {mutation.name}: asking further tests", flush=True)
                survivors.append(mutation)
            else:
                yield mutation, found
        second = [threads.submit(work, mutation, EVERYTHING) for mutation in survivors]
        for done in as_completed(second):
            yield done.result()


def report(mutations: Sequence[Mutation], verdicts: dict[str, str], seconds: float) -> bool:
    """Prints the counts by kind and the survivors."""
    survivors = [each for each in mutations if verdicts[each.name] == SURVIVED]
    print(f"\n{len(mutations)} mutants, {len(mutations) - len(survivors)} killed, ", end="")
    print(f"{len(survivors)} survived ({seconds:.0f} s)")
    for kind in sorted({each.kind for each in mutations}):
        of_kind = [each for each in mutations if each.kind == kind]
        killed = sum(each not in survivors for each in of_kind)
        print(f"  {kind}: {killed} of {len(of_kind)} killed")
    clean = True
    for each in mutations:
        if (each in survivors) != (each.explained is not None):
            clean = False
            problem = "survived" if each in survivors else "is explained as a survivor, but killed"
            print(f"mutant {each.name!r} {problem}")
        elif each.explained is not None:
            print(f"survived, as explained: {each.name}: {each.explained}")
    return clean


def main(words: Sequence[str]) -> int:
    """`words` are parts of names: only mutants with one of them run; none for all."""
    os.nice(10)
    chosen = [each for each in MUTATIONS if not words or any(word in each.name for word in words)]
    try:
        return 0 if run_all(chosen, ROOT, STATE) else 1
    except UserError as error:
        print(f"mutants: {error.message}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
