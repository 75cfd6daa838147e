"""How close kernels come to what the machine can do: naive programs in many sizes against the
best that others offer, with the ratio that each is to reach.

A repository chore beside `doit bench`, which measures the programs of projects: `rows` is the
table of what is measured, `sources` the programs and peers, `expected` what results must be and
how that is known, `measuring` one row from source to figures, `report` what is printed.
"""
