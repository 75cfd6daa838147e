"""From a sealed graph to LLVM text: the stage `emit`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

from mapal.analysis.legality import compared, legality
from mapal.analysis.totality import reachable_functions
from mapal.codegen.device import Accelerator, block_size, emit_device
from mapal.codegen.llvm.entry import emit_entry
from mapal.codegen.llvm.function import emit_function
from mapal.codegen.llvm.module import ModuleBuilder, Processor
from mapal.diagnostics.recursion import recursion_room
from mapal.ir.graph import Graph

_DEEPEST_RECURSION = 100_000
"""Frames for regions and bodies, which nest as deeply as the source does. Frames of Python
functions live on the heap, so this costs memory only where a program needs it."""


@dataclass(frozen=True, slots=True)
class Emission:
    """The emitted program. `ll` is LLVM text, `plan` the decisions behind it as JSON values,
    `device_ll` the module for the accelerator of a GPU profile, if there is one."""

    ll: str
    plan: dict[str, Any]
    device_ll: str | None


class Profile(Processor, Protocol):
    """What code generation reads from a target profile."""

    @property
    def device(self) -> Accelerator | None: ...


def emit(
    graph: Graph,
    profile: Profile,
    *,
    name: str,
    compares: bool = False,
    cuts_from: int | None = None,
    has_kernels: bool = True,
) -> Emission:
    """Emits a program for a profile. Equal graphs, profiles and names give equal text.

    With `compares`, the engine of index maps is held to the simple rules that it replaced: the
    plan lists what only the engine allows, and it is a `CompilerBug` if only a rule allows
    something. Work is cut for threads if it takes `cuts_from` operations or more, by default as
    many as the profile says; 0 cuts whatever may be cut. Without `has_kernels`, every collection
    is a plain loop: the reference that kernels are compared with. Raises `Unsupported` for values
    that are too wide or too large to handle.
    """
    with compared(compares) as gains:
        emission = _emit(graph, profile, name, cuts_from, has_kernels)
    if compares:
        emission.plan["crosscheck"] = gains
    return emission


def _emit(
    graph: Graph, profile: Profile, name: str, cuts_from: int | None, has_kernels: bool
) -> Emission:
    with recursion_room(_DEEPEST_RECURSION):
        module = ModuleBuilder(graph, profile, name, cuts_from, has_kernels)
        for function in (*reachable_functions(graph), *sorted(module.outlined)):
            emit_function(module, graph.functions[function])
        emit_entry(module)
        plan = module.plan.to_json_object(program=name, target=profile.name, notes=module.notes)
        threads = None if profile.device is None else block_size(profile.device)
        plan["legality"] = [answer.to_json_object() for answer in legality(graph, threads=threads)]
        if profile.device is None:
            return Emission(module.text(), plan, None)
        device_ll, plan["kernels"] = emit_device(graph, profile, profile.device, name)
    return Emission(module.text(), plan, device_ll)
