"""`python -m mapal.bench.limits [ROW…]`: measures rows and prints them.

A row is named, or several by a pattern such as `matmul-f32-exact-*`. The results lie in
`build/bench/limits.json`, in which rows that were measured before stay; `build/bench/expected`
keeps what results must be.
"""

from __future__ import annotations

import argparse
import fnmatch
import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from mapal.bench.limits.building import Builder
from mapal.bench.limits.catalogue import all_rows
from mapal.bench.limits.measuring import measure_row
from mapal.bench.limits.report import render
from mapal.bench.limits.rows import Row
from mapal.bench.run import host_facts, processors, write_document
from mapal.diagnostics import UserError
from mapal.native.toolchain import require_compiler
from mapal.target import TargetProfile, load_profile
from mapal.target.detect import detect_host, why_not_executable
from mapal.target.document import closest

DIRECTORY = Path("build", "bench")


def main(arguments: Sequence[str] | None = None) -> int:
    """0 if everything asked for was measured; goals that are missed do not count."""
    parser = argparse.ArgumentParser(prog="python -m mapal.bench.limits", description=__doc__)
    parser.add_argument("rows", nargs="*", default=["*"], metavar="ROW")
    parser.add_argument("--threads", default="1,2", help="thread counts; default 1,2")
    parser.add_argument("--rounds", type=int, help="rounds of each contest")
    parser.add_argument("--list", action="store_true", help="only name the rows")
    options = parser.parse_args(arguments)
    try:
        rows = select(options.rows)
        if options.list:
            print("\n".join(row.name for row in rows))
            return 0
        threads = [int(word) for word in options.threads.split(",")]
        results = measure_rows(rows, threads, options.rounds)
    except UserError as error:
        print(f"limits: {error}", file=sys.stderr)
        return error.exit_status
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
    rows: Sequence[Row], threads: Sequence[int], rounds: int | None
) -> list[Mapping[str, Any]]:
    """Measures, printing each row as it is done, and adds what was found to the document."""
    builder = Builder(require_compiler(_say))
    host = detect_host()
    results: list[Mapping[str, Any]] = []
    for row in rows:
        profile = host if row.target == "native" else load_profile(row.target)
        for count in threads:
            result = _measured(row, profile, host, count, builder, rounds)
            results.append(result)
            print(render([result]).split("\n", 1)[1], end="", flush=True)
            _keep(result, host)
    print(render(results), end="")
    return results


def _measured(
    row: Row,
    profile: TargetProfile,
    host: TargetProfile,
    threads: int,
    builder: Builder,
    rounds: int | None,
) -> Mapping[str, Any]:
    named = {"row": row.name, "threads": threads}
    reason = why_not_executable(profile, host)
    if reason is None and threads > processors():
        reason = f"only {processors()} processors"
    if reason is not None:
        return {**named, "failed": f"not measured here: {reason}"}
    try:
        return measure_row(row, profile, threads, builder, DIRECTORY / "expected", _say, rounds)
    except UserError as error:
        return {**named, "failed": str(error)}


def _keep(result: Mapping[str, Any], host: TargetProfile) -> None:
    path = DIRECTORY / "limits.json"
    kept: list[Any] = []
    if path.is_file():
        kept = json.loads(path.read_text("utf-8"))["results"]
    key = (result["row"], result["threads"])
    kept = [entry for entry in kept if (entry["row"], entry["threads"]) != key]
    write_document(path, {"schema": 1, "host": host_facts(host), "results": [*kept, dict(result)]})


def _say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
