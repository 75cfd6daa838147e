"""The digest of a stage's code: what it covers, and that it is found without running anything."""

from __future__ import annotations

import ast
from pathlib import Path

import mapal
from mapal.pipeline.source_digest import SourceDigests, _statements, imports_of

ROOT = str(Path(mapal.__file__).parent)


def tree(tmp_path: Path) -> Path:
    files = {
        "__init__.py": "",
        "one/__init__.py": "from mapal.one.a import x\n",
        "one/a.py": "import os\nfrom . import b\n",
        "one/b.py": "def f():\n    import mapal.two.c\n",
        "one/unused.py": "",
        "two/__init__.py": "",
        "two/c.py": "from ..one.a import x\nfrom mapal import absent\n",
        "two/d.py": "raise SystemExit('never run')\n",
    }
    for name, text in files.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return tmp_path


def test_everything_that_can_be_reached_counts_and_nothing_else(tmp_path: Path) -> None:
    root = str(tree(tmp_path))
    reached = set(SourceDigests(root).hashes(["mapal.two.c"]))
    assert reached == {
        "mapal", "mapal.one", "mapal.one.a", "mapal.one.b", "mapal.two", "mapal.two.c",
    }  # fmt: skip
    before = SourceDigests(root).of(["mapal.two.c"])
    (tmp_path / "one" / "unused.py").write_text("x = 1\n")
    (tmp_path / "two" / "d.py").write_text("y = 1\n")
    assert SourceDigests(root).of(["mapal.two.c"]) == before
    (tmp_path / "one" / "b.py").write_text("z = 1\n")
    assert SourceDigests(root).of(["mapal.two.c"]) != before


def test_imports_are_kept_by_content(tmp_path: Path) -> None:
    root = str(tree(tmp_path))
    first = SourceDigests(root)
    digest = first.of(["mapal.two.c"])
    assert first.grown
    second = SourceDigests(root, first.imports)
    assert second.of(["mapal.two.c"]) == digest
    assert not second.grown
    first.imports["mapal.gone:0"] = []
    first.forget_unused()
    assert "mapal.gone:0" not in first.imports
    assert SourceDigests(root).of(["mapal.nowhere"]) == SourceDigests(root).of(["os"])


def test_relative_names_depend_on_the_place() -> None:
    source = b"from . import x\nfrom .y import z\nfrom ..w import v\nimport os, mapal.q\n"
    assert imports_of(source, "mapal.a.b", is_package=False) == [
        "mapal.a", "mapal.a.x", "mapal.a.y", "mapal.a.y.z", "mapal.q", "mapal.w", "mapal.w.v",
    ]  # fmt: skip
    assert "mapal.a.b.x" in imports_of(source, "mapal.a.b", is_package=True)


def test_imports_are_found_wherever_they_stand() -> None:
    source = b"""
class A:
    if x:
        import mapal.a
    else:
        import mapal.b
try:
    import mapal.c
except X:
    import mapal.d
else:
    import mapal.e
finally:
    import mapal.f
match x:
    case 1:
        import mapal.g
async def h():
    async with x:
        for y in z:
            import mapal.h
        while z:
            import mapal.i
        else:
            with w:
                import mapal.j
"""
    found = imports_of(source, "mapal.m", is_package=False)
    assert found == [f"mapal.{letter}" for letter in "abcdefghij"]


def test_the_imports_of_our_own_modules_are_all_found() -> None:
    for path in Path(ROOT).rglob("*.py"):
        tree = ast.parse(path.read_bytes())
        nodes = [node for node in ast.walk(tree) if isinstance(node, ast.Import | ast.ImportFrom)]
        assert [node for node in _statements(tree.body) if node in nodes] == sorted(
            nodes, key=lambda node: (node.lineno, node.col_offset)
        )


def test_stages_cover_their_own_code_and_not_each_others() -> None:
    digests = SourceDigests(ROOT)
    parse = digests.hashes(["mapal.pipeline.stages.parse"])
    emit = digests.hashes(["mapal.pipeline.stages.emit"])
    assert "mapal.syntax.parser" in parse
    assert "mapal.syntax.parser" not in emit
    assert "mapal.codegen" in emit
    assert "mapal.codegen" not in parse
    assert "mapal.native.llvm" not in emit
    for hashes in (parse, emit):
        assert "mapal.pipeline.doit_tasks" not in hashes
