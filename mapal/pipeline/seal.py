"""Files for ourselves alone: a line with the hash of what follows.

What a build remembers is believed without being looked at part by part, so it must be what some
build wrote, byte for byte. Anything else (half a file, one from another version, one that somebody
edited, no file at all but a pipe) counts as forgotten.
"""

from __future__ import annotations

import hashlib

from mapal.pipeline.files import read_regular

_HASH_BYTES = 64
_END = b"\n"


def sealed(data: bytes) -> bytes:
    """The content of a file that keeps `data`."""
    return b"".join((_digest(data), _END, data))


def unsealed(content: bytes) -> bytes | None:
    """What `sealed` made this content of; None if it did not."""
    data = content[_HASH_BYTES + len(_END) :]
    return data if content[: _HASH_BYTES + len(_END)] == _digest(data) + _END else None


def read_sealed(path: str) -> bytes | None:
    """What the file at `path` keeps; None if it is missing, damaged or cannot be read."""
    try:
        return unsealed(read_regular(path))
    except OSError:
        return None


def _digest(data: bytes) -> bytes:
    return hashlib.sha256(data).hexdigest().encode()
