"""Emission of a function for several arguments at once: lane by lane the operations of the program,
side by side in vectors.

Values that are equal in all lanes stay scalars; others are vectors. Where lanes take different
ways, both are emitted under masks, and a loop goes on until its last lane has left it (Karrenberg
and Hack, "Whole-function vectorization", 2011). Only functions that cannot trap come here, so what
a lane computes that has no need of it does no harm.
"""
