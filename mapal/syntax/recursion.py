"""Room on Python's call stack for recursion over a syntax tree."""

from __future__ import annotations

from mapal.diagnostics.recursion import recursion_room

__all__ = ["recursion_room"]
