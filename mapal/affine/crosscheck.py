"""A query beside the simpler rule that it replaced: both answer, and differences are reported.

Off unless `crosschecking()` is entered. A query that declines what the rule accepts is an error:
either the query lost precision or the rule was unsound. The other way round is the expected gain
and is logged.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_gains: ContextVar[list[str] | None] = ContextVar("legality_crosscheck", default=None)
_log = logging.getLogger(__name__)


class StricterQueryError(Exception):
    """A query declined what the simple rule of its site accepts."""


@contextmanager
def crosschecking(enabled: bool = True) -> Iterator[list[str]]:
    """Switches the comparison on, or off, for the code inside. Gives the list that collects what
    queries accept and rules decline."""
    gains: list[str] = []
    token = _gains.set(gains if enabled else None)
    try:
        yield gains
    finally:
        _gains.reset(token)


def is_crosschecking() -> bool:
    """Whether the comparison is switched on, for callers that would prepare it in vain."""
    return _gains.get() is not None


def crosscheck(
    site: str,
    context: str,
    procedural_safe: Callable[[], bool],
    query_safe: bool,
    witness: str,
) -> None:
    """Compares the answer of a query with that of the simple rule, if switched on.

    Raises `StricterQueryError` if the rule accepts and the query declines; writes one line to the
    error log if it is the other way round. The rule is not evaluated when switched off.
    """
    gains = _gains.get()
    if gains is None:
        return
    rule_safe = procedural_safe()
    if rule_safe and not query_safe:
        raise StricterQueryError(
            f"{site}: the rule accepts, the query declines: {witness}; {context}"
        )
    if query_safe and not rule_safe:
        gain = f"{site}: the query accepts, the rule declines: {witness}; {context}"
        gains.append(gain)
        _log.error("%s", gain)
