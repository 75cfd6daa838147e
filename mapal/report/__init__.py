"""What people and other programs are told about a build: the page, comparisons of manifests,
test results as JUnit XML, and the statement of provenance.

Everything here is a pure function of values; `pipeline` reads the artifacts and writes the
results. Modules are imported one by one.
"""
