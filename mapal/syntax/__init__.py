"""Source text to syntax tree.

The package promises that lexing and parsing are total and linear, that the tree does not
depend on comments and layout, and that everything wrong with a text is reported as values.
"""

from mapal.syntax.lexer import LexResult, tokenize
from mapal.syntax.parser import ParseResult, parse
from mapal.syntax.recursion import recursion_room
from mapal.syntax.serialize import decode_program, encode_program
from mapal.syntax.source import decode_source
from mapal.syntax.tokens import Token

__all__ = [
    "LexResult",
    "ParseResult",
    "Token",
    "decode_program",
    "decode_source",
    "encode_program",
    "parse",
    "recursion_room",
    "tokenize",
]
