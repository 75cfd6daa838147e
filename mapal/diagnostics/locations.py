"""The location table: where each token of a source lies.

It is the only thing downstream of the parser that knows layout, so an edit of a comment
changes this table and nothing else.
"""

from __future__ import annotations

import json
from dataclasses import dataclass

from mapal.diagnostics.diagnostic import Diagnostic
from mapal.diagnostics.errors import CompilerBug, UserError

_SCHEMA = 1


@dataclass(frozen=True, slots=True)
class LocationTable:
    """`spans[n]` is the half-open byte range of token `n`; ranges ascend, disjoint."""

    spans: tuple[tuple[int, int], ...]

    def span_of(self, tokens: tuple[int, int]) -> tuple[int, int]:
        """The bytes from the first token to the last, both included.

        The empty program has no tokens; its only place, (0, 0), is the start of the file.
        """
        first, last = tokens
        if not self.spans and tokens == (0, 0):
            return (0, 0)
        if not 0 <= first <= last < len(self.spans):
            raise CompilerBug(f"tokens {first} to {last} of {len(self.spans)} tokens")
        return (self.spans[first][0], self.spans[last][1])

    def to_json(self) -> bytes:
        """The canonical encoding, `{"schema": 1, "spans": [[start, end], ...]}` and a newline."""
        document = {"schema": _SCHEMA, "spans": self.spans}
        return json.dumps(document, separators=(",", ":")).encode() + b"\n"

    @staticmethod
    def from_json(data: bytes) -> LocationTable:
        """Read what `to_json` wrote; UserError for anything else."""
        try:
            document = json.loads(data)
        except (ValueError, RecursionError) as error:
            raise UserError(f"The location table is not JSON: {error}.") from error
        if (
            not isinstance(document, dict)
            or set(document) != {"schema", "spans"}
            or document["schema"] != _SCHEMA
            or not isinstance(document["spans"], list)
        ):
            raise UserError('The location table is not an object with "schema": 1 and "spans".')
        spans: list[tuple[int, int]] = []
        previous_end = 0
        for ordinal, span in enumerate(document["spans"]):
            match span:
                case [int(start), int(end)] if (
                    type(start) is type(end) is int and previous_end <= start < end
                ):
                    spans.append((start, end))
                    previous_end = end
                case _:
                    raise UserError(
                        f"Entry {ordinal} of the location table is {span!r}, not a byte range "
                        "behind the one before it."
                    )
        return LocationTable(tuple(spans))


def span_of(diagnostic: Diagnostic, locations: LocationTable | None) -> tuple[int, int]:
    """The byte range of a diagnostic, looked up in `locations` if it only names tokens."""
    if diagnostic.span is not None:
        return diagnostic.span
    if diagnostic.tokens is None:
        raise CompilerBug(f"diagnostic {diagnostic.code} has no place")
    if locations is None:
        raise CompilerBug(f"diagnostic {diagnostic.code} names tokens and no table was given")
    return locations.span_of(diagnostic.tokens)
