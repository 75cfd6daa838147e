"""Versions of the tools that take part in making artifacts, by name, found when asked for."""

from __future__ import annotations

import importlib.metadata
import threading
from collections.abc import Callable, Iterable

from mapal.diagnostics import CompilerBug
from mapal.native.toolchain import Compiler, Search, require_compiler

C_COMPILER = "cc"
PTXAS = "ptxas"


class Tools:
    """The tools of one build. `search` finds the C compiler (the caller may remember what it
    found), `say` gets lines that a person should see."""

    def __init__(self, search: Callable[[], Search], say: Callable[[str], None]) -> None:
        self._search = search
        self._say = say
        self._lock = threading.Lock()
        self._compiler: Compiler | None = None
        self._searched = False
        self._versions: dict[str, str] = {}

    def versions(self, names: Iterable[str]) -> dict[str, str]:
        """The version of each named tool; an empty text for one that is not installed."""
        return {name: self._version(name) for name in sorted(names)}

    def _version(self, name: str) -> str:
        if name == C_COMPILER:
            compiler = self.compiler()
            return compiler.fingerprint if compiler is not None else ""
        if name not in self._versions:
            self._versions[name] = _installed_version(name)
        return self._versions[name]

    def compiler(self) -> Compiler | None:
        """The C compiler that is there, or None."""
        with self._lock:
            if not self._searched:
                search = self._search()
                self._compiler, self._searched = search.compiler, True
                if search.compiler is not None:
                    # Another compiler than the one that was asked for must not pass in silence.
                    for failure in search.failures:
                        self._say(f"C compiler {failure}")
            return self._compiler

    def require_compiler(self) -> Compiler:
        """The C compiler, installed if need be. Raises `UserError`."""
        found = self.compiler()
        with self._lock:
            if self._compiler is None:
                found = self._compiler = require_compiler(self._say)
        if found is None:
            raise CompilerBug("no compiler after a successful search")
        return found


def _installed_version(name: str) -> str:
    if name == PTXAS:
        from mapal.native.ptxas import ptxas_version

        return ptxas_version() or ""
    return package_version(name)


def package_version(name: str) -> str:
    """The version of an installed package; an empty text if there is none of that name. Reads
    the one line that says it: parsing all that is said about a package takes much longer."""
    try:
        said = importlib.metadata.distribution(name).read_text("METADATA") or ""
    except importlib.metadata.PackageNotFoundError:
        return ""
    for line in said.splitlines():
        if line.startswith("Version:"):
            return line.removeprefix("Version:").strip()
        if not line:
            break
    return importlib.metadata.version(name)
