"""Rewriting of sealed graphs by an ordered pipeline of passes.

A pass is a value with a name and a function from a graph to a graph; `PIPELINE` is the order
in which they run. It is empty: no pass has been written yet, a graph leaves as it came, and
the report of every program says so.
"""

from mapal.rewrite.driver import PIPELINE, RewritePass, RewriteResult, rewrite

__all__ = ["PIPELINE", "RewritePass", "RewriteResult", "rewrite"]
