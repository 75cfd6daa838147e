"""From LLVM text to running programs: worker processes, the C toolchain, linking, running.

The package's modules are imported one by one, where they are needed, so that a build with
nothing to do loads none of them.
"""
