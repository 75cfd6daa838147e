"""Sources with sizes to fill in: `{{N}}` stands where an integer will.

For layout a placeholder is an integer of the same width, so that every span stays what it is
and the text of each token can be taken from the original.
"""

from __future__ import annotations

import re

_FACTOR = r"[ \t]*(?:[A-Za-z_][A-Za-z0-9_]*|[0-9]+)[ \t]*"
_PLACEHOLDER = re.compile(r"\{\{" + _FACTOR + r"(?:\*" + _FACTOR + r")*\}\}")


def with_numbers(source: str) -> str:
    """The source with every placeholder replaced by an integer as wide as it is."""
    return _PLACEHOLDER.sub(lambda found: "1".rjust(len(found.group()), "0"), source)
