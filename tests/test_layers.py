"""A layer imports only from its left, as the table says.

The imports are read from the source by its syntax, those for type checking included, so that a
forbidden one is found wherever it hides.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[1] / "mapal"

LAYERS = (
    ("diagnostics",),
    ("syntax",),
    ("format", "affine"),
    ("ir",),
    ("interpreter", "analysis"),
    ("lower",),
    ("check",),
    ("rewrite",),
    ("target",),
    ("codegen",),
    ("native",),
    ("project",),
    ("bench", "sweep", "report"),
    ("cache",),
    ("pipeline",),
    ("language_server",),
    ("cli",),
)
"""From left to right; layers of one entry do not know each other."""

WITHOUT_SYNTAX = frozenset({"ir", "interpreter", "analysis", "rewrite", "codegen"})
"""Layers that know programs only as graphs."""

WITHOUT_OURS = frozenset({"diagnostics", "affine"})
"""Layers that import nothing of the project."""

TOP_LEVEL = frozenset({"__init__", "__main__", "api", "dodo"})
"""Modules beside the layers, which may import any of them, and which only cli imports."""

HEAVY = frozenset({"llvmlite", "numpy"})
"""What a build with nothing to do must not load."""

LIGHT = (
    "mapal",
    "mapal.pipeline",
    "mapal.project",
    "mapal.target",
    "mapal.diagnostics",
    "mapal.cache",
)


def layer_of(module: str) -> str:
    """The layer of a dotted name below `mapal`, or the top-level module itself."""
    return module.split(".")[1] if "." in module else "__init__"


def imports_of(path: Path, module: str) -> Iterator[tuple[int, str]]:
    """The project's modules that a file imports, with lines; relative imports resolved."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    package = module if path.name == "__init__.py" else module.rpartition(".")[0]
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            parts = package.split(".")
            base = ".".join(parts[: len(parts) - node.level + 1]) if node.level else ""
            origin = ".".join(part for part in (base, node.module or "") if part)
            # `from mapal import x` may name a package: each name counts.
            names = [f"{origin}.{alias.name}" for alias in node.names]
        else:
            continue
        for name in names:
            yield node.lineno, name


def module_of(path: Path) -> str:
    parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def place(layer: str) -> int | None:
    return next((number for number, names in enumerate(LAYERS) if layer in names), None)


def forbidden(importer: str, imported: str) -> str | None:
    """Why one layer must not import another; None if it may."""
    if importer == imported or importer in TOP_LEVEL:
        return None
    if imported in TOP_LEVEL and importer == "cli":
        return None
    mine, other = place(importer), place(imported)
    if mine is None or other is None:
        return "is in no layer" if mine is None else f"imports {imported}, which is in no layer"
    if importer in WITHOUT_OURS:
        return f"imports {imported}, and is to import nothing of ours"
    if other >= mine:
        return f"imports {imported}, which is not on its left"
    if imported == "syntax" and importer in WITHOUT_SYNTAX:
        return "imports syntax, and is to know graphs only"
    if imported == "affine" and importer not in ("analysis", "codegen"):
        return "imports affine, which only analysis and codegen do"
    return None


def offenders(files: Iterator[Path]) -> list[str]:
    found: list[str] = []
    for path in files:
        module = module_of(path)
        for line, name in imports_of(path, module):
            if not name.startswith("mapal."):
                continue
            reason = forbidden(layer_of(module), layer_of(name))
            if reason is not None:
                found.append(f"{path.relative_to(PACKAGE.parent)}:{line}: {reason}")
    return found


def sources() -> list[Path]:
    return sorted(PACKAGE.rglob("*.py"))


def test_layers_import_from_their_left() -> None:
    assert offenders(iter(sources())) == []


def test_every_package_is_in_the_table() -> None:
    packages = {path.name for path in PACKAGE.iterdir() if (path / "__init__.py").exists()}
    modules = {path.stem for path in PACKAGE.glob("*.py")}
    assert packages <= {name for names in LAYERS for name in names}
    assert modules <= TOP_LEVEL


@pytest.mark.parametrize("name", LIGHT)
def test_light_packages_load_nothing_heavy(name: str) -> None:
    parts = name.split(".")
    path = PACKAGE.joinpath(*parts[1:]) / "__init__.py"
    if not path.exists():
        pytest.skip(f"{name} has no __init__ module")
    top = ast.parse(path.read_text(encoding="utf-8")).body
    roots = {
        alias.name.split(".")[0]
        for node in top
        if isinstance(node, ast.Import)
        for alias in node.names
    } | {(node.module or "").split(".")[0] for node in top if isinstance(node, ast.ImportFrom)}
    assert roots & HEAVY == set()


@pytest.mark.parametrize(
    ("importer", "imported", "reason"),
    [
        ("lower", "ir", None),
        ("lower", "lower", None),
        ("lower", "check", "not on its left"),
        ("interpreter", "analysis", "not on its left"),
        ("codegen", "syntax", "graphs only"),
        ("diagnostics", "syntax", "nothing of ours"),
        ("lower", "affine", "only analysis and codegen"),
        ("codegen", "affine", None),
        ("api", "cli", None),
        ("cli", "dodo", None),
        ("pipeline", "dodo", "in no layer"),
        ("somewhere", "ir", "in no layer"),
    ],
)
def test_the_table_is_applied(importer: str, imported: str, reason: str | None) -> None:
    found = forbidden(importer, imported)
    assert found is None if reason is None else found is not None and reason in found


def test_hidden_imports_are_found(tmp_path: Path) -> None:
    path = tmp_path / "module.py"
    path.write_text(
        "from typing import TYPE_CHECKING\n"
        "if TYPE_CHECKING:\n    from mapal.cli import main\n"
        "def f():\n    import mapal.codegen.plan\n"
        "from ..ir import ops\n"
        "from mapal import syntax\n",
        encoding="utf-8",
    )
    names = [name for _, name in imports_of(path, "mapal.lower.module")]
    assert "mapal.cli.main" in names
    assert "mapal.codegen.plan" in names
    assert "mapal.ir.ops" in names
    assert "mapal.syntax" in names
