"""`python -m mapal.bench.limits [ROW…]`: measures rows and prints them.

A row is named, or several by a pattern such as `matmul-f32-exact-*`. The results lie in
`build/bench/limits.json`, in which rows that were measured before stay; `build/bench/expected`
keeps what results must be.
"""

from __future__ import annotations

import argparse
import fnmatch
import functools
import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from mapal.bench.answers import WrongAnswer
from mapal.bench.command import entry_point, outcome, rounds, thread_counts
from mapal.bench.documents import read_text, write_document, writing
from mapal.bench.limits.building import Builder
from mapal.bench.limits.catalogue import all_rows
from mapal.bench.limits.compiling import compile_cost
from mapal.bench.limits.compiling import render as render_costs
from mapal.bench.limits.measuring import check_row, measure_row
from mapal.bench.limits.report import markdown, render
from mapal.bench.limits.rows import Row
from mapal.bench.run import host_facts, processors
from mapal.diagnostics import UserError
from mapal.native.toolchain import require_compiler
from mapal.target import NATIVE, TargetProfile, load_profile
from mapal.target.detect import detect_host, why_not_executable
from mapal.target.document import closest
from mapal.target.tuning import with_native_tuning

DIRECTORY = Path("build", "bench")
KEPT = DIRECTORY / "limits.json"


def main(arguments: Sequence[str] | None = None) -> int:
    """0 if everything asked for was measured; goals that are missed do not count."""
    parser = argparse.ArgumentParser(prog="python -m mapal.bench.limits", description=__doc__)
    parser.add_argument("rows", nargs="*", default=["*"], metavar="ROW")
    parser.add_argument(
        "--threads", default="", help="thread counts; default 1,2, as far as there are processors"
    )
    parser.add_argument("--rounds", type=rounds, help="rounds of each contest")
    parser.add_argument(
        "--thorough", action="store_true", help="check the build without kernels, too"
    )
    instead = parser.add_mutually_exclusive_group()
    instead.add_argument(
        "--bits",
        metavar="PROFILES",
        help="measure nothing; compare the bits of builds for these profiles, with commas",
    )
    instead.add_argument(
        "--compile", action="store_true", help="measure nothing but compiling, next to gcc"
    )
    instead.add_argument(
        "--kept", action="store_true", help="print what was measured before, as Markdown"
    )
    instead.add_argument("--list", action="store_true", help="only name the rows")
    return outcome("limits", functools.partial(_run, parser.parse_args(arguments)))


def _run(options: argparse.Namespace) -> int:
    rows = select(options.rows)
    threads = thread_counts(options.threads or "1,2")
    if options.list:
        print("\n".join(row.name for row in rows))
        return 0
    if options.kept:
        print(_kept(rows), end="")
        return 0
    if options.compile:
        return compile_rows(rows)
    if options.bits is not None:
        return check_rows(rows, options.bits.split(","), threads)
    if not options.threads and processors() < max(threads):
        _say("limits: one thread only, since there is one processor")
        threads = [1]
    results = measure_rows(rows, threads, options.rounds, options.thorough)
    return 1 if any("failed" in result for result in results) else 0


def select(patterns: Sequence[str]) -> list[Row]:
    """The rows that a pattern matches. Raises `UserError` for a pattern without rows."""
    rows = all_rows()
    names = [row.name for row in rows]
    for pattern in patterns:
        if not fnmatch.filter(names, pattern):
            raise UserError(f"no row is called {pattern!r}{closest(pattern, names)}")
    return [row for row in rows if any(fnmatch.fnmatch(row.name, p) for p in patterns)]


def measure_rows(
    rows: Sequence[Row], threads: Sequence[int], rounds: int | None, is_thorough: bool = False
) -> list[Mapping[str, Any]]:
    """Measures, printing each row as it is done, and adds what was found to the document. Raises
    `UserError`, before anything is measured, if nothing can be added to it."""
    with writing(KEPT):
        _read()
    builder = Builder(require_compiler(_say))
    host = detect_host()
    tuned = with_native_tuning(host)
    results: list[Mapping[str, Any]] = []
    for row in rows:
        profile = tuned if row.target == NATIVE else load_profile(row.target)
        for count in threads:
            result = _measured(row, profile, host, count, builder, rounds, is_thorough)
            results.append(result)
            print(render([result]).split("\n", 1)[1], end="", flush=True)
            _keep(result, host)
    print(render(results), end="")
    return results


