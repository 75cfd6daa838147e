"""Measurements under the roofs of the machine: how much arithmetic a program does per byte, and
how close it comes to what memory and arithmetic units allow.

The model is that of Williams, Waterman and Patterson, "Roofline: an insightful visual performance
model" (2009). Both axes are logarithmic; coordinates are those of the picture, which is
`WIDTH` x `HEIGHT`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import ceil, floor, log10
from typing import Any

WIDTH, HEIGHT = 640, 320
_LEFT, _RIGHT, _TOP, _BOTTOM = 56, 16, 16, 36
_LEAST_INTENSITY, _GREATEST_INTENSITY = 0.0625, 64.0


@dataclass(frozen=True, slots=True)
class Point:
    """A program: operations per byte, GFLOP/s, what part of the lower roof above it that is in
    percent, and where it is drawn."""

    number: int
    program: str
    arithmetic: str
    intensity: float
    rate: float
    percent: float
    x: float
    y: float


@dataclass(frozen=True, slots=True)
class Line:
    """A roof, drawn from one place to another, with its name at its upper end."""

    name: str
    kind: str
    x1: float
    y1: float
    x2: float
    y2: float


@dataclass(frozen=True, slots=True)
class Tick:
    """A number at an axis."""

    text: str
    place: float


@dataclass(frozen=True, slots=True)
class Roofline:
    """The picture for one thread count."""

    threads: int
    roofs: tuple[Line, ...]
    points: tuple[Point, ...]
    across: tuple[Tick, ...]
    up: tuple[Tick, ...]
    width: int = WIDTH
    height: int = HEIGHT


@dataclass(frozen=True, slots=True)
class _Scale:
    """From a number to a place, by its logarithm."""

    low: float
    high: float
    start: float
    end: float

    def __call__(self, number: float) -> float:
        share = (log10(number) - log10(self.low)) / (log10(self.high) - log10(self.low))
        return round(self.start + share * (self.end - self.start), 2)


def make_rooflines(document: Mapping[str, Any]) -> tuple[Roofline, ...]:
    """A picture for each thread count of a document `bench/T.json` that has roofs and programs
    which say what they compute and move."""
    roofs = (document.get("host") or {}).get("roofs") or ()
    found = []
    for roof in roofs:
        results = [
            result
            for result in document.get("results", ())
            if result["threads"] == roof["threads"] and result.get("flop") and result.get("bytes")
        ]
        if results:
            found.append(_roofline(roof, results))
    return tuple(found)


def _roofline(roof: Mapping[str, Any], results: Sequence[Mapping[str, Any]]) -> Roofline:
    intensities = [result["flop"] / result["bytes"] for result in results]
    x = _Scale(
        2 ** floor(_log2(min(_LEAST_INTENSITY, *intensities))),
        2 ** ceil(_log2(max(_GREATEST_INTENSITY, *intensities))),
        _LEFT,
        WIDTH - _RIGHT,
    )
    peak, memory = float(roof["f32_gflop_per_s"]), float(roof["memory_gbyte_per_s"])
    rates = [float(result["gflop_per_s"]) for result in results]
    y = _Scale(
        10 ** floor(log10(min(memory * x.low, *rates))),
        10 ** ceil(log10(peak)),
        HEIGHT - _BOTTOM,
        _TOP,
    )
    slopes = (("memory", memory), ("second cache", float(roof["cache_gbyte_per_s"])))
    lines = [_slope(name, rate, peak, x, y) for name, rate in slopes]
    for real in ("f32", "f64"):
        rate = float(roof[f"{real}_gflop_per_s"])
        start = x(min(max(rate / max(memory, slopes[1][1]), x.low), x.high))
        lines.append(Line(real, "flat", start, y(rate), x(x.high), y(rate)))
    points = tuple(
        Point(
            number,
            str(result["program"]),
            str(result["arithmetic"]),
            intensity,
            rate,
            100 * rate / min(peak, memory * intensity),
            x(intensity),
            y(rate),
        )
        for number, (result, intensity, rate) in enumerate(
            zip(results, intensities, rates, strict=True), start=1
        )
    )
    return Roofline(int(roof["threads"]), tuple(lines), points, _across(x), _up(y))


def _slope(name: str, rate: float, peak: float, x: _Scale, y: _Scale) -> Line:
    """What so many bytes per second allow, up to the arithmetic that there is."""
    low = max(x.low, y.low / rate)
    high = min(x.high, peak / rate)
    return Line(name, "slope", x(low), y(rate * low), x(high), y(rate * high))


def _across(x: _Scale) -> tuple[Tick, ...]:
    powers = range(round(_log2(x.low)), round(_log2(x.high)) + 1, 2)
    return tuple(Tick(f"{2.0**power:g}", x(2.0**power)) for power in powers)


def _up(y: _Scale) -> tuple[Tick, ...]:
    powers = range(round(log10(y.low)), round(log10(y.high)) + 1)
    return tuple(Tick(f"{10.0**power:g}", y(10.0**power)) for power in powers)


def _log2(number: float) -> float:
    return log10(number) / log10(2)
