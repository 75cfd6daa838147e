"""Lowering: a program's tree to its graph.

`lower` resolves names, types literals, builds the source graph of each function, assigns every
operation its region, and emits the sealed graph. What is wrong with the program comes back as
diagnostics; a graph is made only when there are none.
"""

from mapal.lower.lowering import Arithmetic, LowerResult, lower

__all__ = ["Arithmetic", "LowerResult", "lower"]
