"""What runs again after which edit, task by task, and whether `doit why` names the cause.

Each case is an edit of one file, and then that edit taken back; both times exactly the listed
tasks run. The manifest is written whenever a record changed.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.pipeline.conftest import write_project
from tests.pipeline.directories import ProjectDirectory
from tests.pipeline.installation import editable_installation

HELLO = 'fn main() {\n    "hello" -> println;\n    1 + 2 -> sum;\n    sum -> println;\n}\n'
TARGETS = ("generic", "x86-64-v2")
FRONT = ("parse", "lower", "check", "rewrite", "oracle", "graph")
BACK = ("emit", "object", "link", "differential")
# Written, with the statement of provenance, when the hash of an artifact or of a file that is
# read changed, not whenever a task ran.
MANIFEST = {"manifest"}


def of_program(program: str, *stages: str) -> set[str]:
    """The tasks of these stages for a program, for every target where they have one."""
    return {
        f"{stage}:{target}:{program}" if target else f"{stage}:{program}"
        for stage in stages
        for target in (TARGETS if stage in BACK else ("",))
    }


def of_both(*stages: str) -> set[str]:
    return of_program("hello", *stages) | of_program("scale", *stages)


@dataclass(frozen=True)
class Case:
    """Replace `old` by `new` in `file`, of the project, or of the installation if it begins with
    `@`. `cause` is a line that `why` prints, as a pattern, and `tasks` are all that run."""

    name: str
    file: str
    old: str
    new: str
    cause: str
    tasks: set[str]


CASES = [
    Case(
        "a comment",
        "src/hello.mapal",
        "fn main",
        "// says hello\nfn main",
        r"parse:hello\n  input src/hello\.mapal changed \(\w{12} → \w{12}\)",
        of_program("hello", "parse") | MANIFEST,
    ),
    Case(
        "whitespace",
        "src/hello.mapal",
        "    1 + 2",
        "\n\n  1  +  2",
        r"parse:hello\n  input src/hello\.mapal changed",
        of_program("hello", "parse") | MANIFEST,
    ),
    Case(
        "the name of a local",
        "src/hello.mapal",
        "sum",
        "total",
        r"parse:hello\n  input src/hello\.mapal changed",
        # The graph keeps the name of an object; this one is folded away with its object.
        of_program("hello", *FRONT) | MANIFEST,
    ),
    Case(
        "the name of a parameter",
        "src/scale.mapal",
        "{ x -> x * 2.0 }",
        "{ each -> each * 2.0 }",
        r"parse:scale\n  input src/scale\.mapal changed",
        of_program("scale", "parse", "lower", "check") | MANIFEST,
    ),
    Case(
        "a constant",
        "src/hello.mapal",
        "1 + 2",
        "1 + 3",
        r"parse:hello\n  input src/hello\.mapal changed",
        of_program("hello", *FRONT, *BACK) | MANIFEST,
    ),
    Case(
        "the other program",
        "src/scale.mapal",
        "x * 2.0",
        "x * 4.0",
        r"parse:scale\n  input src/scale\.mapal changed",
        of_program("scale", *FRONT, *BACK) | MANIFEST,
    ),
    Case(
        "an input file",
        "data/a.npy",
        "\x00\x00\x80?",
        "\x00\x00\x00@",
        r"oracle:scale\n  input data/a\.npy changed[^\n]*\n"
        r"differential:generic:scale\n  input data/a\.npy changed",
        of_program("scale", "oracle", "differential") | MANIFEST,
    ),
    Case(
        "the text of a profile",
        "@targets/x86-64-v2.yaml",
        "summary: x86-64",
        "summary: the x86-64",
        r"emit:x86-64-v2:hello\n  input targets/x86-64-v2\.yaml changed",
        {f"{stage}:x86-64-v2:{p}" for stage in ("emit", "object") for p in ("hello", "scale")}
        | MANIFEST,
    ),
    Case(
        "what a profile says",
        "@targets/x86-64-v2.yaml",
        "fused_multiply_add: false\n  l2_bytes: 262144",
        "fused_multiply_add: false\n  l2_bytes: 131072",
        r"object:x86-64-v2:scale\n  input targets/x86-64-v2\.yaml changed",
        {f"{stage}:x86-64-v2:{p}" for stage in ("emit", "object") for p in ("hello", "scale")}
        | MANIFEST,
    ),
    Case(
        "a comment in the runtime",
        "@runtime/trap.c",
        "\n\n",
        "\n/* a comment that is new */\n",
        r"runtime:generic\n  input runtime/trap\.c changed",
        {f"runtime:{target}" for target in TARGETS} | MANIFEST,
    ),
    Case(
        "code of the runtime that one program uses",
        "@runtime/print.c",
        "\n\n",
        "\n\nint mapal_new_function(void);\nint mapal_new_function(void) { return 3; }\n",
        r"runtime:x86-64-v2\n  input runtime/print\.c changed",
        {f"runtime:{target}" for target in TARGETS}
        | of_both("link")
        | of_program("hello", "differential")
        | MANIFEST,
    ),
    Case(
        "the source of a stage",
        "@mapal/pipeline/stages/graph.py",
        '"""',
        '# A comment.\n"""',
        r"graph:scale\n  the code of stage graph changed \(\w{12} → \w{12}\)",
        of_both("graph"),
    ),
    Case(
        "the source of a module far behind stages",
        "@mapal/syntax/lexer.py",
        '"""',
        '# A comment.\n"""',
        r"parse:hello\n  the code of stage parse changed",
        of_both("parse", "lower", "check"),
    ),
    Case(
        "an option",
        "mapal.yaml",
        "targets:",
        "opt: 0\ntargets:",
        r"object:generic:hello\n  option opt changed \((2 → 0|0 → 2)\)",
        of_both("object", "link", "differential") | MANIFEST,
    ),
    Case(
        "an option of one program",
        "mapal.yaml",
        "{source: src/hello.mapal}",
        "{source: src/hello.mapal, threads: [1]}",
        r"differential:generic:hello\n  option threads changed "
        r"\((\[1, 2\] → \[1\]|\[1\] → \[1, 2\])\)",
        of_program("hello", "differential") | MANIFEST,
    ),
]


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The project, built with an installation that may be edited."""
    top = tmp_path_factory.mktemp("matrix")
    with pytest.MonkeyPatch.context() as patch, editable_installation(top / "i", patch):
        project = write_project(top / "demo", lambda: ("", ""))
        project.write("src/hello.mapal", HELLO)
        project.edit("mapal.yaml", "[generic]", f"[{', '.join(TARGETS)}]")
        project.build()
        yield top


def edit(path: Path, old: str, new: str) -> None:
    # Byte by byte, since one of the files is an array.
    data = path.read_bytes()
    assert old.encode("latin-1", "ignore") in data
    path.write_bytes(data.replace(old.encode("latin-1"), new.encode("latin-1"), 1))


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_exactly_the_stages_that_must_run_do(
    case: Case, built: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    def capture() -> tuple[str, str]:
        captured = capfd.readouterr()
        return captured.out, captured.err

    project = ProjectDirectory(built / "demo", capture)
    inside = case.file.startswith("@")
    file = built / "i" / case.file[1:] if inside else project.path / case.file
    before, original = project.artifacts(), file.read_bytes()
    assert project.build() == []
    if case.name == "the name of a local":
        file.write_bytes(original.replace(b"sum", b"total"))
    else:
        edit(file, case.old, case.new)
    try:
        for _ in range(2):
            text = project.doit("why").out
            assert re.search(rf"^{case.cause}", text, re.MULTILINE), text
            assert not project.doit("list", "--all", "--status").out.startswith("ERROR")
            tasks = project.build()
            assert sorted(tasks) == sorted(case.tasks)
            assert project.doit("why").out == "every stage is up to date\n"
            if file.read_bytes() == original:
                break
            file.write_bytes(original)
    finally:
        file.write_bytes(original)
        project.doit("build")
    assert project.artifacts() == before


def test_an_option_that_is_reordered_changes_nothing(built: Path) -> None:
    project = ProjectDirectory(built / "demo", lambda: ("", ""))
    text = project.read("mapal.yaml")
    try:
        project.edit("mapal.yaml", "name: demo\n", "")
        project.write("mapal.yaml", project.read("mapal.yaml") + "name: demo\n# the end\n")
        assert project.build() == []
    finally:
        project.write("mapal.yaml", text)


def test_a_copy_of_a_built_project_is_up_to_date(built: Path, tmp_path: Path) -> None:
    shutil.copytree(built / "demo", tmp_path / "copy", symlinks=True)
    assert ProjectDirectory(tmp_path / "copy", lambda: ("", "")).build() == []
