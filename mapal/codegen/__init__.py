"""Code generation: sealed graph and target profile to LLVM text and an emission plan."""

from mapal.codegen.emit import Emission, emit
from mapal.codegen.llvm.module import LEAST_WORK

__all__ = ["LEAST_WORK", "Emission", "emit"]
