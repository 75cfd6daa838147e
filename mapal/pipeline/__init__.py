"""The build: stages as doit tasks over content hashes, and the records of what they did.

`workspace` loads projects and targets, `steps` lists the tasks, `action` runs one of them,
`records` remembers what was built from what. Stage functions live in `stages`, take bytes and
give bytes, and touch nothing else. Modules are imported one by one, so that a build with
nothing to do stays light.
"""
