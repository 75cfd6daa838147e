"""The C toolchain: finding one that works, its fingerprint, the runtime library, linking.

A compiler counts as found when it links a small program, so a half-installed one is passed
over. The system's comes first (`CC`, then `cc`, `gcc`, `clang`), then the `ziglang` package if
it is installed; `install_packaged` installs that on demand. The fingerprint holds versions and
no paths, so equal toolchains in different places make equal artifacts; options in `CC`, a script
around a compiler, and variables that decide where a compiler looks are in it by their hash.

Every command runs in a temporary directory of its own and nothing of it reaches the output.
"""

from __future__ import annotations

import errno
import functools
import hashlib
import json
import os
import platform
import shlex
import shutil
import signal
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from mapal.diagnostics import UserError

TOOLCHAIN_FAILURE = 4
"""Exit status of `mapal compile` when no C toolchain does its work."""

_ZIG_PACKAGE = "ziglang==0.17.1"
_PROBE = "int main(void) { return 0; }\n"
_LIBRARIES = ("-lm", "-lpthread")
_LIMIT_SECONDS = 600
# -ffp-contract=off: the software multiply-add must not be contracted itself.
_RUNTIME_FLAGS = (
    "-std=c11",
    "-O2",
    "-g0",
    "-fPIC",
    "-ffp-contract=off",
    "-Wall",
    "-Wextra",
    "-Werror",
)


# Where compilers and linkers look without being told on the command line.
_SEARCH_VARIABLES = (
    "COMPILER_PATH",
    "CPATH",
    "C_INCLUDE_PATH",
    "GCC_EXEC_PREFIX",
    "LD_RUN_PATH",
    "LIBRARY_PATH",
    "MACOSX_DEPLOYMENT_TARGET",
    "SDKROOT",
)


@dataclass(frozen=True, slots=True)
class Compiler:
    """A working C compiler driver. `command` is how it is called, `fingerprint` what it is."""

    command: tuple[str, ...]
    fingerprint: str
    is_zig: bool = False


@dataclass(frozen=True, slots=True)
class Search:
    """What a search found: a compiler or None, and for each candidate that failed, why."""

    compiler: Compiler | None
    failures: tuple[str, ...]


@functools.cache
def runtime_directory() -> Path:
    """Where the C sources lie: in the installed package or at the top of a checkout."""
    package = Path(__file__).resolve().parent.parent
    installed = package / "_data" / "runtime"
    return installed if installed.is_dir() else package.parent / "runtime"


def runtime_sources(directory: Path | None = None) -> dict[str, Path]:
    """The runtime's C files and headers by name, sorted."""
    directory = directory or runtime_directory()
    names = sorted(name for name in os.listdir(directory) if name.endswith((".c", ".h")))
    return {name: directory / name for name in names}


def candidates(environment: Mapping[str, str]) -> list[tuple[str, ...]]:
    """Commands to try, in order, given the environment variables."""
    commands: list[tuple[str, ...]] = []
    named = environment.get("CC", "").strip()
    if named:
        try:
            commands.append(tuple(shlex.split(named)))
        except ValueError:
            commands.append((named,))  # a quote without its partner: no such command
    commands += [("cc",), ("gcc",), ("clang",)]
    zig = packaged_zig()
    if zig is not None:
        commands.append((str(zig), "cc"))
    return commands


def search_variables(environment: Mapping[str, str]) -> dict[str, str]:
    """The variables that are set and decide where compilers and linkers look."""
    return {name: environment[name] for name in _SEARCH_VARIABLES if environment.get(name)}


def packaged_zig() -> Path | None:
    """The compiler binary of the `ziglang` package in this Python environment, if installed."""
    path = Path(sysconfig.get_path("purelib")) / "ziglang" / "zig"
    return path if path.is_file() else None


def find_compiler(environment: Mapping[str, str] | None = None) -> Search:
    """The first candidate that links a program. A candidate that is not installed is passed
    over in silence, one that fails is reported in `failures`, and so is any `CC`. Raises
    `UserError` if there is no room for temporary files."""
    environment = os.environ if environment is None else environment
    failures: list[str] = []
    for command in candidates(environment):
        executable = shutil.which(command[0], path=environment.get("PATH"))
        if executable is None:
            if command[0] not in ("cc", "gcc", "clang"):
                failures.append(f"{command[0]}: not found")
            continue
        try:
            return Search(_probe((executable, *command[1:])), tuple(failures))
        except _Failed as error:
            failures.append(f"{shlex.join(command)}: {error}")
    return Search(None, tuple(failures))


