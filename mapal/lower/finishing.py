"""The last step of lowering one function: regions, then fused arithmetic if it is on."""

from __future__ import annotations

from mapal.lower.context import Context
from mapal.lower.placement import place


def finish(context: Context) -> None:
    """Places the units of a finished draft and adds it to the program."""
    place(context.draft)
    context.program.drafts.append(context.draft)
