"""Stage `parse`: source bytes to syntax tree and location table."""

from __future__ import annotations

from collections.abc import Mapping

from mapal.pipeline.stages.result import SOURCE_NAME, Inputs, Options, StageResult
from mapal.project.template import substitute
from mapal.syntax import decode_source, encode_program
from mapal.syntax import parse as parse_source


def parse(inputs: Inputs, options: Options) -> StageResult:
    """`source` to `ast` and `locations`. Option `sizes`: what replaces placeholders, or empty.
    Raises `UserError` if the source is no text or a placeholder is wrong."""
    result = parse_source(source_text(inputs["source"], options["sizes"]))
    if result.diagnostics:
        return StageResult({}, result.diagnostics)
    return StageResult(
        {"ast": encode_program(result.program), "locations": result.locations.to_json()}
    )


def source_text(data: bytes, sizes: Mapping[str, int]) -> str:
    """The text that is parsed: the source with its placeholders replaced."""
    text = decode_source(data, SOURCE_NAME)
    return substitute(text, sizes, SOURCE_NAME) if sizes else text
