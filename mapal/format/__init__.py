"""The canonical layout of programs.

The package promises that a layout depends on tokens, comments and blank lines alone, keeps
all tokens and comments, and is its own layout.
"""

from mapal.format.layout import Formatted, format_source

__all__ = ["Formatted", "format_source"]
