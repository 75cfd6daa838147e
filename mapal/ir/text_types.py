"""Types in the text form: declarations, spelling and reading.

A struct is declared once, after the structs it names. A tuple or array that takes more than a
line's width to spell is declared as `type %0 = …` and referred to by that name, so that text
stays linear in the number of different types even where their expansion is exponential.
"""

from __future__ import annotations

import re

from mapal.ir.types import (
    IO,
    MAXIMUM_DEPTH,
    SCALARS,
    STR,
    UNIT,
    Array,
    Struct,
    Tuple,
    Type,
    depth,
)

_WIDEST_SPELLING = 80
_TOKEN = re.compile(r"\s*(?:(%\d{1,9}|[A-Za-z_]\w*)|(\d{1,20})|([()\[\],;]))", re.ASCII)
_FIELD = re.compile(r"\s*([A-Za-z_]\w*)\s*:\s*", re.ASCII)
_ATOMS: dict[str, Type] = {**SCALARS, "str": STR, "io": IO}


class TypeSpeller:
    """Spells types; `declarations` grows with each type that needs one."""

    def __init__(self) -> None:
        self.declarations: list[str] = []
        self._names: dict[Type, str] = {}
        self._aliases = 0

    def spell(self, ty: Type) -> str:
        """The text of a type that was declared."""
        return self._names[ty]

    def declare(self, ty: Type) -> None:
        """Declares what the type needs, components first. Recursion is as deep as types are."""
        if ty in self._names:
            return
        match ty:
            case Struct(name=name, fields=fields):
                for _, part in fields:
                    self.declare(part)
                inside = ", ".join(f"{field}: {self._names[part]}" for field, part in fields)
                self.declarations.append(f"struct {name} {{ {inside} }}")
                self._names[ty] = name
            case Tuple(items=items):
                for part in items:
                    self.declare(part)
                text = "(" + ", ".join(self._names[part] for part in items) + ")"
                self._names[ty] = self._shortened(text)
            case Array(element=element, length=length):
                self.declare(element)
                self._names[ty] = self._shortened(f"[{self._names[element]}; {length}]")
            case _:
                self._names[ty] = str(ty)

    def _shortened(self, text: str) -> str:
        if len(text) <= _WIDEST_SPELLING:
            return text
        name = f"%{self._aliases}"
        self._aliases += 1
        self.declarations.append(f"type {name} = {text}")
        return name


class TypeReader:
    """Reads types; `ValueError` says what is wrong with the text."""

    def __init__(self) -> None:
        self._named: dict[str, Type] = dict(_ATOMS)
        self._read: dict[str, Type] = {}

    def read(self, text: str) -> Type:
        """The type that a text spells, all of it."""
        if text not in self._read:
            ty, end = self._type(text, 0, 0)
            if text[end:].strip():
                raise ValueError(f"there is {text[end:].strip()!r} after a type")
            self._read[text] = ty
        return self._read[text]

    def declare_alias(self, name: str, text: str) -> None:
        """`type %0 = …`"""
        self._declare(name, self.read(text))

    def declare_struct(self, name: str, fields: str) -> None:
        """`struct NAME { fields }`"""
        found: list[tuple[str, Type]] = []
        at = 0
        while fields[at:].strip():
            match = _FIELD.match(fields, at)
            if match is None:
                raise ValueError(f"a field of struct {name} is not of the form NAME: TYPE")
            ty, at = self._type(fields, match.end(), 0)
            found.append((match.group(1), ty))
            if fields[at:].strip():
                at = self._expect(fields, at, ",")
        self._declare(name, Struct(name, tuple(found)))

    def _declare(self, name: str, ty: Type) -> None:
        if name in self._named:
            raise ValueError(f"the type {name} is declared twice")
        if depth(ty) > MAXIMUM_DEPTH:
            raise ValueError(f"the type {name} nests more than {MAXIMUM_DEPTH} deep")
        self._named[name] = ty

    def _type(self, text: str, at: int, level: int) -> tuple[Type, int]:
        if level > MAXIMUM_DEPTH:
            raise ValueError(f"a type nests more than {MAXIMUM_DEPTH} deep")
        match = _TOKEN.match(text, at)
        if match is None:
            raise ValueError(f"a type is missing before {text[at : at + 20]!r}")
        name, _, sign = match.groups()
        if name is not None:
            if name not in self._named:
                raise ValueError(f"the type {name} is not declared")
            return self._named[name], match.end()
        if sign == "[":
            return self._array(text, match.end(), level)
        if sign == "(":
            return self._tuple(text, match.end(), level)
        raise ValueError(f"{match.group().strip()!r} does not begin a type")

    def _array(self, text: str, at: int, level: int) -> tuple[Type, int]:
        element, at = self._type(text, at, level + 1)
        at = self._expect(text, at, ";")
        match = _TOKEN.match(text, at)
        if match is None or match.group(2) is None:
            raise ValueError("the length of an array is missing")
        return Array(element, int(match.group(2))), self._expect(text, match.end(), "]")

    def _tuple(self, text: str, at: int, level: int) -> tuple[Type, int]:
        closing = _TOKEN.match(text, at)
        if closing is not None and closing.group(3) == ")":
            return UNIT, closing.end()
        items: list[Type] = []
        while True:
            item, at = self._type(text, at, level + 1)
            items.append(item)
            sign = _TOKEN.match(text, at)
            if sign is None or sign.group(3) not in (",", ")"):
                raise ValueError("a tuple is not closed")
            at = sign.end()
            if sign.group(3) == ")":
                return Tuple(tuple(items)), at

    def _expect(self, text: str, at: int, sign: str) -> int:
        match = _TOKEN.match(text, at)
        if match is None or match.group(3) != sign:
            raise ValueError(f"a type lacks {sign!r}")
        return match.end()
