"""`python -m mapal.sweep FILE... [rewrite=each]`: what saved scripts show now."""

from __future__ import annotations

import sys
from pathlib import Path

from mapal.sweep.battery import Rewriting
from mapal.sweep.failures import replay
from mapal.target import load_profile


def main(words: list[str]) -> int:
    """0 if no script shows a difference."""
    rewriting: Rewriting = "each" if "rewrite=each" in words else "pipeline"
    status = 0
    for name in words:
        if "=" in name:
            continue
        found = replay(Path(name), load_profile("native"), rewriting)
        print(f"{name}: " + (f"{found.leg}: {found.text}" if found else "no difference"))
        status = 1 if found else status
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
