"""What samples say: medians, spreads, ratios round by round."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from typing import Any

FEWEST_QUIET = 3
"""With fewer quiet rounds than this, all rounds count, and they decide nothing."""


def counted_rounds(quiet: Sequence[bool]) -> list[int]:
    """The numbers of the rounds that count."""
    found = [number for number, is_quiet in enumerate(quiet) if is_quiet]
    return found if len(found) >= FEWEST_QUIET else list(range(len(quiet)))


def of_rounds(samples: Sequence[float], rounds: Sequence[int]) -> list[float]:
    """The samples of some rounds."""
    return [samples[number] for number in rounds]


def time_figures(samples: Sequence[float]) -> dict[str, float]:
    """Median, least and greatest milliseconds."""
    return {
        "median_ms": statistics.median(samples),
        "min_ms": min(samples),
        "max_ms": max(samples),
    }


def ratio_figures(ours: Sequence[float], theirs: Sequence[float]) -> dict[str, Any]:
    """Our time over a peer's: of the medians, of the least times (which say most on a machine
    that is never quiet), and the quartiles and ends of the rounds'."""
    ratios = sorted(a / b for a, b in zip(ours, theirs, strict=True) if b > 0)
    quartiles = (
        statistics.quantiles(ratios, n=4, method="inclusive") if len(ratios) > 1 else ratios * 3
    )
    return {
        "ratio": statistics.median(ours) / statistics.median(theirs),
        "ratio_of_least": min(ours) / min(theirs),
        "ratio_min": ratios[0],
        "ratio_max": ratios[-1],
        "ratio_quartiles": [quartiles[0], quartiles[2]],
    }
