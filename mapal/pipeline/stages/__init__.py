"""The stages: pure functions from bytes and options to bytes.

Each stage is one module, so that the digest of its code covers what it can reach and no more.
A stage function takes its inputs by role and its options, and gives a `StageResult`.
"""
