"""The digest of a stage's own code: a change in any module it can reach makes it stale.

Modules are found by reading imports, wherever they stand in a file, without running anything.
The imports of a file depend on its content alone, so they are kept by content hash; a build
with nothing to do only hashes.
"""

from __future__ import annotations

import ast
import hashlib
import json
import os
from collections.abc import Iterable, Iterator

_PACKAGE = "mapal"


class SourceDigests:
    """Digests of modules and everything of ours that they import. `root` is the directory of
    the package, `imports` what is known about files by content hash (it grows; `grown` tells)."""

    def __init__(self, root: str, imports: dict[str, list[str]] | None = None) -> None:
        self._root = root
        self.imports: dict[str, list[str]] = imports if imports is not None else {}
        self.grown = False
        self._paths: dict[str, str] | None = None
        self._files: dict[str, tuple[str, list[str]] | None] = {}
        self._digests: dict[tuple[str, ...], str] = {}
        self._used: set[str] = set()

    def of(self, modules: Iterable[str]) -> str:
        """The digest of the named modules with their imports, in hexadecimal."""
        key = modules if isinstance(modules, tuple) else tuple(modules)
        if key not in self._digests:
            hashes = self.hashes(key)
            text = json.dumps(sorted(hashes.items()), separators=(",", ":"))
            self._digests[key] = hashlib.sha256(text.encode()).hexdigest()
        return self._digests[key]

    def hashes(self, modules: Iterable[str]) -> dict[str, str]:
        """The content hash of every module that the named ones can reach."""
        found: dict[str, str] = {}
        pending = list(modules)
        while pending:
            module = pending.pop()
            if module not in found:
                known = self._file(module)
                if known is not None:
                    found[module], reached = known
                    pending += reached
        return found

    def forget_unused(self) -> None:
        """Drops the imports of all sources but those that were asked about."""
        self.imports = {key: names for key, names in self.imports.items() if key in self._used}

    def _file(self, module: str) -> tuple[str, list[str]] | None:
        """Hash of a module and the modules that importing it runs besides; None if the name is
        no module of ours."""
        if self._paths is None:
            self._paths = module_paths(self._root)
        if module not in self._files:
            path = self._paths.get(module)
            self._files[module] = (
                self._read(module, path, self._paths) if path is not None else None
            )
        return self._files[module]

    def _read(self, module: str, path: str, paths: dict[str, str]) -> tuple[str, list[str]]:
        with open(path, "rb") as file:
            data = file.read()
        digest = hashlib.sha256(data).hexdigest()
        # What a relative name means depends on where the module is, hence the key.
        key = f"{module}:{digest}"
        self._used.add(key)
        if key not in self.imports:
            self.imports[key] = imports_of(data, module, path.endswith("__init__.py"))
            self.grown = True
        # Most names that are imported are no modules. The packages that a module lies in run too.
        reached = [name for name in self.imports[key] if name in paths]
        if "." in module:
            reached.append(module.rpartition(".")[0])
        return digest, reached


def module_paths(root: str) -> dict[str, str]:
    """The file of every module in the package directory `root`, by dotted name."""
    found: dict[str, str] = {}
    pending = [(_PACKAGE, root)]
    while pending:
        package, directory = pending.pop()
        for entry in os.scandir(directory):
            name, suffix = os.path.splitext(entry.name)
            if suffix == ".py":
                found[package if name == "__init__" else f"{package}.{name}"] = entry.path
            elif not suffix and name != "__pycache__" and entry.is_dir():
                pending.append((f"{package}.{name}", entry.path))
    return found


def imports_of(source: bytes, module: str, is_package: bool) -> list[str]:
    """The names of our modules that a source imports, sorted. `from a import b` counts as both
    `a` and `a.b`, since `b` may be a module."""
    package = module if is_package else module.rpartition(".")[0]
    found: set[str] = set()
    for node in _statements(ast.parse(source).body):
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                ancestors = package.split(".")[: len(package.split(".")) - node.level + 1]
                base = ".".join([*ancestors, *([node.module] if node.module else [])])
            found.add(base)
            found.update(f"{base}.{alias.name}" for alias in node.names)
    return sorted(name for name in found if name.split(".")[0] == _PACKAGE)


def _statements(body: Iterable[ast.stmt]) -> Iterator[ast.stmt]:
    """All statements in a list of them, to any depth. Expressions, which are most of a tree, hold
    no import."""
    for node in body:
        yield node
        for name in ("body", "orelse", "finalbody"):
            yield from _statements(getattr(node, name, ()))
        # The arms of `try` and `match` are no statements themselves.
        for arm in (*getattr(node, "handlers", ()), *getattr(node, "cases", ())):
            yield from _statements(arm.body)
