"""What loading a workspace remembers, so that a build with nothing to do stays quick.

Whatever takes time (parsing project files, asking LLVM about the host, trying compilers,
reading imports) is kept in `build/.mapal/load.json` under a key that covers everything it
depends on. Losing that file, or not being able to write it, costs time only.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from dataclasses import asdict
from pathlib import Path
from typing import Any

import mapal
from mapal.diagnostics import UserError
from mapal.native.toolchain import (
    Compiler,
    Search,
    candidates,
    find_compiler,
    search_variables,
)
from mapal.native.workers import shared_pool
from mapal.pipeline.files import FileHashes, write_if_changed
from mapal.pipeline.seal import read_sealed, sealed
from mapal.pipeline.source_digest import SourceDigests
from mapal.pipeline.tools import package_version
from mapal.project.file import (
    PROJECT_FILE,
    Project,
    load_project,
    misplaced,
    project_from_json,
)
from mapal.target import (
    NATIVE,
    TUNING_SUFFIX,
    TargetProfile,
    Tiles,
    list_profiles,
    parse_profile,
    parse_tuning,
    profile_files,
    profile_from,
    targets_directory,
)
from mapal.target.detect import host_identity
from mapal.target.tiles import tiles_of

_MOST_IMPORTS = 2000


class LoadCache:
    """What loading remembers between runs."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._data = _read_json(path)
        self._changed = False
        self.hashes = FileHashes()
        package = os.path.dirname(mapal.__file__)
        self.digests = SourceDigests(package, self._imports(package))

    def _section(self, name: str) -> Any:
        if not isinstance(self._data.get(name), dict):
            self._data[name] = {}
        return self._data[name]

    def _imports(self, package: str) -> dict[str, list[str]]:
        """What is known about imports of sources, as long as it was found out by the same code."""
        reader = self.hashes.of(os.path.join(package, "pipeline", "source_digest.py"))
        if self._data.get("reader") != reader:
            self._data.update(reader=reader, imports={})
        known: dict[str, list[str]] = self._section("imports")
        return known

    def _remembered(self, section: str, name: str, key: str, make: Any) -> Any:
        entry = self._section(section).get(name)
        if isinstance(entry, dict) and entry.get("key") == key and "value" in entry:
            return entry["value"]
        value = make()
        self._data[section][name] = {"key": key, "value": value}
        self._changed = True
        return value

    def save(self) -> None:
        """Writes the file if anything is new. A failure costs time only, the next time."""
        if self._changed or self.digests.grown:
            # Imports of sources that are no longer there are dropped now and then.
            if len(self.digests.imports) > _MOST_IMPORTS:
                self.digests.forget_unused()
            self._data["imports"] = self.digests.imports
            self._changed = self.digests.grown = False
            text = json.dumps(self._data, sort_keys=True, separators=(",", ":"))
            try:
                write_if_changed(self._path, sealed(text.encode()))
            except UserError:
                return

    def project(self, root: str) -> Project:
        """The project in `root`, read again if its file or our reader of it changed."""
        file = os.path.join(root, PROJECT_FILE)
        digest = self.hashes.of(file)
        key = _key(digest, self.digests.of(["mapal.project.file"]), list_profiles())

        def read() -> str:
            return load_project(Path(root), shown_as=file).to_json()

        project = project_from_json(self._remembered("projects", root, key, read))
        for path in project.paths():
            if misplaced(Path(root), path) or not os.path.isfile(os.path.join(root, path)):
                # Something moved since; a full reading says what, and where it is named.
                return load_project(Path(root), shown_as=file)
        return project

    def profile(self, name: str, architecture: str) -> tuple[TargetProfile, list[str]]:
        """A shipped profile and the files that define it, its own first."""
        code = self.digests.of(["mapal.target.schema"])
        key = _key(code, architecture, *map(_package_hash, self._profile_files(name)))

        def read() -> dict[str, Any]:
            files = profile_files(name)
            return {
                "files": list(files),
                "profile": asdict(parse_profile(files, f"{name}.yaml", architecture)),
            }

        value = self._remembered("profiles", name, key, read)
        return profile_from(value["profile"]), list(value["files"])

    def _profile_files(self, name: str) -> list[str]:
        entry = self._section("profiles").get(name)
        known = entry["value"]["files"] if isinstance(entry, dict) and "value" in entry else []
        files = {f"{name}.yaml", *known}
        return sorted(files | {f"{file[:-5]}{TUNING_SUFFIX}" for file in files})

    def host(self) -> TargetProfile:
        """The detected profile of this machine."""
        key = _key(
            host_identity(),
            package_version("llvmlite"),
            self.digests.of(["mapal.target.detect"]),
        )

        def detect() -> dict[str, Any]:
            return asdict(shared_pool().call("mapal.target.detect:detect_host"))

        return profile_from(self._remembered("host", NATIVE, key, detect))

    def tuning(self, path: str) -> tuple[str, Tiles] | None:
        """What was tuned for this machine, by the file with this path: the processor, and the
        numbers. None if there is no such file."""
        try:
            with open(path, "rb") as file:
                data = file.read()
        except FileNotFoundError:
            return None
        except OSError as error:
            raise UserError(f"{path}: {error.strerror}") from None
        code = self.digests.of(["mapal.target.schema"])

        def read() -> dict[str, Any]:
            found = parse_tuning(data, os.path.basename(path), path)
            return {"cpu": found.cpu, "tiles": found.tiles.entries}

        key = _key(code, hashlib.sha256(data).hexdigest())
        value = self._remembered("tuning", NATIVE, key, read)
        entries = {kernel: dict(numbers) for kernel, numbers in value["tiles"]}
        return value["cpu"], tiles_of(entries)

    def compiler(self) -> Search:
        """The C compiler, searched for again if a candidate changed."""
        found = [shutil.which(command[0]) for command in candidates(os.environ)]
        hashes = [self.hashes.of(path) if path is not None else None for path in found]
        key = _key(
            os.environ.get("CC"),
            found,
            hashes,
            search_variables(os.environ),
            [_file_identity(shutil.which(name)) for name in ("as", "ld")],
            self.digests.of(["mapal.native.toolchain"]),
        )

        def search() -> dict[str, Any] | None:
            result = find_compiler()
            compiler = result.compiler
            if compiler is None:
                return None
            return {
                "command": list(compiler.command),
                "fingerprint": compiler.fingerprint,
                "is_zig": compiler.is_zig,
                "failures": list(result.failures),
            }

        value = self._remembered("compiler", "c", key, search)
        self.save()
        if value is None:
            return Search(None, ())
        command = tuple(value["command"])
        compiler = Compiler(command, value["fingerprint"], value["is_zig"])
        return Search(compiler, tuple(value["failures"]))


def _file_identity(path: str | None) -> list[Any] | None:
    """What changes when a program that a compiler calls is replaced; reading it all would take
    longer than the rest of an idle build."""
    if path is None:
        return None
    status = os.stat(path)
    return [os.path.realpath(path), status.st_size, status.st_mtime_ns]


def _package_hash(file: str) -> str | None:
    try:
        return hashlib.sha256((targets_directory() / file).read_bytes()).hexdigest()
    except OSError:
        return None


def _key(*parts: Any) -> str:
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()


def _read_json(path: str) -> dict[str, Any]:
    text = read_sealed(path)
    data: dict[str, Any] = json.loads(text) if text is not None else {}
    return data
