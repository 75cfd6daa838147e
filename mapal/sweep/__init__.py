"""Random programs, and the comparison of everything that runs them.

A *script* is plain data; `mapal.sweep.program.build` interprets it into a sealed graph, and
`mapal.sweep.run.run_sweep` holds the two interpreters and native code at two levels to one
ending for thousands of them.
"""
