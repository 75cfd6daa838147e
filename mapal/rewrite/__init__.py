"""Rewriting of sealed graphs by an ordered pipeline of passes.

A pass reads a graph and fills a plan (`plan`); one replayer carries every plan out (`replay`);
the driver repeats the passes until none finds anything to do.
"""

from mapal.rewrite.driver import (
    Application,
    PassFailure,
    RewritePass,
    RewriteResult,
    apply_pass,
    rewrite_with,
)
from mapal.rewrite.pipeline import PIPELINE, rewrite

__all__ = [
    "PIPELINE",
    "Application",
    "PassFailure",
    "RewritePass",
    "RewriteResult",
    "apply_pass",
    "rewrite",
    "rewrite_with",
]
