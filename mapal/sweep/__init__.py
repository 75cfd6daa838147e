"""Random programs, and the comparison of everything that runs them.

A *script* is plain data; `build` interprets it into a sealed graph, `run_sweep` holds the two
interpreters and native code at two optimisation levels to one outcome for thousands of them.
"""
