"""The project file `mapal.yaml`: reading it, and every way it can be wrong.

A project file is data: loading one runs no code, and every path in it stays inside the
project's directory, also through symbolic links. Mistakes are errors that name the file, the
line, what was found, what was expected and the closest valid key.
"""

from __future__ import annotations

import itertools
import json
import os
import re
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, TypeVar

from mapal.diagnostics import UserError
from mapal.project.template import substitute
from mapal.target import NATIVE, list_profiles
from mapal.target.document import Entry, closest, read_document

PROJECT_FILE = "mapal.yaml"
ALL_TARGETS = "all"
ARITHMETICS = ("exact", "fused")
DEFAULT_STEPS = 1_000_000_000_000

_SAFE_NAME = re.compile(r"[A-Za-z0-9_-]{1,100}\Z")
_PORT_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*(\.[0-9]+)?\Z")
_SIZE_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")
_SETTING_KEYS = ("arithmetic", "opt", "threads", "steps", "bench")
_PROJECT_KEYS = ("name", "programs", "targets", *_SETTING_KEYS, "library", "validate", "crosscheck")
_PROGRAM_KEYS = ("source", "inputs", "outputs", "sizes", *_SETTING_KEYS)
_BENCH_KEYS = ("repeat", "peers", "flop", "bytes")
_UNSUPPORTED_SWITCHES = ("library",)
_MOST_PROGRAMS = 10_000

_Item = TypeVar("_Item")


@dataclass(frozen=True, slots=True, kw_only=True)
class Bench:
    """How a program is measured. `flop` and `bytes` are operations and memory traffic of one
    run, where known."""

    repeat: int = 11
    peers: tuple[str, ...] = ()
    flop: int | None = None
    bytes: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Program:
    """One program of a project. Paths are relative to the project's directory, with `/`.
    `sizes` holds what replaces the placeholders of the source; `inputs` and `outputs` pair
    port names with paths. `validate` and `crosscheck` are the project's: whether
    each pass of the rewriter is checked by runs, and whether code generation compares its proofs
    about arrays with simple rules."""

    name: str
    source: str
    sizes: tuple[tuple[str, int], ...] = ()
    inputs: tuple[tuple[str, str], ...] = ()
    outputs: tuple[tuple[str, str], ...] = ()
    arithmetic: str = "exact"
    opt: int = 2
    threads: tuple[int, ...] = (1, 2)
    steps: int = DEFAULT_STEPS
    validate: bool = False
    crosscheck: bool = False
    bench: Bench = Bench()


@dataclass(frozen=True, slots=True, kw_only=True)
class Project:
    """A loaded project file. `targets` are names as written, `all` among them."""

    name: str
    programs: tuple[Program, ...]
    targets: tuple[str, ...] = ("native",)

    def to_json(self) -> str:
        """The project as JSON, which `project_from_json` reads back."""
        return json.dumps(asdict(self), sort_keys=True)

    def paths(self) -> list[str]:
        """Every file that has to exist, sources first."""
        paths = [program.source for program in self.programs]
        paths += [path for program in self.programs for _, path in program.inputs]
        return list(dict.fromkeys(paths))


def project_from_json(text: str) -> Project:
    """The project that `to_json` wrote."""
    data = json.loads(text)
    programs = []
    for entry in data["programs"]:
        bench = entry.pop("bench")
        bench["peers"] = tuple(bench["peers"])
        for key in ("sizes", "inputs", "outputs"):
            entry[key] = tuple((name, value) for name, value in entry[key])
        entry["threads"] = tuple(entry["threads"])
        programs.append(Program(**entry, bench=Bench(**bench)))
    return Project(name=data["name"], programs=tuple(programs), targets=tuple(data["targets"]))


def find_project(start: Path) -> Path:
    """The nearest directory at or above `start` with a project file. Raises `UserError`."""
    start = start.absolute()
    for directory in (start, *start.parents):
        if (directory / PROJECT_FILE).is_file():
            return directory
    raise UserError(f"no {PROJECT_FILE} in {start} or above; `mapal new NAME` makes a project")


