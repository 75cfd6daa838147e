"""Measures the branch coverage of runtime/*.c by its tests:

    ./dev python tests/runtime/branch_coverage.py

Builds the runtime with branch counters in a temporary directory, runs all tests of this folder on
that build, and prints lines and branches of each file. Exit status 1 if a test fails or a file
stays under the required share.
"""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

REQUIRED_PERCENT = 85.0
TESTS = Path(__file__).resolve().parent
RUNTIME = TESTS.parents[1] / "runtime"


def measure(directory: Path) -> list[tuple[str, float, float]]:
    """(file, percent of lines, percent of branches) of each source, from the counters there."""
    command = [
        *(sys.executable, "-m", "gcovr"),
        *("--root", str(RUNTIME), "--filter", f"{RUNTIME}/"),
        *("--exclude-throw-branches", "--json-summary", "-"),
        str(directory),
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"gcovr failed:\n{done.stderr}")
    rows = []
    for entry in json.loads(done.stdout)["files"]:
        branches = 100.0 if entry["branch_total"] == 0 else float(entry["branch_percent"])
        rows.append((entry["filename"], float(entry["line_percent"]), branches))
    return sorted(rows)


def main() -> int:
    with tempfile.TemporaryDirectory(prefix="mapal-runtime-coverage-") as directory:
        tests = subprocess.run(
            [sys.executable, "-m", "pytest", "-q", str(TESTS)],
            env={**os.environ, "MAPAL_RUNTIME_COVERAGE": directory},
            check=False,
        )
        rows = measure(Path(directory))
    print(f"{'file':20} {'lines %':>8} {'branches %':>11}")
    for name, lines, branches in rows:
        print(f"{name:20} {lines:8.1f} {branches:11.1f}")
    measured = {name for name, _, _ in rows}
    # A table has no code to count.
    unmeasured = {path.name for path in RUNTIME.glob("*.c")} - measured - {"powers_of_ten.c"}
    low = [name for name, _, branches in rows if branches < REQUIRED_PERCENT]
    if unmeasured or low:
        print(f"under {REQUIRED_PERCENT} % of branches: {', '.join([*unmeasured, *low])}")
    return 1 if tests.returncode != 0 or unmeasured or low else 0


if __name__ == "__main__":
    sys.exit(main())
