"""`doit tune`: numbers of kernels that a profile leaves open, found by measurement.

`trials` says what is tried, `search` measures it in turns with what the formulas say, `record`
writes what was found, with the evidence, as a file that builds read. Results never change: every
build that is measured has to give the bits of the reference first.
"""
