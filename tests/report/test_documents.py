"""JUnit XML and the statement of provenance."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ElementTree

from hypothesis import given
from hypothesis import strategies as st

from mapal.report.junit import Case, junit_xml
from mapal.report.provenance import provenance_bytes

CASES = [
    Case("demo", "scale", "native", "equal"),
    Case("demo", "scale", "zen3", "skipped", "no such machine"),
    Case(
        "demo", "stop", "native", "different", "line 1\nexpected \x00\x1b[31m", "traps: index_oob"
    ),
    Case("other", "a<b>&\"'", "native", "failed", ""),
]


def test_every_kind_of_result() -> None:
    root = ElementTree.fromstring(junit_xml(CASES))
    assert root.attrib == {
        "name": "mapal", "tests": "4", "failures": "1", "errors": "1", "skipped": "1",
    }  # fmt: skip
    suites = list(root)
    assert [suite.attrib["name"] for suite in suites] == ["demo", "other"]
    equal, skipped, different = suites[0]
    assert equal.attrib == {"classname": "demo.scale", "name": "native"}
    assert list(equal) == []
    assert skipped[0].tag == "skipped"
    assert skipped[0].attrib == {"message": "no such machine"}
    assert different[0].tag == "failure"
    assert different[0].attrib == {"message": "line 1", "type": "different"}
    assert different[0].text == "line 1\nexpected \\x00\\x1b[31m"
    assert different[1].text == "traps: index_oob"
    (failed,) = suites[1]
    assert failed.attrib["classname"] == "other.a<b>&\"'"
    assert failed[0].attrib == {"message": "failed", "type": "failed"}


@given(st.text(st.characters(exclude_categories=[])), st.sampled_from(["different", "skipped"]))
def test_any_text_is_valid_xml(text: str, status: str) -> None:
    root = ElementTree.fromstring(junit_xml([Case(text, text, text, status, text, text)]))
    assert len(root) == 1


def test_the_statement_has_the_form_of_in_toto_and_slsa() -> None:
    statement = json.loads(
        provenance_bytes(
            [("link/p", "2" * 64), ("a/ü", "1" * 64)],
            {"../src/p.mapal": "3" * 64},
            {"numpy": "2.4", "cc": '12 "quoted"'},
            {"project": "demo", "programs": ["p"], "targets": ["native"]},
        )
    )
    assert statement["_type"] == "https://in-toto.io/Statement/v1"
    assert statement["subject"] == [
        {"name": "a/ü", "digest": {"sha256": "1" * 64}},
        {"name": "link/p", "digest": {"sha256": "2" * 64}},
    ]
    assert statement["predicateType"] == "https://slsa.dev/provenance/v1"
    definition = statement["predicate"]["buildDefinition"]
    assert definition["buildType"] == "urn:mapal:build:1"
    assert definition["externalParameters"]["targets"] == ["native"]
    assert definition["resolvedDependencies"] == [
        {"name": "../src/p.mapal", "digest": {"sha256": "3" * 64}},
        {"name": "cc", "annotations": {"version": '12 "quoted"'}},
        {"name": "numpy", "annotations": {"version": "2.4"}},
    ]
    assert statement["predicate"]["runDetails"] == {"builder": {"id": "urn:mapal:pipeline"}}
