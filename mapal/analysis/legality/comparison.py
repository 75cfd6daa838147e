"""Holding answers to the simple rules that they replaced, while the compiler works."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from mapal.affine import StricterQueryError, crosschecking
from mapal.diagnostics import CompilerBug


@contextmanager
def compared(enabled: bool) -> Iterator[list[str]]:
    """With `enabled`, answers asked for inside are compared with their simple rules. Gives the
    list of what only the engine allows, once each, complete at the end. Raises `CompilerBug` if
    only a rule allows something."""
    told: list[str] = []
    try:
        with crosschecking(enabled) as gains:
            yield told
    except StricterQueryError as error:
        raise CompilerBug(str(error)) from error
    told.extend(dict.fromkeys(gains))
