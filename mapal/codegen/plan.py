"""The emission plan: what was decided at each site of a program, and why.

A plan is data about the module beside it, canonical and small enough to read: a changed
decision shows as a changed line here. Sites are listed in the order in which the generator
met them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

SCHEMA = 1


@dataclass(eq=False, slots=True)
class Site:
    """One decision. `kind` names the operation, `token` the first token of its source
    construct, `elements` the length of the array concerned. `shape` is the form chosen and
    `reason` why no other was."""

    function: str
    kind: str
    token: int
    elements: int
    shape: str
    reason: str

    def to_json_object(self) -> dict[str, Any]:
        return {
            "function": self.function,
            "kind": self.kind,
            "token": self.token,
            "elements": self.elements,
            "shape": self.shape,
            "reason": self.reason,
        }


class Plan:
    """Collects the sites of one module."""

    def __init__(self) -> None:
        self._sites: list[Site] = []

    def add(
        self, function: str, kind: str, token: int, elements: int, shape: str, reason: str
    ) -> Site:
        """Records a site; the generator may still change its shape and reason."""
        site = Site(function, kind, token, elements, shape, reason)
        self._sites.append(site)
        return site

    def to_json_object(self, *, program: str, target: str, notes: list[str]) -> dict[str, Any]:
        """The plan as JSON values. A body that stands at several places of a function is
        emitted at each; equal entries are listed once."""
        sites = [site.to_json_object() for site in self._sites]
        unique = {tuple(site.values()): site for site in sites}
        return {
            "schema": SCHEMA,
            "program": program,
            "target": target,
            "notes": notes,
            "sites": list(unique.values()),
        }


def rounded(number: int) -> str:
    """Two digits of an estimate: a plan should not change with every operation."""
    text = str(number)
    return text if len(text) <= 2 else text[:2] + "0" * (len(text) - 2)