def compile_rows(rows: Sequence[Row]) -> int:
    """Prints what compiling costs; 0, since a goal that is missed does not count here."""
    builder = Builder(require_compiler(_say))
    host = with_native_tuning(detect_host())
    profiles = {NATIVE: host}
    costs = []
    for row in rows:
        if row.target not in profiles:
            profiles[row.target] = load_profile(row.target)
        costs.append(compile_cost(row, profiles[row.target], builder))
        _say(f"{row.name}: {costs[-1].ratio:.2f}")
    print(render_costs(costs), end="")
    return 0


def check_rows(rows: Sequence[Row], names: Sequence[str], threads: Sequence[int]) -> int:
    """Compares bits of all builds of rows; prints how many agreed and whose did not. 1 if any
    did not, 0 otherwise."""
    builder = Builder(require_compiler(_say))
    host = detect_host()
    tuned = with_native_tuning(host)
    different = dict.fromkeys(names)
    profiles = [tuned if name == NATIVE else load_profile(name) for name in different]
    able = [profile for profile in profiles if why_not_executable(profile, host) is None]
    for profile in profiles:
        if profile not in able:
            print(f"{profile.name}: skipped: {why_not_executable(profile, host)}")
    if not able:
        return 1
    agreed, wrong = 0, 0
    for row in rows:
        try:
            agreed += check_row(row, able, threads, builder, DIRECTORY / "expected", _say)
        except (UserError, WrongAnswer) as error:
            wrong += 1
            print(f"{row.name}: {error}")
    print(f"{len(rows)} rows: {agreed} builds gave the expected bits, {wrong} rows did not")
    return 1 if wrong else 0


def _measured(
    row: Row,
    profile: TargetProfile,
    host: TargetProfile,
    threads: int,
    builder: Builder,
    rounds: int | None,
    is_thorough: bool,
) -> Mapping[str, Any]:
    named = {"row": row.name, "threads": threads}
    reason = why_not_executable(profile, host)
    if reason is None and threads > processors():
        reason = f"only {processors()} processor{'s' * (processors() != 1)}"
    if reason is not None:
        return {**named, "failed": f"not measured here: {reason}"}
    try:
        return measure_row(
            row,
            profile,
            threads,
            builder,
            DIRECTORY / "expected",
            _say,
            rounds=rounds,
            is_thorough=is_thorough,
        )
    except (UserError, WrongAnswer) as error:
        return {**named, "failed": str(error)}


def _kept(rows: Sequence[Row]) -> str:
    """What was measured before of these rows, in the order of the table, as Markdown."""
    before = _read()
    found = [entry for row in rows for entry in before if entry["row"] == row.name]
    try:
        return markdown(sorted(found, key=lambda entry: int(entry["threads"])))
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError):
        raise _strange() from None


def _read() -> list[Mapping[str, Any]]:
    """What was measured before. Raises `UserError` for a document of somebody else: nothing in it
    may get lost."""
    text = read_text(KEPT)
    if text is None:
        return []
    try:
        entries: list[Mapping[str, Any]] = json.loads(text)["results"]
        keys = [(entry["row"], entry["threads"]) for entry in entries]
    except (LookupError, RecursionError, TypeError, ValueError):
        raise _strange() from None
    if not all(isinstance(row, str) and isinstance(threads, int) for row, threads in keys):
        raise _strange()
    return entries


def _strange() -> UserError:
    return UserError(f"{KEPT} is damaged, or of another version; move it away", 1)


def _keep(result: Mapping[str, Any], host: TargetProfile) -> None:
    with writing(KEPT):
        key = (result["row"], result["threads"])
        kept = [entry for entry in _read() if (entry["row"], entry["threads"]) != key]
        document = {"schema": 1, "host": host_facts(host), "results": [*kept, dict(result)]}
        write_document(KEPT, document)


def _say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(entry_point("limits", main))
