"""Keys, literals and strings in the text form: spelling and reading.

Reading raises `ValueError` for what is no key, literal or string.
"""

from __future__ import annotations

import json
import math
import re

from mapal.ir.graph import Key, Value
from mapal.ir.types import BOOL, Scalar, Str, Type

STRING = r'"(?:[^"\\]|\\.)*"'
"""The pattern of a quoted string."""

_RANGE = re.compile(r"(\d{1,15})(?:-(\d{1,15}))?", re.ASCII)
_INTEGER = re.compile(r"-?\d{1,20}", re.ASCII)
_FLOAT = re.compile(r"-?(?:\d+\.\d+(?:e[+-]?\d+)?|\d+e[+-]?\d+|inf)|nan", re.ASCII)


def key_text(key: Key) -> str:
    """An order key: `3-9/20-24`, or `5` for a single token."""
    return "/".join(str(low) if low == high else f"{low}-{high}" for low, high in key)


def read_key(text: str) -> Key:
    """The key that `key_text` spells."""
    ranges: list[tuple[int, int]] = []
    for part in text.split("/"):
        match = _RANGE.fullmatch(part)
        if match is None:
            raise ValueError(f"the key {text!r} is not token ranges such as 3-9/20-24")
        low = int(match.group(1))
        ranges.append((low, low if match.group(2) is None else int(match.group(2))))
    return tuple(ranges)


def value_text(value: Value) -> str:
    """A literal; a float by the shortest decimal that reads back as it."""
    match value:
        case bool():
            return "true" if value else "false"
        case str():
            return quoted(value)
        case float() if math.isnan(value):
            return "nan"
        case _:
            return repr(value)


def quoted(text: str) -> str:
    """A JSON string, in ASCII if the text holds anything that does not print."""
    return json.dumps(text, ensure_ascii=not text.isprintable())


def read_string(text: str) -> str:
    """The text in a quoted string."""
    value = json.loads(text)
    if not isinstance(value, str):
        raise ValueError(f"{text} is no string")
    value.encode()
    return value


def read_value(text: str, ty: Type) -> Value:
    """The literal of a type that `value_text` spells."""
    match ty:
        case Str():
            return read_string(text)
        case Scalar() if ty == BOOL and text in ("true", "false"):
            return text == "true"
        case Scalar() if ty.is_integer and _INTEGER.fullmatch(text):
            return int(text)
        case Scalar() if ty.is_float and _FLOAT.fullmatch(text):
            number = float(text)
            return math.nan if math.isnan(number) else number
        case _:
            raise ValueError(f"{text} is no constant of type {ty}")
