"""The format of a filetest: an ordinary program with comments that a test reads.

    // test: run
    // arithmetic: fused

    fn main() { 4 -> printn; }      // error: L1101 at 18

    // expect
    // | 4
    // done

The header is the first comments: `test` names the stage, `arithmetic` the mode, `targets` the
profiles of stages that have any.
Lines that the checks complain about carry the codes and columns. The expected text of the stage
is the block of comments at the end.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

KEYS = frozenset({"test", "arithmetic", "accepted", "targets"})
_HEADER = re.compile(r"// (\w+):? ?(.*)")
_MARKER = re.compile(r" *// error: (.*)")
_ERROR = re.compile(r"([LPT]\d{4}) at (\d+)\Z")
_EXPECT = "// expect"


class MalformedError(Exception):
    """A filetest that does not follow the format."""


@dataclass(frozen=True)
class Marker:
    """One expected report, line and column from 1."""

    code: str
    line: int
    column: int


@dataclass(frozen=True)
class FileTest:
    """`source` is the whole text, comments included; `body` the text without the block of the
    expected text and without markers."""

    path: Path
    source: str
    options: dict[str, str]
    markers: tuple[Marker, ...]
    expected: str | None
    body: str

    @property
    def stage(self) -> str:
        return self.options["test"]


def read(path: Path) -> FileTest:
    """The filetest of a file."""
    return parse_text(path, path.read_text(encoding="utf-8"))


def parse_text(path: Path, text: str) -> FileTest:
    """The filetest of a text."""
    lines = text.removesuffix("\n").split("\n")
    program, expected = _split_expected(lines)
    markers: list[Marker] = []
    body: list[str] = []
    for number, line in enumerate(program, 1):
        found = _MARKER.search(line)
        body.append(line if found is None else line[: found.start()])
        if found is not None:
            markers += [_marker(part, number) for part in found.group(1).split(", ")]
    options = _options(program)
    if options.get("test") is None:
        raise MalformedError("the header names no stage: `// test: check`")
    return FileTest(path, text, options, tuple(markers), expected, "\n".join(body) + "\n")


def _marker(text: str, line: int) -> Marker:
    found = _ERROR.match(text.strip())
    if found is None:
        raise MalformedError(f"line {line}: `{text}` is not `CODE at COLUMN`")
    return Marker(found.group(1), line, int(found.group(2)))


def _options(lines: list[str]) -> dict[str, str]:
    options: dict[str, str] = {}
    for line in lines:
        found = _HEADER.match(line)
        if found is None:
            break
        key, value = found.groups()
        if key in KEYS:
            options[key] = value
        elif options and line.startswith(f"// {key}:"):
            raise MalformedError(f"unknown key in the header: {key}")
    return options


def _split_expected(lines: list[str]) -> tuple[list[str], str | None]:
    if _EXPECT not in lines:
        return lines, None
    start = lines.index(_EXPECT)
    block = lines[start + 1 :]
    if not block or any(not line.startswith("//") for line in block):
        raise MalformedError("the expected text is a block of comments at the end, not empty")
    text = "".join(line[3:] + "\n" for line in block)
    program = lines[:start]
    while program and not program[-1]:
        program.pop()
    return program, text


def written(test: FileTest, markers: list[Marker], expected: str | None) -> str:
    """The text of a filetest with other expectations."""
    lines = test.body.removesuffix("\n").split("\n")
    for number in sorted({marker.line for marker in markers}):
        if number > len(lines):
            raise MalformedError("an error at the end of the file has no line to be marked on")
        here = [marker for marker in markers if marker.line == number]
        codes = ", ".join(f"{marker.code} at {marker.column}" for marker in here)
        lines[number - 1] = f"{lines[number - 1]}  // error: {codes}"
    text = "\n".join(lines) + "\n"
    if expected is None:
        return text
    block = "".join(f"// {line}".rstrip() + "\n" for line in expected.splitlines())
    return f"{text}\n{_EXPECT}\n{block}"
