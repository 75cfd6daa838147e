"""The canonical layout of programs.

The package promises that a layout depends on tokens, comments and blank lines alone, keeps
all tokens and comments, and is its own layout.
"""

from mapal.format.layout import Formatted, format_source
from mapal.format.placeholders import with_numbers
from mapal.format.trivia import Trivia, find_trivia

__all__ = ["Formatted", "Trivia", "find_trivia", "format_source", "with_numbers"]
