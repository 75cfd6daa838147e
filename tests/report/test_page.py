"""The page as text: complete, deterministic, and closed to whatever programs contain."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from typing import Any

import pytest

from mapal.diagnostics import CompilerBug
from mapal.report.content import Check
from mapal.report.page import render_page
from mapal.report.pictures import inline_picture
from mapal.report.timeline import make_timeline
from mapal.report.vectors import vector_uses
from tests.report import builds

HOSTILE = "</script><script>alert(1)</script></noscript><img src=x onerror=alert(1)>&<!--\"'"


class Outline(HTMLParser):
    """Elements that the page opens, with attributes, and its text."""

    VOID = frozenset({"meta", "link", "input", "img", "br"})

    def __init__(self, page: bytes) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, Any]]] = []
        self.words: list[str] = []
        self.unclosed: list[str] = []
        self.feed(page.decode())

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag not in self.VOID:
            self.unclosed.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.unclosed.pop() == tag

    def handle_data(self, data: str) -> None:
        self.words.append(data)

    def all(self, tag: str) -> list[dict[str, Any]]:
        return [attributes for name, attributes in self.elements if name == tag]


def test_equal_content_gives_equal_bytes_and_well_formed_markup() -> None:
    page = render_page(builds.build())
    assert page == render_page(builds.build())
    outline = Outline(page)
    assert outline.unclosed == []
    ids = [attributes["id"] for _, attributes in outline.elements if "id" in attributes]
    assert len(ids) == len(set(ids))
    links = [link["href"] for link in outline.all("a")]
    assert all(link.startswith("#") for link in links), "the page leads nowhere else"
    assert {link[1:].split("?")[0] for link in links} <= set(ids)
    assert not [a for _, a in outline.elements if "src" in a]
    assert not re.search(rb"https?:", re.sub(rb'xmlns="[^"]*"', b"", page))


def test_what_a_reader_looks_for_is_there_without_scripts() -> None:
    words = " ".join("".join(Outline(render_page(builds.build())).words).split())
    for wanted in (
        "Vectorised: 2 instructions of mapal_entry",
        "the widest of them on <8 x float>",
        "Not vectorised: no instruction",
        "one pass, the body in place",
        "small functions in place of calls",
        "replace 2, erase 1",
        "at 3:10 2:1",
        "4 changes, 3 inputs, 12 runs; not decided within their steps: 1",
        "the loop carries the token",
        "traps: index_oob at src/stop.mapal:3:10",
        "The same, byte for byte, as build/assembly/generic/scale",
        "mapal takes 0.50 of its time",
        "mapal takes 1.50 times as long",
        "numba: absent, not installed",
        "stop: not timed, the program ends as trapped",
        "3 tasks in 1.00 s, at most 2 at once",
        "src/scale.mapal:3:1: error[L1000]: <no> & no",
        "Tool cc: 1 → 2",
        "no such machine",
        "// Scales a signal.",
    ):
        assert wanted in words, wanted


def test_an_empty_build_is_a_page_too() -> None:
    program = builds.program(
        texts=[], pictures={}, rewriting=None, oracle=None, plans={}, places={}, checks=[
            Check(target="generic", status="missing")]
    )  # fmt: skip
    page = builds.build(
        program, tasks=[], failures=[], changes=None, benches=[], selection="program=scale"
    )
    words = "".join(Outline(render_page(page)).words)
    for wanted in ("no earlier build", "No build has run", "Nothing was measured", "program=scale"):
        assert wanted in words
    timeline = make_timeline([])
    assert (timeline.bars, timeline.lanes, timeline.seconds) == ((), 0, 0.0)


def test_nothing_in_a_build_can_become_markup() -> None:
    place = {"kind": HOSTILE, "token": HOSTILE}
    plan = {
        "notes": [HOSTILE],
        "sites": [dict.fromkeys(builds.PLAN["sites"][0], HOSTILE)],
        "kernels": [{"kernel": HOSTILE, "token": None, "elements": 1, "threads": HOSTILE}],
        "ptxas": {HOSTILE: {HOSTILE: HOSTILE}},
    }
    rewriting = {
        "passes": [HOSTILE],
        "rounds": HOSTILE,
        "validation": HOSTILE,
        "applied": [{"pass": HOSTILE, "count": 1, "sites": [HOSTILE], "laws": {HOSTILE: 1, "": 2}}],
        "declined": [{"pass": HOSTILE, "site": HOSTILE, "reason": HOSTILE}],
    }
    stages = ("source", "lower", "rewrite")
    program = builds.program(
        project=HOSTILE,
        source=HOSTILE,
        build=HOSTILE,
        settings=[(HOSTILE, HOSTILE)],
        texts=[builds.text(stage, HOSTILE, name=HOSTILE) for stage in stages],
        former=[builds.text("source", HOSTILE + "x", name=HOSTILE)],
        plans={"generic": plan},
        rewriting=rewriting,
        oracle={"class": HOSTILE, "trap": place},
        checks=[Check(target="generic", status="different", reason=HOSTILE)],
    )
    content = builds.build(program, selection=HOSTILE, failures=[(HOSTILE, HOSTILE)])
    page = render_page(content)
    outline = Outline(page)
    assert outline.unclosed == []
    assert outline.all("img") == []
    scripts = outline.all("script")
    assert [script.get("type") for script in scripts] == ["application/json", None]
    assert not [a for _, a in outline.elements if any(name.startswith("on") for name in a)]
    assert page.count(b"</noscript>") == page.count(b"<noscript>")


@pytest.mark.parametrize(
    "active", ["<script>", '<a xlink:href="x">', '<g onload="x">', "</noscript>", "<image>"]
)
def test_a_picture_that_could_act_is_refused(active: str) -> None:
    assert inline_picture(builds.SVG, "t").startswith('<svg role="img" aria-label="t" width="200"')
    with pytest.raises(CompilerBug):
        inline_picture(builds.SVG.replace("<text", f"{active}<text"), "t")


def test_the_policy_allows_the_one_script() -> None:
    import base64
    import hashlib

    page = render_page(builds.build()).decode()
    script = re.findall(r"<script>(.*?)</script>", page, re.DOTALL)
    assert len(script) == 1
    digest = base64.b64encode(hashlib.sha256(script[0].encode()).digest()).decode()
    assert f"script-src 'sha256-{digest}'" in page
    assert "default-src 'none'" in page


def test_vectors_are_counted_in_functions_alone() -> None:
    text = (
        "@table = constant <4 x i32> zeroinitializer\n"
        "define internal void @\"odd name\"(ptr %p) {\n"
        "  %a = add <4 x i32> %x, %y\n"
        "  %b = load <vscale x 2 x double>, ptr %p\n"
        "  %c = add i32 1, 2\n"
        "}\n"
        "declare <8 x float> @llvm.fma.v8f32(<8 x float>, <8 x float>, <8 x float>)\n"
        "define void @plain() {\n  ret void\n}\n"
    )  # fmt: skip
    (use,) = vector_uses(text)
    assert (use.function, use.instructions, use.widest) == ("odd name", 2, "4 x i32")
