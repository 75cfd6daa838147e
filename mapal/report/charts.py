"""Measurements as bars, each program against its peers on a scale of its own, and under the roofs
of the machine."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from math import isfinite
from typing import Any

from mapal.report.roofline import Roofline, make_rooflines

OURS = "mapal"


@dataclass(frozen=True, slots=True)
class BenchBar:
    """One measured time. `width`, `low` and `high` are in percent of the scale: the median, and
    the range of all rounds. `verdict` compares with ours; empty for ours itself."""

    name: str
    median_ms: float
    range_ms: tuple[float, float]
    width: float
    low: float
    high: float
    verdict: str
    note: str
    is_ours: bool


@dataclass(frozen=True, slots=True)
class BenchGroup:
    """A program's measurements on one target; `absent` are peers that were not there."""

    program: str
    arithmetic: str
    threads: int
    repeat: int
    rates: str
    bars: tuple[BenchBar, ...]
    absent: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class BenchChart:
    """All measurements on one target; `not_timed` is why there are none, or empty."""

    target: str
    host: str
    not_timed: str
    groups: tuple[BenchGroup, ...]
    rooflines: tuple[Roofline, ...]
    skipped: tuple[tuple[str, str], ...]


def make_chart(document: Mapping[str, Any]) -> BenchChart:
    """The chart of a document `bench/T.json`."""
    host = document.get("host") or {}
    words = [str(host[key]) for key in ("cpu", "isa") if host.get(key)]
    if host.get("cores"):
        words.insert(1, f"{host['cores']} cores")
    return BenchChart(
        str(document["target"]),
        ", ".join(words),
        str(document.get("not_timed") or ""),
        tuple(_group(result) for result in document.get("results", ())),
        make_rooflines(document),
        tuple(_left_out(document)),
    )


def _left_out(document: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Programs without a time, with the reason."""
    for entry in document.get("skipped", ()):
        yield str(entry["program"]), str(entry["reason"])
    for entry in document.get("failed", ()):
        yield str(entry["program"]), f"failed: {entry['reason']}"


def _group(result: Mapping[str, Any]) -> BenchGroup:
    peers = [peer for peer in result["peers"] if "absent" not in peer]
    measured = [("", result), *((peer["name"], peer) for peer in peers)]
    scale = max(_longest(entry) for _, entry in measured) or 1.0
    return BenchGroup(
        str(result["program"]),
        str(result["arithmetic"]),
        int(result["threads"]),
        int(result["repeat"]),
        _rates(result),
        tuple(_bar(name, entry, scale) for name, entry in measured),
        tuple((str(p["name"]), str(p["absent"])) for p in result["peers"] if "absent" in p),
    )


def _longest(entry: Mapping[str, Any]) -> float:
    return float(max(entry["median_ms"], entry.get("max_ms") or 0.0))


def _bar(name: str, entry: Mapping[str, Any], scale: float) -> BenchBar:
    median = float(entry["median_ms"])
    low, high = float(entry.get("min_ms") or median), float(entry.get("max_ms") or median)
    return BenchBar(
        name or OURS,
        median,
        (low, high),
        round(100 * median / scale, 2),
        round(100 * low / scale, 2),
        round(100 * high / scale, 2),
        _verdict(name, entry.get("ratio")),
        str(entry.get("note") or "") if name else "",
        not name,
    )


def _verdict(name: str, ratio: float | None) -> str:
    """A ratio is our time over the peer's."""
    if not name or not ratio:
        return ""
    if ratio <= 1:
        return f"mapal takes {ratio:.2f} of its time"
    return f"mapal takes {ratio:.2f} times as long"


def _rates(result: Mapping[str, Any]) -> str:
    parts = [
        f"{result[key]:.2f} {unit}"
        for key, unit in (("gflop_per_s", "GFLOP/s"), ("gbyte_per_s", "GB/s"))
        if result.get(key) is not None
    ]
    return ", ".join(parts)


def _chart_of(document: Mapping[str, Any]) -> BenchChart:
    try:
        chart = make_chart(document)
        _require_finite(asdict(chart))
        return chart
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError):
        reason = f"{document['target']}.json is no document of this version of the bench"
        return BenchChart(str(document["target"]), "", reason, (), (), ())


def _require_finite(value: object) -> None:
    """JSON of Python's has numbers that cannot be drawn. Raises `ValueError`."""
    if isinstance(value, float) and not isfinite(value):
        raise ValueError(value)
    members: Iterable[object] = ()
    if isinstance(value, dict):
        members = value.values()
    elif isinstance(value, (list, tuple)):
        members = value
    for member in members:
        _require_finite(member)


def make_charts(documents: Sequence[Mapping[str, Any]]) -> list[BenchChart]:
    """The charts of several targets, those with measurements first. A document that somebody else
    wrote, or another version, is no reason to show nothing of the build: its chart says so."""
    charts = [_chart_of(document) for document in documents]
    return sorted(charts, key=lambda chart: (bool(chart.not_timed), chart.target))
