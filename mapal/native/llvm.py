"""LLVM, called inside a worker process: verify, optimise and emit one module.

A fatal error in here ends the process; callers outside a worker use `llvm_worker`. Output
depends on the text, the profile and the level alone: modules are cloned for each emission,
because emission changes them.
"""

from __future__ import annotations

import functools
import os
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import llvmlite.binding as llvm

from mapal.diagnostics import CompilerBug, UserError
from mapal.target import TargetProfile
from mapal.target.document import closest

OptimisationLevel = Literal[0, 1, 2, 3]


@dataclass(frozen=True, slots=True)
class ObjectArtifact:
    """What one module became: LLVM text after optimisation, assembly and object file."""

    optimized_ll: str
    assembly: str
    object: bytes


def compile_module(ll: str, profile: TargetProfile, opt: int) -> ObjectArtifact:
    """Compiles a module for the processor of `profile`. Raises `CompilerBug` if the module is
    not valid, `UserError` if LLVM does not know the profile's processor or extensions."""
    machine = _machine(profile.triple, profile.cpu, profile.feature_string, opt, profile.name)
    module = _optimised(ll, machine, profile.triple, opt)
    return ObjectArtifact(
        optimized_ll=str(module),
        assembly=str(machine.emit_assembly(module.clone())),
        object=bytes(machine.emit_object(module.clone())),
    )


def compile_object(ll: str, profile: TargetProfile, opt: int) -> bytes:
    """The object file alone, for those who do not look at the other forms: they take half of the
    time. Raises as `compile_module`."""
    machine = _machine(profile.triple, profile.cpu, profile.feature_string, opt, profile.name)
    module = _optimised(ll, machine, profile.triple, opt)
    return bytes(machine.emit_object(module))


def check_module(ll: str) -> None:
    """Raises `CompilerBug` if LLVM does not accept the module."""
    _parsed(ll)


def compile_together(modules: Sequence[str], profile: TargetProfile, opt: int) -> bytes:
    """One object file of several modules. Their internal names may clash, their external ones
    must not. Raises as `compile_module`."""
    machine = _machine(profile.triple, profile.cpu, profile.feature_string, opt, profile.name)
    whole = _parsed("")
    for ll in modules:
        whole.link_in(_parsed(ll))
    _optimise(whole, machine, profile.triple, opt)
    return bytes(machine.emit_object(whole))


def compile_device(device_ll: str, profile: TargetProfile, opt: int) -> str:
    """Compiles a device module to PTX. Raises as `compile_module`."""
    device = profile.device
    if device is None:
        raise CompilerBug(f"profile {profile.name} has no device")
    features = ",".join(device.features)
    machine = _machine(device.triple, device.cpu, features, opt, profile.name)
    module = _optimised(device_ll, machine, device.triple, opt)
    return str(machine.emit_assembly(module.clone()))


def llvm_version() -> str:
    """The version of LLVM inside llvmlite, such as `22.1.0`."""
    return ".".join(str(part) for part in llvm.llvm_version_info)


@functools.cache
def _initialise() -> None:
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()


def _machine(triple: str, cpu: str, features: str, opt: int, profile: str) -> Any:
    """A target machine for objects to link. LLVM accepts any name and only mutters; what it
    mutters is taken as the error that it is."""
    _initialise()
    target = llvm.Target.from_triple(triple)
    machine, muttered = _with_stderr(
        lambda: target.create_target_machine(
            cpu=cpu, features=features, opt=opt, reloc="pic", codemodel="default"
        )
    )
    if " is not a recognized " in muttered:
        name = muttered.split("'")[1]
        near = closest(name.lstrip("+-"), known_names(triple))
        raise UserError(f"target {profile}: LLVM knows no {name!r} for {triple}{near}")
    return machine


def known_names(triple: str) -> list[str]:
    """The processors and extensions that LLVM knows for a triple. LLVM tells once in the life
    of a process, so another process is asked."""
    import subprocess
    import sys

    result = subprocess.run(
        [sys.executable, "-P", "-c", _ASK, triple], capture_output=True, text=True, check=False
    )
    lines = [line.split() for line in result.stderr.splitlines() if line.startswith("  ")]
    return [words[0] for words in lines if len(words) > 2 and words[1] == "-"]


_ASK = """
import sys, llvmlite.binding as llvm
llvm.initialize_all_targets(); llvm.initialize_all_asmprinters()
llvm.Target.from_triple(sys.argv[1]).create_target_machine(cpu="help")
"""


def _optimised(ll: str, machine: Any, triple: str, opt: int) -> Any:
    module = _parsed(ll)
    _optimise(module, machine, triple, opt)
    return module


def _parsed(ll: str) -> Any:
    try:
        module = llvm.parse_assembly(ll)
        module.verify()
    except RuntimeError as error:
        raise CompilerBug(f"LLVM rejects the emitted module: {str(error).strip()}") from None
    return module


def _optimise(module: Any, machine: Any, triple: str, opt: int) -> None:
    module.triple = triple
    module.data_layout = str(machine.target_data)
    options = llvm.create_pipeline_tuning_options(speed_level=opt)
    options.loop_vectorization = opt >= 2
    options.slp_vectorization = opt >= 2
    options.loop_interleaving = opt >= 2
    options.loop_unrolling = opt >= 2
    builder = llvm.create_pass_builder(machine, options)
    builder.getModulePassManager().run(module, builder)


def _with_stderr(make: Callable[[], Any]) -> tuple[Any, str]:
    """The value of `make()` and what was written to the file descriptor 2 meanwhile."""
    with tempfile.TemporaryFile() as file:
        saved = os.dup(2)
        try:
            os.dup2(file.fileno(), 2)
            value = make()
        finally:
            os.dup2(saved, 2)
            os.close(saved)
        file.seek(0)
        return value, file.read().decode("utf-8", "replace")
