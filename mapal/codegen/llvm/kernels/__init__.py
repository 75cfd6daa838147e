"""Kernels: loop nests of a known shape, emitted with vectors, tiles and blocks.

One file for each shape. A shape looks at a site and answers with a `Kernel` or None; it never
changes the order of the operations of one element, so results are the same bits with and without.
Its numbers (vector lengths, tiles, blocks) come from the target profile by formula.
"""
