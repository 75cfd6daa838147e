"""The differential matrix as JUnit XML, which every continuous integration system shows.

A suite is a project, a case one program for one target: it passes when the check found them
equal, is skipped with the reason, fails with the evidence when they differ, and is an error
when the check could not be made. Times are left out, so that equal results are equal bytes.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from xml.sax.saxutils import escape, quoteattr

_FORBIDDEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
"""Characters that no XML 1.0 document may hold, not even escaped (XML 1.0, 2.2)."""


@dataclass(frozen=True, slots=True)
class Case:
    """One check. `status` is `equal`, `different`, `skipped` or `failed`; `reason` says why it
    is not the first; `details` may add lines, such as where a program trapped."""

    project: str
    program: str
    target: str
    status: str
    reason: str = ""
    details: str = ""


def junit_xml(cases: Sequence[Case]) -> bytes:
    """The document, in the order of the cases. Control characters are shown as `\\xNN`."""
    suites = list(dict.fromkeys(case.project for case in cases))
    lines = ['<?xml version="1.0" encoding="UTF-8"?>']
    lines.append(f"<testsuites name={_attribute('mapal')} {_counts(cases)}>")
    for suite in suites:
        members = [case for case in cases if case.project == suite]
        lines.append(f"  <testsuite name={_attribute(suite)} {_counts(members)}>")
        lines += [line for case in members for line in _case(case)]
        lines.append("  </testsuite>")
    lines.append("</testsuites>")
    return ("\n".join(lines) + "\n").encode()


def _counts(cases: Sequence[Case]) -> str:
    statuses = [case.status for case in cases]
    numbers = {
        "tests": len(statuses),
        "failures": statuses.count("different"),
        "errors": statuses.count("failed"),
        "skipped": statuses.count("skipped"),
    }
    return " ".join(f'{name}="{number}"' for name, number in numbers.items())


_ELEMENTS = {"different": "failure", "failed": "error", "skipped": "skipped"}


def _case(case: Case) -> list[str]:
    names = f"classname={_attribute(f'{case.project}.{case.program}')}"
    head = f"    <testcase {names} name={_attribute(case.target)}"
    inside = []
    if case.status in _ELEMENTS:
        element = _ELEMENTS[case.status]
        first = case.reason.splitlines()[0] if case.reason else case.status
        kind = "" if element == "skipped" else f" type={_attribute(case.status)}"
        opening = f"      <{element} message={_attribute(first)}{kind}"
        if case.reason and element != "skipped":
            inside.append(f"{opening}>{escape(_allowed(case.reason))}</{element}>")
        else:
            inside.append(f"{opening}/>")
    if case.details:
        inside.append(f"      <system-out>{escape(_allowed(case.details))}</system-out>")
    if not inside:
        return [f"{head}/>"]
    return [f"{head}>", *inside, "    </testcase>"]


def _attribute(text: str) -> str:
    return quoteattr(_allowed(text), {"\n": "&#10;", "\t": "&#9;", "\r": "&#13;"})


def _allowed(text: str) -> str:
    def shown(match: re.Match[str]) -> str:
        code = ord(match[0])
        return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"

    return _FORBIDDEN.sub(shown, text)
