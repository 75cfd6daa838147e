"""The tree as an artifact: canonical JSON, typed when read back.

The encoding depends on the tokens of the source alone, so an edit of comments or layout does
not change it. A node is an object with its class in `type`, its fields in the order of their
declaration.
"""

from __future__ import annotations

import msgspec

from mapal.diagnostics import UserError
from mapal.syntax.ast import Program
from mapal.syntax.recursion import recursion_room

_CODER_FRAMES = 3000
"""Each of the 128 levels of nesting is at most six nodes and tuples, each a frame or two of the
coder. Deeper documents are refused, well before they could exhaust the C stack."""


def encode_program(program: Program) -> bytes:
    """The bytes of `parse/P.ast.json`: one line of UTF-8 JSON."""
    with recursion_room(_CODER_FRAMES):
        return msgspec.json.encode(program) + b"\n"


def decode_program(data: bytes) -> Program:
    """The tree that `encode_program` wrote; UserError if the bytes are no tree."""
    with recursion_room(_CODER_FRAMES):
        try:
            return msgspec.json.decode(data, type=Program)
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
            raise UserError(f"This is not a syntax tree of this version: {error}.") from error
