"""The table that `doit bench` prints."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

_COLUMNS = ("program", "mode", "threads", "median ms", "min", "max", "GFLOP/s", "GB/s", "peers")


def render(target: str, document: Mapping[str, Any]) -> str:
    """The results of one target as aligned text. A ratio is our time over the peer's: below 1
    we are faster; the range of the single rounds follows in brackets."""
    if document["not_timed"] is not None:
        return f"{target}: not timed: {document['not_timed']}\n"
    host = document["host"]
    lines = [f"{target} on {host['cpu']}, {host['cores']} cores, {host['isa']}"]
    lines += [_roof(roof) for roof in host.get("roofs", ())]
    rows = [_COLUMNS, *(_row(result) for result in document["results"])]
    widths = [max(len(row[column]) for row in rows) for column in range(len(_COLUMNS))]
    for row in rows:
        cells = [
            text.ljust(width) if column in (0, 1, 8) else text.rjust(width)
            for column, (text, width) in enumerate(zip(row, widths, strict=True))
        ]
        lines.append("  ".join(cells).rstrip())
    lines += [f"{entry['program']}: not timed: {entry['reason']}" for entry in document["skipped"]]
    lines += map(failure, document["failed"])
    return "\n".join(lines) + "\n"


def failure(entry: Mapping[str, Any]) -> str:
    """An entry of `failed` for people."""
    threads = f"{entry['threads']} thread{'s' if entry['threads'] > 1 else ''}"
    return f"{entry['program']}, {threads}: failed: {entry['reason']}"


def _roof(roof: Mapping[str, Any]) -> str:
    threads = f"{roof['threads']} thread{'s' if roof['threads'] > 1 else ''}"
    arithmetic = f"{roof['f32_gflop_per_s']:.0f} f32 and {roof['f64_gflop_per_s']:.0f} f64 GFLOP/s"
    memory = (
        f"{roof['memory_gbyte_per_s']:.0f} GB/s from memory, "
        f"{roof['cache_gbyte_per_s']:.0f} from the second cache"
    )
    return f"at most with {threads}: {arithmetic}; {memory}"


def _row(result: Mapping[str, Any]) -> tuple[str, ...]:
    return (
        result["program"],
        result["arithmetic"],
        str(result["threads"]),
        _milliseconds(result["median_ms"]),
        _milliseconds(result["min_ms"]),
        _milliseconds(result["max_ms"]),
        _rate(result["gflop_per_s"]),
        _rate(result["gbyte_per_s"]),
        "; ".join(map(_peer, result["peers"])) or "none",
    )


def _peer(peer: Mapping[str, Any]) -> str:
    if "absent" in peer:
        return f"{peer['name']} absent ({peer['absent']})"
    return (
        f"{peer['name']} {_milliseconds(peer['median_ms'])} ms, ratio {peer['ratio']:.3f}"
        f" [{peer['ratio_min']:.3f} to {peer['ratio_max']:.3f}]"
    )


def _milliseconds(value: float) -> str:
    if value < 0.001:
        return f"{value:.2e}"
    return f"{value:.4f}" if value < 10 else f"{value:.2f}"


def _rate(value: float | None) -> str:
    return "" if value is None else f"{value:.2f}"


def document(
    target: str,
    host: Mapping[str, Any],
    results: Sequence[Mapping[str, Any]],
    skipped: Sequence[Mapping[str, str]],
    failed: Sequence[Mapping[str, Any]],
    not_timed: str | None,
) -> dict[str, Any]:
    """What `bench/T.json` holds."""
    return {
        "schema": 1,
        "target": target,
        "not_timed": not_timed,
        "host": dict(host),
        "results": list(results),
        "skipped": list(skipped),
        "failed": list(failed),
    }
