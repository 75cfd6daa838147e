"""The table of rows as text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from mapal.bench.figures import FEWEST_QUIET

_HEAD = ("row", "thr", "ms", "GFLOP/s", "GB/s", "quiet", "goals", "peers")


def cells(result: Mapping[str, Any]) -> tuple[str, ...]:
    """One line of the table."""
    if "failed" in result:
        return (result["row"], str(result["threads"]), "", "", "", "", "FAILED", result["failed"])
    return (
        result["row"],
        str(result["threads"]),
        _number(result["median_ms"]),
        "" if result["gflop_per_s"] is None else f"{result['gflop_per_s']:.1f}",
        "" if result["gbyte_per_s"] is None else f"{result['gbyte_per_s']:.1f}",
        f"{result['quiet_rounds']}/{result['rounds']}",
        ", ".join(_goal(goal, _why_undecided(result)) for goal in result["goals"]) or "-",
        ", ".join(map(_peer, result["peers"])),
    )


def render(results: list[Mapping[str, Any]]) -> str:
    """All rows, aligned. A ratio is our time over a peer's, with the quartiles of the
    rounds, and that of the least times."""
    rows = [_HEAD, *map(cells, results)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(_HEAD))]
    lines = []
    for row in rows:
        parts = [
            text.rjust(width) if 1 <= column <= 5 else text.ljust(width)
            for column, (text, width) in enumerate(zip(row, widths, strict=True))
        ]
        lines.append("  ".join(parts).rstrip())
    return "\n".join(lines) + "\n"


def markdown(results: Sequence[Mapping[str, Any]]) -> str:
    """Rows with goals, measured on a quiet machine, as a Markdown table: ours, each goal with
    what was found, and how many rounds were quiet. What was not reached stands in bold."""
    lines = ["| row | threads | ms | rate | goals: ratio found, to reach | quiet |"]
    lines.append("| --- | ---: | ---: | ---: | --- | ---: |")
    for result in results:
        if "failed" in result or not result["goals"] or not is_decided(result):
            continue
        rate = f"{result['gbyte_per_s']:.1f} GB/s" if result["gbyte_per_s"] is not None else ""
        if result["gflop_per_s"] is not None:
            rate = f"{result['gflop_per_s']:.1f} GFLOP/s"
        cells = [
            result["row"],
            str(result["threads"]),
            _number(result["median_ms"]),
            rate,
            "; ".join(map(_judged, result["goals"])),
            f"{result['quiet_rounds']}/{result['rounds']}",
        ]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def _judged(goal: Mapping[str, Any]) -> str:
    if goal["reached"] is None:
        return f"{' or '.join(goal['peers'])} not there, {goal['to_reach']:.2f}"
    ratio = f"{goal['ratio']:.2f}"
    return (
        f"{goal['against']} {ratio if goal['reached'] else f'**{ratio}**'}, {goal['to_reach']:.2f}"
    )


def is_decided(result: Mapping[str, Any]) -> bool:
    """Whether enough rounds were quiet to say what was reached."""
    return bool(result["quiet_rounds"] >= FEWEST_QUIET)


def _why_undecided(result: Mapping[str, Any]) -> str:
    """Empty if enough rounds were quiet."""
    if is_decided(result):
        return ""
    return "the machine was busy" if result["rounds"] >= FEWEST_QUIET else "too few rounds"


def _goal(goal: Mapping[str, Any], undecided: str) -> str:
    if goal["reached"] is None:
        return f"{'/'.join(goal['peers'])} <= {goal['to_reach']:.2f} open"
    mark = "ok" if goal["reached"] else "MISSED"
    mark = f"not decided: {undecided}" if undecided else mark
    return f"{goal['against']} {goal['ratio']:.3f} <= {goal['to_reach']:.2f} {mark}"


def _peer(peer: Mapping[str, Any]) -> str:
    if "absent" in peer:
        return f"{peer['name']} absent ({peer['absent']})"
    low, high = peer["ratio_quartiles"]
    return (
        f"{peer['name']} {_number(peer['median_ms'])} ms {peer['ratio']:.3f} [{low:.3f} {high:.3f}]"
    )


def _number(value: float) -> str:
    return f"{value:.4f}" if value < 10 else f"{value:.2f}"
