"""`python -m mapal.affine FILE.json`: runs a case file.

Prints each failure and `N passed, M failed`. Exit status 0 if none failed, 1 if some did, 2 if
the file is malformed or cannot be read.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from mapal.affine.case_file import failures, load_cases
from mapal.affine.case_values import MalformedError


def main(words: Sequence[str]) -> int:
    """Runs the case file that the words name; the exit status."""
    if len(words) != 1:
        print("usage: python -m mapal.affine FILE.json", file=sys.stderr)
        return 2
    try:
        cases = load_cases(Path(words[0]).read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as fault:
        print(f"error: {words[0]}: {getattr(fault, 'strerror', None) or fault}", file=sys.stderr)
        return 2
    except MalformedError as fault:
        print(f"error: {words[0]}: {fault}", file=sys.stderr)
        return 2
    failed = 0
    for case, told in failures(cases):
        failed += 1
        # JSON can write halves of surrogate pairs, which no output takes.
        line = f"{case.id} {case.query}: {told}"
        print(line.encode("utf-8", "backslashreplace").decode("utf-8"))
    print(f"{len(cases) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