def load_project(path: Path, *, shown_as: str | None = None) -> Project:
    """The project in the directory or project file `path`, with the existence and place of its
    files checked. `shown_as` is the file's name in messages. Raises `UserError`."""
    file = path if path.name == PROJECT_FILE else path / PROJECT_FILE
    try:
        data = file.read_bytes()
    except OSError as error:
        raise UserError(f"{shown_as or file}: {error.strerror}") from None
    return _Reader(file.parent, read_document(data, shown_as or PROJECT_FILE)).project()


def misplaced(directory: Path, path: str) -> str | None:
    """Why `path` is no path inside `directory`; None if it is one."""
    if not path or "\0" in path or os.path.isabs(path):
        return "a relative path"
    root = os.path.realpath(directory)
    real = os.path.realpath(os.path.join(root, path))
    if os.path.commonpath((root, real)) != root or real == root:
        return "a path inside the project directory"
    return None


class _Reader:
    """Turns the located document into a project."""

    def __init__(self, directory: Path, root: Entry) -> None:
        self._directory = directory
        self._root = root

    def project(self) -> Project:
        root = self._root
        entries = root.mapping(_PROJECT_KEYS)
        for key in ("name", "programs"):
            if key not in entries:
                root.fail(f"key {key!r} is missing")
        for key in _UNSUPPORTED_SWITCHES:
            if key in entries and entries[key].boolean():
                entries[key].fail(f"`{key}: true` is not supported yet")
        settings = _settings(entries, {})
        for key in ("validate", "crosscheck"):
            settings[key] = key in entries and entries[key].boolean()
        programs: dict[str, Program] = {}
        named = entries["programs"].mapping()
        if not named:
            entries["programs"].expected("at least one program")
        for key, entry in named.items():
            if not _SAFE_NAME.match(key):
                entries["programs"].fail_at_key(
                    key, f"program name {key!r}; expected letters, digits, _ and -"
                )
            for program in self._programs(key, entry, settings):
                if program.name in programs:
                    entries["programs"].fail_at_key(
                        key, f"program {program.name!r} is there twice, through its sizes"
                    )
                if len(programs) >= _MOST_PROGRAMS:
                    entries["programs"].fail(f"more than {_MOST_PROGRAMS} programs")
                programs[program.name] = program
        name = entries["name"].text()
        if not _SAFE_NAME.match(name):
            entries["name"].expected("letters, digits, _ and -")
        self._check_outputs(entries["programs"], programs)
        targets: tuple[str, ...] = ("native",)
        if "targets" in entries:
            known = (*list_profiles(), NATIVE, ALL_TARGETS)
            for target in _some(entries["targets"]):
                target.choice(known)
            targets = tuple(
                _unique(entries["targets"], [t.text() for t in _some(entries["targets"])])
            )
        return Project(name=name, programs=tuple(programs.values()), targets=targets)

    def _programs(self, key: str, entry: Entry, inherited: dict[str, Any]) -> list[Program]:
        entries = entry.mapping(_PROGRAM_KEYS)
        if "source" not in entries:
            entry.fail(f"key 'source' is missing in {entry.path}")
        settings = _settings(entries, inherited)
        sizes = _sizes(entries["sizes"]) if "sizes" in entries else {}
        programs = []
        for choice in itertools.product(*sizes.values()):
            chosen = dict(zip(sizes, choice, strict=True))
            name = "-".join((key, *map(str, choice)))
            if not _SAFE_NAME.match(name):
                entry.fail(f"program name {name!r} is too long")
            programs.append(
                Program(
                    name=name,
                    source=self._file(entries["source"], {}),
                    sizes=tuple(chosen.items()),
                    inputs=self._ports(entries.get("inputs"), chosen, must_exist=True),
                    outputs=self._ports(entries.get("outputs"), chosen, must_exist=False),
                    **settings,
                )
            )
        return programs

    def _ports(
        self, entry: Entry | None, sizes: dict[str, int], *, must_exist: bool
    ) -> tuple[tuple[str, str], ...]:
        if entry is None:
            return ()
        ports = []
        for name, path in entry.mapping().items():
            if not _PORT_NAME.match(name):
                entry.fail_at_key(name, f"{name!r}; expected the name of a parameter or result")
            if not must_exist and not re.fullmatch(r"result(\.[0-9]+)?", name):
                entry.fail_at_key(name, f"{name!r}; expected result, or result.0, result.1, …")
            ports.append((name, self._file(path, sizes, must_exist=must_exist)))
        return tuple(ports)

    def _file(self, entry: Entry, sizes: dict[str, int], *, must_exist: bool = True) -> str:
        text = entry.text()
        if sizes:
            text = substitute(text, sizes, f"{entry.file}:{entry.line}")
        problem = misplaced(self._directory, text)
        if problem is not None:
            entry.fail(f"{entry.path} is {text!r}; expected {problem}")
        path = os.path.normpath(text)
        full = self._directory / path
        if must_exist and not full.is_file():
            found = "a directory" if full.is_dir() else "no such file"
            entry.fail(f"{entry.path} is {text!r}; {found}{_near(full)}")
        if not must_exist and full.is_dir():
            entry.fail(f"{entry.path} is {text!r}; a directory")
        return path

    def _check_outputs(self, entry: Entry, programs: dict[str, Program]) -> None:
        read = {path for program in programs.values() for path in (program.source,)}
        read |= {path for program in programs.values() for _, path in program.inputs}
        written: dict[str, str] = {}
        for program in programs.values():
            for _, path in program.outputs:
                if path in read or path == PROJECT_FILE:
                    entry.fail(f"program {program.name!r} would overwrite {path!r}")
                if path in written:
                    entry.fail(
                        f"programs {written[path]!r} and {program.name!r} both write {path!r}"
                    )
                written[path] = program.name


