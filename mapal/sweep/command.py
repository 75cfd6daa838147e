"""The words of a sweep's command line."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from mapal.diagnostics import UserError
from mapal.sweep.battery import Rewriting
from mapal.sweep.run import run_sweep

DEFAULTS = {"count": "1000", "seed": "1", "rewrite": "pipeline"}


@dataclass(frozen=True, slots=True)
class SweepRequest:
    """How many programs of which seed, and which passes each graph goes through."""

    count: int
    seed: int
    rewriting: Rewriting


def request_of(words: Mapping[str, str]) -> SweepRequest:
    """The request of `count`, `seed` and `rewrite`, all optional. Raises `UserError`."""
    given = {**DEFAULTS, **words}
    rewriting: Rewriting
    match given["rewrite"]:
        case "each":
            rewriting = "each"
        case "pipeline":
            rewriting = "pipeline"
        case other:
            raise UserError(f"rewrite is 'pipeline' or 'each', not {other!r}")
    return SweepRequest(_number(given, "count", 1), _number(given, "seed", 0), rewriting)


def _number(given: Mapping[str, str], name: str, least: int) -> int:
    text = given[name]
    if not (text.isascii() and text.isdigit()) or int(text) < least:
        raise UserError(f"{name} is a number from {least} on, not {text!r}")
    return int(text)


def sweep(words: Mapping[str, str]) -> bool:
    """Runs the sweep that the words ask for; whether nothing failed."""
    request = request_of(words)
    return run_sweep(request.count, request.seed, request.rewriting) == 0
