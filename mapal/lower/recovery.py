"""Going on after the first report of a block, to find reports in collection bodies.

A function reports once. Should one of its collection bodies have something to report too, that
comes first, inner bodies before the bodies around them (language 10). So after a report the
rest of the block is still looked at; names that the reported statement would have bound are
unbound, and statements that need them are passed over in silence.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from mapal.lower.context import Context, UnboundError
from mapal.lower.reports import StopLowering


class Recovery:
    """Collects what happens in the statements of one function or collection body."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._first: StopLowering | None = None
        self._unbound: UnboundError | None = None
        self._reported_before = len(context.program.body_reports)

    @contextmanager
    def statement(self) -> Iterator[None]:
        """Keeps a report from inside, and goes on behind it."""
        context = self._context
        region, depth, loops = context.region, context.arm_depth, len(context.loops)
        try:
            yield
        except (StopLowering, UnboundError) as raised:
            if isinstance(raised, StopLowering):
                self._first = self._first or raised
            else:
                self._unbound = raised
            context.region, context.arm_depth = region, depth
            del context.loops[loops:]

    def end_of_function(self) -> None:
        """Raises the report of the function, if there is one."""
        reports = self._context.program.body_reports
        if len(reports) > self._reported_before:
            raise StopLowering(reports[self._reported_before])
        if self._first is not None:
            raise self._first
        assert self._unbound is None, "a name is unbound only behind a report"

    def end_of_body(self) -> None:
        """Adds the report of a body to those of the program, and raises it."""
        if self._first is None:
            if self._unbound is not None:
                raise self._unbound
            return
        reports = self._context.program.body_reports
        if self._first.diagnostic not in reports[self._reported_before :]:
            reports.append(self._first.diagnostic)
        raise self._first
