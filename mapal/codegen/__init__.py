"""Code generation: sealed graph and target profile to LLVM text and an emission plan."""

from mapal.codegen.emit import Emission, emit

__all__ = ["Emission", "emit"]