def require_compiler(say: Callable[[str], None]) -> Compiler:
    """A working compiler, installing the packaged one if there is no other. `say` gets one line
    for everything a person should know. Raises `UserError` if there is none to be had."""
    search = find_compiler()
    for failure in search.failures:
        say(f"C compiler {failure}")
    if search.compiler is not None:
        return search.compiler
    say(f"no working C compiler found; installing the package {_ZIG_PACKAGE} instead")
    install_packaged()
    search = find_compiler()
    if search.compiler is None:
        raise UserError(f"no working C compiler: {'; '.join(search.failures)}", TOOLCHAIN_FAILURE)
    return search.compiler


def install_packaged() -> None:
    """Installs the packaged compiler into this Python environment. Raises `UserError`."""
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-input"]
    command += ["--disable-pip-version-check", _ZIG_PACKAGE]
    try:
        result = subprocess.run(
            command, capture_output=True, text=True, timeout=_LIMIT_SECONDS, check=False
        )
        reason = _last_line(result.stderr) if result.returncode else ""
    except (OSError, subprocess.TimeoutExpired) as error:
        reason = str(error)
    if reason:
        raise UserError(
            "no C compiler is installed (tried CC, cc, gcc, clang), and the package "
            f"{_ZIG_PACKAGE} cannot be installed: {reason}",
            TOOLCHAIN_FAILURE,
        )


def build_runtime(
    compiler: Compiler, sources: Mapping[str, bytes], *, scratch: str | None = None
) -> bytes:
    """The static library of the runtime from its C files and headers by name. Temporary files
    lie in `scratch`, by default the system's place for them. Raises `UserError` with the
    compiler's message if a file does not compile."""
    from concurrent.futures import ThreadPoolExecutor

    with _scratch(scratch) as directory:
        for name, data in sources.items():
            Path(directory, name).write_bytes(data)
        units = sorted(name for name in sources if name.endswith(".c"))
        prefix_map = f"-ffile-prefix-map={directory}=."
        objects = [f"{unit[:-2]}.o" for unit in units]

        def compile_unit(unit: str, output: str) -> None:
            options = [*_RUNTIME_FLAGS, prefix_map, "-c", unit, "-o", output]
            _run(compiler, options, directory)

        with ThreadPoolExecutor(os.cpu_count() or 1) as executor:
            list(executor.map(compile_unit, units, objects))
        _archive(compiler, "libmapal_rt.a", objects, directory)
        return Path(directory, "libmapal_rt.a").read_bytes()


def link(
    compiler: Compiler, program: bytes, runtime: bytes, *, scratch: str | None = None
) -> bytes:
    """The executable of one object file and the runtime library. Raises `UserError` with the
    linker's message."""
    with _scratch(scratch) as directory:
        Path(directory, "program.o").write_bytes(program)
        Path(directory, "libmapal_rt.a").write_bytes(runtime)
        options = ["-pie", "-o", "program", "program.o", "libmapal_rt.a", *_LIBRARIES]
        if sys.platform != "darwin":
            options.append("-Wl,--build-id=none")
        if compiler.is_zig:
            # zig writes the working directory into debug sections unless they are stripped.
            options.append("-s")
        _run(compiler, options, directory)
        return Path(directory, "program").read_bytes()


def link_shared(
    compiler: Compiler, program: bytes, runtime: bytes, *, further: Sequence[bytes] = ()
) -> bytes:
    """The shared library of an object file, further ones, and the runtime library, without a
    `main`. Raises `UserError` with the linker's message."""
    with _scratch(None) as directory:
        names = ["program.o", *(f"program{number}.o" for number in range(len(further)))]
        for name, data in zip(names, (program, *further), strict=True):
            Path(directory, name).write_bytes(data)
        Path(directory, "libmapal_rt.a").write_bytes(runtime)
        options = ["-shared", "-o", "program.so", *names, "libmapal_rt.a", *_LIBRARIES]
        _run(compiler, options, directory)
        return Path(directory, "program.so").read_bytes()


def compile_shared(compiler: Compiler, source: bytes, flags: Sequence[str]) -> bytes:
    """The shared library of one C file, built with `flags`. Raises `UserError` with the
    compiler's message."""
    with _scratch(None) as directory:
        Path(directory, "source.c").write_bytes(source)
        options = [*flags, "-fPIC", "-shared", "-o", "source.so", "source.c", *_LIBRARIES]
        _run(compiler, options, directory)
        return Path(directory, "source.so").read_bytes()


def _scratch(parent: str | None) -> tempfile.TemporaryDirectory[str]:
    return tempfile.TemporaryDirectory(prefix="mapal-", dir=parent)


class _Failed(Exception):  # noqa: N818  (internal; the message is for a list of reasons)
    pass


