"""Sizes in sources: `{{N}}` and products like `{{N*N}}` or `{{4*N}}` replaced by numbers.

Only a program with a `sizes:` entry is treated so; elsewhere braces are braces.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from mapal.diagnostics import UserError
from mapal.target.document import closest

_OPEN = re.compile(r"\{\{(.*?)\}\}|\{\{", re.DOTALL)
_FACTOR = re.compile(r"\s*([A-Za-z_][A-Za-z0-9_]*|[0-9]{1,18})\s*\Z")


def substitute(text: str, sizes: Mapping[str, int], file: str) -> str:
    """`text` with every placeholder replaced. Raises `UserError` that names file and line for
    a placeholder that is no product of sizes and numbers."""

    def replace(match: re.Match[str]) -> str:
        line = text.count("\n", 0, match.start()) + 1
        if match[1] is None or "\n" in match[1]:
            raise UserError(f"{file}:{line}: error: '{{{{' without '}}}}' on the same line")
        product = 1
        for factor in match[1].split("*"):
            found = _FACTOR.match(factor)
            if found is None:
                raise UserError(
                    f"{file}:{line}: error: {match[0]!r} is no product of sizes, such as "
                    f"{{{{{'*'.join(sizes)}}}}}"
                )
            word = found[1]
            if not word.isdecimal() and word not in sizes:
                raise UserError(
                    f"{file}:{line}: error: {match[0]!r} names {word!r}; sizes are "
                    f"{', '.join(sizes)}{closest(word, sizes)}"
                )
            product *= int(word) if word.isdecimal() else sizes[word]
        return str(product)

    return _OPEN.sub(replace, text)
