"""Reading YAML documents as located data, for target profiles and project files.

Owns the subset of YAML that Mapal's files are written in: mappings with text keys, lists and
plain scalars (the core schema of YAML 1.2). Anchors, aliases, tags, duplicate keys and more
than one document are refused, so that a file means what it shows. Every value knows its line
and column, and every complaint about one names the file, the place, what was found, what was
expected and, for keys and names, the closest valid one.

PyYAML is imported when a document is read, not with this module.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn

from mapal.diagnostics import UserError

_DEEPEST = 16
_LARGEST_BYTES = 1 << 20
_INTEGER = re.compile(r"[-+]?[0-9]+\Z")
_FLOAT = re.compile(r"[-+]?([0-9]+\.[0-9]*|\.[0-9]+|[0-9]+)([eE][-+]?[0-9]+)?\Z")


class DocumentError(UserError):
    """A document that is not what it should be; the text is ready to print."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A value and where it stands. `path` is the chain of keys that leads to it (`programs.a`),
    `line` and `column` count from 1. A mapping's `value` keeps the order of the file, and
    `key_places` says where its keys stand."""

    file: str
    line: int
    column: int
    path: str
    value: Any
    key_places: dict[str, tuple[int, int]]

    def fail(self, message: str) -> NoReturn:
        """Raises `DocumentError` at this place."""
        raise DocumentError(f"{self.file}:{self.line}:{self.column}: error: {message}")

    def fail_at_key(self, key: str, message: str) -> NoReturn:
        """Raises `DocumentError` at the key of this mapping."""
        line, column = self.key_places[key]
        raise DocumentError(f"{self.file}:{line}:{column}: error: {message}")

    def describe(self) -> str:
        """What was found, for messages."""
        match self.value:
            case dict():
                return "a mapping"
            case list():
                return "a list"
            case None:
                return "nothing"
            case bool():
                return "true" if self.value else "false"
            case str():
                return repr(self.value)
            case _:
                return str(self.value)

    def text(self) -> str:
        """The value as text. Numbers are not text: `name: 12` needs quotes."""
        if not isinstance(self.value, str):
            self.expected("text")
        return str(self.value)

    def boolean(self) -> bool:
        if not isinstance(self.value, bool):
            self.expected("true or false")
        return bool(self.value)

    def integer(self, minimum: int, maximum: int) -> int:
        """The value as an integer from `minimum` to `maximum`, both included."""
        if isinstance(self.value, bool) or not isinstance(self.value, int):
            self.expected(f"an integer from {minimum} to {maximum}")
        if not minimum <= self.value <= maximum:
            self.expected(f"an integer from {minimum} to {maximum}")
        return int(self.value)

    def choice(self, options: Sequence[str]) -> str:
        """The value as one of `options`."""
        if not isinstance(self.value, str) or self.value not in options:
            self.expected(f"one of {', '.join(options)}{closest(str(self.value), options)}")
        return self.value

    def items(self) -> list[Entry]:
        if not isinstance(self.value, list):
            self.expected("a list")
        return list(self.value)

    def mapping(self, keys: Sequence[str] | None = None) -> dict[str, Entry]:
        """The value as a mapping. With `keys`, any other key is an error."""
        if not isinstance(self.value, dict):
            self.expected("a mapping")
        if keys is not None:
            for key in self.value:
                if key not in keys:
                    where = f" in {self.path}" if self.path else ""
                    self.fail_at_key(
                        key,
                        f"unknown key {key!r}{where}; expected one of "
                        f"{', '.join(keys)}{closest(key, keys)}",
                    )
        return dict(self.value)

    def expected(self, what: str) -> NoReturn:
        """Raises: found this value where `what` is expected."""
        name = self.path or "the document"
        self.fail(f"{name} is {self.describe()}; expected {what}")


def closest(word: str, options: Iterable[str]) -> str:
    """`; did you mean 'x'?` for the option nearest to `word`, or nothing."""
    import difflib

    matches = difflib.get_close_matches(word, list(options), n=1, cutoff=0.5)
    return f"; did you mean {matches[0]!r}?" if matches else ""


def read_document(data: bytes, file: str) -> Entry:
    """The located value of the one document in `data`; `file` is its name in messages.
    Raises `DocumentError`."""
    import yaml

    if len(data) > _LARGEST_BYTES:
        raise DocumentError(f"{file}: error: {len(data)} bytes; expected at most {_LARGEST_BYTES}")
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise DocumentError(f"{file}:{line}:1: error: not UTF-8 text") from None
    try:
        events = yaml.parse(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
        return _Composer(file, events).document()
    except yaml.MarkedYAMLError as error:
        line, column = 1, 1
        for mark in (error.problem_mark, error.context_mark):
            if mark is not None:
                line, column = mark.line + 1, mark.column + 1
                break
        problem = error.problem or "not YAML"
        raise DocumentError(f"{file}:{line}:{column}: error: {problem}") from None
    except yaml.YAMLError as error:
        raise DocumentError(f"{file}:1:1: error: {str(error).splitlines()[0]}") from None


class _Composer:
    """Builds entries from parser events."""

    def __init__(self, file: str, events: Iterator[Any]) -> None:
        self._file = file
        self._events = events

    def document(self) -> Entry:
        import yaml

        root: Entry | None = None
        for event in self._events:
            if isinstance(event, yaml.DocumentStartEvent):
                if root is not None:
                    self._fail(event, "a second document; expected one")
                root = self._node(next(self._events), "", 0)
        return root if root is not None else Entry(self._file, 1, 1, "", None, {})

    def _node(self, event: Any, path: str, depth: int) -> Entry:
        import yaml

        if isinstance(event, yaml.AliasEvent):
            self._fail(event, f"alias *{event.anchor}; aliases are not supported here")
        if isinstance(event, yaml.DocumentEndEvent):
            return self._entry(event, path, None)
        if event.anchor is not None:
            self._fail(event, f"anchor &{event.anchor}; anchors are not supported here")
        if event.tag is not None:
            self._fail(event, f"tag {event.tag}; tags are not supported here")
        if depth > _DEEPEST:
            self._fail(event, f"nested deeper than {_DEEPEST} levels")
        if isinstance(event, yaml.MappingStartEvent):
            return self._mapping(event, path, depth)
        if isinstance(event, yaml.SequenceStartEvent):
            items: list[Entry] = []
            while not isinstance(item := next(self._events), yaml.SequenceEndEvent):
                items.append(self._node(item, f"{path}[{len(items)}]", depth + 1))
            return self._entry(event, path, items)
        return self._entry(event, path, _scalar(event))

    def _mapping(self, event: Any, path: str, depth: int) -> Entry:
        import yaml

        entries: dict[str, Entry] = {}
        places: dict[str, tuple[int, int]] = {}
        while not isinstance(key_event := next(self._events), yaml.MappingEndEvent):
            if not isinstance(key_event, yaml.ScalarEvent):
                self._node(key_event, path, depth + 1)
                self._fail(key_event, "a key that is no plain word")
            self._node(key_event, path, depth + 1)
            key = str(key_event.value)
            if key in entries:
                self._fail(key_event, f"key {key!r} is given twice; first on line {places[key][0]}")
            mark: Any = key_event.start_mark
            places[key] = (mark.line + 1, mark.column + 1)
            entries[key] = self._node(
                next(self._events), f"{path}.{key}" if path else key, depth + 1
            )
        return self._entry(event, path, entries, places)

    def _entry(
        self, event: Any, path: str, value: Any, places: dict[str, tuple[int, int]] | None = None
    ) -> Entry:
        mark = event.start_mark
        return Entry(self._file, mark.line + 1, mark.column + 1, path, value, places or {})

    def _fail(self, event: Any, message: str) -> NoReturn:
        mark = event.start_mark
        raise DocumentError(f"{self._file}:{mark.line + 1}:{mark.column + 1}: error: {message}")


def _scalar(event: Any) -> str | int | float | bool | None:
    """A scalar by the core schema of YAML 1.2, where `yes` and `on` are words."""
    text = str(event.value)
    if event.style not in (None, ""):
        return text
    if text in ("", "~", "null"):
        return None
    if text in ("true", "false"):
        return text == "true"
    if len(text) <= 32 and _INTEGER.match(text):
        return int(text)
    if len(text) <= 64 and _FLOAT.match(text):
        return float(text)
    return text
