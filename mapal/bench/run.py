"""`doit bench` for one target: measures every program of a build and writes what it found."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mapal.bench import table
from mapal.bench.machine import NATIVE, measure_roofs
from mapal.bench.measure import Job, measure
from mapal.bench.peers import C_FLAGS, Peer, find_peers
from mapal.diagnostics import UserError
from mapal.native.toolchain import Compiler, compile_shared, link_shared
from mapal.project.file import Program
from mapal.target import TargetProfile

_DRIVER = NATIVE / "repeat.c"


@dataclass(frozen=True, slots=True, kw_only=True)
class Built:
    """One built program: its project's directory, its settings, and where its artifacts lie.
    `oracle` is the decoded `oracle/P.json`."""

    directory: Path
    program: Program
    object: Path
    runtime: Path
    oracle: Mapping[str, Any]

    @property
    def build(self) -> Path:
        return self.directory / "build"


def bench_target(
    target: str,
    profile: TargetProfile,
    programs: Sequence[Built],
    compiler: Compiler,
    not_timed: str | None,
    say: Callable[[str], None],
) -> dict[str, Any]:
    """Measures one target. `not_timed` is why the host cannot run it, if it cannot; `say` gets
    a line for each program before it is measured. A program that cannot be measured, or a wrong
    answer, is listed with the reason as `failed`; the others are measured all the same."""
    host = host_facts(profile)
    if not_timed is not None:
        return table.document(target, host, [], [], [], not_timed)
    say(f"bench:{target}: what the machine can do")
    host["roofs"] = _roofs(compiler, profile)
    results: list[dict[str, Any]] = []
    skipped: list[dict[str, str]] = []
    failed: list[dict[str, Any]] = []
    for built in programs:
        name = built.program.name
        if built.oracle["class"] != "done":
            reason = f"the program ends as {built.oracle['class']}"
            skipped.append({"program": name, "reason": reason})
            continue
        for threads in thread_counts():
            say(f"bench:{target}:{name} {threads} thread{'s' if threads > 1 else ''}")
            try:
                results.append(_measure(built, compiler, threads))
            except UserError as error:
                reason = error.message.removeprefix(f"{name}: not measured: ")
                failed.append({"program": name, "threads": threads, "reason": reason})
    return table.document(target, host, results, skipped, failed, None)


def thread_counts() -> tuple[int, ...]:
    """One thread, and two where this process may use as many processors."""
    return (1, 2) if processors() > 1 else (1,)


def processors() -> int:
    """Processors that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def compile_driver(compiler: Compiler) -> bytes:
    """The loop that calls and times kernels, as a shared library."""
    return compile_shared(compiler, _DRIVER.read_bytes(), ("-O2",))


def _roofs(compiler: Compiler, profile: TargetProfile) -> list[dict[str, Any]]:
    with tempfile.TemporaryDirectory(prefix="mapal-bench-") as directory:
        scratch = Path(directory)
        driver = scratch / "repeat.so"
        driver.write_bytes(compile_driver(compiler))
        return measure_roofs(compiler, driver, profile.vector_bytes, thread_counts(), scratch)


def _measure(built: Built, compiler: Compiler, threads: int) -> dict[str, Any]:
    program = built.program
    peers = find_peers(built.directory, program.bench.peers, program.name, program.source)
    with tempfile.TemporaryDirectory(prefix="mapal-bench-") as scratch:
        library = Path(scratch, "program.so")
        library.write_bytes(
            link_shared(compiler, built.object.read_bytes(), built.runtime.read_bytes())
        )
        driver = Path(scratch, "repeat.so")
        driver.write_bytes(compile_driver(compiler))
        return measure(
            Job(
                program=program.name,
                arithmetic=program.arithmetic,
                threads=threads,
                binary=library,
                driver=driver,
                inputs={port: built.directory / path for port, path in program.inputs},
                expected=_expected(built),
                peers=peers,
                peer_libraries=_compile_peers(
                    compiler, peers, dict(program.sizes), threads, Path(scratch)
                ),
                repeat=program.bench.repeat,
                flop=program.bench.flop,
                bytes=program.bench.bytes,
            )
        )


def _expected(built: Built) -> list[Path]:
    directory = built.build / "oracle" / built.program.name
    ports = built.oracle["outputs"]
    return [directory / f"{port}.npy" for port in sorted(ports, key=_port_order)]


def _port_order(port: str) -> int:
    return int(port.rpartition(".")[2]) if "." in port else 0


def _compile_peers(
    compiler: Compiler,
    peers: Sequence[Peer],
    sizes: Mapping[str, int],
    threads: int,
    scratch: Path,
) -> dict[str, Path]:
    libraries: dict[str, Path] = {}
    for peer in peers:
        if peer.script is None or peer.name not in C_FLAGS:
            continue
        libraries[peer.name] = scratch / f"{peer.name}.so"
        flags = [*C_FLAGS[peer.name], *(["-fopenmp"] if threads > 1 else [])]
        flags += [f"-D{name}={size}" for name, size in sizes.items()]
        try:
            data = compile_shared(compiler, peer.script.read_bytes(), flags)
        except UserError as error:
            raise UserError(f"peer {peer.name}, {peer.script}: {error.message}", 1) from None
        libraries[peer.name].write_bytes(data)
    return libraries


def host_facts(profile: TargetProfile) -> dict[str, Any]:
    """The machine that measures, as `bench/T.json` states it."""
    from mapal.target.detect import detect_host

    host = detect_host()
    caches: dict[str, int] = {}
    if host.l1d is not None:
        caches.update(
            l1d_bytes=host.l1d.bytes, l1d_line_bytes=host.l1d.line_bytes, l1d_ways=host.l1d.ways
        )
    for name, cache in (("l2", host.l2), ("l3", host.l3)):
        if cache is not None:
            caches.update({f"{name}_bytes": cache.bytes, f"{name}_cores": cache.cores})
    return {
        "cpu": host.cpu,
        "cores": processors(),
        "isa": f"{profile.triple.split('-')[0]} {profile.cpu}",
        "caches": caches,
    }
