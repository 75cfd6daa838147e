"""The profiles that are there: where they lie, their names, loading one."""

from __future__ import annotations

import functools
import os
import platform
from pathlib import Path

from mapal.diagnostics import UserError
from mapal.target.document import closest
from mapal.target.profile import (
    NATIVE,
    PROFILE_NAME,
    TargetProfile,
    canonical_architecture,
)
from mapal.target.schema import TUNING_SUFFIX, host_of, parse_profile


def host_architecture() -> str:
    """The architecture of this machine, as LLVM names it."""
    return canonical_architecture(platform.machine())


@functools.cache
def targets_directory() -> Path:
    """Where the shipped profiles lie: in the installed package or at the top of a checkout."""
    package = Path(__file__).resolve().parent.parent
    installed = package / "_data" / "targets"
    return installed if installed.is_dir() else package.parent / "targets"


def list_profiles(directory: Path | None = None) -> tuple[str, ...]:
    """The names of the shipped profiles, sorted; `native` is not among them. What editors and
    other systems leave beside them, under names that no profile can have, is none."""
    directory = directory or targets_directory()
    files = [name for name in os.listdir(directory) if name.endswith(".yaml")]
    return tuple(sorted(name[:-5] for name in files if PROFILE_NAME.match(name[:-5])))


def profile_files(name: str, directory: Path | None = None) -> dict[str, bytes]:
    """The files that define the shipped profile `name`: its own, what was tuned for it, and its
    host's on a GPU. Raises `UserError` if there is no such profile."""
    directory = directory or targets_directory()
    file = f"{name}.yaml"
    files = {file: _shipped(name, directory), **_tuning(name, directory)}
    host = host_of(files[file], file)
    if host is not None:
        files.update({f"{host}.yaml": _shipped(host, directory), **_tuning(host, directory)})
    return files


def _tuning(name: str, directory: Path) -> dict[str, bytes]:
    path = directory / f"{name}{TUNING_SUFFIX}"
    return {path.name: path.read_bytes()} if path.is_file() else {}


def _shipped(name: str, directory: Path) -> bytes:
    path = directory / f"{name}.yaml"
    if not PROFILE_NAME.match(name) or not path.is_file():
        names = (*list_profiles(directory), NATIVE)
        raise UserError(
            f"unknown target {name!r}; known are {', '.join(names)}{closest(name, names)}"
        )
    return path.read_bytes()


def load_profile(
    name_or_path: str, *, architecture: str | None = None, directory: Path | None = None
) -> TargetProfile:
    """The profile with this name in `targets/`, or in the file with this path (a name with a
    slash or the suffix `.yaml`), or the detected one for `native`. A profile with a table of
    architectures is taken for `architecture`, by default the host's. Raises `UserError`."""
    architecture = architecture or host_architecture()
    if name_or_path == NATIVE:
        from mapal.target.detect import detect_host

        return detect_host()
    if "/" not in name_or_path and not name_or_path.endswith(".yaml"):
        files = profile_files(name_or_path, directory)
        return parse_profile(files, f"{name_or_path}.yaml", architecture)
    path = Path(name_or_path)
    try:
        files = {path.name: path.read_bytes(), **_tuning(path.stem, path.parent)}
    except OSError as error:
        raise UserError(f"{name_or_path}: {error.strerror}") from None
    host = host_of(files[path.name], path.name)
    if host is not None:
        directory = directory or targets_directory()
        files.update({f"{host}.yaml": _shipped(host, directory), **_tuning(host, directory)})
    return parse_profile(files, path.name, architecture)
