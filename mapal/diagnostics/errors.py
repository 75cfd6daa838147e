"""The exceptions of the project, one for each party at fault.

What is wrong with a *program* is never an exception: it is a `Diagnostic`, a value.
"""

from __future__ import annotations


class UserError(Exception):
    """The request cannot be met as given: a missing file, a bad option, unreadable input.

    `message` is a complete sentence for the person who typed the command; `exit_status` is
    what the process ends with (2, wrong usage or unreadable input, unless stated).
    """

    def __init__(self, message: str, exit_status: int = 2) -> None:
        super().__init__(message)
        self.message = message
        self.exit_status = exit_status


class CompilerBug(Exception):  # noqa: N818  (a bug, not an error of the user)
    """An invariant of ours does not hold. Never the fault of the program being compiled."""


class Unsupported(Exception):  # noqa: N818  (a refusal, not a failure)
    """A request that we understand and chose not to serve; `reason` says why."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason
