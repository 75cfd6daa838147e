"""Who calls whom: recursion (language 10, step 3), and which functions have effects."""

from __future__ import annotations

from collections.abc import Mapping

from mapal.diagnostics import Diagnostic
from mapal.lower.cycles import components
from mapal.lower.reports import problem
from mapal.lower.resolve import Resolution
from mapal.syntax import ast

_NAMES_IN_MESSAGE = 8


def recursion(
    functions: Mapping[str, ast.FunctionItem], resolutions: Mapping[str, Resolution]
) -> Diagnostic | None:
    """L1008, at the first function that calls itself, directly or through others."""
    calls = {
        name: [site.name for site in resolution.effects if site.is_call]
        for name, resolution in resolutions.items()
    }
    cycles = {
        name: component
        for component in components(calls)
        for name in component
        if len(component) > 1 or name in calls[name]
    }
    for name, item in functions.items():
        if name in cycles:
            at = (item.name_token, item.name_token)
            hint = "write the repetition as a loop"
            return problem("L1008", _message(name, cycles[name]), at, hint)
    return None


def _message(name: str, cycle: list[str]) -> str:
    others = [other for other in cycle if other != name]
    if not others:
        return f"`{name}` calls itself"
    more = ", …" if len(others) > _NAMES_IN_MESSAGE else ""
    return f"`{name}` calls itself through {', '.join(others[:_NAMES_IN_MESSAGE])}{more}"


def effectful_functions(resolutions: Mapping[str, Resolution]) -> frozenset[str]:
    """The functions that print, read the clock, or call one that does, outside collection
    bodies."""
    callers: dict[str, list[str]] = {}
    work: list[str] = []
    for name, resolution in resolutions.items():
        for site in resolution.effects:
            if site.in_collection:
                continue
            if site.is_call:
                callers.setdefault(site.name, []).append(name)
            else:
                work.append(name)
    found: set[str] = set()
    while work:
        name = work.pop()
        if name not in found:
            found.add(name)
            work.extend(callers.get(name, []))
    return frozenset(found)