def _probe(command: tuple[str, ...]) -> Compiler:
    """The compiler behind a command, if it links a program. Raises `_Failed`."""
    is_zig = command[1:2] == ("cc",) and Path(command[0]).name.startswith("zig")
    with _scratch(None) as directory:
        Path(directory, "probe.c").write_text(_PROBE, encoding="ascii")
        options = ["-O2", "-o", "probe", "probe.c", *_LIBRARIES]
        result = _execute([*command, *options], directory)
        if result is None:
            raise _Failed("cannot be started")
        full = os.strerror(errno.ENOSPC)
        if full in result.stderr:
            # Another compiler would find no room either.
            where = Path(directory).parent
            raise UserError(f"{shlex.join(command)}: {full} in {where}", TOOLCHAIN_FAILURE)
        if result.returncode != 0 or not Path(directory, "probe").is_file():
            raise _Failed(_reason(result))
        return Compiler(command, _fingerprint(command, is_zig, directory), is_zig)


def _fingerprint(command: tuple[str, ...], is_zig: bool, directory: str) -> str:
    def first_line(*arguments: str) -> str:
        result = _execute([*command[: 1 if is_zig else None], *arguments], directory)
        text = result.stdout if result is not None else ""
        return text.splitlines()[0].strip() if text else ""

    if is_zig:
        parts = [f"zig {first_line('version')} {platform.machine()}"]
        return "; ".join([*parts, *_peculiarities(command[2:], None)])
    version = first_line("--version")
    # gcc begins with the name that it was called by.
    version = version.removeprefix(f"{Path(command[0]).name} ")
    parts = [
        version,
        first_line("-dumpmachine"),
        first_line("-Wl,--version"),
        " ".join(platform.libc_ver()),
        *_peculiarities(command[1:], command[0]),
    ]
    return "; ".join(part for part in parts if part.strip())


def _peculiarities(options: Sequence[str], executable: str | None) -> list[str]:
    """What makes a compiler another one than its versions say, each by its hash: nothing of it
    needs to mean the same elsewhere, and it may hold paths."""
    script = b""
    if executable is not None:
        with open(executable, "rb") as file:
            if file.read(2) == b"#!":
                script = file.read()
    variables = search_variables(os.environ)
    found = {
        "options": json.dumps(options).encode() if options else b"",
        "script": script,
        "variables": json.dumps(variables).encode() if variables else b"",
    }
    return [
        f"{name} {hashlib.sha256(text).hexdigest()[:16]}" for name, text in found.items() if text
    ]


def _archive(compiler: Compiler, name: str, members: Sequence[str], directory: str) -> None:
    if compiler.is_zig:
        command = [compiler.command[0], "ar"]
    else:
        found = _execute([*compiler.command, "-print-prog-name=ar"], directory)
        command = [found.stdout.strip() if found is not None and found.stdout.strip() else "ar"]
    flags = "rcs" if sys.platform == "darwin" else "rcsD"
    result = _execute([*command, flags, name, *members], directory)
    if result is None or result.returncode != 0:
        reason = "cannot be started" if result is None else _reason(result)
        raise UserError(f"{shlex.join(command)}: {reason}", TOOLCHAIN_FAILURE)


def _run(compiler: Compiler, options: Sequence[str], directory: str) -> None:
    result = _execute([*compiler.command, *options], directory)
    name = shlex.join(compiler.command)
    if result is None:
        raise UserError(f"{name}: cannot be started", TOOLCHAIN_FAILURE)
    if result.returncode != 0:
        text = "\n".join(result.stderr.strip().splitlines()[:20])
        raise UserError(f"{name} failed:\n{text or _reason(result)}", TOOLCHAIN_FAILURE)


def _execute(command: Sequence[str], directory: str) -> subprocess.CompletedProcess[str] | None:
    """The finished command, or None if it cannot be started or does not end. Its own temporary
    files lie in `directory` too."""
    environment = {**os.environ, "LC_ALL": "C", "ZERO_AR_DATE": "1", "SOURCE_DATE_EPOCH": "0"}
    environment["TMPDIR"] = directory
    try:
        return subprocess.run(
            command,
            cwd=directory,
            env=environment,
            capture_output=True,
            text=True,
            errors="replace",
            stdin=subprocess.DEVNULL,
            timeout=_LIMIT_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None


def _reason(result: subprocess.CompletedProcess[str]) -> str:
    """Why a command failed, in one line."""
    said = _last_line(result.stderr)
    if said or result.returncode >= 0:
        return said or f"exit status {result.returncode}"
    return f"killed by {signal.Signals(-result.returncode).name}"


def _last_line(text: str) -> str:
    lines = [line.strip() for line in text.strip().splitlines() if line.strip()]
    errors = [line for line in lines if "error" in line.lower()]
    return (errors or lines or [""])[-1]
