"""Measurement: our compiled programs against their peers, side by side in one process.

`measure` orchestrates from outside and imports no NumPy; `worker` runs in a process of its own,
which a trap or a crash may end.
"""
