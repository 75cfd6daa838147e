"""The page and the test results that builds leave behind."""

from __future__ import annotations

import json
import os
import xml.etree.ElementTree as ElementTree
import zipfile
from pathlib import Path

import pytest

from mapal.diagnostics import CompilerBug
from mapal.pipeline import publication
from mapal.pipeline import session as sessions
from mapal.pipeline.publication import Ending, build_content, publish
from mapal.report.charts import make_charts
from mapal.report.content import BuildContent, ProgramContent
from mapal.report.page import _SCRIPTS
from tests.pipeline.conftest import write_project
from tests.pipeline.directories import ProjectDirectory

NOTHING = Ending({}, frozenset())


def content(project: ProjectDirectory, ending: Ending = NOTHING) -> BuildContent:
    """What the page of the last build in this process shows."""
    before = os.getcwd()
    os.chdir(project.path)
    try:
        return build_content(sessions.current(), ending)
    finally:
        os.chdir(before)


def program(build: BuildContent, name: str) -> ProgramContent:
    (found,) = [program for program in build.programs if program.name == name]
    return found


def results(project: ProjectDirectory) -> dict[str, ElementTree.Element]:
    root = ElementTree.fromstring(project.read("build/junit.xml"))
    return {case.attrib["classname"]: case for case in root.iter("testcase")}


def test_a_build_leaves_a_page_about_everything(project: ProjectDirectory) -> None:
    project.build()
    page = project.read("build/report/index.html")
    for words in ("hello", "scale", "Emission plan", "build/emit/generic/scale.ll"):
        assert words in page
    assert str(project.path) not in page
    build = content(project)
    assert build.targets == ["generic"]
    assert build.changes is None
    scale = program(build, "scale")
    assert [(text.stage, text.label) for text in scale.texts][:3] == [
        ("source", "src/scale.mapal"),
        ("lower", "build/lower/scale.ir"),
        ("rewrite", "build/rewrite/scale.ir"),
    ]
    assert {text.stage for text in scale.texts} == {
        "source", "lower", "rewrite", "ll", "optimized", "assembly",
    }  # fmt: skip
    assert set(scale.pictures) == {"lower", "rewrite"}
    assert scale.places[0] == (1, 1)
    assert [(check.target, check.status) for check in scale.checks] == [("generic", "equal")]
    assert {task.action for task in build.tasks} <= {"ran", "cached"}
    assert set(results(project)) == {"demo.hello", "demo.scale"}


def test_a_build_with_nothing_to_do_writes_nothing_and_report_does(
    project: ProjectDirectory,
) -> None:
    project.build()
    page = project.path / "build/report/index.html"
    last = project.path / "build/last-build.json"
    project.write("build/last-build.json", '{"tasks": []}')
    page.unlink()
    assert project.doit("build").status == 0
    assert not page.exists()
    assert project.doit("report").status == 0
    assert page.exists()
    assert last.read_text() == '{"tasks": []}', "the page is no build"
    assert "report - removing build/report/index.html" in project.doit("clean", "report").out
    assert not page.parent.exists()


