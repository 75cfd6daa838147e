"""From the bytes of a file to source text."""

from __future__ import annotations

from mapal.diagnostics import SourceText, UserError


def decode_source(data: bytes, file: str) -> str:
    """The text of a source file; UserError, with the place, if it is not UTF-8.

    A byte-order mark is not removed: the lexer reports it, so that columns and the bytes of
    every span stay those of the file.
    """
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        position = SourceText(data[: error.start]).position(error.start)
        raise UserError(
            f"{file}:{position.line}:{position.column}: the source is not UTF-8 text: "
            f"byte {data[error.start]:#04x} at offset {error.start} ({error.reason}). "
            "Save the file in the UTF-8 encoding."
        ) from None