def _settings(entries: dict[str, Entry], inherited: dict[str, Any]) -> dict[str, Any]:
    """The settings that a project gives to its programs and a program may give itself."""
    settings = dict(inherited)
    if "arithmetic" in entries:
        settings["arithmetic"] = entries["arithmetic"].choice(ARITHMETICS)
    if "opt" in entries:
        settings["opt"] = entries["opt"].integer(0, 3)
    if "steps" in entries:
        settings["steps"] = entries["steps"].integer(1, 10**18)
    if "threads" in entries:
        counts = [count.integer(1, 1024) for count in _some(entries["threads"])]
        settings["threads"] = tuple(_unique(entries["threads"], counts))
    if "bench" in entries:
        settings["bench"] = _bench(entries["bench"])
    return settings


def _bench(entry: Entry) -> Bench:
    entries = entry.mapping(_BENCH_KEYS)
    values: dict[str, Any] = {
        key: value.integer(1, 10**18) for key, value in entries.items() if key != "peers"
    }
    if "repeat" in values:
        values["repeat"] = entries["repeat"].integer(1, 10_000)
    if "peers" in entries:
        peers = [peer.text() for peer in entries["peers"].items()]
        for peer, item in zip(peers, entries["peers"].items(), strict=True):
            if not _SAFE_NAME.match(peer):
                item.expected("letters, digits, _ and -")
        values["peers"] = tuple(_unique(entries["peers"], peers))
    return Bench(**values)


def _sizes(entry: Entry) -> dict[str, tuple[int, ...]]:
    sizes = {}
    for name, values in entry.mapping().items():
        if not _SIZE_NAME.match(name):
            entry.fail_at_key(name, f"size {name!r}; expected a name")
        numbers = [value.integer(1, 2**31 - 1) for value in _some(values)]
        sizes[name] = tuple(_unique(values, numbers))
    if not sizes:
        entry.expected("at least one size, such as {N: [128, 512]}")
    return sizes


def _some(entry: Entry) -> list[Entry]:
    items = entry.items()
    if not items:
        entry.expected("a list with at least one item")
    return items


def _unique(entry: Entry, values: list[_Item]) -> list[_Item]:
    for index, value in enumerate(values):
        if value in values[:index]:
            entry.items()[index].fail(f"{value!r} is there twice in {entry.path}")
    return values


def _near(path: Path) -> str:
    """The closest existing name beside a missing file, for the message."""
    try:
        names = os.listdir(path.parent)
    except OSError:
        return ""
    return closest(path.name, names)