def test_the_page_is_a_function_of_the_build(project: ProjectDirectory, tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    other = write_project(tmp_path / "other" / "demo", lambda: ("", ""))
    pages = []
    for directory in (project, other):
        directory.build()
        (directory.path / "build/.mapal/last-page.z").unlink()
        before = os.getcwd()
        os.chdir(directory.path)
        try:
            # Times are the one thing that is different in two builds.
            Path("build/last-build.json").unlink(missing_ok=True)
            publish(sessions.current(), NOTHING)
        finally:
            os.chdir(before)
        pages.append((directory.path / "build/report/index.html").read_bytes())
    assert pages[0] == pages[1]


def test_changes_since_the_last_build_are_shown_with_the_former_texts(
    project: ProjectDirectory,
) -> None:
    project.build()
    project.edit("src/hello.mapal", "1 + 2", "1 + 5")
    project.build("program=hello")
    build = content(project)
    assert build.selection == "program=hello"
    assert build.changes is not None
    changed = {change.path: change for change in build.changes.changes}
    assert changed["src/hello.mapal"].kind == "changed"
    assert changed["build/lower/hello.ir"].because == ("build/parse/hello.ast.json",)
    assert not [path for path in changed if "scale" in path], "nobody looked at scale"
    former = {text.stage: text.content for text in program(build, "hello").former}
    assert "1 + 2" in former["source"]
    page = project.read("build/report/index.html")
    assert 'id="hello.source.former"' in page
    assert "1 + 2 -&gt; println;" in page


def test_a_failed_build_shows_what_failed_and_nothing_stale(project: ProjectDirectory) -> None:
    project.build()
    project.edit("src/hello.mapal", "1 + 2", "1 + <oops>")
    assert project.doit("build").status != 0
    page = project.read("build/report/index.html")
    assert "What failed" in page
    assert "1 + &lt;oops&gt;" in page
    assert 'id="hello.ll.generic"' not in page
    assert 'id="scale.ll.generic"' in page
    hello = results(project)["demo.hello"]
    assert hello[0].tag == "error"
    assert hello[0].attrib["message"] == "an earlier task failed"


def test_a_difference_is_a_failure_with_its_evidence(project: ProjectDirectory) -> None:
    project.build()
    path = project.path / "build/differential/generic/scale.json"
    document = json.loads(path.read_text())
    path.write_text(json.dumps({**document, "status": "different"}))
    ending = Ending({"differential:generic:scale": "line 1\nline 2"}, frozenset())
    (check,) = program(content(project, ending), "scale").checks
    assert (check.status, check.reason) == ("different", "line 1\nline 2")
    path.unlink()
    (check,) = program(content(project, ending), "scale").checks
    assert check.status == "failed"
    (check,) = program(content(project), "scale").checks
    assert check.status == "missing"


def test_sources_that_cannot_be_read_and_odd_files_are_no_end(project: ProjectDirectory) -> None:
    project.build()
    project.write("build/bench/generic.json", '{"target": "generic", "results": []}')
    project.write("build/bench/broken.json", "{")
    project.write("build/bench/deep.json", "[" * 100_000)
    project.write("build/bench/limits.json", '{"results": []}')
    project.write("build/last-build.json", "[]")
    (project.path / "src/hello.mapal").write_bytes(b"\xff")
    (project.path / "src/scale.mapal").unlink()
    build = content(project)
    assert [bench["target"] for bench in build.benches] == ["broken", "deep", "generic"]
    charts = {chart.target: chart.not_timed for chart in make_charts(build.benches)}
    assert charts["broken"] == "broken.json is no document of this version of the bench"
    assert charts["deep"].startswith("deep.json is no document")
    assert charts["generic"] == ""
    assert build.tasks == []
    assert program(build, "hello").texts[0].content == "\ufffd"
    assert program(build, "scale").places == {}


@pytest.mark.parametrize(
    ("error", "words"), [(CompilerBug("a bug"), "internal error: a bug"), (None, "cannot write")]
)
def test_a_page_that_cannot_be_written_is_one_line(
    project: ProjectDirectory,
    monkeypatch: pytest.MonkeyPatch,
    error: Exception | None,
    words: str,
) -> None:
    if error is None:
        project.write("build/report", "in the way")
    else:

        def fail(build: BuildContent) -> bytes:
            raise error

        monkeypatch.setattr(publication, "render_page", fail)
    result = project.doit("build", "program=hello")
    assert result.status == 0
    assert len(result.err.splitlines()) == 1
    assert words in result.err


def test_templates_travel_in_the_wheel(tmp_path: Path) -> None:
    from hatchling.builders.wheel import WheelBuilder

    builder = WheelBuilder(str(Path(__file__).parents[2]))
    (wheel,) = builder.build(directory=str(tmp_path), versions=["standard"])
    names = zipfile.ZipFile(wheel).namelist()
    for name in ("page.html", "page.css", *_SCRIPTS):
        assert f"mapal/report/templates/{name}" in names


@pytest.mark.parametrize("text", ["[]", '{"tasks": 5}', '{"tasks": [3]}', '{"tasks": [{}]}', "{"])
def test_a_last_build_that_somebody_else_wrote_has_no_tasks(
    project: ProjectDirectory, text: str
) -> None:
    project.build("program=hello")
    project.write("build/last-build.json", text)
    assert content(project).tasks == []
