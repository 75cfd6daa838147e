"""Builds the runtime and the test drivers with the system's C compiler, warnings as errors.

A flavour is a set of compiler flags: "plain" as it is shipped, "sanitized" with the address and
undefined-behaviour sanitizers, "threads" with the thread sanitizer, "coverage" with branch
counters.
"""

import os
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

RUNTIME = Path(__file__).resolve().parents[2] / "runtime"
DRIVERS = Path(__file__).resolve().parent / "drivers"

WARNINGS = (
    "-std=c11",
    "-Wall",
    "-Wextra",
    "-Wpedantic",
    "-Wconversion",
    "-Wshadow",
    "-Wstrict-prototypes",
    "-Werror",
)
FLAVOURS: Mapping[str, tuple[str, ...]] = {
    "plain": ("-O2", "-g0"),
    "sanitized": ("-O1", "-g", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"),
    "threads": ("-O1", "-g", "-fsanitize=thread"),
    "coverage": ("-O0", "-g", "--coverage", "-DMAPAL_MEASURE_COVERAGE"),
}
WRAPPED_CALLS = ("read", "write", "fsync", "close", "rename", "aligned_alloc")


def find_compiler() -> str:
    """The C compiler to test with; its absence fails the tests instead of skipping them."""
    for name in (os.environ.get("CC"), "gcc", "clang", "cc"):
        if name and shutil.which(name):
            return name
    pytest.fail("no C compiler found: the runtime's tests need gcc or clang (set CC to name one)")


def _run(command: Sequence[str]) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        pytest.fail(f"{' '.join(command)}\n{done.stdout}{done.stderr}")


def lost_output(error: int) -> str:
    """The report of standard output that could not be written, for an errno."""
    return f"mapal: cannot write standard output: {os.strerror(error)}\n"


@dataclass(frozen=True)
class Run:
    """One finished process: exit status, standard output, standard error."""

    status: int
    output: bytes
    errors: str


@dataclass(frozen=True)
class Driver:
    """An executable made of one file of tests/runtime/drivers and the runtime."""

    path: Path
    flavour: str

    @property
    def sanitized(self) -> bool:
        return self.flavour == "sanitized"

    def run(
        self,
        *arguments: str | Path,
        stdin: bytes = b"",
        fault: str | None = None,
        directory: Path | None = None,
    ) -> Run:
        """Runs it to its end; `fault` is a plan of drivers/faults.c."""
        environment = dict(os.environ)
        environment.pop("MAPAL_FAULT", None)
        if fault is not None:
            environment["MAPAL_FAULT"] = fault
        done = subprocess.run(
            [self.path, *arguments],
            input=stdin,
            capture_output=True,
            check=False,
            env=environment,
            cwd=directory,
            timeout=300,
        )
        return Run(done.returncode, done.stdout, done.stderr.decode())


class RuntimeBuild:
    """The runtime's archive in one flavour, and drivers linked with it, each built once."""

    def __init__(self, flavour: str, directory: Path) -> None:
        self.flavour = flavour
        self._directory = directory
        self._compiler = find_compiler()
        self._drivers: dict[tuple[str, tuple[str, ...]], Driver] = {}
        objects = [self._compile(source, ()) for source in sorted(RUNTIME.glob("*.c"))]
        self._archive = directory / "libmapal_rt.a"
        _run(["ar", "rcs", str(self._archive), *map(str, objects)])
        # The drivers' own files must not count in the runtime's coverage.
        self._faults = self._compile(DRIVERS / "faults.c", ())

    def driver(self, name: str, *definitions: str) -> Driver:
        """The driver drivers/NAME.c compiled with the given -D definitions."""
        key = (name, definitions)
        if key not in self._drivers:
            executable = self._directory / "-".join((name, *definitions))
            _run(
                [
                    self._compiler,
                    *FLAVOURS[self.flavour],
                    str(self._compile(DRIVERS / f"{name}.c", definitions)),
                    str(self._faults),
                    str(self._archive),
                    "-lm",
                    "-pthread",
                    f"-Wl,{','.join(f'--wrap={call}' for call in WRAPPED_CALLS)}",
                    "-o",
                    str(executable),
                ]
            )
            self._drivers[key] = Driver(executable, self.flavour)
        return self._drivers[key]

    def _compile(self, source: Path, definitions: tuple[str, ...]) -> Path:
        target = self._directory / f"{'-'.join((source.stem, *definitions))}.o"
        _run(
            [
                self._compiler,
                *WARNINGS,
                *FLAVOURS[self.flavour],
                *(f"-D{definition}" for definition in definitions),
                f"-I{RUNTIME}",
                "-c",
                str(source),
                "-o",
                str(target),
            ]
        )
        return target
