"""How far LLVM text is vectorised, told from the text itself."""

from __future__ import annotations

import re
from dataclasses import dataclass

_VECTOR = re.compile(r"<(?:vscale x )?(\d+) x (float|double|i\d+|ptr)>")
_DEFINITION = re.compile(r'^define [^@]*@("[^"]*"|[\w.$-]+)')


@dataclass(frozen=True, slots=True)
class VectorUse:
    """The instructions of a function that work on vectors: how many, and the widest type."""

    function: str
    instructions: int
    widest: str


def vector_uses(text: str) -> tuple[VectorUse, ...]:
    """The functions of a module that use vectors, in its order. A debug or metadata line does
    not count; a width is lanes times bits."""
    found = []
    function = ""
    count, widest, width = 0, "", 0
    for line in text.splitlines():
        if line.startswith("define "):
            match = _DEFINITION.match(line)
            function = match[1].strip('"') if match else ""
            count, widest, width = 0, "", 0
        elif line == "}":
            if count:
                found.append(VectorUse(function, count, widest))
            function = ""
        elif function and (types := _VECTOR.findall(line)):
            count += 1
            for lanes, element in types:
                bits = int(lanes) * _bits(element)
                if bits > width:
                    widest, width = f"{lanes} x {element}", bits
    return tuple(found)


def _bits(element: str) -> int:
    known = {"float": 32, "double": 64, "ptr": 64}
    return known[element] if element in known else int(element[1:])
