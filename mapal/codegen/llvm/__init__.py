"""LLVM text for a graph: one module, written directly, byte for byte reproducible."""
